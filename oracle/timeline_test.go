package oracle_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdreplay/pdreplay/oracle"
	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// lane returns the spans of the first series of a counter as text:
// "inside [0s, 9s) 9x 900".
func lane(t *testing.T, tl *oracle.Timeline, counter string) []string {
	t.Helper()
	for _, l := range tl.Counters {
		if l.Counter != counter {
			continue
		}
		var spans []string
		for _, s := range l.Spans {
			spans = append(spans, fmt.Sprintf("%s [%g, %g) %dx %g", s.Kind, float64(s.From)/1e9, float64(s.To)/1e9, s.Slices, s.Total))
		}
		return spans
	}
	t.Fatalf("no lane of %s", counter)
	return nil
}

// The fixtures have ten slices of 1 s with 100 tokens of FULL each over a
// window of 10 s (08: the first from 0.1 s on), and one thing wrong each: their
// story is in the name.
func TestTimelineOfFixtures(t *testing.T) {
	for _, tt := range []struct {
		fixture string
		want    []string
	}{
		{"01-unified-clean", []string{"inside [0, 1) 1x 100", "inside [1, 9) 8x 800", "inside [9, 10) 1x 100"}},
		{"05-straddler-warmup-metrics", []string{"left out [-10, 1e-09) 1x 500", "inside [1e-09, 9) 9x 900", "inside [9, 10) 1x 100"}},
		{"07-straddler-no-warmup-metrics", []string{"straddling [-10, 1e-09) 1x 500", "inside [1e-09, 9) 9x 900", "inside [9, 10) 1x 100"}},
		{"08-leading-gap-0-1s-conserved", []string{"gap [0, 0.1) 0x 0", "inside [0.1, 9.1) 9x 900", "inside [9.1, 10) 1x 100"}},
		{"10-interior-gap", []string{"inside [0, 1) 1x 100", "inside [1, 4) 3x 300", "gap [4, 5) 0x 0", "inside [5, 9) 4x 400", "inside [9, 10) 1x 100"}},
		{"32-nonzero-slice-over-e", []string{"inside [0, 1) 1x 100", "inside [1, 9.5) 9x 900", "straddling [9.5, 10.5) 1x 100"}},
	} {
		got := lane(t, examine(t, filepath.Join(matrix, tt.fixture)).Timeline(), "FULL")
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: %s", tt.fixture, diff)
		}
	}
	broken := lane(t, examine(t, filepath.Join(matrix, "23-nan-slice-in-cached")).Timeline(), "CACHED")
	if diff := cmp.Diff([]string{"broken [0, 1) 1x 0", "inside [1, 9) 8x 480", "inside [9, 10) 1x 60"}, broken); diff != "" {
		t.Errorf("23-nan-slice-in-cached: %s", diff)
	}
	if tl := examine(t, filepath.Join(matrix, "28-no-phase-time-ranges")).Timeline(); tl != nil {
		t.Errorf("28-no-phase-time-ranges has no window, and the timeline %+v", tl)
	}
}

// What a timeline shows inside is what the oracle counts, and its spans cover
// the window without a hole or an overlap.
func TestTimelineCoversWindow(t *testing.T) {
	for _, dir := range append(fixtures(t), "../testdata/thread/c2", "../testdata/thread/c4") {
		ev := examine(t, dir)
		tl := ev.Timeline()
		if tl == nil {
			continue
		}
		sums := map[string]float64{}
		for _, l := range tl.Counters {
			at := int64(0)
			for _, s := range l.Spans {
				if s.From > at || s.From < at && at > 0 || s.To <= s.From {
					t.Errorf("%s: %s at %s: span %+v after %d", dir, l.Counter, l.Worker, s, at)
				}
				at = max(at, s.To)
				if s.Kind == oracle.Inside {
					sums[l.Counter] += s.Total
				}
			}
			if len(l.Spans) > 0 && at < tl.E-tl.S {
				t.Errorf("%s: %s at %s ends at %d", dir, l.Counter, l.Worker, at)
			}
		}
		if got, want := sums["FULL"], ev.Inside()[0]; got != want {
			t.Errorf("%s: FULL is %g inside, the oracle counts %g", dir, got, want)
		}
		if got, want := sums["CACHED"], ev.Inside()[1]; got != want {
			t.Errorf("%s: CACHED is %g inside, the oracle counts %g", dir, got, want)
		}
	}
}

