package oracle

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// A flaw is one way in which the slices of a series fail to tile the window
// (rules 6 and 7).
type flaw int

const (
	flawNoSlices    flaw = iota // none at all
	flawBroken                  // a slice without a place: its ends are no numbers, or it overlaps another
	flawTotal                   // a slice whose total is no number of tokens
	flawMissing                 // none overlaps the window
	flawLeading                 // the first one starts after S
	flawInterior                // a hole inside
	flawTrailing                // the last one ends before E
	flawStraddler               // one over S that warmup_metrics does not prove
	flawOverEnd                 // one over E with tokens in it
	provenStraddler             // one over S that is proven warmup: no flaw, but worth saying
	flawsCount
)

// nulls reports whether the flaw nulls the rates of its counter (rule 6).
func (f flaw) nulls() bool {
	switch f {
	case flawNoSlices, flawBroken, flawTotal, flawMissing, flawInterior, flawTrailing:
		return true
	}
	return false
}

// A finding is a flaw with its place and how many tokens it leaves open.
type finding struct {
	flaw flaw
	text string
	at   string
	open float64 // at most; +Inf without limit
}

// A layout is one series laid over the window.
type layout struct {
	series *aiperf.Series
	family string
	worker string

	count
	findings []finding

	slices   []aiperf.Slice // sorted by start
	total    float64        // stats.total, NaN when it is no number
	sum      float64        // of all slices
	warmup   float64        // total of the same series in warmup_metrics, NaN without one
	warmupAt string
}

func (l *layout) has(f flaw) bool {
	return slices.ContainsFunc(l.findings, func(x finding) bool { return x.flaw == f })
}

// broken reports whether nothing can be said of the series in the window.
func (l *layout) broken() bool { return l.has(flawNoSlices) || l.has(flawBroken) }

func (l *layout) nulls() bool {
	return slices.ContainsFunc(l.findings, func(x finding) bool { return x.flaw.nulls() })
}

// lay cuts a series to the window.
func lay(l layout, file string, window aiperf.Range) *layout {
	if len(l.series.Slices) == 0 {
		l.find(flawNoSlices, "has no timeslices", file+"#"+l.series.At, math.Inf(1))
		return &l
	}
	byStart := func(a, b aiperf.Slice) int { return cmp.Compare(a.Start, b.Start) }
	at := func(i int) string { return fmt.Sprintf("%s#%s/timeslices/%d", file, l.series.At, i) }
	if l.slices = l.series.Slices; !slices.IsSortedFunc(l.slices, byStart) { // AIPerf's always are
		order := make([]int, len(l.slices)) // index in the file, for addresses
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int { return byStart(l.series.Slices[a], l.series.Slices[b]) })
		inFile := at
		at = func(i int) string { return inFile(order[i]) }
		l.slices = slices.Clone(l.slices)
		slices.SortStableFunc(l.slices, byStart)
	}
	for i, s := range l.slices {
		if why := brokenSlice(l.slices, i); why != "" {
			l.find(flawBroken, "has a slice "+why, at(i), math.Inf(1))
			return &l
		}
		if brokenTotal(s) == "" {
			l.sum += number(s.Value)
		}
	}
	l.cut(window, at)
	return &l
}

func (l *layout) find(f flaw, text, at string, open float64) {
	l.findings = append(l.findings, finding{f, text, at, open})
	l.possible += open
}

