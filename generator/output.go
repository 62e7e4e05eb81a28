package generator

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// An Output is one synthesized run: its files and its truth.
type Output struct {
	Spec  Spec // as given, with its defaults filled in
	Truth Truth
	Files []File // in a fixed order; spec.yaml is made by Write, as nothing that reads a run needs it
}

// A File is one file of a run, by its slash-separated path in the run's
// directory.
type File struct {
	Path string
	Data []byte
}

// FS returns the run's directory as a read-only file system. It shares the
// files' bytes with the Output.
func (o *Output) FS() fs.FS { return newMemFS(o.Files) }

// ErrNotEmpty is returned when a run would be written into a directory that
// holds something.
var ErrNotEmpty = errors.New("directory is not empty")

// Write writes the run into dir, with spec.yaml beside its files, as
// [WriteFiles] does. An Output that was not generated has no spec and gets none.
func (o *Output) Write(dir string, force bool) error {
	files := o.Files
	if o.Spec.Version != 0 {
		spec, err := Format(o.Spec)
		if err != nil {
			return fmt.Errorf("writing a run to %s: %w", dir, err)
		}
		files = append(slices.Clone(files), File{"spec.yaml", spec})
	}
	return WriteFiles(dir, files, force)
}

// WriteFiles writes files into dir. They are written beside it and renamed into
// place at the end, so an interrupted write leaves nothing half-made. A
// directory that holds something is refused with [ErrNotEmpty], unless force is
// set: then it is replaced, all of it.
func WriteFiles(dir string, files []File, force bool) error {
	dir = filepath.Clean(dir)
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return fmt.Errorf("writing a run: %w", err)
	case len(entries) > 0 && !force:
		return fmt.Errorf("writing a run to %s: %w: use another one, or --force to replace it", dir, ErrNotEmpty)
	}
	parent := filepath.Dir(dir)
	if err := os.MkdirAll(parent, 0o777); err != nil {
		return fmt.Errorf("writing a run: %w", err)
	}
	tmp, err := os.MkdirTemp(parent, "."+filepath.Base(dir)+".tmp*")
	if err != nil {
		return fmt.Errorf("writing a run: %w", err)
	}
	defer os.RemoveAll(tmp)          // what is left of it after the rename
	run := filepath.Join(tmp, "run") // a directory of its own: MkdirTemp's is readable for its user only
	if err := fill(run, files); err != nil {
		return fmt.Errorf("writing a run to %s: %w", dir, err)
	}
	if err := replace(run, dir); err != nil {
		return fmt.Errorf("writing a run to %s: %w", dir, err)
	}
	return nil
}

func fill(dir string, files []File) error {
	for _, f := range files {
		name := filepath.Join(dir, filepath.FromSlash(f.Path))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(name, f.Data, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// replace puts the finished directory into the place of the old one. The old
// one is moved away first and comes back if the second rename fails.
func replace(run, dir string) error {
	old := run + ".old"
	err := os.Rename(dir, old)
	if errors.Is(err, fs.ErrNotExist) {
		return os.Rename(run, dir)
	}
	if err != nil {
		return err
	}
	if err := os.Rename(run, dir); err != nil {
		return errors.Join(err, os.Rename(old, dir))
	}
	return nil // the old one goes with the temporary directory
}
