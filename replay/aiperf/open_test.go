package aiperf

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func walkFiles(t testing.TB, root, name string, files map[string][]byte) {
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != name {
			return err
		}
		files[p], err = os.ReadFile(p)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func oneFile(name string, data []byte) fs.FS {
	return fstest.MapFS{name: &fstest.MapFile{Data: data}}
}

// TestExportsAgainstEncodingJSON reads every export of the test data with both readers.
func TestExportsAgainstEncodingJSON(t *testing.T) {
	files := testFiles(t, exportName)
	if len(files) < 32 {
		t.Fatalf("%d exports, want the 31 of the matrix and the sample", len(files))
	}
	for p, data := range files {
		got, notes, err := ReadExport(oneFile("f.json", data), "f.json", nil)
		if err != nil {
			t.Errorf("%s: %v", p, err)
			continue
		}
		// encoding/json does not read the bare NaN of run 23.
		plain := bytes.ReplaceAll(data, []byte(": NaN"), []byte(`: "NaN"`))
		if bare := !bytes.Equal(plain, data); bare != (len(notes) == 1) {
			t.Errorf("%s: notes %v", p, notes)
		}
		want, err := refExport("f.json", plain)
		if err != nil {
			t.Errorf("%s: %v", p, err)
			continue
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty(), cmp.Comparer(sameButQuotes)); diff != "" {
			t.Errorf("%s (-encoding/json +ours):\n%s", p, diff)
		}
	}
}

// sameButQuotes compares values, a bare NaN being equal to "NaN".
func sameButQuotes(v, w Value) bool {
	return v.Equal(w) || v.Kind() == Other && strings.Trim(v.Text(), `"`) == strings.Trim(w.Text(), `"`)
}

func TestRecordsAgainstEncodingJSON(t *testing.T) {
	for p, data := range testFiles(t, recordsName) {
		got, notes, err := ReadRecords(oneFile("r.jsonl", data), "r.jsonl")
		if err != nil || len(notes) > 0 {
			t.Errorf("%s: notes %v, error %v", p, notes, err)
			continue
		}
		var want []Record
		for i, line := range bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n")) {
			r, err := refRecord(line, i+1)
			if err != nil {
				t.Fatalf("%s:%d: %v", p, i+1, err)
			}
			want = append(want, r)
		}
		// The categories are held against Python's in python_test.go.
		if diff := cmp.Diff(want, got.List, cmpopts.IgnoreFields(Record{}, "Category")); diff != "" {
			t.Errorf("%s (-encoding/json +ours):\n%s", p, diff)
		}
	}
}

// TestMatrixRuns holds what the rows 17, 18, 25, 26 and 27 of the matrix are about.
func TestMatrixRuns(t *testing.T) {
	for name, want := range map[string][4]int{ // total, profiled, warmup dropped, profiling errors
		"01-unified-clean":                    {10, 10, 0, 0},
		"17-warmup-only-error":                {11, 10, 1, 0},
		"18-profiling-error":                  {11, 10, 0, 1},
		"25-one-cancelled-request":            {10, 10, 0, 0},
		"27-one-request-more-than-admissions": {11, 11, 0, 0},
	} {
		run, err := Open(os.DirFS("../../testdata"), "matrix/"+name, nil)
		if err != nil {
			t.Fatal(err)
		}
		a := run.Records.Accounting
		if got := [4]int{a.Total, a.Profiled, a.WarmupDropped, *a.ProfilingErrors}; got != want {
			t.Errorf("%s: total, profiled, warmup, profiling errors %v, want %v", name, got, want)
		}
		if run.Published != nil || run.Files.Published != "" {
			t.Errorf("%s: expected.json was taken for a published row", name)
		}
		if run.Env["FRAMEWORK"] != "atom" {
			t.Errorf("%s: environment %v", name, run.Env)
		}
	}
}

