package aiperf

import (
	"fmt"
	"io"
)

// The limits that keep memory bounded whatever a file holds. Real exports nest
// about ten deep; the producer's Python gives up near a thousand too.
const (
	windowSize = 128 << 10
	maxToken   = 4 << 20
	maxDepth   = 1000
)

// A scanner reads one JSON text strictly, in a window that slides over the
// file. It accepts what jsontext accepts (RFC 8259, valid UTF-8, no lone
// surrogates) and the bare NaN, Infinity and -Infinity of Python's writers.
//
// The first error stays: from then on every method finds the end of the text,
// so readers need to look at err only once.
type scanner struct {
	src  io.Reader // nil when buf holds the whole text
	buf  []byte    // buf[pos:] is not read yet
	pos  int
	base int64 // offset of buf[0] in the file
	err  error
	bad  int64 // offset of a syntax error

	depth   int
	objects [maxDepth/64 + 1]uint64 // bit d: the container at depth d is an object
	bare    int                     // bare NaN and Infinity met while skipping

	path    []step
	stock   [256][2]string // see intern
	scratch []byte
	notes   *notes
	line    int // of the jsonl, 0 for other files
}

// newScanner returns a scanner of the text that src gives, with a window of
// that many bytes to begin with.
func newScanner(src io.Reader, window int, n *notes) *scanner {
	return &scanner{src: src, buf: make([]byte, 0, window), notes: n}
}

// more reads on and keeps what is unread; false says that nothing follows.
// Positions relative to pos stay valid.
func (s *scanner) more() bool {
	if s.src == nil {
		return false
	}
	if s.pos > 0 {
		s.base += int64(s.pos)
		s.buf = s.buf[:copy(s.buf, s.buf[s.pos:])]
		s.pos = 0
	}
	if len(s.buf) == cap(s.buf) {
		if cap(s.buf) >= maxToken {
			s.fail(0, fmt.Sprintf("a string or number longer than %d MiB", maxToken>>20))
			return false
		}
		s.buf = append(make([]byte, 0, 2*cap(s.buf)), s.buf...)
	}
	n, err := io.ReadAtLeast(s.src, s.buf[len(s.buf):cap(s.buf)], 1)
	s.buf = s.buf[:len(s.buf)+n]
	if err != nil {
		s.src = nil
		if err != io.EOF && s.err == nil {
			s.stop(err)
		}
	}
	return n > 0 && s.err == nil
}

// fail records a syntax error n bytes after pos, unless there is one already.
func (s *scanner) fail(n int, msg string) {
	if s.err == nil {
		s.bad = s.base + int64(s.pos+n)
		s.stop(&SyntaxError{Msg: msg})
	}
}

func (s *scanner) stop(err error) {
	s.err, s.src = err, nil
	s.pos = len(s.buf)
}

// unexpected fails at the next byte, which is not what the grammar wants.
func (s *scanner) unexpected(n int, want string) {
	if s.pos+n >= len(s.buf) {
		s.fail(n, "the text ends where "+want+" should be: the file is cut short")
		return
	}
	s.fail(n, fmt.Sprintf("found %s where %s should be", describe(s.buf[s.pos+n:]), want))
}

// peek skips white space and returns the next byte, 0 at the end.
func (s *scanner) peek() byte {
	for {
		for s.pos < len(s.buf) {
			switch c := s.buf[s.pos]; c {
			case '\n':
				s.pos = indent(s.buf, s.pos+1)
			case ' ', '\r', '\t':
				s.pos++
			default:
				return c
			}
		}
		if !s.more() {
			return 0
		}
	}
}

// at returns the byte n after pos, 0 at the end of the text.
func (s *scanner) at(n int) byte {
	for s.pos+n >= len(s.buf) {
		if !s.more() {
			return 0
		}
	}
	return s.buf[s.pos+n]
}

// take returns the next n bytes, which are in the window, and goes past them.
// They are good until the scanner is used again.
func (s *scanner) take(n int) []byte {
	if s.err != nil {
		return nil
	}
	b := s.buf[s.pos : s.pos+n]
	s.pos += n
	return b
}
