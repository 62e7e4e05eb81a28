package aiperf

import (
	"fmt"
	"io"
	"unicode/utf8"
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

// describe names the character that b begins with.
func describe(b []byte) string {
	r, size := utf8.DecodeRune(b)
	if r == utf8.RuneError && size == 1 {
		return fmt.Sprintf("the byte 0x%02x", b[0])
	}
	return fmt.Sprintf("%q", r)
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

// str reads a string token, quotes included; pos is at its first quote.
func (s *scanner) str() []byte {
	if end := plainString(s.buf, s.pos+1); end >= 0 {
		return s.take(end - s.pos)
	}
	n := 1
	for {
		for s.pos+n < len(s.buf) {
			c := s.buf[s.pos+n]
			switch {
			case c == '"':
				return s.take(n + 1)
			case c == '\\':
				if n = s.escape(n); n == 0 {
					return nil
				}
			case c < ' ':
				s.fail(n, fmt.Sprintf("a control character 0x%02x inside a string", c))
				return nil
			case c >= utf8.RuneSelf:
				if n = s.rune(n); n == 0 {
					return nil
				}
			default:
				n++
			}
		}
		if !s.more() {
			s.unexpected(n, "the end of a string")
			return nil
		}
	}
}

// rune checks the UTF-8 sequence at n and returns where it ends, 0 on an error.
func (s *scanner) rune(n int) int {
	for !utf8.FullRune(s.buf[s.pos+n:]) && s.more() {
	}
	if s.err != nil {
		return 0
	}
	r, size := utf8.DecodeRune(s.buf[s.pos+n:])
	if r == utf8.RuneError && size <= 1 {
		s.fail(n, fmt.Sprintf("the byte 0x%02x is not valid UTF-8", s.buf[s.pos+n]))
		return 0
	}
	return n + size
}

// escape checks the escape sequence at n and returns where it ends, 0 on an error.
func (s *scanner) escape(n int) int {
	switch s.at(n + 1) {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return n + 2
	case 'u':
		r, ok := s.hex4(n + 2)
		if !ok {
			return 0
		}
		if r < 0xd800 || r > 0xdfff {
			return n + 6
		}
		if r < 0xdc00 && s.at(n+6) == '\\' && s.at(n+7) == 'u' {
			if low, ok := s.hex4(n + 8); !ok {
				return 0
			} else if low >= 0xdc00 && low <= 0xdfff {
				return n + 12
			}
		}
		s.fail(n, "half of a surrogate pair inside a string")
		return 0
	}
	s.unexpected(n+1, "an escape")
	return 0
}

// hex4 reads four hexadecimal digits at n.
func (s *scanner) hex4(n int) (r rune, ok bool) {
	for i := n; i < n+4; i++ {
		switch c := s.at(i); {
		case '0' <= c && c <= '9':
			r = r<<4 | rune(c-'0')
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			s.unexpected(i, "a hexadecimal digit")
			return 0, false
		}
	}
	return r, true
}

// number reads a number token; bare says that it is NaN, Infinity or -Infinity.
func (s *scanner) number() (token []byte, bare bool) {
	if s.pos < len(s.buf) {
		if end := plainNumber(s.buf, s.pos); end >= 0 {
			return s.take(end - s.pos), false
		}
	}
	n := 0
	if s.at(0) == '-' {
		n++
	}
	switch c := s.at(n); {
	case c == 'I', c == 'N' && n == 0:
		return s.bareNumber(n), true
	case c == '0':
		n++
	default:
		if n = s.digits(n); n == 0 {
			return nil, false
		}
	}
	if s.at(n) == '.' {
		if n = s.digits(n + 1); n == 0 {
			return nil, false
		}
	}
	if c := s.at(n); c == 'e' || c == 'E' {
		n++
		if c := s.at(n); c == '+' || c == '-' {
			n++
		}
		if n = s.digits(n); n == 0 {
			return nil, false
		}
	}
	return s.take(n), false
}

// digits wants at least one digit at n and returns where they end, 0 on an error.
func (s *scanner) digits(n int) int {
	if c := s.at(n); c < '0' || c > '9' {
		s.unexpected(n, "a digit")
		return 0
	}
	for {
		n++
		if c := s.at(n); c < '0' || c > '9' {
			return n
		}
	}
}

// bareNumber reads NaN or Infinity at n, after a possible sign.
func (s *scanner) bareNumber(n int) []byte {
	word := "Infinity"
	if s.at(n) == 'N' {
		word = "NaN"
	}
	return s.word(n, word)
}

// word reads a token that ends with word, which begins at n.
func (s *scanner) word(n int, word string) []byte {
	for i := range len(word) {
		if s.at(n+i) != word[i] {
			s.unexpected(n+i, word)
			return nil
		}
	}
	return s.take(n + len(word))
}

// scalar goes past a string, number or word; c is the next byte.
func (s *scanner) scalar(c byte) {
	switch c {
	case '"':
		s.str()
	case 't':
		s.word(0, "true")
	case 'f':
		s.word(0, "false")
	case 'n':
		s.word(0, "null")
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'N', 'I':
		if _, bare := s.number(); bare {
			s.bare++
		}
	default:
		s.unexpected(0, "a value")
	}
}

// enter goes past the bracket that opens a container; false on an error.
func (s *scanner) enter(object bool) bool {
	if s.depth++; s.depth > maxDepth {
		s.fail(0, fmt.Sprintf("nested more than %d deep", maxDepth))
	}
	if s.err != nil {
		return false
	}
	s.pos++
	bit := uint64(1) << (s.depth % 64)
	if object {
		s.objects[s.depth/64] |= bit
	} else {
		s.objects[s.depth/64] &^= bit
	}
	return true
}

// leave goes past the bracket that closes a container.
func (s *scanner) leave() {
	s.pos++
	s.depth--
}

func (s *scanner) inObject() bool {
	return s.objects[s.depth/64]>>(s.depth%64)&1 == 1
}

// first goes to the first element of the container just entered; false says
// that it is empty and left, or broken.
func (s *scanner) first() bool {
	c := s.peek()
	if s.inObject() && c == '}' || !s.inObject() && c == ']' {
		s.leave()
		return false
	}
	return s.err == nil
}

// next goes to the next element; false says that the container is left, or broken.
func (s *scanner) next() bool {
	closing, want := byte(']'), `"," or "]"`
	if s.inObject() {
		closing, want = '}', `"," or "}"`
	}
	switch c := s.peek(); {
	case c == ',':
		s.pos++
		return true
	case c == closing:
		s.leave()
	default:
		s.unexpected(0, want)
	}
	return false
}

// name reads a member's name, quotes included, and the colon. The name is good
// until the scanner is used again.
func (s *scanner) name() []byte {
	if s.peek() != '"' {
		s.unexpected(0, "a name in quotes")
		return nil
	}
	return s.str()
}

func (s *scanner) colon() {
	if s.peek() != ':' {
		s.unexpected(0, `":"`)
		return
	}
	s.pos++
}

// end checks that nothing but white space follows.
func (s *scanner) end() {
	if s.peek(); s.err == nil && s.pos < len(s.buf) {
		s.fail(0, "found "+describe(s.buf[s.pos:])+" after the end of the value: trailing data")
	}
}
