package archive

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/klauspost/compress/gzip"
)

// A source opens the bytes of an archive from their beginning.
type source func() (io.ReadCloser, error)

// tarTree lists a gzipped tar archive: it is read once from end to end, so that
// all of it is checked. A tar has no directory and gzip no seeking, so a member
// is found by reading the archive again up to it.
func tarTree(name string, src source, b *budget) (*Tree, error) {
	body, err := src()
	if err != nil {
		return nil, err
	}
	defer body.Close()
	z, err := gzip.NewReader(body)
	if err != nil {
		return nil, &RefusedError{Archive: name, Why: gzipProblem(err)}
	}
	limited := &limitReader{src: z, left: b.rest(), limit: b.limit}
	r := tar.NewReader(limited)
	t := newTree()
	for i := 0; ; i++ {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, &RefusedError{Archive: name, Why: gzipProblem(err)}
		}
		if i == maxMembers {
			return nil, &RefusedError{Archive: name, Why: fmt.Sprintf("it has more than %d members", maxMembers)}
		}
		if why := addTarMember(t, h, i, src, b); why != "" {
			return nil, &RefusedError{Archive: name, Member: h.Name, Why: why}
		}
	}
	// What follows the end mark is padding; reading it checks gzip's sum.
	if _, err := io.Copy(io.Discard, limited); err != nil {
		return nil, &RefusedError{Archive: name, Why: gzipProblem(err)}
	}
	t.sort()
	return t, nil
}

func gzipProblem(err error) string {
	var limit *limitError
	switch {
	case errors.As(err, &limit):
		return limit.Error()
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return "it is cut short"
	case errors.Is(err, gzip.ErrHeader):
		return "it is not gzipped"
	}
	return "it is damaged: " + err.Error()
}

func addTarMember(t *Tree, h *tar.Header, index int, src source, b *budget) (why string) {
	switch h.Typeflag {
	case tar.TypeXGlobalHeader:
		return ""
	case tar.TypeDir:
		return t.addDir(h.Name)
	case tar.TypeReg:
	case tar.TypeSymlink, tar.TypeLink:
		return "is a link, not a file"
	case tar.TypeChar, tar.TypeBlock, tar.TypeFifo:
		return "is a device, not a file"
	default:
		return fmt.Sprintf("is of tar type %q, not a file", h.Typeflag)
	}
	for key := range h.PAXRecords {
		if len(key) > 11 && key[:11] == "GNU.sparse." {
			return "is a sparse file"
		}
	}
	if why := b.take(h.Size); why != "" {
		return why
	}
	return t.addFile(h.Name, h.Size, func() (io.ReadCloser, error) { return openTarMember(src, index) })
}

// openTarMember reads on to the index-th member.
func openTarMember(src source, index int) (io.ReadCloser, error) {
	body, err := src()
	if err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(body)
	if err != nil {
		return nil, errors.Join(err, body.Close())
	}
	r := tar.NewReader(z)
	for range index + 1 {
		if _, err := r.Next(); err != nil {
			return nil, errors.Join(err, body.Close())
		}
	}
	return readAhead(&wrapped{r, body}), nil
}

// A wrapped reads one thing and closes another.
type wrapped struct {
	io.Reader
	io.Closer
}

// kindOf names what is neither a file nor a directory.
func kindOf(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeSymlink != 0:
		return "a link"
	case mode&fs.ModeDevice != 0:
		return "a device"
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	}
	return "something else"
}
