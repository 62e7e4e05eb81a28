package generator

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// The gauge and the histogram of the sample in export.md 1.6: scrapes of the
// log in 2.6, window of the time-filtering collectors.
func TestSampleOfTheFormat(t *testing.T) {
	const s, ms = int64(1_800_000_010_000_000_000), int64(1_000_000)
	var ts []int64
	for _, at := range []int64{-100, 100, 600, 1100, 1600, 2100, 2600} {
		ts = append(ts, s+at*ms)
	}
	column := func(v ...int64) samples { return samples{ts, make([]phase, len(ts)), v} }
	w := window{s, s + 2600*ms, 1000 * ms}

	var g aiperf.MetricSeries
	if ok := (&gauge{scale: 10}).statistics(column(1, 3, 4, 6, 6, 5, 7), w, &g); !ok {
		t.Fatal("the gauge is left out")
	}
	stats := map[string]float64{"avg": 0.4166666666666667, "min": 0.2, "max": 0.6, "std": 0.14719601443879743, "p1": 0.205, "p5": 0.225,
		"p10": 0.25, "p25": 0.325, "p50": 0.45, "p75": 0.5, "p90": 0.55, "p95": 0.575, "p99": 0.595}
	checkStats(t, g.Stats, stats)
	checkSlices(t, s, g.Slices, []slice{{0, 1000, false, [3]float64{0.25, 0.2, 0.3}, nil}, {1000, 2000, false, [3]float64{0.5, 0.5, 0.5}, nil},
		{2000, 2600, true, [3]float64{0.5, 0.4, 0.6}, nil}})

	// Observations before the window do not count.
	h := &histogram{scale: 1, bounds: []bound{{"100.0", 100}, {"1000.0", 1000}, infinite()}}
	var out aiperf.MetricSeries
	parts := []samples{
		column(700, 900, 900, 1700, 1700, 2700, 2700), // sum
		column(3, 4, 4, 6, 6, 8, 8),                   // count
		column(1, 1, 1, 1, 1, 2, 2), column(3, 4, 4, 6, 6, 7, 7), column(3, 4, 4, 6, 6, 8, 8),
	}
	if !h.statistics(parts, w, &out) {
		t.Fatal("the histogram is left out")
	}
	checkStats(t, out.Stats, map[string]float64{"count": 5, "sum": 2000, "avg": 400, "count_rate": 1.8518518518518516, "sum_rate": 740.7407407407406})
	if diff := cmp.Diff([]aiperf.Count{{Le: "100.0", N: 1}, {Le: "1000.0", N: 4}, {Le: "+Inf", N: 5}}, out.Buckets); diff != "" {
		t.Error(diff)
	}
	checkSlices(t, s, out.Slices, []slice{{0, 1000, false, [3]float64{1, 200, 200}, []int64{0, 1, 1}},
		{1000, 2000, false, [3]float64{2, 800, 400}, []int64{0, 2, 2}}, {2000, 2600, true, [3]float64{2, 1000, 500}, []int64{1, 1, 2}}})
}

// A histogram without an observation in the window has nothing but its count;
// after a reset its statistics are negative and the slice with the reset is a
// hole (export.md 1.4).
func TestHistogramOddities(t *testing.T) {
	ts := []int64{5, 15, 25, 35}
	column := func(v ...int64) samples { return samples{ts, make([]phase, len(ts)), v} }
	h := &histogram{scale: 1, bounds: []bound{infinite()}}
	var flat, fell aiperf.MetricSeries
	same := column(7, 7, 7, 7)
	if !h.statistics([]samples{same, same, same}, window{10, 40, 10}, &flat) || len(flat.Stats) != 1 || flat.Sliced || flat.Buckets != nil {
		t.Errorf("without observations: %+v", flat)
	}
	reset := column(7, 9, 2, 3)
	if !h.statistics([]samples{reset, reset, reset}, window{10, 40, 10}, &fell) || fell.Buckets != nil || len(fell.Slices) != 2 {
		t.Errorf("after a reset: %+v", fell)
	}
	checkStats(t, fell.Stats[:2], map[string]float64{"count": -4, "sum": -4})
}

// A gauge needs two samples for slices, and one without a sample in the window
// is left out.
func TestGaugeOddities(t *testing.T) {
	g := &gauge{scale: 1}
	var one, none aiperf.MetricSeries
	s := samples{[]int64{5, 15}, make([]phase, 2), []int64{3, 4}}
	if !g.statistics(s, window{10, 40, 10}, &one) || one.Sliced {
		t.Errorf("one sample: %+v", one)
	}
	checkStats(t, one.Stats[:4], map[string]float64{"avg": 3, "min": 3, "max": 3, "std": 0})
	if g.statistics(s, window{20, 40, 10}, &none) {
		t.Errorf("no sample: %+v", none)
	}
}

func checkStats(t *testing.T, got []aiperf.Stat, want map[string]float64) {
	t.Helper()
	have := map[string]float64{}
	for _, s := range got {
		have[s.Name], _ = s.Value.Float()
	}
	if diff := cmp.Diff(want, have, cmpopts.EquateApprox(1e-12, 0)); diff != "" {
		t.Error(diff)
	}
}

type slice struct {
	start, end int64 // ms after S
	partial    bool
	values     [3]float64
	buckets    []int64
}

func checkSlices(t *testing.T, s int64, got []aiperf.Timeslice, want []slice) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d slices, want %d", len(got), len(want))
	}
	for i, g := range got {
		have := slice{start: (g.Start - s) / 1e6, end: (g.End - s) / 1e6, partial: g.Partial}
		for k, v := range g.Values {
			f, _ := v.Float()
			have.values[k] = math.Round(f*1e9) / 1e9
		}
		for _, b := range g.Buckets {
			have.buckets = append(have.buckets, b.N)
		}
		if diff := cmp.Diff(want[i], have, cmp.AllowUnexported(slice{})); diff != "" {
			t.Errorf("slice %d: %s", i, diff)
		}
	}
}
