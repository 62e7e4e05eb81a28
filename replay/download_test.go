package replay_test

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pdreplay/pdreplay/oracle"
	"github.com/pdreplay/pdreplay/replay"
	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// artifacts are the raw files of a matrix fixture, without its run.env: what
// the benchmark's workflow publishes. Fixture 01 has 10 records, all successful.
func artifacts(t *testing.T, fixture string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for _, name := range []string{"server_metrics_export.json", "profile_export.jsonl"} {
		data, err := os.ReadFile(filepath.Join("..", "testdata", "matrix", fixture, "aiperf_artifacts", name))
		if err != nil {
			t.Fatal(err)
		}
		files["aiperf_artifacts/"+name] = data
	}
	return files
}

func pack(t *testing.T, files map[string][]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, data := range files {
		f, err := w.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write(data); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// download writes files into a new working directory.
func download(t *testing.T, files map[string][]byte) {
	t.Helper()
	dir := t.TempDir()
	for name, data := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, data, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
}

// publishedRow is a row with its request counts.
func publishedRow(conc, total, successful int) string {
	return fmt.Sprintf(`{"hw":"mi355x","conc":%d,"framework":"atom","disagg":false,"is_multinode":false,"tp":4,"kv_offloading":"dram",`+
		`"kv_offload_backend":{"name":"lmcache","version":"0.4"},"allocated_cpu_dram_gb":1199,"num_requests_total":%d,"num_requests_successful":%d,`+
		`"request_metrics":{},"server_metrics":{"cache":{"gpu_cache_hit_rate":0.6,"cpu_cache_hit_rate":0.35,"external_cache_hit_rate":0.35,"overall_cache_hit_rate":0.6}}}`,
		conc, total, successful)
}

func openAll(t *testing.T, paths ...string) map[string]*aiperf.Run {
	t.Helper()
	sources, err := replay.Find(paths)
	if err != nil {
		t.Fatal(err)
	}
	runs := map[string]*aiperf.Run{}
	for _, s := range sources {
		run, err := s.Open()
		if err != nil {
			t.Fatal(err)
		}
		runs[s.ID] = run
	}
	return runs
}

// TestFindDownload lays out what gh run download and the web page leave:
// directories and zips, a multi-node artifact with two concurrencies, all rows in
// one array, and a run whose row cannot be told.
func TestFindDownload(t *testing.T) {
	clean, failed := artifacts(t, "01-unified-clean"), artifacts(t, "18-profiling-error")
	files := map[string][]byte{
		"dl/agentic_two.zip":                  pack(t, clean),
		"dl/bmk_agentic_two.zip":              pack(t, map[string][]byte{"two.json": []byte(publishedRow(2, 10, 10))}),
		"dl/bmk_agentic_one/one.json":         []byte(publishedRow(1, 99, 99)), // its name counts more than its counts
		"dl/bmk_agentic_many/many_conc4.json": []byte(publishedRow(4, 10, 10)),
		"dl/bmk_agentic_many/many_conc8.json": []byte(publishedRow(8, 10, 10)),
		"dl/results_bmk/agg_bmk.json":         []byte("[" + publishedRow(2, 10, 10) + `,{"conc":7},` + publishedRow(16, 11, 10) + "," + publishedRow(32, 10, 10) + "]"),
		"dl/agentic_one/agentic_config.json":  []byte(`{"a":1}`),
	}
	for name, data := range clean {
		files["dl/agentic_one/"+name] = data
		files["dl/agentic_many/conc_4/"+name] = data
		files["dl/agentic_many/conc_8/"+name] = data
		files["dl/agentic_five/"+name] = data
	}
	for name, data := range failed {
		files["dl/raw/"+name] = data
	}
	download(t, files)
	runs := openAll(t, "dl")
	got := map[string]string{}
	for id, run := range runs {
		if run.Published != nil {
			got[id] = run.Published.File
		} else {
			got[id] = "none"
		}
	}
	want := map[string]string{
		"dl/agentic_one":         "dl/bmk_agentic_one/one.json",
		"dl/agentic_two.zip":     "dl/bmk_agentic_two.zip/two.json",
		"dl/agentic_many/conc_4": "dl/bmk_agentic_many/many_conc4.json",
		"dl/agentic_many/conc_8": "dl/bmk_agentic_many/many_conc8.json",
		"dl/agentic_five":        "none", // five rows have its counts
		"dl/raw":                 "dl/results_bmk/agg_bmk.json#/2",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	says := func(id, text string) {
		for _, n := range runs[id].Notes {
			if strings.Contains(n.Text, text) {
				return
			}
		}
		t.Errorf("%s: no note %q in %v", id, text, runs[id].Notes)
	}
	says("dl/agentic_one", "not those of the run's records")
	says("dl/agentic_five", "no published row: ")
	says("dl/raw", "by its request counts")
}

// A repeating command names the run's row as well, and finds the same.
func TestFindDownloadAgain(t *testing.T) {
	download(t, map[string][]byte{
		"dl/agentic_two.zip":          pack(t, artifacts(t, "01-unified-clean")),
		"dl/bmk_agentic_two/two.json": []byte(publishedRow(2, 10, 10)),
		"dl/agg/agg_bmk.json":         []byte("[]"),
	})
	sources, err := replay.Find([]string{"dl"})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"pdreplay", "replay", "dl/agentic_two.zip", "dl/bmk_agentic_two/two.json"}
	if diff := cmp.Diff(want, sources[0].Again); diff != "" {
		t.Fatal(diff)
	}
	again := openAll(t, want[2:]...)
	if run := again["dl/agentic_two.zip"]; len(again) != 1 || run == nil || run.Published == nil {
		t.Errorf("the repeating command finds %v", again)
	}
}

// Files stand for runs: one of AIPerf's for the run that it belongs to, another
// one for a run that has nothing else.
func TestFindFiles(t *testing.T) {
	clean := artifacts(t, "01-unified-clean")
	export := clean["aiperf_artifacts/server_metrics_export.json"]
	var gz bytes.Buffer
	w := gzip.NewWriter(&gz)
	if _, err := io.Copy(w, bytes.NewReader(export)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	download(t, map[string][]byte{
		"run/aiperf_artifacts/server_metrics_export.json.gz": gz.Bytes(),
		"run/aiperf_artifacts/profile_export.jsonl":          clean["aiperf_artifacts/profile_export.jsonl"],
		"mail/c4 export.json.gz":                             gz.Bytes(),
		"rows/agg_bmk.json":                                  []byte("[" + publishedRow(2, 10, 10) + "]"),
	})
	for path, records := range map[string]bool{
		"run": true, "run/aiperf_artifacts/server_metrics_export.json.gz": true, "run/aiperf_artifacts/profile_export.jsonl": true, "mail/c4 export.json.gz": false,
	} {
		for id, run := range openAll(t, path, "rows") {
			if run.Export == nil || len(run.Export.Names) == 0 || (run.Records != nil) != records {
				t.Errorf("%s: %s has export %v, records %v", path, id, run.Export != nil, run.Records != nil)
			}
			if (run.Published != nil) != records {
				t.Errorf("%s: row %v, want one iff there are records to tell by", path, run.Published)
			}
		}
	}
	if _, err := replay.Find([]string{"rows"}); err == nil || !strings.Contains(err.Error(), "only published rows") {
		t.Errorf("rows alone: %v", err)
	}
}

// A refused archive is a source that says why; the other runs are found.
func TestFindRefused(t *testing.T) {
	download(t, map[string][]byte{
		"dl/a.zip": pack(t, map[string][]byte{"../x.json": nil}),
		"dl/b.zip": pack(t, artifacts(t, "01-unified-clean")),
	})
	sources, err := replay.Find([]string{"dl"})
	if err != nil || len(sources) != 2 {
		t.Fatal(sources, err)
	}
	if _, err := sources[0].Open(); err == nil || !strings.Contains(err.Error(), "climbs out") {
		t.Errorf("refused archive: %v", err)
	}
	if _, err := sources[1].Open(); err != nil {
		t.Error(err)
	}
	if _, err := (replay.Search{MaxUnpacked: 100}).Find([]string{"dl/b.zip"}); err == nil || !strings.Contains(err.Error(), "--max-unpacked") {
		t.Errorf("a limit of 100 bytes: %v", err)
	}
}

// What the row tells of the environment is the table of producer.md section 13;
// what run.env says stays, also when it says nothing.
func TestRebuiltEnvironment(t *testing.T) {
	files := artifacts(t, "01-unified-clean")
	files["run.env"] = []byte("FRAMEWORK=vllm\nTP=\n")
	files["row.json"] = []byte(publishedRow(4, 10, 10))
	download(t, files)
	abs, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, run := range openAll(t, abs) {
		want := aiperf.Env{
			"FRAMEWORK": "vllm", "TP": "", "RUNNER_TYPE": "mi355x", "CONC": "4", "DISAGG": "false", "IS_MULTINODE": "false",
			"KV_OFFLOADING": "dram", "KV_OFFLOAD_BACKEND": "lmcache", "KV_OFFLOAD_BACKEND_METADATA": `{"name":"lmcache","version":"0.4"}`, "TOTAL_CPU_DRAM_GB": "1199",
		}
		if diff := cmp.Diff(want, run.Env); diff != "" {
			t.Errorf("environment (-want +got):\n%s", diff)
		}
	}
}

func TestRebuiltEnvironmentOfManyNodes(t *testing.T) {
	files := artifacts(t, "01-unified-clean")
	files["row.json"] = []byte(`{"is_multinode":true,"tp":12,"prefill_tp":8,"prefill_ep":1,"prefill_dp_attention":"true","prefill_hw":"x","prefill_pp":1,"decode_num_workers":2,` +
		`"decode_dcp_size":4,"router":{"name":"r","version":"1"},"kv_p2p_transfer":"nixl","kv_offload_backend":"lmcache","image":null,"request_metrics":{},"server_metrics":{}}`)
	download(t, files)
	abs, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, run := range openAll(t, abs) {
		want := aiperf.Env{
			"IS_MULTINODE": "true", "PREFILL_TP": "8", "PREFILL_EP": "1", "PREFILL_DP_ATTN": "true", "PREFILL_HARDWARE": "x", "PREFILL_PP_SIZE": "1",
			"DECODE_NUM_WORKERS": "2", "DECODE_DCP_SIZE": "4", "ROUTER_METADATA": `{"name":"r","version":"1"}`, "KV_P2P_TRANSFER": "nixl",
			"KV_OFFLOAD_BACKEND": "lmcache", "KV_OFFLOAD_BACKEND_METADATA": `{"name":"lmcache"}`,
		}
		if diff := cmp.Diff(want, run.Env); diff != "" {
			t.Errorf("environment (-want +got):\n%s", diff)
		}
	}
}

// Without roles the result says which flags supply them; what hints at them
// names its evidence and changes no answer.
func TestLacks(t *testing.T) {
	pd := artifacts(t, "03-p-d-no-role-env")
	labelled := map[string][]byte{}
	for name, data := range pd {
		data = bytes.ReplaceAll(data, []byte(`"endpoint_url": "http://d:9/metrics"`), []byte(`"endpoint_url": "http://d:9/metrics", "labels": {"engine_type": "decode"}`))
		labelled[name] = bytes.ReplaceAll(data, []byte(`"endpoint_url": "http://p:9/metrics"`), []byte(`"endpoint_url": "http://p:9/metrics", "labels": {"engine_type": "prefill"}`))
	}
	for name, tt := range map[string]struct {
		files map[string][]byte
		env   aiperf.Env
		says  []string // one a line that the run lacks, in order
	}{
		"two endpoints":  {pd, nil, []string{"lacks roles: --env SRT_PREFILL_ENDPOINTS=", "hint: d:9 counts 1000 prompt tokens, 0 of them as hits"}},
		"labels":         {labelled, nil, []string{"lacks roles", `hint: labels engine_type="decode" at d:9 (server_metrics_export.json#/metrics/`, "hint: d:9 counts"}},
		"dynamo":         {pd, aiperf.Env{"SRTCTL_FRONTEND_TYPE": "dynamo"}, []string{"lacks roles", "hint"}},
		"roles supplied": {pd, aiperf.Env{"SRT_PREFILL_ENDPOINTS": "p:9", "SRT_DECODE_ENDPOINTS": "d:9"}, nil},
		"one endpoint":   {artifacts(t, "01-unified-clean"), nil, []string{"lacks roles: "}},
	} {
		t.Run(name, func(t *testing.T) {
			download(t, tt.files)
			abs, err := filepath.Abs(".")
			if err != nil {
				t.Fatal(err)
			}
			sources, err := replay.Find([]string{abs})
			if err != nil {
				t.Fatal(err)
			}
			contract := oracle.Contracts()[0]
			_, err = replay.Run(t.Context(), sources, replay.Options{Contract: contract, Env: tt.env, Jobs: 1, Timeout: time.Minute, Now: time.Now}, func(r replay.Result) error {
				if len(r.Lacks) != len(tt.says) {
					t.Fatalf("lacks %q, want %q", r.Lacks, tt.says)
				}
				for i, text := range r.Lacks {
					if !strings.HasPrefix(text, tt.says[i]) {
						t.Errorf("lacks %q, want %q", text, tt.says[i])
					}
				}
				if len(tt.says) > 0 && (r.Oracle.Status != "ROLES_UNRESOLVED" || r.Oracle.Basis != oracle.Unknown) {
					t.Errorf("a hint was used: %s %s", r.Oracle.Status, r.Oracle.Basis)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}
