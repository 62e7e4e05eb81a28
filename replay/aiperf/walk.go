package aiperf

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
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
