package archive

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
)

var (
	errNotDir = errors.New("is a file, not a directory")
	errIsDir  = errors.New("is a directory, not a file")
)

// DefaultLimit is how many bytes may come out of one archive, archives in it
// included: seven of the largest exports that were ever seen (2.2 GB).
const DefaultLimit = 16 << 30

// maxDepth bounds archives in archives.
const maxDepth = 3

// maxInner bounds a zip inside an archive. A zip is read from its end, so an
// inner one has to be held in memory.
const maxInner = 32 << 20

// An FS shows a file system with archives (.zip, .tar.gz, .tgz) as directories
// and gzipped JSON and CSV files (X.json.gz) as the plain ones (X.json), unless
// that one stands beside it. It is for concurrent use, and holds nothing open.
type FS struct {
	base   fs.FS
	prefix string // what [FS.Sub] put before every name
	*mounts
}

type mounts struct {
	limit  int64
	depth  int     // archives that base is in
	budget *budget // of the outermost of them
	name   string  // of the innermost, "" outside of archives

	mu     sync.Mutex
	opened map[string]mount // by path in base
}

type mount struct {
	fs  *FS
	err error
}

func newFS(base fs.FS, limit int64) *FS {
	return &FS{base: base, mounts: &mounts{limit: limit, opened: map[string]mount{}}}
}

// Open returns the file system in which path lies, and its place there: the
// directory itself as ".", an archive, gzipped file or file by its name in its
// directory. A path may go on inside an archive (dl/x.zip/point). No more than
// limit bytes may come out of an archive or gzipped file. The error is that of
// os.Stat.
func Open(name string, limit int64) (*FS, string, error) {
	info, err := os.Stat(name)
	if err == nil && info.IsDir() {
		return newFS(os.DirFS(name), limit), ".", nil
	}
	if err == nil {
		f := newFS(os.DirFS(filepath.Dir(name)), limit)
		return f, f.shown(filepath.Base(name)), nil
	}
	// Perhaps the path goes on inside an archive.
	for dir, inside := filepath.Dir(name), filepath.Base(name); ; dir, inside = filepath.Dir(dir), path.Join(filepath.Base(dir), inside) {
		if info, statErr := os.Stat(dir); statErr == nil {
			if info.IsDir() || !isArchive(dir) {
				return nil, "", err
			}
			f := newFS(os.DirFS(filepath.Dir(dir)), limit)
			at := path.Join(filepath.Base(dir), inside)
			if _, inErr := f.Stat(at); inErr != nil {
				return nil, "", inErr
			}
			return f, at, nil
		}
		if filepath.Dir(dir) == dir {
			return nil, "", err
		}
	}
}

func isArchive(name string) bool { return isZip(name) || isTar(name) }
func isZip(name string) bool     { return hasSuffix(name, ".zip") }
func isTar(name string) bool     { return hasSuffix(name, ".tar.gz") || hasSuffix(name, ".tgz") }

// gzipped returns the name of the plain file, false for what is no gzipped
// text file.
func gzipped(name string) (string, bool) {
	plain := strings.TrimSuffix(name, ".gz")
	switch path.Ext(plain) {
	case ".json", ".jsonl", ".csv":
		return plain, plain != name
	}
	return name, false
}

func hasSuffix(name, suffix string) bool {
	return len(name) > len(suffix) && strings.EqualFold(name[len(name)-len(suffix):], suffix)
}

// shown is the name that a file of base is seen by.
func (f *FS) shown(name string) string {
	plain, ok := gzipped(name)
	if !ok {
		return name
	}
	if _, err := fs.Stat(f.base, plain); err == nil {
		return name
	}
	return plain
}

