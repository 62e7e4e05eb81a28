package aiperf

import (
	"fmt"
	"strings"
)

// A SyntaxError says that a file is not what a reader can trust, and where.
type SyntaxError struct {
	File    string // path inside the run's FS
	Line    int    // from 1; 0 where the error is about the whole file
	Col     int    // in bytes, from 1; 0 where only the line is known
	Pointer string // JSON pointer of the value, inside the line for a jsonl; "" at the root
	Msg     string
}

// Error returns "FILE:LINE:COL: MSG (at POINTER)".
func (e *SyntaxError) Error() string {
	text := e.File
	if e.Line > 0 {
		text += fmt.Sprintf(":%d", e.Line)
	}
	if e.Col > 0 {
		text += fmt.Sprintf(":%d", e.Col)
	}
	text += ": " + e.Msg
	if e.Pointer == "" {
		return text
	}
	if len(e.Pointer) > longPointer {
		return text + " (at " + strings.ToValidUTF8(e.Pointer[:longPointer], "") + "...)"
	}
	return text + " (at " + e.Pointer + ")"
}

// longPointer is how much of a pointer a message shows: the whole one into any
// export, but not into a text that nests a thousand deep.
const longPointer = 200
