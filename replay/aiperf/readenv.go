package aiperf

import (
	"io/fs"
	"strings"
	"unicode/utf8"
)

// ReadEnv reads run.env from the file name of fsys: lines KEY=value, where the
// value goes to the end of the line as it stands, comment lines that begin
// with #, and blank lines. A line of another kind and a key that stands twice
// are a [*SyntaxError].
func ReadEnv(fsys fs.FS, name string) (Env, error) {
	f, err := openFile(fsys, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	env := Env{}
	lines := newLineReader(f)
	for lines.next() {
		line := strings.TrimSuffix(string(lines.line), "\r")
		if msg := env.add(line); msg != "" {
			return nil, &SyntaxError{File: name, Line: lines.number, Msg: msg}
		}
	}
	if err := lines.failure(name); err != nil {
		return nil, err
	}
	return env, nil
}

// add takes a line and returns what is wrong with it.
func (e Env) add(line string) (msg string) {
	if trimmed := strings.TrimSpace(line); trimmed == "" || trimmed[0] == '#' {
		return ""
	}
	key, value, ok := strings.Cut(line, "=")
	_, twice := e[key]
	switch {
	case strings.HasPrefix(line, "\ufeff"):
		return "begins with a byte-order mark: remove the first three bytes"
	case !utf8.ValidString(line):
		return "not valid UTF-8"
	case !ok:
		return "want KEY=value, a comment that begins with #, or a blank line"
	case key == "" || strings.ContainsAny(key, " \t"):
		return "want KEY=value, without space in or around KEY"
	case twice:
		return "the key " + key + " stands twice"
	}
	e[key] = value
	return ""
}