// resolve returns the file system that holds a name, and its name there. The
// archives on the way are opened; gz says that the name is that of a gzipped
// file, without its suffix.
func (f *FS) resolve(op, name string) (fsys fs.FS, at string, gz bool, err error) {
	if !fs.ValidPath(name) {
		return nil, "", false, &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	name = path.Join(f.prefix, name)
	parts := strings.Split(name, "/")
	for i, part := range parts {
		if !isArchive(part) {
			continue
		}
		at := path.Join(parts[:i+1]...)
		if info, err := fs.Stat(f.base, at); err != nil || !info.Mode().IsRegular() {
			continue
		}
		inner, err := f.mount(at)
		if err != nil {
			return nil, "", false, &fs.PathError{Op: op, Path: name, Err: err}
		}
		return inner.resolve(op, path.Join(append([]string{"."}, parts[i+1:]...)...))
	}
	if _, ok := gzipped(name + ".gz"); ok {
		if _, err := fs.Stat(f.base, name); errors.Is(err, fs.ErrNotExist) {
			if info, err := fs.Stat(f.base, name+".gz"); err == nil && info.Mode().IsRegular() {
				return f.base, name + ".gz", true, nil
			}
		}
	}
	return f.base, name, false, nil
}

// mount opens an archive of base, once.
func (f *FS) mount(at string) (*FS, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	m, ok := f.opened[at]
	if !ok {
		m.fs, m.err = f.openArchive(at)
		f.opened[at] = m
	}
	return m.fs, m.err
}

func (f *FS) openArchive(at string) (*FS, error) {
	name := path.Join(f.name, at)
	if f.depth == maxDepth {
		return nil, &RefusedError{Archive: name, Why: fmt.Sprintf("more than %d archives in each other", maxDepth)}
	}
	b := f.budget
	if f.depth == 0 {
		b = &budget{left: f.limit, limit: f.limit}
	}
	var t *Tree
	var err error
	if isZip(at) {
		t, err = f.openZip(at, name, b)
	} else {
		t, err = tarTree(name, func() (io.ReadCloser, error) { return f.base.Open(at) }, b)
	}
	if err != nil {
		return nil, err
	}
	inner := newFS(t, f.limit)
	inner.depth, inner.budget, inner.name = f.depth+1, b, name
	return inner, nil
}

func (f *FS) openZip(at, name string, b *budget) (*Tree, error) {
	file, err := f.base.Open(at)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if _, ok := file.(io.ReaderAt); ok {
		return zipTree(name, func() (bytesAt, error) { return openAt(f.base, at) }, info.Size(), b)
	}
	if info.Size() > maxInner {
		return nil, &RefusedError{Archive: name, Why: fmt.Sprintf("a zip of more than %d MiB inside an archive: unpack the outer one", maxInner>>20)}
	}
	data, err := io.ReadAll(file)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	return zipTree(name, func() (bytesAt, error) { return inMemory{bytes.NewReader(data)}, nil }, info.Size(), b)
}

func openAt(fsys fs.FS, name string) (bytesAt, error) {
	file, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	src, ok := file.(bytesAt)
	if !ok {
		return nil, errors.Join(fmt.Errorf("%s can no longer be read anywhere", name), file.Close())
	}
	return src, nil
}

// An inMemory is a zip that was read whole.
type inMemory struct{ *bytes.Reader }

func (inMemory) Close() error { return nil }

// Open implements fs.FS. A file of the operating system that is not gzipped
// is the *os.File itself.
func (f *FS) Open(name string) (fs.File, error) {
	fsys, at, gz, err := f.resolve("open", name)
	if err != nil {
		return nil, err
	}
	if info, err := fs.Stat(fsys, at); err == nil && info.IsDir() {
		entries, err := f.ReadDir(name)
		if err != nil {
			return nil, err
		}
		return &openDir{node: &node{name: path.Base(name), dir: true}, left: entries}, nil
	}
	file, err := fsys.Open(at)
	if err != nil || !gz {
		return file, err
	}
	z, err := gzip.NewReader(file)
	if err != nil {
		return nil, errors.Join(&fs.PathError{Op: "open", Path: name, Err: errors.New(gzipProblem(err))}, file.Close())
	}
	body := readAhead(&wrapped{&limitReader{src: z, left: f.limit, limit: f.limit}, file})
	return &openFile{node: &node{name: path.Base(name)}, ReadCloser: body}, nil
}

// Stat implements fs.StatFS. The size of a gzipped file is not known: it is 0.
func (f *FS) Stat(name string) (fs.FileInfo, error) {
	fsys, at, gz, err := f.resolve("stat", name)
	if err != nil {
		return nil, err
	}
	info, err := fs.Stat(fsys, at)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return &node{name: path.Base(name), dir: true}, nil
	case gz:
		return &node{name: path.Base(name)}, nil
	}
	return info, nil
}

// Lstat implements fs.ReadLinkFS. Only outside of archives is there a link.
func (f *FS) Lstat(name string) (fs.FileInfo, error) {
	fsys, at, gz, err := f.resolve("lstat", name)
	if err != nil {
		return nil, err
	}
	if info, err := fs.Lstat(fsys, at); err != nil || info.Mode()&fs.ModeSymlink != 0 && !gz {
		return info, err
	}
	return f.Stat(name)
}

// ReadLink implements fs.ReadLinkFS.
func (f *FS) ReadLink(name string) (string, error) {
	fsys, at, _, err := f.resolve("readlink", name)
	if err != nil {
		return "", err
	}
	return fs.ReadLink(fsys, at)
}

// ReadDir implements fs.ReadDirFS.
func (f *FS) ReadDir(name string) ([]fs.DirEntry, error) {
	fsys, at, _, err := f.resolve("readdir", name)
	if err != nil {
		return nil, err
	}
	entries, err := fs.ReadDir(fsys, at)
	if err != nil {
		return nil, err
	}
	names := map[string]bool{}
	for _, e := range entries {
		names[e.Name()] = true
	}
	var shown []fs.DirEntry
	for _, e := range entries {
		plain, gz := gzipped(e.Name())
		switch {
		case e.IsDir(), isArchive(e.Name()) && regular(fsys, path.Join(at, e.Name()), e):
			e = &node{name: e.Name(), dir: true}
		case gz && !names[plain] && regular(fsys, path.Join(at, e.Name()), e):
			e = &node{name: plain}
		}
		shown = append(shown, e)
	}
	slices.SortFunc(shown, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return shown, nil
}

// regular reports whether an entry is a file, or a link to one.
func regular(fsys fs.FS, name string, e fs.DirEntry) bool {
	if e.Type()&fs.ModeSymlink == 0 {
		return e.Type().IsRegular()
	}
	info, err := fs.Stat(fsys, name)
	return err == nil && info.Mode().IsRegular()
}

// Sub implements fs.SubFS.
func (f *FS) Sub(dir string) (fs.FS, error) {
	if !fs.ValidPath(dir) {
		return nil, &fs.PathError{Op: "sub", Path: dir, Err: fs.ErrInvalid}
	}
	return &FS{base: f.base, prefix: path.Join(f.prefix, dir), mounts: f.mounts}, nil
}

// Alone returns a file system that holds one file of fsys, under another name.
func Alone(fsys fs.FS, name, as string) (*Tree, error) {
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return nil, err
	}
	t := newTree()
	if why := t.addFile(as, info.Size(), func() (io.ReadCloser, error) { return fsys.Open(name) }); why != "" {
		return nil, fmt.Errorf("naming %s %q: the name %s", name, as, why)
	}
	return t, nil
}
