package aiperf

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// wrongKind fails at a value, which begins with c, of a kind that cannot be used.
func (s *scanner) wrongKind(c byte, want string) {
	kind := ""
	switch c {
	case '{':
		kind = "an object"
	case '[':
		kind = "an array"
	case '"':
		kind = "a string"
	case 't', 'f':
		kind = "a boolean"
	case 'n':
		kind = "null"
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		kind = "a number"
	default:
		s.unexpected(0, want)
		return
	}
	s.fail(0, "found "+kind+" where "+want+" should be")
}

// null goes past a null and reports whether there was one.
func (s *scanner) null() bool {
	if s.peek() != 'n' {
		return false
	}
	s.word(0, "null")
	return true
}

// nothing goes past a null that stands for a container, and notes it: AIPerf
// leaves out what it has not, Python's models write null.
func (s *scanner) nothing() bool {
	if !s.null() {
		return false
	}
	s.note("null where an object or array should be, read as absent")
	return true
}

// value reads what stands where a number is expected, and notes what is none.
func (s *scanner) value() Value {
	switch c := s.peek(); c {
	case '"':
		return s.other("a string where a number should be", s.str())
	case 't':
		return s.other("a boolean where a number should be", s.word(0, "true"))
	case 'f':
		return s.other("a boolean where a number should be", s.word(0, "false"))
	case 'n':
		s.word(0, "null")
		s.note("null where a number should be")
		return NullValue()
	case '{', '[':
		s.wrongKind(c, "a number")
		return Value{}
	}
	if !s.numeric("a number") {
		return Value{}
	}
	token, bare := s.number()
	if bare {
		return s.other("a bare "+string(token)+", which is not JSON", token)
	}
	f, err := strconv.ParseFloat(string(token), 64)
	if err != nil && s.err == nil {
		return s.other("a number that float64 cannot hold", token)
	}
	return NumberValue(f)
}

func (s *scanner) other(note string, token []byte) Value {
	if s.err != nil {
		return Value{}
	}
	text := string(token)
	s.note(note)
	return OtherValue(text)
}

// time reads nanoseconds; what is no integer is NoTime and noted, what int64
// cannot hold is an error.
func (s *scanner) time() int64 {
	switch c := s.peek(); c {
	case '"', 't', 'f', 'n', 'N', 'I':
		s.bareTime(c)
		return NoTime
	case '{', '[':
		s.wrongKind(c, "a time in nanoseconds")
		return NoTime
	}
	if !s.numeric("a time in nanoseconds") {
		return NoTime
	}
	start := s.base + int64(s.pos)
	token, bare := s.number()
	if s.err != nil {
		return NoTime
	}
	if bare {
		s.note("a time that is not a number")
		return NoTime
	}
	t, kind := integer(token)
	switch kind {
	case fraction:
		s.note("a time that is not a whole number of nanoseconds")
		return NoTime
	case tooLarge:
		s.fail(int(start-s.base)-s.pos, fmt.Sprintf("the time %s does not fit into int64 nanoseconds", shorten(token)))
		return NoTime
	}
	return t
}

// numeric reports whether the next byte can begin a number, and fails if not.
func (s *scanner) numeric(want string) bool {
	switch c := s.peek(); {
	case c == '-', '0' <= c && c <= '9', c == 'N', c == 'I':
		return true
	}
	s.unexpected(0, want)
	return false
}

func (s *scanner) bareTime(c byte) {
	s.scalar(c)
	s.note("a time that is not a number")
}

// text reads a string. A null is empty; another scalar is its JSON text, noted.
func (s *scanner) text() string {
	switch c := s.peek(); c {
	case '"':
		return s.intern(s.unquoted(s.str()))
	case 'n':
		s.null()
		return ""
	case '{', '[':
		s.wrongKind(c, "a string")
		return ""
	}
	text := string(s.raw())
	if s.err != nil {
		return ""
	}
	s.note("a scalar that is not a string where a string should be")
	return text
}

// raw reads a scalar as the file has it; good until the scanner is used again.
func (s *scanner) raw() []byte {
	switch c := s.peek(); c {
	case '"':
		return s.str()
	case 't':
		return s.word(0, "true")
	case 'f':
		return s.word(0, "false")
	case 'n':
		return s.word(0, "null")
	case '{', '[':
		s.wrongKind(c, "a string or number")
		return nil
	}
	if !s.numeric("a value") {
		return nil
	}
	token, bare := s.number()
	if bare && s.err == nil {
		s.note("a bare " + string(token) + ", which is not JSON")
	}
	return token
}

// pass goes past a value that is not read. Bare numbers in it are noted once.
func (s *scanner) pass() {
	s.bare = 0
	s.skip()
	if s.bare > 0 {
		s.note("bare NaN or Infinity, which is not JSON, in a part that was not read")
	}
}

// unquote appends the string that a checked token stands for.
func unquote(dst, token []byte) []byte {
	if len(token) < 2 {
		return dst // only after an error
	}
	if bytes.IndexByte(token, '\\') < 0 {
		return append(dst, token[1:len(token)-1]...)
	}
	dst, err := jsontext.AppendUnquote(dst, token)
	if err != nil {
		// This should never happen, because str has checked the token.
		panic(fmt.Sprintf("aiperf: a checked string %q is not one: %v", token, err))
	}
	return dst
}

// unquoted returns what a checked token stands for; good until the scanner is
// used again.
func (s *scanner) unquoted(token []byte) []byte {
	if len(token) >= 2 && bytes.IndexByte(token, '\\') < 0 {
		return token[1 : len(token)-1]
	}
	s.scratch = unquote(s.scratch[:0], token)
	return s.scratch
}
