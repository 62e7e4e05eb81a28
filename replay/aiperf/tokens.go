package aiperf

import (
	"fmt"
	"unicode/utf8"
)

// describe names the character that b begins with.
func describe(b []byte) string {
	r, size := utf8.DecodeRune(b)
	if r == utf8.RuneError && size == 1 {
		return fmt.Sprintf("the byte 0x%02x", b[0])
	}
	return fmt.Sprintf("%q", r)
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
