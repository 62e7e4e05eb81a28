package aiperf

import (
	"fmt"
)

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
