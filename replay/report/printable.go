package report

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pdreplay/pdreplay/replay"
)

// Ids of runs are directory names, and reasons and errors are an adapter's text:
// all of it may come from strangers. Reports that are read line by line show it
// so that it neither moves a terminal's cursor nor begins a line of its own.

// printable is a result whose texts hold printable characters only, its error
// line breaks too.
func printable(r replay.Result) replay.Result {
	r.Run, r.Difference, r.Again = escaped(r.Run), escaped(r.Difference), escaped(r.Again)
	for _, w := range []*replay.Word{&r.Adapter, &r.Engine, &r.Status, &r.Class} {
		*w = replay.Word(escaped(string(*w)))
	}
	r.Error = replay.Word(escapedLines(string(r.Error)))
	r.Reasons, r.Lacks = escapedAll(r.Reasons), escapedAll(r.Lacks)
	if r.Oracle != nil {
		f := *r.Oracle
		f.Status, f.Reasons = replay.Word(escaped(string(f.Status))), escapedAll(f.Reasons)
		r.Oracle = &f
	}
	if r.Listed != nil {
		l := *r.Listed
		l.Why, l.At = escaped(l.Why), escaped(l.At)
		r.Listed = &l
	}
	if r.Published != nil {
		p := *r.Published
		p.Status = replay.Word(escaped(string(p.Status)))
		r.Published = &p
	}
	return r
}

// escaped writes what is not printable as a Go string has it, and U+FFFD for
// what is not UTF-8.
func escaped(s string) string {
	if utf8.ValidString(s) && !strings.ContainsFunc(s, unprintable) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if unprintable(r) {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func unprintable(r rune) bool { return !unicode.IsPrint(r) }

func escapedAll(list []string) []string {
	var all []string
	for _, s := range list {
		all = append(all, escaped(s))
	}
	return all
}

// escapedLines keeps line breaks.
func escapedLines(s string) string { return strings.Join(escapedAll(strings.Split(s, "\n")), "\n") }

// inert is a line of text that GitHub's runner takes for no workflow command:
// those begin with :: behind spaces, or hold ##[.
func inert(line string) string {
	if rest := strings.TrimLeft(line, " "); strings.HasPrefix(rest, "::") {
		line = line[:len(line)-len(rest)] + `\` + rest
	}
	return strings.ReplaceAll(line, "##[", `##\[`)
}
