package generator

import (
	"strconv"

	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// A histogram is a family of type histogram. Its sum is the counter that it
// stands at; its count and its buckets are the counters behind that one, so
// that all that happens to counters happens to it.
type histogram struct {
	scale  int64 // what observed values are divided by
	bounds []bound
}

// A bound is a bucket: its le as the exposition spells it, and the most that
// falls into it.
type bound struct {
	le   string
	most int64
}

// infinite is the bucket of everything.
func infinite() bound { return bound{"+Inf", 1<<63 - 1} }

// counters lays the histogram out: itself, its count, its buckets.
func (h *histogram) counters(def counterDef) []counterDef {
	def.hist = h
	return append([]counterDef{def}, h.parts()...)
}

func (h *histogram) parts() []counterDef {
	if h == nil {
		return nil
	}
	out := make([]counterDef, 1+len(h.bounds))
	for i := range out {
		out[i].hidden = true
	}
	return out
}

// observe counts one observation of the histogram that stands at the counter.
func (h *histogram) observe(emit emitter, at int64, counter int, v int64) {
	emit(at, counter, v)
	emit(at, counter+1, 1)
	for i, b := range h.bounds {
		if v <= b.most {
			emit(at, counter+2+i, 1)
		}
	}
}

// statistics applies AIPerf's arithmetic to the samples of the sum, the count
// and the buckets. Unlike a counter's, the statistics are not clamped, and a
// slice with a negative delta leaves a hole. The percentile estimates are left
// out: how AIPerf estimates them is not known (export.md section 12).
func (h *histogram) statistics(parts []samples, w window, out *aiperf.MetricSeries) bool {
	sum := parts[0]
	lo, hi := sum.before(w.a), sum.before(w.b+1)
	if lo >= hi {
		return false
	}
	first := max(lo-1, 0) // the reference
	last := hi - 1
	delta := func(i int) int64 { return parts[i].v[last] - parts[i].v[first] }
	if delta(1) == 0 {
		out.Stats = []aiperf.Stat{wholeStat("count", 0)}
		return true
	}
	total := h.scaled(delta(0))
	out.Stats = []aiperf.Stat{wholeStat("count", delta(1)), number("sum", total), number("avg", total/float64(delta(1)))}
	if span := sum.ts[last] - sum.ts[first]; span > 0 {
		seconds := float64(span) / 1e9
		out.Stats = append(out.Stats, number("count_rate", float64(delta(1))/seconds), number("sum_rate", total/seconds))
	}
	out.Buckets = h.buckets(delta)
	out.Sliced = w.l > 0
	if out.Sliced && last > first {
		out.Slices = h.cut(parts, first, hi, w)
	}
	return true
}

// cut lays the slices over the window, each from the last samples at or before
// its ends.
func (h *histogram) cut(parts []samples, first, end int, w window) []aiperf.Timeslice {
	ts := parts[0].ts[first:end]
	at := func(t int64) int {
		i := 0
		for i+1 < len(ts) && ts[i+1] <= t {
			i++
		}
		return first + i
	}
	out := make([]aiperf.Timeslice, 0, (w.b-w.a)/w.l+1)
	left := at(w.a)
	for start := w.a; start < w.b; start += w.l {
		stop := min(start+w.l, w.b)
		right := at(stop)
		delta := func(i int) int64 { return parts[i].v[right] - parts[i].v[left] }
		if delta(0) >= 0 && delta(1) >= 0 {
			out = append(out, h.slice(delta, start, stop, start+w.l > w.b))
		}
		left = right
	}
	return out
}

func (h *histogram) slice(delta func(part int) int64, start, stop int64, partial bool) aiperf.Timeslice {
	sum, count := h.scaled(delta(0)), float64(delta(1))
	s := aiperf.Timeslice{Start: start, End: stop, Partial: partial, Buckets: h.buckets(delta)}
	s.Values[0], s.Values[1] = aiperf.NumberValue(count), aiperf.NumberValue(sum)
	if count > 0 {
		s.Values[2] = aiperf.NumberValue(sum / count)
	}
	return s
}

// buckets are the increases of the buckets, none if one of them fell.
func (h *histogram) buckets(delta func(part int) int64) []aiperf.Count {
	var out []aiperf.Count
	for i, b := range h.bounds {
		n := delta(2 + i)
		if n < 0 {
			return nil
		}
		out = append(out, aiperf.Count{Le: b.le, N: n})
	}
	return out
}

func (h *histogram) scaled(v int64) float64 { return float64(v) / float64(h.scale) }

func wholeStat(name string, n int64) aiperf.Stat {
	return aiperf.Stat{Name: name, Value: aiperf.NumberValue(float64(n)), Whole: true}
}

// tokenBounds are buckets for numbers of tokens.
const nTokenBounds = 7

func tokenHistogram() *histogram {
	h := &histogram{scale: 1}
	for _, most := range [nTokenBounds - 1]int64{50, 100, 500, 1000, 5000, 10000} {
		h.bounds = append(h.bounds, bound{strconv.FormatInt(most, 10) + ".0", most})
	}
	h.bounds = append(h.bounds, infinite())
	return h
}
