package archive

import (
	"archive/zip"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/klauspost/compress/flate"
)

// maxMembers bounds the listing of one archive, which is kept in memory.
const maxMembers = 100_000

// zipTree lists a zip archive. What the directory at its end says of each
// member is held against the limit and against the other members; its bytes are
// read only when the member is.
func zipTree(name string, src io.ReaderAt, size int64, b *budget) (*Tree, error) {
	r, err := zip.NewReader(src, size)
	if err != nil {
		return nil, &RefusedError{Archive: name, Why: zipProblem(err)}
	}
	r.RegisterDecompressor(zip.Deflate, func(src io.Reader) io.ReadCloser { return flate.NewReader(src) })
	if len(r.File) > maxMembers {
		return nil, &RefusedError{Archive: name, Why: fmt.Sprintf("it has %d members, more than %d", len(r.File), maxMembers)}
	}
	t := newTree()
	for _, f := range r.File {
		if why := addZipMember(t, f, b); why != "" {
			return nil, &RefusedError{Archive: name, Member: f.Name, Why: why}
		}
	}
	if f, why := misplaced(r.File, size); why != "" {
		return nil, &RefusedError{Archive: name, Member: f.Name, Why: why}
	}
	t.sort()
	return t, nil
}

func zipProblem(err error) string {
	switch {
	case errors.Is(err, zip.ErrFormat), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return "it is no whole zip archive (cut short, or not a zip at all)"
	}
	return "reading its directory: " + err.Error()
}

func addZipMember(t *Tree, f *zip.File, b *budget) (why string) {
	const encrypted = 0x1
	mode := f.Mode()
	switch {
	case f.Flags&encrypted != 0:
		return "is encrypted: unpack it with its password and give the directory"
	case mode.IsDir():
		return t.addDir(f.Name)
	case !mode.IsRegular():
		return "is " + kindOf(mode) + ", not a file"
	case f.Method != zip.Store && f.Method != zip.Deflate:
		return fmt.Sprintf("is compressed by method %d; only stored and deflated members are read", f.Method)
	case f.UncompressedSize64 > 1<<62:
		return "claims an impossible size"
	}
	size := int64(f.UncompressedSize64)
	if why := b.take(size); why != "" {
		return why
	}
	return t.addFile(f.Name, size, func() (io.ReadCloser, error) {
		body, err := f.Open()
		if err != nil {
			return nil, err
		}
		if size < aheadFrom {
			return body, nil
		}
		return readAhead(body), nil
	})
}

// misplaced finds a member whose bytes lie outside of the archive or overlap
// another's: the one is cut short, the other is how a small file unpacks to
// terabytes.
func misplaced(files []*zip.File, size int64) (*zip.File, string) {
	type extent struct {
		file       *zip.File
		start, end int64
	}
	var all []extent
	for _, f := range files {
		if f.Mode().IsDir() {
			continue
		}
		start, err := f.DataOffset()
		if err != nil {
			return f, "has no header of its own: the archive is damaged"
		}
		if f.CompressedSize64 > uint64(size) || start+int64(f.CompressedSize64) > size {
			return f, "reaches beyond the archive's end: the archive is cut short"
		}
		all = append(all, extent{f, start, start + int64(f.CompressedSize64)})
	}
	slices.SortFunc(all, func(a, b extent) int { return cmp.Compare(a.start, b.start) })
	for i := 1; i < len(all); i++ {
		if all[i].start < all[i-1].end {
			return all[i].file, "overlaps another member"
		}
	}
	return nil, ""
}
