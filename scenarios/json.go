package scenarios

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// A small JSON tree whose numbers are texts, so that it holds what no encoder
// writes (bare NaN) and prints what AIPerf prints (100.0).
type (
	object []member
	list   []any
	text   string // a JSON string
	raw    string // JSON as it stands
)

type member struct {
	key   string
	value any // object, list, text or raw
}

// with adds a member unless its raw value is "".
func (o object) with(key string, value any) object {
	if value == raw("") {
		return o
	}
	return append(o, member{key, value})
}

// pretty prints like AIPerf's exports: two spaces, no final newline.
func pretty(v any) []byte { return appendJSON(nil, v, "\n") }

// compact prints like AIPerf's records.
func compact(v any) []byte { return appendJSON(nil, v, "") }

// appendJSON prints v; newline is "" for the compact form, else a line feed and
// the indentation of v.
func appendJSON(b []byte, v any, newline string) []byte {
	inner, colon := newline, ":"
	if newline != "" {
		inner, colon = newline+"  ", ": "
	}
	switch v := v.(type) {
	case object:
		for i, m := range v {
			b = append(b, separator('{', i)...)
			b = append(appendText(append(b, inner...), m.key), colon...)
			b = appendJSON(b, m.value, inner)
		}
		return closing(b, len(v), "{}", newline)
	case list:
		for i, e := range v {
			b = append(b, separator('[', i)...)
			b = appendJSON(append(b, inner...), e, inner)
		}
		return closing(b, len(v), "[]", newline)
	case text:
		return appendText(b, string(v))
	case raw:
		return append(b, v...)
	}
	panic("a JSON tree holds only object, list, text and raw")
}

func separator(open byte, i int) []byte {
	if i == 0 {
		return []byte{open}
	}
	return []byte{','}
}

func closing(b []byte, n int, brackets, newline string) []byte {
	if n == 0 {
		return append(b, brackets...)
	}
	return append(append(b, newline...), brackets[1])
}

func appendText(b []byte, s string) []byte {
	b, err := jsontext.AppendQuote(b, strings.ToValidUTF8(s, "\uFFFD"))
	if err != nil {
		panic("quoting valid UTF-8 failed: " + err.Error()) // cannot happen
	}
	return b
}
