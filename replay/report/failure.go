package report

import (
	"strings"

	"github.com/pdreplay/pdreplay/replay"
)

// block writes what there is to say of a failure or an error.
func (t *Text) block(r replay.Result) {
	if r.Outcome == replay.Answered {
		t.line("%s %s  %s  %s", t.paint(red, "FAIL"), r.Run, r.Adapter, headline(r))
		t.wantGot(r)
		t.why(r)
	} else {
		t.line("%s %s", t.paint(red, "ERROR"), strings.TrimRight(r.Run+"  "+string(r.Adapter), " "))
		for line := range strings.Lines(string(r.Error)) {
			t.line("     %s", strings.TrimRight(line, "\n"))
		}
	}
	t.line("     again: %s", r.Again)
}

func headline(r replay.Result) string {
	text := string(r.Class)
	if r.Listed != nil && replay.Word(r.Listed.Class) != r.Class {
		text += ", listed as " + string(r.Listed.Class)
	}
	return text + priceError(r)
}

// wantGot writes the two rows, aligned, the wanted one first.
func (t *Text) wantGot(r replay.Result) {
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
	t.line("     want %-*s  %-*s  %s", a, wantStatus, b, wantPriced, named(wants, external))
	t.line("     got  %-*s  %-*s  %s", a, gotStatus, b, gotPriced, named(gots, external))
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

// why writes what the oracle found, the first of each rule, and where the two
// rows do not show it, what the difference is.
func (t *Text) why(r replay.Result) {
	const most = 3
	shown := map[string]bool{}
	for _, reason := range r.Oracle.Reasons {
		rule, _, _ := strings.Cut(reason, ":")
		if !shown[rule] && len(shown) < most {
			shown[rule] = true
			t.line("     %s", reason)
		}
	}
	if r.Difference != "" && (len(shown) == 0 || hiddenHit(r)) {
		t.line("     %s", r.Difference)
	}
	switch l := r.Listed; {
	case l == nil:
	case replay.Word(l.Class) != r.Class:
		t.line("     %s lists %s, which no longer happens: remove or correct the line", l.At, l.Class)
	case l.Why == replay.Unedited:
		t.line("     %s lists it, but nobody has said why: put the reason in place of %q", l.At, l.Why)
	}
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
