package report

import (
	"strings"

	"github.com/pdreplay/pdreplay/replay"
)

// Ids of runs are directory names, and reasons and errors are an adapter's text:
// all of it may come from strangers. Reports that are read line by line show it
// so that it neither moves a terminal's cursor nor begins a line of its own.

// printable is a result whose texts hold printable characters only, its error
// line breaks too.
func printable(r replay.Result) replay.Result {
	r.Run, r.Difference, r.Again = replay.Printable(r.Run), replay.Printable(r.Difference), replay.Printable(r.Again)
	for _, w := range []*replay.Word{&r.Adapter, &r.Engine, &r.Status, &r.Class} {
		*w = replay.Word(replay.Printable(string(*w)))
	}
	r.Error = replay.Word(printableLines(string(r.Error)))
	r.Reasons, r.Lacks = printableAll(r.Reasons), printableAll(r.Lacks)
	if r.Oracle != nil {
		f := *r.Oracle
		f.Status, f.Reasons = replay.Word(replay.Printable(string(f.Status))), printableAll(f.Reasons)
		r.Oracle = &f
	}
	if r.Listed != nil {
		l := *r.Listed
		l.Why, l.At = replay.Printable(l.Why), replay.Printable(l.At)
		r.Listed = &l
	}
	if r.Published != nil {
		p := *r.Published
		p.Status = replay.Word(replay.Printable(string(p.Status)))
		r.Published = &p
	}
	return r
}

func printableAll(list []string) []string {
	var all []string
	for _, s := range list {
		all = append(all, replay.Printable(s))
	}
	return all
}

// printableLines keeps line breaks.
func printableLines(s string) string { return strings.Join(printableAll(strings.Split(s, "\n")), "\n") }

// inert is a line of text that GitHub's runner takes for no workflow command:
// those begin with :: behind spaces, or hold ##[.
func inert(line string) string {
	if rest := strings.TrimLeft(line, " "); strings.HasPrefix(rest, "::") {
		line = line[:len(line)-len(rest)] + `\` + rest
	}
	return strings.ReplaceAll(line, "##[", `##\[`)
}
