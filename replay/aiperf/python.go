package aiperf

import (
	"math"
	"strconv"
	"strings"
	"unicode"
)

// The producer is a Python program: whether a record failed is the truth of
// its error in Python, and the category of the error is text that Python makes
// of it. This file has as much of Python as that takes.

// A tree is a JSON value as it stands in the file.
type tree struct {
	kind    byte   // the first byte of its text: { [ " t f n, - or a digit, N or I
	text    string // the text of a number; what a string stands for
	members []member
	items   []tree
}

type member struct {
	name string
	tree
}

// tree reads a whole value.
func (s *scanner) tree() tree {
	t := tree{kind: s.peek()}
	switch t.kind {
	case '{':
		for name := range s.object() {
			t.members = append(t.members, member{name, s.tree()})
		}
	case '[':
		for range s.array() {
			t.items = append(t.items, s.tree())
		}
	case '"':
		t.text = string(unquote(nil, s.str()))
	default:
		t.text = string(s.raw())
	}
	return t
}

// get returns the member of that name; an absent one is null.
func (t tree) get(name string) tree {
	for _, m := range t.members {
		if m.name == name {
			return m.tree
		}
	}
	return tree{kind: 'n'}
}

// truthy reports whether Python takes the value for true.
func (t tree) truthy() bool {
	switch t.kind {
	case '{':
		return len(t.members) > 0
	case '[':
		return len(t.items) > 0
	case '"':
		return t.text != ""
	case 't':
		return true
	case 'f', 'n':
		return false
	}
	f, _ := strconv.ParseFloat(t.text, 64)
	return f != 0 || t.kind == 'N'
}

// errorCategory names the error of a record as the producer does. It differs
// where the producer fails: an error of white space only is "unknown", as in
// its later trees.
func errorCategory(e tree) string {
	message := e
	if e.kind == '{' {
		for _, key := range []string{"type", "error_type", "code", "class", "status"} {
			if v := e.get(key); v.kind != 'n' && (v.kind != '"' || v.text != "") {
				return v.str()
			}
		}
		if message = e.get("message"); !message.truthy() {
			message = e.get("error")
		}
	}
	if !message.truthy() {
		return "unknown"
	}
	text := strings.TrimFunc(message.str(), isPythonSpace)
	if i := strings.IndexFunc(text, isLineEnd); i >= 0 {
		text = text[:i]
	}
	text, _, _ = strings.Cut(text, ":")
	if text == "" {
		return "unknown"
	}
	if runes := []rune(text); len(runes) > 120 {
		return string(runes[:120])
	}
	return text
}

// isPythonSpace is what str.strip takes off.
func isPythonSpace(r rune) bool {
	return unicode.IsSpace(r) || '\x1c' <= r && r <= '\x1f'
}

// isLineEnd is where str.splitlines splits.
func isLineEnd(r rune) bool {
	switch r {
	case '\n', '\v', '\f', '\r', '\x1c', '\x1d', '\x1e', '\u0085', '\u2028', '\u2029':
		return true
	}
	return false
}

// str is Python's str() of the value.
func (t tree) str() string {
	if t.kind == '"' {
		return t.text
	}
	return t.repr()
}

// repr is Python's repr() of the value.
func (t tree) repr() string {
	switch t.kind {
	case '{':
		parts := make([]string, len(t.members))
		for i, m := range t.members {
			parts[i] = quotePython(m.name) + ": " + m.repr()
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case '[':
		parts := make([]string, len(t.items))
		for i, item := range t.items {
			parts[i] = item.repr()
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case '"':
		return quotePython(t.text)
	case 't':
		return "True"
	case 'f':
		return "False"
	case 'n':
		return "None"
	}
	return numberPython(t.text)
}

// numberPython is the repr() of the int or float that a JSON number is.
func numberPython(text string) string {
	if !strings.ContainsAny(text, ".eENI") {
		if text == "-0" {
			return "0"
		}
		return text
	}
	f, _ := strconv.ParseFloat(text, 64)
	switch {
	case math.IsNaN(f):
		return "nan"
	case math.IsInf(f, 0):
		return strings.ToLower(strings.TrimPrefix(strconv.FormatFloat(f, 'g', -1, 64), "+"))
	}
	exponent := strconv.FormatFloat(f, 'e', -1, 64)
	e, _ := strconv.Atoi(exponent[strings.IndexByte(exponent, 'e')+1:])
	if f != 0 && (e < -4 || e >= 16) {
		return exponent
	}
	plain := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(plain, ".") {
		plain += ".0"
	}
	return plain
}

// quotePython is the repr() of a string.
func quotePython(text string) string {
	quote := byte('\'')
	if strings.Contains(text, "'") && !strings.Contains(text, `"`) {
		quote = '"'
	}
	b := []byte{quote}
	for _, r := range text {
		switch {
		case r == '\\' || r == rune(quote):
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, `\n`...)
		case r == '\r':
			b = append(b, `\r`...)
		case r == '\t':
			b = append(b, `\t`...)
		case unicode.IsPrint(r):
			b = append(b, string(r)...)
		case r < 0x100:
			b = append(b, `\x`+hexDigits(r, 2)...)
		case r < 0x10000:
			b = append(b, `\u`+hexDigits(r, 4)...)
		default:
			b = append(b, `\U`+hexDigits(r, 8)...)
		}
	}
	return string(append(b, quote))
}

func hexDigits(r rune, width int) string {
	digits := strconv.FormatInt(int64(r), 16)
	return strings.Repeat("0", width-len(digits)) + digits
}
