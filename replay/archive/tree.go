package archive

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// A Tree is a read-only file system of files whose names and sizes are known
// beforehand.
type Tree struct {
	nodes map[string]*node
}

// A node is a file or directory, as its own fs.DirEntry and fs.FileInfo.
type node struct {
	name     string
	dir      bool
	size     int64 // bytes
	open     func() (io.ReadCloser, error)
	children []fs.DirEntry // of a directory, sorted by name
}

func newTree() *Tree {
	return &Tree{nodes: map[string]*node{".": {name: ".", dir: true}}}
}

// A File is a file in memory, by its slash-separated path.
type File struct {
	Path string
	Data []byte
}

// Memory returns the files as a file system, which shares their bytes. A path
// that is not valid or stands twice is an error.
func Memory(files []File) (*Tree, error) {
	t := newTree()
	for _, f := range files {
		data := f.Data
		open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }
		if why := t.addFile(f.Path, int64(len(data)), open); why != "" {
			return nil, fmt.Errorf("laying out files in memory: %q %s", f.Path, why)
		}
	}
	t.sort()
	return t, nil
}

// memberName returns the clean path of a member's name, or why it is refused.
func memberName(name string) (clean, why string) {
	switch {
	case name == "" || strings.ContainsRune(name, 0):
		return "", "has no usable name"
	case !utf8.ValidString(name):
		return "", "has a name that is not UTF-8"
	case strings.ContainsRune(name, '\\'):
		return "", "has a backslash in its name"
	case strings.HasPrefix(name, "/"), len(name) > 1 && name[1] == ':':
		return "", "has an absolute path"
	case slices.Contains(strings.Split(name, "/"), ".."):
		return "", "has a path that climbs out of the archive"
	}
	return path.Clean(name), ""
}

// addFile enters a file; the result says why it cannot be, "" when it was.
func (t *Tree) addFile(name string, size int64, open func() (io.ReadCloser, error)) (why string) {
	clean, why := memberName(name)
	if why != "" {
		return why
	}
	if _, ok := t.nodes[clean]; ok {
		return "stands twice"
	}
	return t.enter(clean, &node{name: path.Base(clean), size: size, open: open})
}

// addDir enters a directory; one that is there already is fine.
func (t *Tree) addDir(name string) (why string) {
	clean, why := memberName(name)
	if why != "" {
		return why
	}
	return t.directory(clean)
}

func (t *Tree) directory(name string) (why string) {
	if n, ok := t.nodes[name]; ok {
		if !n.dir {
			return "is a file and a directory"
		}
		return ""
	}
	return t.enter(name, &node{name: path.Base(name), dir: true})
}

func (t *Tree) enter(name string, n *node) (why string) {
	parent := path.Dir(name)
	if why := t.directory(parent); why != "" {
		return why
	}
	t.nodes[name] = n
	t.nodes[parent].children = append(t.nodes[parent].children, n)
	return ""
}

// sort puts the listings into order; adding after it is a mistake.
func (t *Tree) sort() {
	for _, n := range t.nodes {
		slices.SortFunc(n.children, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	}
}

func (t *Tree) find(op, name string) (*node, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	n, ok := t.nodes[name]
	if !ok {
		return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
	}
	return n, nil
}

// Open implements fs.FS.
func (t *Tree) Open(name string) (fs.File, error) {
	n, err := t.find("open", name)
	if err != nil {
		return nil, err
	}
	if n.dir {
		return &openDir{node: n, left: n.children}, nil
	}
	body, err := n.open()
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return &openFile{node: n, ReadCloser: body}, nil
}

// Stat implements fs.StatFS: it opens nothing.
func (t *Tree) Stat(name string) (fs.FileInfo, error) { return t.find("stat", name) }

// ReadDir implements fs.ReadDirFS.
func (t *Tree) ReadDir(name string) ([]fs.DirEntry, error) {
	n, err := t.find("readdir", name)
	if err != nil {
		return nil, err
	}
	if !n.dir {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: errNotDir}
	}
	return slices.Clone(n.children), nil
}

func (n *node) Name() string               { return n.name }
func (n *node) Size() int64                { return n.size }
func (n *node) ModTime() time.Time         { return time.Time{} }
func (n *node) IsDir() bool                { return n.dir }
func (n *node) Sys() any                   { return nil }
func (n *node) Type() fs.FileMode          { return n.Mode().Type() }
func (n *node) Info() (fs.FileInfo, error) { return n, nil }
func (n *node) Mode() fs.FileMode {
	if n.dir {
		return fs.ModeDir | 0o555
	}
	return 0o444
}

// An openFile is a file that is being read.
type openFile struct {
	*node
	io.ReadCloser
}

func (f *openFile) Stat() (fs.FileInfo, error) { return f.node, nil }

// An openDir is a directory that is being listed.
type openDir struct {
	*node
	left []fs.DirEntry
}

func (d *openDir) Stat() (fs.FileInfo, error) { return d.node, nil }
func (d *openDir) Close() error               { return nil }
func (d *openDir) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: d.name, Err: errIsDir}
}

// ReadDir implements fs.ReadDirFile.
func (d *openDir) ReadDir(n int) ([]fs.DirEntry, error) {
	if n <= 0 {
		n = len(d.left)
	} else if len(d.left) == 0 {
		return nil, io.EOF
	}
	n = min(n, len(d.left))
	out := slices.Clone(d.left[:n])
	d.left = d.left[n:]
	return out, nil
}
