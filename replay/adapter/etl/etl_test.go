package etl

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pdreplay/pdreplay/replay/aiperf"
)

type row struct {
	family, labels string
	value          float64
}

func runOf(env string, rows ...row) *aiperf.Run {
	run := &aiperf.Run{Env: aiperf.Env{}, Totals: &aiperf.Export{File: "server_metrics_export.csv"}}
	pairs := func(text string) map[string]string {
		m := map[string]string{}
		for _, p := range strings.Fields(text) {
			k, v, _ := strings.Cut(p, "=")
			m[k] = v
		}
		return m
	}
	run.Env = pairs(env)
	for _, r := range rows {
		s := aiperf.Series{Endpoint: "p:9", Labels: pairs(r.labels), Stats: aiperf.Stats{Total: aiperf.NumberValue(r.value)}}
		if r.family == trtllmRate {
			s.Stats = aiperf.Stats{Avg: aiperf.NumberValue(r.value)}
		}
		m := &run.Totals.Metrics
		at := slices.IndexFunc(*m, func(f aiperf.Family) bool { return f.Name == r.family })
		if at < 0 {
			at = len(*m)
			*m = append(*m, aiperf.Family{Name: r.family})
		}
		(*m)[at].Series = append((*m)[at].Series, s)
	}
	return run
}

// The wants come from producer.md section 11 and accounting.md section 9.
func TestApp(t *testing.T) {
	const f, c, l = "atom:prefix_cache_full_tokens", "atom:prefix_cache_cached_tokens", "atom_lmcache_loaded_tokens_total"
	const src = "vllm:prompt_tokens_by_source"
	for _, tt := range []struct {
		name   string
		run    *aiperf.Run
		want   string
		reason string
	}{
		{"the app's own test", runOf("FRAMEWORK=atom", row{f, "", 800}, row{c, "", 600}, row{l, "", 200}), "0.75/0.25/0.25/null", ""},
		{"OFFLOAD is not read", runOf("FRAMEWORK=atom", row{f, "", 1000}, row{c, "", 600}, row{"atom:prefix_cache_offload_tokens", "", 200}), "0.6/null/null/null", ""},
		{"four spellings are added", runOf("FRAMEWORK=ATOM", row{f, "", 1000}, row{"atom_prefix_cache_full_tokens", "", 1000}, row{c, "", 600}), "0.3/null/null/null", ""},
		{"D6 ATOM has no role labels", runOf("FRAMEWORK=atom DISAGG=true", row{f, "", 1000}, row{f, "", 1000}, row{c, "", 600}, row{l, "", 900}), "0.3/0.45/0.45/null", "no series has a role label"},
		{"D2 Dynamo's labels", runOf("FRAMEWORK=dynamo-vllm DISAGG=true", row{src, "source=local_cache_hit dynamo_component=prefill", 600},
			row{src, "source=local_compute dynamo_component=prefill", 400}, row{src, "source=external_kv_transfer dynamo_component=backend", 1000}), "0.6/null/null/null", ""},
		{"labels without DISAGG", runOf("FRAMEWORK=dynamo-vllm", row{src, "source=local_cache_hit dynamo_component=prefill", 600},
			row{src, "source=local_compute dynamo_component=prefill", 400}, row{src, "source=external_kv_transfer dynamo_component=backend", 1000}), "0.3/0.5/0.5/null", ""},
		{"D1 conditional rate", runOf("FRAMEWORK=vllm", row{"vllm:prefix_cache_hits", "", 600}, row{"vllm:prefix_cache_queries", "", 1000},
			row{"vllm:external_prefix_cache_hits", "", 200}, row{"vllm:external_prefix_cache_queries", "", 400}), "0.6/0.5/0.5/null", ""},
		{"D4 storage is dropped", runOf("FRAMEWORK=sglang", row{sglangPrompt, "", 1000}, row{sglangCached, "cache_source=device", 400},
			row{sglangCached, "cache_source=host", 100}, row{sglangCached, "cache_source=storage_x", 200}), "0.4/0.1/0.1/null", ""},
		{"D3 gauge, context servers only", runOf("FRAMEWORK=dynamo-trt DISAGG=true", row{trtllmRate, "disaggregation_mode=context", 0.9},
			row{trtllmRate, "disaggregation_mode=generation", 0}), "0.9/null/null/null", ""},
		{"D3 gauge, no labels", runOf("FRAMEWORK=trtllm DISAGG=true", row{trtllmRate, "", 0.9}, row{trtllmRate, "", 0}), "0.45/null/null/null", "role label"},
		{"above 1 is null", runOf("FRAMEWORK=atom", row{f, "", 100}, row{c, "", 150}, row{l, "", 50}), "null/0.5/0.5/null", "above 1"},
		{"negative passes", runOf("FRAMEWORK=atom", row{f, "", 100}, row{c, "", -50}), "-0.5/null/null/null", ""},
		{"unknown framework", runOf("FRAMEWORK=mine", row{f, "", 100}, row{c, "", 50}), "null/null/null/null", `framework "mine"`},
		{"no CSV", &aiperf.Run{Env: aiperf.Env{"FRAMEWORK": "atom"}, Export: &aiperf.Export{}}, "null/null/null/null", "server_metrics_export.csv"},
	} {
		a, err := app{}.Derive(context.Background(), tt.run)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		var parts []string
		for _, x := range a.Rates.List() {
			if x == nil {
				parts = append(parts, "null")
			} else {
				parts = append(parts, fmt.Sprint(*x))
			}
		}
		if got := strings.Join(parts, "/"); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
		if !strings.Contains(strings.Join(a.Reasons, "\n"), tt.reason) {
			t.Errorf("%s: no reason says %q: %q", tt.name, tt.reason, a.Reasons)
		}
		if a.Eligible != nil || a.Status != "" {
			t.Errorf("%s: the app has no validity record, got %q", tt.name, a.Status)
		}
	}
}

// On a real CSV the app agrees with the published row where the row is right.
func TestAppOnARealRun(t *testing.T) {
	run, err := aiperf.Open(os.DirFS("../../../testdata/real"), "vllm-kimi-k2.7-mi355x-conc16", Selects)
	if err != nil {
		t.Fatal(err)
	}
	a, err := app{}.Derive(context.Background(), run)
	if err != nil {
		t.Fatal(err)
	}
	for i, published := range []aiperf.Value{run.Published.GPU, run.Published.CPU, run.Published.External} {
		want, ok := published.Float()
		if got := a.Rates.List()[i]; !ok || got == nil || *got != want {
			t.Errorf("rate %d: got %v, published %v", i, got, want)
		}
	}
}