// cut sorts the slices into inside, straddling and missing.
func (l *layout) cut(window aiperf.Range, at func(int) string) {
	gap := math.Inf(1) // what all holes together may hide
	if l.total >= l.sum {
		gap = l.total - l.sum
	}
	open := func(f flaw, text, where string) {
		l.find(f, text, where, gap)
		gap = 0 // counted once
	}
	hole := func(f flaw, from, to int64, where string) {
		open(f, fmt.Sprintf("has no slice over [%s, %s)", seconds(from, window), seconds(to, window)), where)
	}
	last := -1
	for i, s := range l.slices {
		broken := brokenTotal(s)
		if s.End <= window.Start || s.Start >= window.End {
			if broken != "" { // it invalidates the series, but hides nothing of the window
				l.find(flawTotal, "has a slice "+broken, at(i), 0)
			}
			continue
		}
		switch {
		case last < 0 && s.Start > window.Start:
			hole(flawLeading, window.Start, s.Start, at(i))
		case last >= 0 && s.Start > l.slices[last].End:
			hole(flawInterior, l.slices[last].End, s.Start, at(i))
		}
		last = i
		if broken != "" {
			open(flawTotal, "has a slice "+broken, at(i))
			continue
		}
		switch total := number(s.Value); {
		case s.Start >= window.Start && s.End <= window.End:
			l.inside += total
		case total != 0: // an empty one hides nothing, wherever it lies
			l.edge(s, total, window, at(i))
		}
	}
	switch {
	case last < 0:
		l.find(flawMissing, "has no slice in the window", at(0), gap)
	case l.slices[last].End < window.End:
		hole(flawTrailing, l.slices[last].End, window.End, at(last))
	}
}

// edge says what a slice over S or E leaves open.
func (l *layout) edge(s aiperf.Slice, total float64, window aiperf.Range, at string) {
	span := fmt.Sprintf("slice [%s, %s)", seconds(s.Start, window), seconds(s.End, window))
	if s.Start >= window.Start {
		l.find(flawOverEnd, fmt.Sprintf("%s runs over the window's end with %s", span, tokens(total)), at, total)
		return
	}
	open := total
	if total >= l.warmup { // false without a warmup total
		open = total - l.warmup
	}
	if open == 0 {
		l.find(provenStraddler, fmt.Sprintf("%s is warmup, proven by warmup_metrics' %s (%s)", span, tokens(l.warmup), l.warmupAt), at, 0)
		return
	}
	why := "warmup_metrics has no such series"
	if !math.IsNaN(l.warmup) {
		why = fmt.Sprintf("warmup_metrics has %s (%s)", tokens(l.warmup), l.warmupAt)
	}
	l.find(flawStraddler, fmt.Sprintf("%s straddles the window's start with %s; %s", span, tokens(total), why), at, open)
}

// brokenSlice says why a slice cannot be laid over the window, "" when it can.
func brokenSlice(sorted []aiperf.Slice, i int) string {
	s := sorted[i]
	switch {
	case s.Start == aiperf.NoTime || s.End == aiperf.NoTime:
		return "without ends"
	case s.Start >= s.End:
		return fmt.Sprintf("that ends (%d) before it starts (%d)", s.End, s.Start)
	case i > 0 && s.Start < sorted[i-1].End:
		return fmt.Sprintf("that starts (%d) before the one before it ends (%d)", s.Start, sorted[i-1].End)
	}
	return ""
}

// brokenTotal says why a slice counts nothing, "" when it does. Its place is
// known, so what it may hold is what stats.total has beyond the other slices.
func brokenTotal(s aiperf.Slice) string {
	switch total := number(s.Value); {
	case !finite(total):
		return "whose total is " + describe(s.Value)
	case total < 0:
		return "whose total is negative: " + tokens(total)
	}
	return ""
}

func describe(v aiperf.Value) string {
	switch v.Kind() {
	case aiperf.Absent:
		return "absent"
	case aiperf.Null:
		return "null"
	}
	return v.Text() + ", not a number"
}

// number is a Value as a float, NaN when it is no JSON number.
func number(v aiperf.Value) float64 {
	if f, ok := v.Float(); ok {
		return f
	}
	return math.NaN()
}

// seconds prints a time relative to the window's start: S-10s, S+1ns.
func seconds(ns int64, window aiperf.Range) string {
	if ns < window.Start {
		return "S" + time.Duration(ns-window.Start).String()
	}
	return "S+" + time.Duration(ns-window.Start).String()
}

// sameEdges reports whether two series were cut at the same instants.
func sameEdges(a, b *layout) bool {
	return slices.EqualFunc(a.slices, b.slices, func(x, y aiperf.Slice) bool {
		return x.Start == y.Start && x.End == y.End
	})
}
