package aiperf

import (
	"io"
	"io/fs"
	"strconv"
	"strings"
)

// locate fills in line, column and pointer of an error at an offset. It reads
// the text again, so that reading without an error pays nothing; what lies
// before the offset has been checked by then, so it only keeps count.
func (e *SyntaxError) locate(fsys fs.FS, offset int64) {
	f, err := fsys.Open(e.File)
	if err != nil {
		return // the message stands without its place
	}
	defer f.Close()
	t := tracker{line: 1, col: 1}
	// An error here could only mean that the file has changed meanwhile.
	_, _ = io.CopyN(&t, f, offset)
	e.Line, e.Col, e.Pointer = t.line, t.col, t.pointer()
}

// locateIn is locate for a text in memory.
func (e *SyntaxError) locateIn(text []byte) {
	t := tracker{line: 1, col: 1}
	_, _ = t.Write(text)
	e.Col, e.Pointer = t.col, t.pointer()
}

// A tracker follows a JSON text byte by byte and knows where it is.
type tracker struct {
	line, col int
	stack     []place
	text      []byte // the string that is being read, quotes included
	inString  bool
	escaped   bool
}

// A place is a container on the way and how far it has been read.
type place struct {
	object bool
	index  int
	name   string // of the last member
	value  bool   // behind the colon of a member
}

// longName is how much of a member's name a pointer shows.
const longName = 1 << 10

// Write takes the next bytes of a text that is correct so far.
func (t *tracker) Write(text []byte) (int, error) {
	for _, c := range text {
		t.byte(c)
	}
	return len(text), nil
}

func (t *tracker) byte(c byte) {
	if t.col++; c == '\n' {
		t.line, t.col = t.line+1, 1
	}
	if t.inString {
		t.inside(c)
		return
	}
	top := len(t.stack) - 1
	switch c {
	case '"':
		t.inString, t.text = true, append(t.text[:0], c)
	case '{', '[':
		t.stack = append(t.stack, place{object: c == '{'})
	case '}', ']':
		t.stack = t.stack[:max(top, 0)]
	case ':':
		t.stack[top].value = true
	case ',':
		t.stack[top].index++
		t.stack[top].value = false
	}
}

// inside takes a byte of a string. Only names are kept.
func (t *tracker) inside(c byte) {
	top := len(t.stack) - 1
	isName := top >= 0 && t.stack[top].object && !t.stack[top].value
	if isName && len(t.text) <= longName {
		t.text = append(t.text, c)
	}
	switch {
	case t.escaped:
		t.escaped = false
	case c == '\\':
		t.escaped = true
	case c == '"':
		t.inString = false
		switch {
		case isName && len(t.text) > longName:
			t.stack[top].name = string(t.text[1:]) + "..."
		case isName:
			t.stack[top].name = string(unquote(nil, t.text))
		}
	}
}

// pointer returns the JSON pointer of the innermost value that was begun.
func (t *tracker) pointer() string {
	var b strings.Builder
	for _, p := range t.stack {
		switch {
		case !p.object:
			b.WriteString("/" + strconv.Itoa(p.index))
		case p.value:
			b.WriteString("/" + escapePointer(p.name))
		}
	}
	return b.String()
}