// TestRealRuns holds the table of testdata/real/README.md.
func TestRealRuns(t *testing.T) {
	fsys := os.DirFS("../../testdata/real")
	for dir, want := range map[string]struct {
		profiled                float64
		promptTokens            float64
		local, loaded, computed float64
		gpu, cpu, overall       float64
	}{
		"vllm-kimi-k2.7-mi355x-conc4":  {547, 44626531, 41833335, 0, 2793196, 0.93741, 0, 0.93741},
		"vllm-kimi-k2.7-mi355x-conc8":  {873, 76693300, 72485084, 0, 4208216, 0.94513, 0, 0.94513},
		"vllm-kimi-k2.7-mi355x-conc16": {659, 59939732, 5650124, 46872228, 7417380, 0.09426, 0.78199, 0.87625},
	} {
		run, err := Open(fsys, dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		if run.Export != nil || run.Records != nil || run.Metrics() != run.Totals {
			t.Errorf("%s: a file that is not there was read", dir)
		}
		// README: 47 families and 2 info families, which only the JSON would hold.
		if len(run.Totals.Metrics) != 47 || len(run.Totals.Names) != 49 {
			t.Errorf("%s: %d families of %d names, want 47 of 49", dir, len(run.Totals.Metrics), len(run.Totals.Names))
		}
		sources := map[string]float64{}
		var prompt float64
		for _, f := range run.Totals.Metrics {
			for _, s := range f.Series {
				total, _ := s.Stats.Total.Float()
				switch f.Name {
				case "vllm:prompt_tokens":
					prompt += total
				case "vllm:prompt_tokens_by_source":
					sources[s.Labels["source"]] += total
				}
			}
		}
		got := []float64{prompt, sources["local_cache_hit"], sources["external_kv_transfer"], sources["local_compute"]}
		if diff := cmp.Diff([]float64{want.promptTokens, want.local, want.loaded, want.computed}, got); diff != "" {
			t.Errorf("%s (-want +got): %s%v", dir, diff, sources)
		}
		row := run.Published
		for i, v := range []Value{run.Aggregate.RequestCount, row.GPU, row.CPU, row.External, row.Overall} {
			w := []float64{want.profiled, want.gpu, want.cpu, want.cpu, want.overall}[i]
			if !v.Equal(NumberValue(w)) {
				t.Errorf("%s: value %d is %+v, want %v", dir, i, v, w)
			}
		}
		if row.Framework != "vllm" || row.Adapter != "vllm" || row.Disagg == nil || *row.Disagg || row.Eligible != nil || row.Fields["tp"] != "4" {
			t.Errorf("%s: row %+v", dir, row)
		}
		if run.Aggregate.BenchmarkID != run.Totals.BenchmarkID || run.Totals.AIPerfVersion != "0.8.0" || run.Totals.SchemaVersion != "1.0" {
			t.Errorf("%s: head %+v", dir, run.Totals)
		}
		if !run.Aggregate.BenchmarkDuration.Equal(NumberValue(3600)) {
			t.Errorf("%s: configured duration %+v, want 3600", dir, run.Aggregate.BenchmarkDuration)
		}
		if len(run.Notes) > 0 {
			t.Errorf("%s: notes %v", dir, run.Notes)
		}
	}
}

// TestLegacyRun: no benchmark_phase, 11 of 100 cancelled with an error, metrics nested under records.
func TestLegacyRun(t *testing.T) {
	run, err := Open(os.DirFS("../../testdata/real"), "ajcasagrande-run1", nil)
	if err != nil {
		t.Fatal(err)
	}
	eleven := 11
	want := Accounting{Total: 100, Profiled: 89, Dropped: 11, ErrorDropped: 11, ProfilingErrors: &eleven,
		ErrorCategories: map[string]int{"RequestCancellationError": 11}}
	if diff := cmp.Diff(want, run.Records.Accounting); diff != "" {
		t.Errorf("accounting (-want +got):\n%s", diff)
	}
	if !run.Aggregate.RequestCount.Equal(NumberValue(89)) || !run.Aggregate.ErrorRequestCount.Equal(NumberValue(11)) {
		t.Errorf("aggregate %+v, want 89 requests, 11 errors", run.Aggregate)
	}
}

func TestSampleRun(t *testing.T) {
	run, err := Open(os.DirFS("testdata"), "sample", nil)
	if err != nil {
		t.Fatal(err)
	}
	two := 2
	want := Accounting{Total: 4, Profiled: 1, Dropped: 3, WarmupDropped: 1, ErrorDropped: 2, ProfilingErrors: &two,
		ErrorCategories: map[string]int{"ClientConnectorError": 1, "RequestCancellationError": 1}}
	if diff := cmp.Diff(want, run.Records.Accounting); diff != "" {
		t.Errorf("accounting (-want +got):\n%s", diff)
	}
	wantTotals := []Family{
		{Name: "demo:kv_usage_ratio", Type: "gauge", Series: []Series{{Endpoint: "localhost:9000", Labels: map[string]string{"engine": "0"},
			Stats: Stats{Avg: NumberValue(0.4167), Max: NumberValue(0.6)}, At: "line 7"}}},
		{Name: "demo:prompt_tokens", Type: "counter", Series: []Series{{Endpoint: "localhost:9000", Labels: map[string]string{"engine": "0"},
			Stats: Stats{Total: NumberValue(1200), Rate: NumberValue(444.4444)}, At: "line 10"}}},
	}
	if diff := cmp.Diff(wantTotals, run.Totals.Metrics); diff != "" {
		t.Errorf("totals (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"demo:kv_usage_ratio", "demo:prompt_tokens", "demo:build_info"}, run.Totals.Names); diff != "" {
		t.Errorf("names of the CSV (-want +got):\n%s", diff)
	}
	wantEnv := Env{"FRAMEWORK": "demo", "KV_OFFLOAD_BACKEND_METADATA": `{"name":"lmcache","version":"a=b"}`, "EMPTY": ""}
	if diff := cmp.Diff(wantEnv, run.Env); diff != "" {
		t.Errorf("environment (-want +got):\n%s", diff)
	}
	a := run.Aggregate
	if !a.RequestCount.Equal(NumberValue(1)) || !a.ErrorRequestCount.Equal(NumberValue(2)) || !a.TheoreticalHits.Equal(NumberValue(30)) || !a.TheoreticalBlocks.Equal(NumberValue(40)) {
		t.Errorf("aggregate %+v", a)
	}
	if e := run.Export; e.Profiling.End != 1800000012500000000 || !e.HasWarmup || e.WarmupMetrics[0].Series[0].Slices != nil {
		t.Errorf("export %+v", e)
	}
}

// TestSelection keeps one family of three, in both formats.
func TestSelection(t *testing.T) {
	only := func(name string) bool { return name == "demo:prompt_tokens" }
	run, err := Open(os.DirFS("testdata"), "sample", only)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []*Export{run.Export, run.Totals} {
		if len(e.Names) != 3 || len(e.Metrics) != 1 || e.Metrics[0].Name != "demo:prompt_tokens" {
			t.Errorf("%s: names %v, kept %v", e.File, e.Names, e.Metrics)
		}
	}
}

// TestSelectionIsSelecting: on every file of the test data, reading with a
// selection is reading everything and selecting, for each name alone, all but
// it, and no name.
func TestSelectionIsSelecting(t *testing.T) {
	for _, name := range []string{exportName, totalsName} {
		read := ReadExport
		if name == totalsName {
			read = ReadTotals
		}
		for p, data := range testFiles(t, name) {
			fsys := oneFile("f", data)
			all, _, err := read(fsys, "f", nil)
			if err != nil {
				t.Fatalf("%s: %v", p, err)
			}
			for _, one := range append([]string{""}, all.Names...) {
				for _, sel := range []Selection{
					func(name string) bool { return name == one },
					func(name string) bool { return name != one },
				} {
					some, _, err := read(fsys, "f", sel)
					if err != nil {
						t.Fatalf("%s: refused only with a selection: %v", p, err)
					}
					checkSelected(t, all, some, sel)
				}
			}
		}
	}
}

// TestLayouts puts one records file into every place where a run can have it.
func TestLayouts(t *testing.T) {
	record := []byte(`{"metadata":{}}`)
	csv := []byte("Endpoint,Metric,Key,Value,Description\n")
	for _, test := range []struct {
		name  string
		files map[string][]byte
		want  string // the records, or else the totals
	}{
		{"artifacts", map[string][]byte{"aiperf_artifacts/profile_export.jsonl": record}, "r/aiperf_artifacts/profile_export.jsonl"},
		{"child", map[string][]byte{"aiperf_artifacts/b/profile_export.jsonl": record, "aiperf_artifacts/c/profile_export.jsonl": record, "aiperf_artifacts/a/other": nil},
			"r/aiperf_artifacts/b/profile_export.jsonl"},
		{"child with records before a base without", map[string][]byte{"aiperf_artifacts/server_metrics_export.csv": csv, "aiperf_artifacts/a/profile_export.jsonl": record},
			"r/aiperf_artifacts/a/profile_export.jsonl"},
		{"base before a child without records", map[string][]byte{"aiperf_artifacts/server_metrics_export.csv": csv, "aiperf_artifacts/a/server_metrics_export.csv": csv},
			"r/aiperf_artifacts/server_metrics_export.csv"},
		{"child without records", map[string][]byte{"aiperf_artifacts/a/server_metrics_export.csv": csv}, "r/aiperf_artifacts/a/server_metrics_export.csv"},
		{"directory itself", map[string][]byte{"profile_export.jsonl": record}, "r/profile_export.jsonl"},
	} {
		fsys := fstest.MapFS{}
		for _, p := range slices.Sorted(maps.Keys(test.files)) {
			fsys[path.Join("r", p)] = &fstest.MapFile{Data: test.files[p]}
		}
		run, err := Open(fsys, "r", nil)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		got := run.Files.Records
		if got == "" {
			got = run.Files.Totals
		}
		if got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
		if ok, err := IsRun(fsys, "r"); !ok || err != nil {
			t.Errorf("%s: IsRun %v, %v", test.name, ok, err)
		}
	}
	fsys := fstest.MapFS{"r/run.env": &fstest.MapFile{}, "r/aiperf_artifacts/inputs.json": &fstest.MapFile{}}
	if _, err := Open(fsys, "r", nil); !errors.Is(err, ErrNoRun) {
		t.Errorf("a directory without a run: %v", err)
	}
	if ok, err := IsRun(fsys, "r"); ok || err != nil {
		t.Errorf("a directory without a run: IsRun %v, %v", ok, err)
	}
}

func TestPublishedRow(t *testing.T) {
	row := `{"framework":"atom","disagg":true,"conc":4,"image":null,"router":{"name":"x"},"request_metrics":{},` +
		`"server_metrics":{"adapter":"atom","cache":{"gpu_cache_hit_rate":0.5,"cpu_cache_hit_rate":null,"external_cache_hit_rate":NaN},` +
		`"cache_validity":{"status":"VALID_COMPLETE","pricing_eligible":true}}}`
	fsys := fstest.MapFS{
		"r/profile_export.jsonl": {Data: []byte("{}\n")},
		"r/agg.json":             {Data: []byte(row)},
		"r/want.json":            {Data: []byte(row)},
		"r/config.json":          {Data: []byte(`{// no JSON, and no row`)},
		"r/list.json":            {Data: []byte(`[]`)},
	}
	run, err := Open(fsys, "r", nil)
	if err != nil {
		t.Fatal(err)
	}
	yes := true
	want := &Row{File: "r/agg.json", Framework: "atom", Disagg: &yes, Adapter: "atom", GPU: NumberValue(0.5), CPU: NullValue(), External: OtherValue("NaN"),
		Status: "VALID_COMPLETE", Eligible: &yes, Fields: map[string]string{"framework": `"atom"`, "disagg": "true", "conc": "4", "image": "null", "router": `{"name":"x"}`}}
	if diff := cmp.Diff(want, run.Published); diff != "" {
		t.Errorf("row (-want +got):\n%s", diff)
	}
	wantNotes := []Note{{"r/agg.json", "/server_metrics/cache/external_cache_hit_rate", "a bare NaN, which is not JSON"}}
	if diff := cmp.Diff(wantNotes, run.Notes); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
	fsys["r/b.json"] = &fstest.MapFile{Data: []byte(row)}
	if _, err := Open(fsys, "r", nil); err == nil || !strings.Contains(err.Error(), "r/agg.json and r/b.json") {
		t.Errorf("two rows: %v", err)
	}
	fsys["r/b.json"] = &fstest.MapFile{Data: []byte(row[:len(row)-2])}
	var syntax *SyntaxError
	if _, err := Open(fsys, "r", nil); !errors.As(err, &syntax) || syntax.File != "r/b.json" {
		t.Errorf("a row that is cut short: %v", err)
	}
}

func TestReadRows(t *testing.T) {
	row := func(conc int) string {
		return fmt.Sprintf(`{"conc":%d,"kv_offload_backend":{"name":"lmcache","version":"1"},"request_metrics":{},"server_metrics":{}}`, conc)
	}
	fsys := fstest.MapFS{
		"agg_bmk.json": {Data: []byte("[" + row(4) + `,7,{"conc":1},` + row(8) + "]")},
		"one.json":     {Data: []byte(row(2))},
		"other.json":   {Data: []byte(`[1, {`)},
		"cut.json":     {Data: []byte("[" + row(4) + ",")},
	}
	for name, want := range map[string][][2]string{
		"agg_bmk.json": {{"agg_bmk.json#/0", "4"}, {"agg_bmk.json#/3", "8"}},
		"one.json":     {{"one.json", "2"}},
		"other.json":   nil,
	} {
		rows, _, err := ReadRows(fsys, name)
		if err != nil {
			t.Fatal(err)
		}
		var got [][2]string
		for _, r := range rows {
			got = append(got, [2]string{r.File, r.Fields["conc"]})
			if backend := r.Fields["kv_offload_backend"]; backend != `{"name":"lmcache","version":"1"}` {
				t.Errorf("%s: kv_offload_backend %s", name, backend)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	var syntax *SyntaxError
	if _, _, err := ReadRows(fsys, "cut.json"); !errors.As(err, &syntax) {
		t.Errorf("rows that are cut short: %v", err)
	}
}
