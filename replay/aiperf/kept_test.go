package aiperf

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// What was kept, written and read again, is what was kept: of every run that is
// shipped, and of a file with all that is not what AIPerf writes.
func TestKeptIsReadAgain(t *testing.T) {
	odd := fstest.MapFS{
		"odd/aiperf_artifacts/server_metrics_export.json": {Data: []byte(`{"benchmark_id":"\u00e9\"","summary":{"endpoints_configured":[],
			"endpoint_info":{"u":{"first_fetch_ns":"x"}},"phase_time_ranges":{"profiling":{"end_ns":5}}},
			"metrics":{"other:x":{"series":[]},"a":{"series":[{"timeslices":[{"start_ns":1,"avg":"80"},{}],"labels":{"b":"1","a":"\n"}}]},
			"h":{"type":"histogram","series":[{"endpoint_url":"e","stats":{"count":2.5,"sum":null},"timeslices":[{"start_ns":1,"end_ns":2,"count":1,"sum":NaN}]}]},
			"z":{"type":"counter","series":[{"stats":{"total":-Infinity,"rate":true,"max":1e400,"avg":0.1},"timeslices":[]}]}},
			"warmup_metrics":{},"input_config":{"loadgen":{"benchmark_duration":1.5}}}`)},
		"odd/aiperf_artifacts/profile_export.jsonl": {Data: []byte(`{"metadata":{"benchmark_phase":""},"error":"a: b"}
{"metadata":{"was_cancelled":true,"request_end_ns":7},"metrics":{"usage_prompt_tokens":"9","time_to_first_token":{"value":1}}}
`)},
		"odd/aiperf_artifacts/profile_export_aiperf.json": {Data: []byte(`{"request_count":null,"warmup_metrics":{"total_usage_prompt_tokens":{"avg":3}},"theoretical_prefix_cache_hit":{"sum":1}}`)},
		"odd/row.json": {Data: []byte(`{"conc":4,"disagg":false,"router":{"name":"x"},"request_metrics":{},"server_metrics":{"adapter":"atom","cache":{"gpu_cache_hit_rate":NaN},"cache_validity":{"pricing_eligible":true}}}`)},
	}
	check(t, odd, "odd")
	root := os.DirFS(filepath.Join("..", "..", "testdata"))
	for _, pattern := range []string{"matrix/*", "real/*"} {
		dirs, err := fs.Glob(root, pattern)
		if err != nil || len(dirs) == 0 {
			t.Fatal(dirs, err)
		}
		for _, dir := range dirs {
			if ok, _ := IsRun(root, dir); ok {
				check(t, root, dir)
			}
		}
	}
}

func check(t *testing.T, fsys fs.FS, dir string) {
	t.Helper()
	sel := func(name string) bool { return path.Ext(name) != ".x" && name != "other:x" }
	run, err := Open(fsys, dir, sel)
	if err != nil {
		t.Fatal(err)
	}
	again := fstest.MapFS{}
	if run.Export != nil {
		again["aiperf_artifacts/server_metrics_export.json"] = &fstest.MapFile{Data: run.Export.AppendKept(nil)}
	}
	if run.Totals != nil {
		run.Totals.Names = nil
		for _, f := range run.Totals.Metrics {
			run.Totals.Names = append(run.Totals.Names, f.Name)
		}
		again["aiperf_artifacts/server_metrics_export.csv"] = &fstest.MapFile{Data: run.Totals.AppendKeptTotals(nil)}
	}
	if run.Records != nil {
		again["aiperf_artifacts/profile_export.jsonl"] = &fstest.MapFile{Data: run.Records.AppendKept(nil)}
	}
	if run.Aggregate != nil {
		again["aiperf_artifacts/profile_export_aiperf.json"] = &fstest.MapFile{Data: run.Aggregate.AppendKept(nil)}
	}
	if run.Published != nil {
		again["agg.json"] = &fstest.MapFile{Data: run.Published.AppendKept(nil)}
	}
	got, err := Open(again, ".", sel)
	if err != nil {
		t.Fatalf("%s: %v\n%s", dir, err, again["aiperf_artifacts/server_metrics_export.json"].Data)
	}
	diff := cmp.Diff(run, got, cmpopts.IgnoreFields(Run{}, "ID", "FS", "Dir", "Files", "Notes", "Env"), cmpopts.IgnoreFields(Export{}, "File", "SchemaVersion"),
		cmpopts.IgnoreFields(Records{}, "File"), cmpopts.IgnoreFields(Aggregate{}, "File"), cmpopts.IgnoreFields(Row{}, "File"), cmpopts.IgnoreFields(Series{}, "At"),
		cmpopts.EquateEmpty(), cmpopts.IgnoreFields(Record{}, "Line"))
	if diff != "" {
		t.Errorf("%s (-kept +read again):\n%s", dir, diff)
	}
}
