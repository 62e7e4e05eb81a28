package generator

import (
	"embed"
	"io/fs"
	"strings"
)

//go:embed specs/*.yaml
var specs embed.FS

// Examples lists the specs that come with the package: c2 and c4 of the
// accounting rules, and the grids of the figures.
func Examples() []string {
	names, err := fs.Glob(specs, "specs/*.yaml")
	if err != nil {
		panic("the pattern is constant: " + err.Error()) // cannot happen
	}
	for i, name := range names {
		names[i] = strings.TrimSuffix(strings.TrimPrefix(name, "specs/"), ".yaml")
	}
	return names
}

// Example returns the spec of the name.
func Example(name string) (Spec, error) {
	file := "specs/" + name + ".yaml"
	text, err := specs.ReadFile(file)
	if err != nil {
		return Spec{}, err
	}
	return Parse(file, text)
}
