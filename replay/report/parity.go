package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pdreplay/pdreplay/replay"
	"github.com/pdreplay/pdreplay/replay/adapter"
)

// parityBroken reports whether a published row lies beside the run that no
// adapter reproduces in every field.
func parityBroken(run []replay.Result) bool {
	compared := false
	for _, r := range run {
		if r.Published != nil {
			if r.Published.Holds() {
				return false
			}
			compared = true
		}
	}
	return compared
}

// publishedRow writes the row of a run's table that compares with what was
// published: which adapter says the same, field by field.
func (t *Text) publishedRow(run []replay.Result) {
	i := slices.IndexFunc(run, func(r replay.Result) bool { return r.Published != nil })
	if i < 0 {
		return
	}
	p := run[i].Published
	c := cells(p.Rates.List(), 3)
	t.line(row, t.names, "published", status(p.Status), priced(p.Eligible), c[0], c[1], c[2], c[3], reproducedBy(run)+publishedPrice(run[i]))
}

// publishedPrice says what the row itself is off by.
func publishedPrice(r replay.Result) string {
	if r.Oracle == nil {
		return ""
	}
	off := replay.PriceError(r.Published.Rates.Adapter(), r.Oracle.Rates.List()[3])
	return priceError(replay.Result{Eligible: r.Published.Eligible, PriceError: &off})
}

func reproducedBy(run []replay.Result) string {
	var same []string
	best, score := "", -1
	for _, r := range run {
		p := r.Published
		if p == nil {
			continue
		}
		n := len(p.Fields) - len(p.Differs)
		text := fmt.Sprintf("%s %d/%d", r.Adapter, n, len(p.Fields))
		if p.Holds() {
			same = append(same, text)
		}
		if n > score {
			best, score = text, n
		}
	}
	if len(same) > 0 {
		return "parity: " + strings.Join(same, ", ")
	}
	return "parity: none, nearest " + best
}

// unlike returns, of a published row that nobody reproduces, what each adapter
// says otherwise, and the command that repeats it.
func unlike(run []replay.Result) []string {
	var lines []string
	for _, r := range run {
		p := r.Published
		if p == nil {
			continue
		}
		var differs []string
		for _, field := range p.Differs {
			differs = append(differs, difference(field, *p, r))
		}
		lines = append(lines, fmt.Sprintf("%s %d/%d: %s", r.Adapter, len(p.Fields)-len(p.Differs), len(p.Fields), strings.Join(differs, ", ")))
	}
	return append(lines, "again: "+run[0].Again)
}

// notReproduced is the headline of such a row.
const notReproduced = "no adapter reproduces the published row"

// difference says one field of the published row and of the answer, the
// published one first.
func difference(field string, p replay.Parity, r replay.Result) string {
	switch field {
	case "status":
		return fmt.Sprintf("status published %s, got %s", status(p.Status), status(r.Status))
	case "pricing_eligible":
		return fmt.Sprintf("published %s, got %s", priced(p.Eligible), eligibility(r.Eligible))
	}
	i := slices.Index(adapter.RateNames[:], field)
	return fmt.Sprintf("%s published %s, got %s", field, cell(p.Rates.List()[i], 5), cell(r.Rates.List()[i], 5))
}

func eligibility(e *bool) string {
	switch {
	case e == nil:
		return "no record"
	case *e:
		return "eligible"
	}
	return "not eligible"
}
