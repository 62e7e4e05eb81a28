package generator

import (
	"math"
	"slices"

	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// This file is AIPerf's arithmetic (export.md section 2): what becomes of the
// samples of one counter in one window. Only the window and the samples handed
// to counter differ between the collector generations; see shape.go.

// A phase is the tag that the newer collector puts on a scrape.
type phase uint8

const (
	untagged phase = iota
	warmup
	profiling
)

// samples is one series as the collector stored it, sorted by timestamp. ts
// and tag are shared between the series of an endpoint that exist throughout.
type samples struct {
	ts  []int64 // ns
	tag []phase
	v   []int64 // cumulative value
}

func (s samples) len() int { return len(s.ts) }

func (s samples) from(i, j int) samples { return samples{s.ts[i:j], s.tag[i:j], s.v[i:j]} }

// before returns the number of samples with a timestamp before t.
func (s samples) before(t int64) int {
	n, _ := slices.BinarySearch(s.ts, t)
	return n
}

// tagged returns the samples with the tag and the one stored just before the
// first of them: the newer collector's choice.
func (s samples) tagged(p phase) samples {
	first, last := slices.Index(s.tag, p), -1
	for i, t := range s.tag {
		if t == p {
			last = i
		}
	}
	if first < 0 {
		return samples{}
	}
	lo := max(first-1, 0)
	if !slices.ContainsFunc(s.tag[first:last+1], func(t phase) bool { return t != p }) {
		return s.from(lo, last+1)
	}
	var out samples // another phase's scrape lies in between
	for i := lo; i <= last; i++ {
		if i == lo || s.tag[i] == p {
			out.ts, out.tag, out.v = append(out.ts, s.ts[i]), append(out.tag, s.tag[i]), append(out.v, s.v[i])
		}
	}
	return out
}

// A window is what a series is cut to: the grid starts at a, samples with
// a <= ts <= b count, and slices are l long (0: slicing is off).
type window struct{ a, b, l int64 }

// counterStats is what the collector makes of one counter in one window.
type counterStats struct {
	total, rate                        float64
	rateAvg, rateMin, rateMax, rateStd float64
	complete                           int // number of complete slices; the rate_* exist with at least one
	slices                             []aiperf.Timeslice
}

// counter applies AIPerf's COUNTER. It is false when the series has no sample
// in the window and is left out.
func counter(s samples, w window) (counterStats, bool) {
	lo, hi := s.before(w.a), s.before(w.b+1)
	if lo >= hi {
		return counterStats{}, false
	}
	first := max(lo-1, 0) // the reference, or without one the first sample: its value is lost
	p := s.from(first, hi)
	var st counterStats
	last := p.len() - 1
	st.total = increase(p.v[0], p.v[last])
	if span := p.ts[last] - p.ts[0]; span > 0 {
		st.rate = st.total / (float64(span) / 1e9)
	}
	if w.l > 0 && p.len() >= 2 {
		st.cut(p, w)
	}
	return st, true
}

func increase(from, to int64) float64 { return float64(max(to-from, 0)) }

// cut lays the slices over the window. A slice's total is the difference of
// the values at its ends, each that of the last sample at or before it.
func (st *counterStats) cut(p samples, w window) {
	st.slices = make([]aiperf.Timeslice, 0, (w.b-w.a)/w.l+1)
	at := 0 // position of the last sample at or before the edge
	value := func(t int64) int64 {
		for at+1 < len(p.ts) && p.ts[at+1] <= t {
			at++
		}
		return p.v[at]
	}
	left := value(w.a)
	for start := w.a; start < w.b; start += w.l {
		end := min(start+w.l, w.b)
		right := value(end)
		total := increase(left, right)
		rate := total / (float64(end-start) / 1e9)
		st.slices = append(st.slices, aiperf.Timeslice{
			Start: start, End: end, Partial: start+w.l > w.b,
			Values: [3]aiperf.Value{aiperf.NumberValue(total), aiperf.NumberValue(rate)},
		})
		left = right
	}
	st.rates()
}

// rates computes the rate_* statistics over the complete slices. The explicit
// conversions keep a compiler from fusing multiplication and addition, which
// would give other bytes on other machines.
func (st *counterStats) rates() {
	n := len(st.slices)
	if n > 0 && st.slices[n-1].Partial {
		n--
	}
	st.complete = n
	if n == 0 {
		return
	}
	st.rateMin, st.rateMax = math.Inf(1), math.Inf(-1)
	sum := 0.0
	for i := range n {
		r := st.sliceRate(i)
		sum += r
		st.rateMin, st.rateMax = min(st.rateMin, r), max(st.rateMax, r)
	}
	st.rateAvg = sum / float64(n)
	if n < 2 {
		return
	}
	squares := 0.0
	for i := range n {
		d := st.sliceRate(i) - st.rateAvg
		squares += float64(d * d)
	}
	st.rateStd = math.Sqrt(squares / float64(n-1))
}

func (st *counterStats) sliceRate(i int) float64 {
	r, _ := st.slices[i].Values[1].Float()
	return r
}

// stats returns the statistics in emission order.
func (st *counterStats) stats() []aiperf.Stat {
	out := make([]aiperf.Stat, 2, 6)
	out[0] = number("total", st.total)
	out[1] = number("rate", st.rate)
	if st.complete > 0 {
		out = append(out, number("rate_avg", st.rateAvg), number("rate_min", st.rateMin),
			number("rate_max", st.rateMax), number("rate_std", st.rateStd))
	}
	return out
}

func number(name string, f float64) aiperf.Stat {
	return aiperf.Stat{Name: name, Value: aiperf.NumberValue(f)}
}
