package aiperf

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
)

// maxLine bounds a line of the jsonl. Real lines are about 17 kB, most of it
// inter_chunk_latency; a hundred thousand output tokens make some 2 MB.
const maxLine = 16 << 20

// A lineReader reads lines of bounded length from one buffer that grows.
type lineReader struct {
	src    io.Reader
	buf    []byte
	pos    int // where the next line begins
	number int
	line   []byte // without its end; good until the next one
	long   bool   // a line is too long
	err    error  // of src
}

func newLineReader(src fs.File) *lineReader {
	return &lineReader{src: src, buf: make([]byte, 0, windowFor(src))}
}

// failure returns the error that ended the lines of the file name, nil at its end.
func (l *lineReader) failure(name string) error {
	switch {
	case l.long:
		return &SyntaxError{File: name, Line: l.number, Msg: fmt.Sprintf("the line is longer than %d MiB", maxLine>>20)}
	case l.err != nil:
		return wrapRead(name, l.err)
	}
	return nil
}

// next goes to the next line; false at the end or on an error.
func (l *lineReader) next() bool {
	l.number++
	searched := 0
	for {
		rest := l.buf[l.pos:]
		if i := bytes.IndexByte(rest[searched:], '\n'); i >= 0 {
			l.line = rest[:searched+i]
			l.pos += searched + i + 1
			return true
		}
		searched = len(rest)
		if l.src == nil {
			l.line, l.pos = rest, len(l.buf)
			return l.err == nil && !l.long && len(rest) > 0
		}
		l.fill()
	}
}

func (l *lineReader) fill() {
	l.buf = l.buf[:copy(l.buf, l.buf[l.pos:])]
	l.pos = 0
	if len(l.buf) >= maxLine {
		l.src, l.long = nil, true
		return
	}
	if len(l.buf) == cap(l.buf) {
		l.buf = append(make([]byte, 0, 2*cap(l.buf)), l.buf...)
	}
	n, err := io.ReadAtLeast(l.src, l.buf[len(l.buf):cap(l.buf)], 1)
	l.buf = l.buf[:len(l.buf)+n]
	if err != nil {
		l.src = nil
		if err != io.EOF {
			l.err = err
		}
	}
}
