package generator

import (
	"encoding/json"
	"testing"
)

// figures are a CACHED and a FULL.
type figures struct{ cached, full float64 }

// export is what the tests read of server_metrics_export.json.
type export struct {
	Metrics map[string]struct {
		Series []struct {
			Stats      struct{ Total float64 }
			Timeslices []struct {
				Start int64 `json:"start_ns"`
				End   int64 `json:"end_ns"`
				Total float64
			}
		}
	}
	WarmupMetrics map[string]struct {
		Series []struct{ Stats struct{ Total float64 } }
	} `json:"warmup_metrics"`
}

// The two published points come out with their numbers: totals, window,
// straddling slice and warmup_metrics (accounting.md section 8).
func TestPublishedPoints(t *testing.T) {
	for _, tt := range []struct {
		name                             string
		totals, window, straddler, warms figures
	}{
		{"c2", figures{4522240, 5091598}, figures{2827520, 3096562}, figures{1694720, 1995036}, figures{1694720, 1995036}},
		{"c4", figures{7601152, 8446996}, figures{4797952, 4958435}, figures{2803200, 3488561}, figures{2480384, 3488561}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, err := Example(tt.name)
			if err != nil {
				t.Fatal(err)
			}
			out := generate(t, s)
			if out.Truth.GPU != int64(tt.window.cached) || out.Truth.Tokens != int64(tt.window.full) {
				t.Errorf("the truth is %d/%d, want the window's %v", out.Truth.GPU, out.Truth.Tokens, tt.window)
			}
			var doc export
			if err := json.Unmarshal(out.file("aiperf_artifacts/server_metrics_export.json"), &doc); err != nil {
				t.Fatal(err)
			}
			var total, window, straddler, warms figures
			for name, into := range map[string]func(f *figures) *float64{
				"atom:prefix_cache_cached_tokens": func(f *figures) *float64 { return &f.cached },
				"atom:prefix_cache_full_tokens":   func(f *figures) *float64 { return &f.full },
			} {
				series := doc.Metrics[name].Series[0]
				*into(&total) = series.Stats.Total
				*into(&warms) = doc.WarmupMetrics[name].Series[0].Stats.Total
				for _, c := range series.Timeslices {
					if c.Start < defaultStart {
						*into(&straddler) += c.Total
					} else {
						*into(&window) += c.Total
					}
				}
			}
			if total != tt.totals || window != tt.window || straddler != tt.straddler || warms != tt.warms {
				t.Errorf("totals %v window %v straddler %v warmup %v, want %+v", total, window, straddler, warms, tt)
			}
		})
	}
}

func TestExamplesGenerate(t *testing.T) {
	for _, name := range Examples() {
		s, err := Example(name)
		if err != nil {
			t.Fatal(err)
		}
		if out := generate(t, s); out.Truth.Requests == 0 || out.Truth.GPU == 0 {
			t.Errorf("%s: the truth is %+v", name, out.Truth)
		}
	}
}
