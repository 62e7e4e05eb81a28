package aiperf

import (
	"encoding/binary"
	"math/bits"
)

// Most bytes of an export belong to families that nobody selected. They are
// checked like all others, but nothing is kept of them, so they get a loop of
// their own: quick takes the plain tokens that lie whole in the window, eight
// bytes at a time, and leaves all else to step: escapes, bytes beyond ASCII,
// tokens at the edge of the window, and every error.

// A state says what the grammar wants next while a value is skipped.
type state uint8

const (
	wantValue state = iota // a value
	wantFirst              // the first element of the container just entered, or its end
	wantNext               // "," or the end of the container; at the outermost value: nothing
	wantName               // a member's name
	wantColon              // ":"
)

// skip goes past one value of any kind and checks its syntax.
func (s *scanner) skip() {
	outside := s.depth
	for st := wantValue; s.err == nil && !(st == wantNext && s.depth == outside); {
		if st = s.quick(st, outside); st != wantNext || s.depth != outside {
			st = s.step(st)
		}
	}
}

// step goes past one token, or into or out of a container.
func (s *scanner) step(st state) state {
	switch st {
	case wantFirst:
		if !s.first() {
			return wantNext
		}
		return s.element()
	case wantNext:
		if !s.next() {
			return wantNext
		}
		return s.element()
	case wantName:
		s.name()
		return wantColon
	case wantColon:
		s.colon()
		return wantValue
	}
	c := s.peek()
	if c != '{' && c != '[' {
		s.scalar(c)
		return wantNext
	}
	s.enter(c == '{')
	return wantFirst
}

// element is what an element of the current container begins with.
func (s *scanner) element() state {
	if s.inObject() {
		return wantName
	}
	return wantValue
}

const (
	every    = 0x0101010101010101 // times a byte: that byte eight times
	highBits = 0x80 * every
)

// room is how far quick may look ahead without asking whether the window goes on.
const room = 16

// quick goes on from state st as far as it can and returns the state there. It
// stops before any token that it does not take whole, and behind the value
// that began at depth outside.
func (s *scanner) quick(st state, outside int) state {
	b, i := s.buf, s.pos
	object := s.inObject()
loop:
	for i+room <= len(b) {
		c := b[i]
		if c <= ' ' {
			if c != '\n' && c != ' ' && c != '\r' && c != '\t' {
				break
			}
			i = indent(b, i+1)
			continue
		}
		switch st {
		case wantFirst:
			if closes := c == '}' && object || c == ']' && !object; !closes {
				st = wantValue
				if object {
					st = wantName
				}
				continue
			}
			fallthrough
		case wantNext:
			switch {
			case c == ',':
				st = wantValue
				if object {
					st = wantName
				}
			case c == '}' && object || c == ']' && !object:
				st = wantNext
				if s.depth--; s.depth == outside {
					s.pos = i + 1
					return wantNext
				}
				object = s.inObject()
			default:
				break loop
			}
			i++
			continue
		case wantName:
			end := -1
			if c == '"' {
				end = plainString(b, i+1)
			}
			if end < 0 {
				break loop
			}
			i, st = end, wantColon
			if i+room > len(b) || b[i] != ':' {
				continue
			}
			// What follows is so common that it does not go round the loop.
			i, st = i+1, wantValue
			if b[i] == ' ' {
				i++
			}
			c = b[i]
			if c <= ' ' {
				continue
			}
		case wantColon:
			if c != ':' {
				break loop
			}
			i, st = i+1, wantValue
			continue
		}
		end := -1
		switch {
		case c == '"':
			end = plainString(b, i+1)
		case c-'0' <= 9 || c == '-':
			end = plainNumber(b, i)
		case c == '{' || c == '[':
			s.pos = i
			if !s.enter(c == '{') {
				return st
			}
			i, object, st = s.pos, c == '{', wantFirst
			continue
		}
		if end < 0 {
			break
		}
		i, st = end, wantNext
		if s.depth == outside {
			break
		}
		if object && i+room <= len(b) && b[i] == ',' && b[i+1] == '\n' {
			i, st = indent(b, i+2), wantName
		}
	}
	s.pos = i
	return st
}

// indent returns where the spaces at b[i:] end, or a place before that.
func indent(b []byte, i int) int {
	for i+8 <= len(b) {
		w := binary.LittleEndian.Uint64(b[i:]) ^ ' '*every
		if w != 0 {
			return i + bits.TrailingZeros64(w)>>3
		}
		i += 8
	}
	return i
}

// plainString returns where the string ends of which b[i:] follows the first
// quote, -1 if it is not of plain ASCII or ends behind the window.
func plainString(b []byte, i int) int {
	for i+8 < len(b) {
		w := binary.LittleEndian.Uint64(b[i:])
		quote, slash := w^'"'*every, w^'\\'*every
		// The lowest of these bits is at the first byte that is a quote, a
		// backslash, a control character or not ASCII.
		stop := ((quote-every)&^quote | (slash-every)&^slash | (w-' '*every)&^w | w) & highBits
		if stop == 0 {
			i += 8
			continue
		}
		i += bits.TrailingZeros64(stop) >> 3
		if b[i] == '"' {
			return i + 1
		}
		return -1
	}
	return -1
}

// plainNumber returns where the number at b[i:] ends, -1 if it is broken or
// may end behind the window.
func plainNumber(b []byte, i int) int {
	if b[i] == '-' {
		i++
	}
	first := i
	if i = plainDigits(b, i); i < 0 || i == first || b[first] == '0' && i > first+1 {
		return -1
	}
	if b[i] == '.' {
		first = i + 1
		if i = plainDigits(b, first); i < 0 || i == first {
			return -1
		}
	}
	if b[i]|0x20 == 'e' {
		first = i + 1
		if b[first] == '+' || b[first] == '-' {
			first++
		}
		if i = plainDigits(b, first); i < 0 || i == first {
			return -1
		}
	}
	return i
}

// plainDigits returns where the digits at b[i:] end, which is inside the
// window, or -1.
func plainDigits(b []byte, i int) int {
	for i+8 < len(b) {
		w := binary.LittleEndian.Uint64(b[i:]) ^ '0'*every
		// Now digits are 0 to 9: adding 0x76 sets the high bit of all others.
		other := (w&^highBits + 0x76*every | w) & highBits
		if other != 0 {
			return i + bits.TrailingZeros64(other)>>3
		}
		i += 8
	}
	return -1
}
