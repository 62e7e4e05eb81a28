package generator

import (
	"bytes"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
)

// A memFS is a directory tree in memory. It exists so that property tests can
// read thousands of runs without a disk; testing/fstest has one too, but would
// link the testing package into the program.
type memFS struct {
	files map[string]*memFile
	dirs  map[string][]fs.DirEntry // sorted by name
}

func newMemFS(files []File) memFS {
	m := memFS{map[string]*memFile{}, map[string][]fs.DirEntry{".": nil}}
	for _, f := range files {
		file := &memFile{name: path.Base(f.Path), data: f.Data}
		m.files[f.Path] = file
		m.enter(path.Dir(f.Path), file)
	}
	for _, entries := range m.dirs {
		slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	}
	return m
}

// enter lists the entry in its directory, and that one in its own parent when
// it is new.
func (m memFS) enter(dir string, entry fs.DirEntry) {
	if _, ok := m.dirs[dir]; !ok {
		m.enter(path.Dir(dir), &memFile{name: path.Base(dir), dir: true})
	}
	m.dirs[dir] = append(m.dirs[dir], entry)
}

func (m memFS) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	if f, ok := m.files[name]; ok {
		return &openFile{memFile: f, Reader: bytes.NewReader(f.data)}, nil
	}
	if entries, ok := m.dirs[name]; ok {
		return &openDir{memFile: &memFile{name: path.Base(name), dir: true}, left: entries}, nil
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// A memFile is a file or directory, as its own fs.DirEntry and fs.FileInfo.
type memFile struct {
	name string
	data []byte
	dir  bool
}

func (f *memFile) Name() string               { return f.name }
func (f *memFile) Size() int64                { return int64(len(f.data)) }
func (f *memFile) ModTime() time.Time         { return time.Time{} }
func (f *memFile) IsDir() bool                { return f.dir }
func (f *memFile) Sys() any                   { return nil }
func (f *memFile) Type() fs.FileMode          { return f.Mode().Type() }
func (f *memFile) Info() (fs.FileInfo, error) { return f, nil }
func (f *memFile) Stat() (fs.FileInfo, error) { return f, nil }
func (f *memFile) Close() error               { return nil }

func (f *memFile) Mode() fs.FileMode {
	if f.dir {
		return fs.ModeDir | 0o555
	}
	return 0o444
}

type openFile struct {
	*memFile
	*bytes.Reader
}

func (f *openFile) Size() int64 { return f.memFile.Size() }

type openDir struct {
	*memFile
	left []fs.DirEntry
}

func (d *openDir) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: d.name, Err: fs.ErrInvalid}
}

func (d *openDir) ReadDir(n int) ([]fs.DirEntry, error) {
	if n <= 0 {
		out := d.left
		d.left = nil
		return slices.Clone(out), nil
	}
	if len(d.left) == 0 {
		return nil, io.EOF
	}
	n = min(n, len(d.left))
	out := d.left[:n]
	d.left = d.left[n:]
	return slices.Clone(out), nil
}
