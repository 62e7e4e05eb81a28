package generator

import (
	"math"
	"slices"

	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// A gauge is a family of type gauge: what a worker sets, or what it works out
// of its counters.
type gauge struct {
	scale int64 // what the value inside is divided by
	// of works the value out of the worker's counters; nil for one that is set.
	of func(counters []int64) int64
}

// set sets a gauge. Inside it stands one higher, because 0 is a gauge that was
// never set, which has no series.
func set(emit emitter, at int64, counter int, v int64) { emit(at, counter, v+1) }

func (g *gauge) value(inside int64) float64 { return float64(max(inside-1, 0)) / float64(g.scale) }

// statistics applies AIPerf's arithmetic to the samples inside the window. It
// is false when there is none.
func (g *gauge) statistics(s samples, w window, out *aiperf.MetricSeries) bool {
	s = s.from(s.before(w.a), max(s.before(w.a), s.before(w.b+1)))
	if s.len() == 0 {
		return false
	}
	values := make([]float64, s.len())
	for i, v := range s.v {
		values[i] = g.value(v)
	}
	out.Stats = spread(values)
	out.Sliced = w.l > 0 && s.len() >= 2
	for start := w.a; out.Sliced && start < w.b; start += w.l {
		stop := min(start+w.l, w.b)
		hi := s.before(stop)
		if stop == w.b {
			hi = s.before(stop + 1) // the last slice is closed
		}
		if part := values[s.before(start):hi]; len(part) > 0 {
			out.Slices = append(out.Slices, aiperf.Timeslice{Start: start, End: stop, Partial: start+w.l > w.b,
				Values: [3]aiperf.Value{aiperf.NumberValue(mean(part)), aiperf.NumberValue(slices.Min(part)), aiperf.NumberValue(slices.Max(part))}})
		}
	}
	return true
}

// spread are a gauge's statistics: its std is that of a sample.
func spread(values []float64) []aiperf.Stat {
	avg, squares := mean(values), 0.0
	for _, v := range values {
		d := v - avg
		squares += float64(d * d)
	}
	std := 0.0
	if len(values) > 1 {
		std = math.Sqrt(squares / float64(len(values)-1))
	}
	sorted := slices.Sorted(slices.Values(values))
	out := []aiperf.Stat{number("avg", avg), number("min", sorted[0]), number("max", sorted[len(sorted)-1]), number("std", std)}
	return append(out, percentileStats(sorted)...)
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}
