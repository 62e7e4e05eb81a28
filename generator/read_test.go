package generator

import (
	"testing"

	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// The readers take every generated file without a note, and find in it what
// the truth says.
func TestReadersTakeIt(t *testing.T) {
	for name, s := range goldenRuns() {
		t.Run(name, func(t *testing.T) {
			out := generate(t, s)
			run, err := aiperf.Open(out.FS(), ".", nil)
			if err != nil {
				t.Fatal(err)
			}
			if len(run.Notes) > 0 {
				t.Errorf("the readers note %v", run.Notes)
			}
			if run.Export == nil || run.Totals == nil || run.Records == nil || run.Aggregate == nil || run.Published != nil {
				t.Fatalf("the files are %+v", run.Files)
			}
			if id := run.Export.BenchmarkID; id == "" || id != run.Totals.BenchmarkID || id != run.Aggregate.BenchmarkID {
				t.Errorf("benchmark ids %q %q %q", id, run.Totals.BenchmarkID, run.Aggregate.BenchmarkID)
			}
			var requests, tokens, hits float64
			for _, r := range run.Records.List {
				if r.Successful() {
					n, _ := r.PromptTokens.Float()
					h, _ := r.CacheReadTokens.Float()
					requests, tokens, hits = requests+1, tokens+n, hits+h
				}
			}
			want := out.Truth
			if int64(requests) != want.Requests || int64(tokens) != want.Tokens || int64(hits) != want.GPU+want.CPU+want.Store {
				t.Errorf("the records have %v requests, %v tokens, %v hits, the truth is %+v", requests, tokens, hits, want)
			}
			if n, _ := run.Aggregate.RequestCount.Float(); n != requests {
				t.Errorf("the aggregate has %v requests", n)
			}
			slices, totals := 0, 0
			for _, f := range run.Export.Metrics {
				for _, series := range f.Series {
					slices += len(series.Slices)
					totals++
				}
			}
			csv := 0
			for _, f := range run.Totals.Metrics {
				csv += len(f.Series)
			}
			if slices == 0 || totals == 0 || csv != totals {
				t.Errorf("%d slices, %d series in the JSON, %d in the CSV", slices, totals, csv)
			}
		})
	}
}
