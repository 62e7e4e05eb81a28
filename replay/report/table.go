package report

import (
	"fmt"
	"strings"

	"github.com/pdreplay/pdreplay/replay"
)

const row = "  %-*s %-24s %-8s %7s %7s %8s %7s  %s"

// table writes one run: what the contract wants, what each adapter got, and
// the published row.
func (t *Text) table(run []replay.Result) {
	for _, r := range run {
		t.names = max(t.names, len(r.Adapter))
	}
	if !t.titled {
		t.line(row, t.names, "", "status", "", "gpu", "cpu", "external", "overall", "")
		t.titled = true
	}
	first := run[0]
	t.line("%s", t.paint(bold, first.Run))
	if f := first.Oracle; f != nil {
		status, priced, rates := want(first)
		c := cells(rates, 3)
		t.line(row, t.names, first.Engine+" oracle", status, priced, c[0], c[1], c[2], c[3], "basis "+string(f.Basis))
	}
	for _, r := range run {
		t.row(r)
	}
	t.publishedRow(run)
	for _, text := range first.Lacks {
		t.line("  %s", text)
	}
}

func (t *Text) row(r replay.Result) {
	if r.Outcome != replay.Answered {
		why := firstLine(string(r.Error))
		if r.Outcome == replay.Skipped {
			why = strings.Join(r.Reasons, "; ")
		}
		name := ""
		if r.Adapter != "" {
			name = fmt.Sprintf("%-*s ", t.names, r.Adapter)
		}
		t.line("  %s%s: %s", name, t.paint(colourOf(r), string(r.Outcome)), why)
		return
	}
	c := cells(r.Rates.List(), 3)
	t.line(row, t.names, r.Adapter, status(r.Status), priced(r.Eligible), c[0], c[1], c[2], c[3], t.ending(r))
}

// ending says what the answer came to.
func (t *Text) ending(r replay.Result) string {
	text := t.paint(colourOf(r), string(r.Class)) + priceError(r)
	if r.Listed != nil {
		text += " (listed)"
		if !r.Expected {
			text = strings.TrimSuffix(text, ")") + " as " + string(r.Listed.Class) + ")"
		}
	}
	return text
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}
