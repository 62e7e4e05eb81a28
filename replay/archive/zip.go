package archive

import (
	"archive/zip"
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"slices"

	"github.com/klauspost/compress/flate"
)

// maxMembers bounds the listing of one archive, which is kept in memory.
const maxMembers = 100_000

// A bytesAt is an archive that can be read anywhere.
type bytesAt interface {
	io.ReaderAt
	io.Closer
}

// zipTree lists a zip archive. What the directory at its end says of each
// member is held against the limit and against the other members; its bytes are
// read only when the member is. The archive is opened for each of these, so that
// a thousand of them can be listed.
func zipTree(name string, open func() (bytesAt, error), size int64, b *budget) (*Tree, error) {
	src, err := open()
	if err != nil {
		return nil, err
	}
	defer src.Close()
	r, err := zip.NewReader(src, size)
	if err != nil {
		return nil, &RefusedError{Archive: name, Why: zipProblem(err)}
	}
	if len(r.File) > maxMembers {
		return nil, &RefusedError{Archive: name, Why: fmt.Sprintf("it has %d members, more than %d", len(r.File), maxMembers)}
	}
	t := newTree()
	var all []extent
	for _, f := range r.File {
		e, why := place(f, size)
		switch {
		case why != "":
		case f.Mode().IsDir():
			why = t.addDir(f.Name)
		default:
			why = addZipMember(t, e, open, b)
			all = append(all, e)
		}
		if why != "" {
			return nil, &RefusedError{Archive: name, Member: f.Name, Why: why}
		}
	}
	// Members that share bytes are how a small file unpacks to terabytes.
	slices.SortFunc(all, func(a, b extent) int { return cmp.Compare(a.start, b.start) })
	for i := 1; i < len(all); i++ {
		if all[i].start < all[i-1].end {
			return nil, &RefusedError{Archive: name, Member: all[i].file.Name, Why: "overlaps another member"}
		}
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

// An extent is a member and where its bytes are.
type extent struct {
	file       *zip.File
	start, end int64
}

// place finds a member's bytes, or says why the member is refused.
func place(f *zip.File, size int64) (e extent, why string) {
	const encrypted = 0x1
	mode := f.Mode()
	switch {
	case f.Flags&encrypted != 0:
		return e, "is encrypted: unpack it with its password and give the directory"
	case mode.IsDir():
		return e, ""
	case !mode.IsRegular():
		return e, "is " + kindOf(mode) + ", not a file"
	case f.Method != zip.Store && f.Method != zip.Deflate:
		return e, fmt.Sprintf("is compressed by method %d; only stored and deflated members are read", f.Method)
	case f.UncompressedSize64 > 1<<62:
		return e, "claims an impossible size"
	}
	start, err := f.DataOffset()
	if err != nil {
		return e, "has no header of its own: the archive is damaged"
	}
	if f.CompressedSize64 > uint64(size) || start+int64(f.CompressedSize64) > size {
		return e, "reaches beyond the archive's end: the archive is cut short"
	}
	return extent{f, start, start + int64(f.CompressedSize64)}, ""
}

func addZipMember(t *Tree, e extent, open func() (bytesAt, error), b *budget) (why string) {
	size := int64(e.file.UncompressedSize64)
	if why := b.take(size); why != "" {
		return why
	}
	return t.addFile(e.file.Name, size, func() (io.ReadCloser, error) {
		src, err := open()
		if err != nil {
			return nil, err
		}
		body := inflate(e, src)
		if size < aheadFrom {
			return body, nil
		}
		return readAhead(body), nil
	})
}

// inflate reads a member and holds it against what the directory says of it.
func inflate(e extent, src bytesAt) io.ReadCloser {
	const block = 64 << 10
	var body io.Reader = io.NewSectionReader(src, e.start, e.end-e.start)
	if e.file.Method == zip.Deflate {
		body = flate.NewReader(bufio.NewReaderSize(body, block))
	}
	return &checked{src: body, Closer: src, sum: crc32.NewIEEE(), want: e.file.CRC32, left: int64(e.file.UncompressedSize64)}
}

// A checked reads no more and no less than a member is said to hold, and
// compares its sum at the end.
type checked struct {
	src io.Reader
	io.Closer
	sum  hash.Hash32
	want uint32
	left int64
}

func (c *checked) Read(p []byte) (int, error) {
	n, err := c.src.Read(p)
	c.left -= int64(n)
	c.sum.Write(p[:n]) // a hash never fails
	switch {
	case c.left < 0:
		return 0, errors.New("holds more than the archive's directory says")
	case err == io.EOF && c.left > 0:
		return n, io.ErrUnexpectedEOF
	case err == io.EOF && c.sum.Sum32() != c.want:
		return n, zip.ErrChecksum
	}
	return n, err
}
