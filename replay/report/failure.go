package report

import (
	"fmt"
	"strings"

	"github.com/pdreplay/pdreplay/replay"
)

// A failure or an error is told alike in every format: a headline, then these
// lines: want before got, why, and the command that repeats it.

// told returns the lines about a failure or an error, without its headline.
func told(r replay.Result) []string {
	var lines []string
	if r.Outcome == replay.Answered {
		lines = append(wantGot(r), why(r)...)
	} else {
		for line := range strings.Lines(string(r.Error)) {
			lines = append(lines, strings.TrimRight(line, "\n"))
		}
	}
	return append(lines, "again: "+r.Again)
}

func headline(r replay.Result) string {
	if r.Outcome != replay.Answered {
		return string(r.Outcome)
	}
	text := string(r.Class)
	if r.Listed != nil && replay.Word(r.Listed.Class) != r.Class {
		text += ", listed as " + string(r.Listed.Class)
	}
	return text + priceError(r)
}

// wantGot returns the two rows, aligned, the wanted one first.
func wantGot(r replay.Result) []string {
	wantStatus, wantPriced, wanted := want(r)
	gotStatus, gotPriced, got := status(r.Status), priced(r.Eligible), r.Rates.List()
	digits := digitsFor(wanted, got)
	wants, gots := cells(wanted, digits), cells(got, digits)
	if byFacts(r) {
		for i, in := range r.Oracle.Rates.List() {
			wants[i] = intervalCell(in, digits)
		}
	}
	external := wants[1] != wants[2] || gots[1] != gots[2]
	a, b := max(len(wantStatus), len(gotStatus)), max(len(wantPriced), len(gotPriced))
	return []string{
		fmt.Sprintf("want %-*s  %-*s  %s", a, wantStatus, b, wantPriced, named(wants, external)),
		fmt.Sprintf("got  %-*s  %-*s  %s", a, gotStatus, b, gotPriced, named(gots, external)),
	}
}

// byFacts reports whether the facts refute the answer: then they are what is
// wanted, and what the contract reports is only one value among them, or not
// even that.
func byFacts(r replay.Result) bool {
	if r.Class == replay.Word(replay.Mispriced) {
		return true
	}
	got := r.Rates.List()
	for i, in := range r.Oracle.Rates.List() {
		if got[i] != nil && !in.Contains(*got[i], 0) {
			return true
		}
	}
	return false
}

// why returns what the oracle found, the first of each rule, and where the two
// rows do not show it, what the difference is.
func why(r replay.Result) []string {
	const most = 3
	var lines []string
	shown := map[string]bool{}
	for _, reason := range r.Oracle.Reasons {
		rule, _, _ := strings.Cut(reason, ":")
		if !shown[rule] && len(shown) < most {
			shown[rule] = true
			lines = append(lines, reason)
		}
	}
	if r.Difference != "" && (len(shown) == 0 || hiddenHit(r)) {
		lines = append(lines, r.Difference)
	}
	switch l := r.Listed; {
	case l == nil:
	case replay.Word(l.Class) != r.Class:
		lines = append(lines, fmt.Sprintf("%s lists %s, which no longer happens: remove or correct the line", l.At, l.Class))
	case l.Why == replay.Unedited:
		lines = append(lines, fmt.Sprintf("%s lists it, but nobody has said why: put the reason in place of %q", l.At, l.Why))
	}
	return lines
}

// hiddenHit reports whether the price went wrong by an h that is not the
// overall rate of the row.
func hiddenHit(r replay.Result) bool {
	if r.Class != replay.Word(replay.Mispriced) || r.H == nil {
		return r.Class == replay.Word(replay.Mispriced)
	}
	overall := r.Rates.Overall
	return overall == nil || cell((*float64)(r.H), 3) != cell((*float64)(overall), 3)
}

// contradicted says what an oracle's contradiction means.
const contradicted = "the oracle is wrong here, not an adapter: please report this run"
