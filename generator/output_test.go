package generator

import "path"

// file returns the data of the file at the path, nil when there is none.
func (o *Output) file(name string) []byte {
	for _, f := range o.Files {
		if f.Path == path.Clean(name) {
			return f.Data
		}
	}
	return nil
}
