package replay_test

import (
	"archive/zip"
	"bytes"
	"flag"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite testdata/reported (make golden)")

// reportedRows are the published rows of testdata/reported: what atom@main made
// of the two runs (4797952+2803200 of 4958435+3488561 tokens, and 600 and 350 of
// twice 1000), under the keys of the producer.
const reportedRows = `[
  {"hw": "mi355x-amds", "conc": 4, "image": "rocm/atom:nightly", "model": "moonshotai/Kimi-K3", "infmax_model_prefix": "kimik3", "framework": "atom",
   "precision": "fp4", "spec_decoding": "none", "disagg": false, "scenario_type": "agentic-coding", "is_multinode": false, "tp": 8, "ep": 1,
   "dp_attention": "false", "kv_offloading": "none", "kv_offload_backend": null, "allocated_cpu_dram_gb": 0,
   "num_requests_total": 50, "num_requests_successful": 50, "request_metrics": {},
   "server_metrics": {"present": true, "adapter": "atom", "cache": {"gpu_cache_hit_rate": 0.89986, "cpu_cache_hit_rate": null,
    "external_cache_hit_rate": null, "overall_cache_hit_rate": 0.89986}}},
  {"hw": "mi355x-amds", "conc": 8, "image": "rocm/atom:nightly", "model": "deepseek-ai/DeepSeek-V4-Pro", "infmax_model_prefix": "dsv4", "framework": "atom",
   "precision": "fp8", "spec_decoding": "none", "disagg": true, "scenario_type": "agentic-coding", "is_multinode": true, "tp": 16, "ep": 1,
   "dp_attention": "false", "kv_offloading": "dram", "kv_offload_backend": {"name": "lmcache", "version": "0.4.2"}, "allocated_cpu_dram_gb": 1199,
   "num_requests_total": 10, "num_requests_successful": 10, "prefill_num_workers": 1, "prefill_tp": 8, "prefill_pp": 1, "prefill_ep": 1,
   "prefill_dp_attention": "false", "num_prefill_gpu": 8, "decode_num_workers": 1, "decode_tp": 8, "decode_pp": 1, "decode_ep": 1,
   "decode_dp_attention": "false", "num_decode_gpu": 8, "request_metrics": {},
   "server_metrics": {"present": true, "adapter": "atom", "cache": {"gpu_cache_hit_rate": 0.3, "cpu_cache_hit_rate": 0.175,
    "external_cache_hit_rate": 0.175, "overall_cache_hit_rate": 0.3}}}
]
`

// TestGoldenReported holds testdata/reported against the runs that it is packed
// from: two points as the benchmark's workflow publishes them, without roles and
// environment, with all rows in one array.
func TestGoldenReported(t *testing.T) {
	root := filepath.Join("..", "testdata")
	reported := filepath.Join(root, "reported")
	for name, from := range map[string]string{
		"agentic_kimik3_fp4_atom_mi355x_tp8_conc4.zip": "thread/c4",
		"agentic_dsv4_fp8_atom_mi355x_1p1d_conc8.zip":  "matrix/02-p-d-clean-decode-recounts-1000",
	} {
		want := map[string]string{}
		for _, file := range []string{"profile_export.jsonl", "server_metrics_export.json"} {
			data, err := os.ReadFile(filepath.Join(root, from, "aiperf_artifacts", file))
			if err != nil {
				t.Fatal(err)
			}
			want["aiperf_artifacts/"+file] = string(data)
		}
		if *update {
			writeReported(t, filepath.Join(reported, name), zipOf(t, want))
		}
		if diff := cmp.Diff(want, unzip(t, filepath.Join(reported, name))); diff != "" {
			t.Errorf("%s is stale, run make golden: %s", name, diff)
		}
	}
	rows := filepath.Join(reported, "results_bmk", "agg_bmk.json")
	if *update {
		writeReported(t, rows, []byte(reportedRows))
	}
	if data, err := os.ReadFile(rows); err != nil || string(data) != reportedRows {
		t.Errorf("%s is stale, run make golden (%v)", rows, err)
	}
}

func writeReported(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, data, 0o666); err != nil {
		t.Fatal(err)
	}
}

func zipOf(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		f, err := w.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(f, files[name]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func unzip(t *testing.T, name string) map[string]string {
	t.Helper()
	r, err := zip.OpenReader(name)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	files := map[string]string{}
	for _, f := range r.File {
		body, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(body)
		if err != nil {
			t.Fatal(err)
		}
		files[f.Name] = string(data)
	}
	return files
}
