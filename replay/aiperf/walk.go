package aiperf

import (
	"bytes"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// A step is one container of the way to the value that is being read.
type step struct {
	object bool
	index  int    // of the element, in an array
	name   string // of the member, in an object

	names []string            // the names met so far
	seen  map[string]struct{} // the same, once there are many
}

// few is the number of names up to which a search is faster than a map.
const few = 64

// add reports whether name is new in the object.
func (p *step) add(name string) bool {
	if p.seen == nil {
		if slices.Contains(p.names, name) {
			return false
		}
		p.names = append(p.names, name)
		if len(p.names) < few {
			return true
		}
		p.seen = make(map[string]struct{})
		for _, n := range p.names {
			p.seen[n] = struct{}{}
		}
		return true
	}
	_, twice := p.seen[name]
	p.seen[name] = struct{}{}
	return !twice
}

// push adds a step to the path, with the memory of the one that was there.
func (s *scanner) push(object bool) int {
	i := len(s.path)
	if i < cap(s.path) {
		s.path = s.path[:i+1]
	} else {
		s.path = append(s.path, step{})
	}
	p := &s.path[i]
	*p = step{object: object, index: -1, names: p.names[:0]}
	return i
}

func (s *scanner) pop() { s.path = s.path[:len(s.path)-1] }

// object iterates over the members of the object that follows; the body must
// read each value. Two members of one name are an error, because readers
// disagree about which of them counts.
func (s *scanner) object() iter.Seq[string] {
	return func(yield func(string) bool) {
		if !s.open('{', "an object") {
			return
		}
		i := s.push(true)
		defer s.pop()
		for ok := s.first(); ok && s.member(i); ok = s.next() {
			if !yield(s.path[i].name) || s.err != nil {
				return
			}
		}
	}
}

// member reads a name into step i and goes to its value.
func (s *scanner) member(i int) bool {
	s.peek()
	start := s.base + int64(s.pos)
	raw := s.name()
	if s.err != nil {
		return false
	}
	p := &s.path[i]
	p.name = s.intern(s.unquoted(raw))
	if !p.add(p.name) {
		s.fail(int(start-s.base)-s.pos, fmt.Sprintf("the name %s stands twice in one object", shorten(raw)))
		return false
	}
	s.colon()
	return s.err == nil
}

// intern returns text as a string, a short one from a small stock: a file has
// the same few names, phases and labels over and over.
func (s *scanner) intern(text []byte) string {
	if len(text) > 64 {
		return string(text)
	}
	hash := uint32(2166136261) // FNV-1a
	for _, c := range text {
		hash = (hash ^ uint32(c)) * 16777619
	}
	places := &s.stock[hash%uint32(len(s.stock))]
	if places[0] != string(text) {
		places[0], places[1] = places[1], places[0]
		if places[0] != string(text) {
			places[0] = string(text)
		}
	}
	return places[0]
}

// array iterates over the elements of the array that follows; the body must
// read each.
func (s *scanner) array() iter.Seq[int] {
	return func(yield func(int) bool) {
		if !s.open('[', "an array") {
			return
		}
		i := s.push(false)
		defer s.pop()
		for ok := s.first(); ok; ok = s.next() {
			s.path[i].index++
			if !yield(s.path[i].index) || s.err != nil {
				return
			}
		}
	}
}

func (s *scanner) open(bracket byte, want string) bool {
	c := s.peek()
	if c != bracket {
		s.wrongKind(c, want)
		return false
	}
	return s.enter(bracket == '{')
}

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

// objectOrNothing is object, with no members where null stands for it.
func (s *scanner) objectOrNothing() iter.Seq[string] {
	if s.nothing() {
		return func(func(string) bool) {}
	}
	return s.object()
}

// arrayOrNothing is array, with no elements where null stands for it.
func (s *scanner) arrayOrNothing() iter.Seq[int] {
	if s.nothing() {
		return func(func(int) bool) {}
	}
	return s.array()
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

// shorten cuts a long token for a message.
func shorten(token []byte) string {
	if len(token) > 40 {
		return string(token[:40]) + "..."
	}
	return string(token)
}

// What integer can make of a JSON number.
type wholeness uint8

const (
	whole wholeness = iota
	fraction
	tooLarge
)

// integer returns the exact value of a JSON number, which may be written with
// a fraction of zeros or an exponent.
func integer(token []byte) (int64, wholeness) {
	if n, err := strconv.ParseInt(string(token), 10, 64); err == nil {
		return n, whole
	}
	text := string(token)
	mantissa, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	mantissa, negative := strings.CutPrefix(mantissa, "-")
	before, after, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(before+after, "0")
	if digits == "" {
		return 0, whole
	}
	// The value is 0.digits * 10^point.
	point := int64(len(digits) - len(after))
	if exponent != "" {
		e, err := strconv.ParseInt(exponent, 10, 64)
		if err != nil || e > 1<<40 || e < -1<<40 {
			if strings.HasPrefix(exponent, "-") {
				return 0, fraction
			}
			return 0, tooLarge
		}
		point += e
	}
	digits = strings.TrimRight(digits, "0")
	switch {
	case point < int64(len(digits)):
		return 0, fraction
	case point > 19:
		return 0, tooLarge
	}
	digits += strings.Repeat("0", int(point)-len(digits))
	if negative {
		digits = "-" + digits
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return 0, tooLarge
	}
	return n, whole
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

// note notes something about the value that is being read.
func (s *scanner) note(text string) {
	switch {
	case s.err != nil:
	case s.line > 0:
		s.notes.add("line "+strconv.Itoa(s.line), text)
	default:
		s.notes.add(s.pointer(), text)
	}
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

// pointer returns the JSON pointer of the value that is being read.
func (s *scanner) pointer() string {
	var b strings.Builder
	for _, p := range s.path {
		b.WriteByte('/')
		if p.object {
			b.WriteString(escapePointer(p.name))
		} else {
			b.WriteString(strconv.Itoa(p.index))
		}
	}
	return b.String()
}

// escapePointer writes a name as RFC 6901 has it.
func escapePointer(name string) string {
	return strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
}