// The curves end at the sums: c4's window holds 4,958,435 prompt tokens and
// 4,797,952 hits, and its 50 records as many prompt tokens (testdata/thread).
func TestTimelineCurves(t *testing.T) {
	want := map[string]float64{"server prompt tokens": 4958435, "server hits": 4797952, "client prompt tokens": 4958435}
	for _, c := range examine(t, "../testdata/thread/c4").Timeline().Curves {
		if last := c.Points[len(c.Points)-1][1]; last != want[c.Name] {
			t.Errorf("%s ends at %g, want %g", c.Name, last, want[c.Name])
		}
		delete(want, c.Name)
	}
	if len(want) > 0 {
		t.Errorf("no curve %v", want)
	}
}

// An hour of slices of 0.1 s is a handful of spans, and a curve has no more
// points than a picture has room for.
func TestTimelineMerges(t *testing.T) {
	const n = 36000
	series := aiperf.Series{Endpoint: "http://p:9/metrics", HasSlices: true, Stats: aiperf.Stats{Total: aiperf.NumberValue(n)}}
	for i := range int64(n) {
		series.Slices = append(series.Slices, aiperf.Slice{Start: i * 1e8, End: (i + 1) * 1e8, Value: aiperf.NumberValue(1)})
	}
	run := &aiperf.Run{Env: aiperf.Env{"SRT_AGG_ENDPOINTS": "p:9"}, Export: &aiperf.Export{
		EndpointsConfigured: []string{"http://p:9/metrics"},
		Profiling:           &aiperf.Range{Start: 10e9, End: 3590e9},
		Names:               []string{"atom:prefix_cache_full_tokens"},
		Metrics:             []aiperf.Family{{Name: "atom:prefix_cache_full_tokens", Type: "counter", Series: []aiperf.Series{series}}},
	}}
	tl := oracle.Examine(run, oracle.Options{}).Timeline()
	want := []string{
		"left out [-10, -0.1) 99x 99", "left out [-0.1, 0) 1x 1", // the ones before S, of which the last touches it
		"inside [0, 0.1) 1x 1", "inside [0.1, 3579.9) 35798x 35798", "inside [3579.9, 3580) 1x 1",
		"after [3580, 3580.1) 1x 1", "after [3580.1, 3590) 99x 99",
	}
	if diff := cmp.Diff(want, lane(t, tl, "FULL")); diff != "" {
		t.Error(diff)
	}
	points := tl.Curves[0].Points
	if last := points[len(points)-1]; len(points) > 50 || last != [2]float64{3580e9, 35800} {
		t.Errorf("%d points, the last is %v", len(points), last)
	}
}

// Totals that no sum can hold stay apart, and draw no curve: nothing in a
// timeline is infinite.
func TestTimelineOfHugeTotals(t *testing.T) {
	const huge = 1.7e308
	series := aiperf.Series{Endpoint: "http://p:9/metrics", HasSlices: true, Stats: aiperf.Stats{Total: aiperf.NumberValue(huge)}}
	for i := range int64(5) {
		series.Slices = append(series.Slices, aiperf.Slice{Start: i * 1e9, End: (i + 1) * 1e9, Value: aiperf.NumberValue(huge)})
	}
	run := &aiperf.Run{Env: aiperf.Env{"SRT_AGG_ENDPOINTS": "p:9"}, Export: &aiperf.Export{
		EndpointsConfigured: []string{"http://p:9/metrics"},
		Profiling:           &aiperf.Range{Start: 0, End: 5e9},
		Names:               []string{"atom:prefix_cache_full_tokens"},
		Metrics:             []aiperf.Family{{Name: "atom:prefix_cache_full_tokens", Type: "counter", Series: []aiperf.Series{series}}},
	}}
	tl := oracle.Examine(run, oracle.Options{}).Timeline()
	if spans := lane(t, tl, "FULL"); len(spans) != 5 || spans[2] != "inside [2, 3) 1x 1.7e+308" {
		t.Errorf("%v", spans)
	}
	for _, c := range tl.Curves {
		if c.Name == "server prompt tokens" {
			t.Errorf("%+v", c)
		}
	}
}
