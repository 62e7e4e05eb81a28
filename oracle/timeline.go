package oracle

import (
	"cmp"
	"math"
	"slices"

	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// A Timeline is what the oracle laid over the window, for those who draw it.
// Times are nanoseconds since the window's start S; E is the window's end.
type Timeline struct {
	S      int64     `json:"s"` // ns since the Unix epoch
	E      int64     `json:"e"`
	Warmup *[2]int64 `json:"warmup,omitempty"` // the warmup phase, nil where the export has none

	Counters []Lane  `json:"counters"`
	Curves   []Curve `json:"curves"`
}

// A Lane is one series of a counter of the accounted workers.
type Lane struct {
	Counter string `json:"counter"` // FULL, CACHED
	Worker  string `json:"worker"`
	Labels  string `json:"labels,omitempty"`
	Family  string `json:"family"`
	At      string `json:"at"` // address in the file
	Spans   []Span `json:"spans"`
}

// A Kind says what the oracle does with a slice.
type Kind string

const (
	Inside     Kind = "inside"     // counted
	LeftOut    Kind = "left out"   // before the window, or over its start and proven warmup, or empty
	Straddling Kind = "straddling" // over an edge of the window: some of it may belong
	Gap        Kind = "gap"        // no slice, inside the window
	Broken     Kind = "broken"     // a slice whose total is no number of tokens
	After      Kind = "after"      // behind the window, or over its end and empty
)

// A Span is one slice, or several of one kind that adjoin and lie far from an
// edge of the window.
type Span struct {
	From   int64   `json:"from"`
	To     int64   `json:"to"`
	Kind   Kind    `json:"kind"`
	Slices int     `json:"n"`     // 0 for a gap
	Total  float64 `json:"total"` // tokens or requests; 0 where it is no number
}

// A Curve adds up over the window, from 0 at S.
type Curve struct {
	Name   string       `json:"name"`   // "server prompt tokens"
	Points [][2]float64 `json:"points"` // ns since S, tokens so far
}

// mostPoints is how many points a curve has at most: a picture has no room for
// more.
const mostPoints = 48

// Timeline returns what there is to draw, nil where the export has no window.
func (ev *Evidence) Timeline() *Timeline {
	if ev.window == nil {
		return nil
	}
	w := *ev.window
	t := &Timeline{S: w.Start, E: w.End, Counters: []Lane{}, Curves: []Curve{}}
	if p := ev.run.Metrics().Warmup; p != nil && p.Start != aiperf.NoTime && p.End != aiperf.NoTime {
		t.Warmup = &[2]int64{p.Start - w.Start, p.End - w.Start}
	}
	file := base(ev.run.Metrics().File)
	for _, c := range ev.drawn() {
		for _, l := range c.rows {
			lane := Lane{Counter: c.name, Worker: l.worker, Family: l.family, At: file + "#" + l.series.At, Spans: l.spans(w)}
			if len(l.series.Labels) > 0 {
				lane.Labels = labelText(l.series.Labels)
			}
			t.Counters = append(t.Counters, lane)
		}
	}
	for _, c := range append(ev.serverCurves(w), ev.clientCurves(w)...) {
		if finite(c.Points[len(c.Points)-1][1]) { // else there is no scale for it
			t.Curves = append(t.Curves, c)
		}
	}
	return t
}

// drawn are the counters that explain and reasons speak of.
func (ev *Evidence) drawn() []counted {
	r := ev.read
	list := append(r.rated(), r.requests)
	if r.tokens.name != r.full.name {
		list = append(list, r.tokens)
	}
	if r.loaded.name != "" {
		list = append(list, r.loaded)
	}
	return list
}

// spans are the slices of a series and the holes between them, merged.
func (l *layout) spans(w aiperf.Range) []Span {
	spans := []Span{}
	if l.broken() {
		return spans // its slices have no place
	}
	at := w.Start // up to where the window is covered
	for i, s := range l.slices {
		if from := max(at, w.Start); s.Start > from && from < w.End {
			spans = append(spans, Span{From: from - w.Start, To: min(s.Start, w.End) - w.Start, Kind: Gap})
		}
		at = max(at, s.End)
		next := Span{From: s.Start - w.Start, To: s.End - w.Start, Kind: l.kind(s, w), Slices: 1, Total: number(s.Value)}
		if next.Kind == Broken {
			next.Total = 0
		}
		if n := len(spans); n > 0 && mergeable(spans[n-1], next) && !l.nearEdge(i-1, w) && !l.nearEdge(i, w) {
			spans[n-1].To, spans[n-1].Slices = next.To, spans[n-1].Slices+1
			spans[n-1].Total += next.Total
			continue
		}
		spans = append(spans, next)
	}
	if len(l.slices) > 0 && at < w.End {
		spans = append(spans, Span{From: max(at, w.Start) - w.Start, To: w.End - w.Start, Kind: Gap})
	}
	return spans
}

func mergeable(a, b Span) bool {
	return a.Kind == b.Kind && a.To == b.From && a.Kind != Broken && finite(a.Total+b.Total)
}

// nearEdge reports whether the i-th slice touches an edge of the window.
func (l *layout) nearEdge(i int, w aiperf.Range) bool {
	s := l.slices[i]
	touches := func(edge int64) bool { return s.Start <= edge && edge <= s.End }
	return touches(w.Start) || touches(w.End)
}

// kind says what cut makes of a slice.
func (l *layout) kind(s aiperf.Slice, w aiperf.Range) Kind {
	total := number(s.Value)
	switch {
	case brokenTotal(s) != "":
		return Broken
	case s.End <= w.Start:
		return LeftOut
	case s.Start >= w.End:
		return After
	case s.Start < w.Start && (total == 0 || total == l.warmup):
		return LeftOut
	case s.Start >= w.Start && s.End > w.End && total == 0:
		return After
	case s.Start < w.Start || s.End > w.End:
		return Straddling
	}
	return Inside
}

// serverCurves add up FULL and the hits that lie inside, as far as there is one
// way to add them.
func (ev *Evidence) serverCurves(w aiperf.Range) []Curve {
	var hits []*layout
	for i, t := range ev.read.tiers {
		if len(t.twice) > 0 {
			return nil
		}
		if ev.read.tables.tiers[i].overall {
			hits = append(hits, t.rows...)
		}
	}
	if len(ev.read.full.twice) > 0 || len(ev.read.full.rows) == 0 {
		return nil
	}
	return []Curve{
		insideCurve("server prompt tokens", ev.read.full.rows, w),
		insideCurve("server hits", hits, w),
	}
}

func insideCurve(name string, rows []*layout, w aiperf.Range) Curve {
	var steps [][2]float64
	for _, l := range rows {
		if l.broken() {
			continue
		}
		for _, s := range l.slices {
			if l.kind(s, w) == Inside {
				steps = append(steps, [2]float64{float64(s.End - w.Start), number(s.Value)})
			}
		}
	}
	return Curve{name, addUp(steps, w)}
}

// clientCurves add up the successful profiling records, each when it ended.
func (ev *Evidence) clientCurves(w aiperf.Range) []Curve {
	if ev.run.Records == nil {
		return nil
	}
	var prompt, cached [][2]float64
	all := true // carry the client's own count of hits
	for _, r := range ev.run.Records.List {
		tokens, ok := r.PromptTokens.Float()
		if !r.Successful() || r.End == aiperf.NoTime || !ok || !finite(tokens) {
			continue
		}
		at := float64(r.End - w.Start)
		prompt = append(prompt, [2]float64{at, tokens})
		hits, ok := r.CacheReadTokens.Float()
		all = all && ok && finite(hits)
		cached = append(cached, [2]float64{at, hits})
	}
	curves := []Curve{{"client prompt tokens", addUp(prompt, w)}}
	if all && len(cached) > 0 {
		curves = append(curves, Curve{"client hits", addUp(cached, w)})
	}
	return curves
}

// addUp sums steps in the order of time and keeps the last sum of each of
// mostPoints equal parts of the time that they take.
func addUp(steps [][2]float64, w aiperf.Range) [][2]float64 {
	slices.SortStableFunc(steps, func(a, b [2]float64) int { return cmp.Compare(a[0], b[0]) })
	points := [][2]float64{{0, 0}}
	if len(steps) == 0 {
		return points
	}
	end := math.Max(float64(w.End-w.Start), steps[len(steps)-1][0])
	sum, part := 0.0, -1
	for _, s := range steps {
		sum += s[1]
		now := int(math.Max(0, s[0]) / end * (mostPoints - 1))
		if now != part {
			points = append(points, [2]float64{})
			part = now
		}
		points[len(points)-1] = [2]float64{s[0], sum}
	}
	return points
}
