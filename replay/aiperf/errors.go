package aiperf

import "fmt"

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
	if e.Pointer != "" {
		text += " (at " + e.Pointer + ")"
	}
	return text
}
