package aiperf

import (
	"math"
	"strconv"
	"time"
	"unicode/utf8"
)

// A printer appends JSON as orjson writes it: indented by two spaces, or
// compact for jsonl. It appends to one buffer, because a generated export has
// thousands of numbers and property tests write hundreds of exports a second.
type printer struct {
	buf     []byte
	depth   int
	fresh   bool // nothing was written yet into the open object or array
	compact bool
}

func (p *printer) open(c byte) {
	p.buf = append(p.buf, c)
	p.depth++
	p.fresh = true
}

// close ends an object or array. An empty one stays on its line, as in Python.
func (p *printer) close(c byte) {
	p.depth--
	if !p.fresh {
		p.newline()
	}
	p.buf = append(p.buf, c)
	p.fresh = false
}

func (p *printer) newline() {
	if p.compact {
		return
	}
	const spaces = "\n                        "
	p.buf = append(p.buf, spaces[:1+2*p.depth]...)
}

// element starts the next element of an array.
func (p *printer) element() {
	if !p.fresh {
		p.buf = append(p.buf, ',')
	}
	p.fresh = false
	p.newline()
}

// key starts the next member of an object. Names are written as they are when
// they are ours and as JSON strings when they come from a run.
func (p *printer) key(name string) {
	p.element()
	p.buf = appendString(p.buf, name)
	p.buf = append(p.buf, ':')
	if !p.compact {
		p.buf = append(p.buf, ' ')
	}
}

func (p *printer) string(s string) { p.buf = appendString(p.buf, s) }
func (p *printer) int(n int64)     { p.buf = strconv.AppendInt(p.buf, n, 10) }
func (p *printer) float(f float64) { p.buf = appendFloat(p.buf, f) }
func (p *printer) bool(b bool)     { p.buf = strconv.AppendBool(p.buf, b) }
func (p *printer) text(name, s string) {
	p.key(name)
	p.string(s)
}

func (p *printer) integer(name string, n int64) {
	p.key(name)
	p.int(n)
}

func (p *printer) number(name string, f float64) {
	p.key(name)
	p.float(f)
}

// value writes a member unless the value is absent.
func (p *printer) value(name string, v Value) {
	if v.Kind() == Absent {
		return
	}
	p.key(name)
	switch v.Kind() {
	case Null:
		p.buf = append(p.buf, "null"...)
	case Number:
		p.float(v.num)
	default:
		p.buf = append(p.buf, *v.raw...)
	}
}

func (p *printer) strings(name string, list []string) {
	p.key(name)
	p.open('[')
	for _, s := range list {
		p.element()
		p.string(s)
	}
	p.close(']')
}

// appendFloat writes a float as Python does: the shortest text that reads back
// to the same value, ".0" on whole numbers, an exponent below 1e-4 and from
// 1e16 on.
func appendFloat(dst []byte, f float64) []byte {
	if f == math.Trunc(f) && math.Abs(f) < 1e15 && (f != 0 || !math.Signbit(f)) {
		dst = strconv.AppendInt(dst, int64(f), 10)
		return append(dst, ".0"...)
	}
	switch {
	case math.IsNaN(f):
		return append(dst, "NaN"...)
	case math.IsInf(f, 1):
		return append(dst, "Infinity"...)
	case math.IsInf(f, -1):
		return append(dst, "-Infinity"...)
	}
	if a := math.Abs(f); f != 0 && (a < 1e-4 || a >= 1e16) {
		return strconv.AppendFloat(dst, f, 'e', -1, 64)
	}
	n := len(dst)
	dst = strconv.AppendFloat(dst, f, 'f', -1, 64)
	for _, c := range dst[n:] {
		if c == '.' {
			return dst
		}
	}
	return append(dst, ".0"...)
}

// appendString writes a JSON string as orjson does: UTF-8 as it is, control
// characters escaped. Broken UTF-8 cannot be in a Python string and becomes
// U+FFFD.
func appendString(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	if plain(s) {
		dst = append(dst, s...)
		return append(dst, '"')
	}
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c >= utf8.RuneSelf:
			r, n := utf8.DecodeRuneInString(s[i:])
			dst = utf8.AppendRune(dst, r)
			i += n
			continue
		case c >= ' ':
			dst = append(dst, c)
		default:
			if j := indexByte("\b\t\n\f\r", c); j >= 0 {
				dst = append(dst, '\\', "btnfr"[j])
			} else {
				dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
			}
		}
		i++
	}
	return append(dst, '"')
}

// plain reports whether the string needs no escape: nearly all do not.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

func indexByte(s string, c byte) int {
	for i := range len(s) {
		if s[i] == c {
			return i
		}
	}
	return -1
}

// localTime is how AIPerf writes a phase bound: a naive ISO time from the
// float ns/1e9, so the last digits are lost, and no microseconds when they are
// zero. Generated runs stand in UTC, so that they are the same everywhere.
func localTime(ns int64) string {
	whole, frac := math.Modf(float64(ns) / 1e9)
	t := time.Unix(int64(whole), 0).Add(time.Duration(math.RoundToEven(frac*1e6)) * time.Microsecond).UTC()
	if t.Nanosecond() == 0 {
		return t.Format("2006-01-02T15:04:05")
	}
	return t.Format("2006-01-02T15:04:05.000000")
}
