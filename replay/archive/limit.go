package archive

import (
	"fmt"
	"io"
	"sync"
)

// A budget is how many bytes may still come out of an archive.
type budget struct {
	limit int64

	mu   sync.Mutex
	left int64
}

func (b *budget) rest() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.left
}

// take reserves n bytes; the result says why it cannot.
func (b *budget) take(n int64) (why string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if n < 0 || n > b.left {
		return (&limitError{b.limit}).Error()
	}
	b.left -= n
	return ""
}

// A limitError says that too much came out of an archive.
type limitError struct{ limit int64 }

func (e *limitError) Error() string {
	return fmt.Sprintf("unpacks to more than %d bytes together with what stands before it: raise --max-unpacked if that is right", e.limit)
}

// A limitReader fails instead of reading more than is left.
type limitReader struct {
	src         io.Reader
	left, limit int64
}

func (r *limitReader) Read(p []byte) (int, error) {
	n, err := r.src.Read(p)
	if r.left -= int64(n); r.left < 0 {
		return 0, &limitError{r.limit}
	}
	return n, err
}
