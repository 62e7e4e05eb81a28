package generator

import (
	"encoding/json"
	"math"
	"slices"
	"testing"
)

// An exported is what the tests read of an export.
type exported struct {
	Metrics map[string]struct {
		Type   string
		Series []struct {
			Endpoint string `json:"endpoint_url"`
			Labels   map[string]string
			Stats    map[string]float64
		}
	}
}

func exportOf(t *testing.T, out *Output) exported {
	t.Helper()
	var doc exported
	if err := json.Unmarshal(out.file("aiperf_artifacts/server_metrics_export.json"), &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

// sum adds up a statistic of a family's series that have the label.
func (e exported) sum(family, stat, label, value string) float64 {
	total := 0.0
	for _, s := range e.Metrics[family].Series {
		if label == "" || s.Labels[label] == value {
			total += s.Stats[stat]
		}
	}
	return total
}

func deep(engine, topology, version string) Spec {
	s := demo(engine, topology, version)
	s.Profiling.Store = Dist{200, 800}
	return s
}

// engines.md, "The naive reading": a decode worker of SGLang repeats prompt and
// hits, so that the sums are doubled and the ratio stays.
func TestSGLangRoles(t *testing.T) {
	for _, version := range []string{V1012, Upstream} {
		for topology, factor := range map[string]float64{"unified": 1, "unified:2": 1, "1p1d": 2, "2p3d": 2} {
			t.Run(version+"/"+topology, func(t *testing.T) {
				out := generate(t, deep(SGLANG, topology, version))
				doc, tr := exportOf(t, out), out.Truth
				if tr.GPU == 0 || tr.CPU == 0 || tr.Store == 0 {
					t.Fatal("the run has no hits in every tier")
				}
				for _, want := range []struct {
					family, label, value string
					n                    int64
				}{
					{"sglang:prompt_tokens", "", "", tr.Tokens}, {"sglang:num_requests", "", "", tr.Requests},
					{"sglang:cached_tokens", "cache_source", "device", tr.GPU},
					{"sglang:cached_tokens", "cache_source", "host", tr.CPU},
					{"sglang:cached_tokens", "cache_source", "storage_mooncake", tr.Store},
				} {
					if got := doc.sum(want.family, "total", want.label, want.value); got != factor*float64(want.n) {
						t.Errorf("%s %s is %v, want %v", want.family, want.value, got, factor*float64(want.n))
					}
				}
				// The schedulers count each prompt where its prefill ran, and only there.
				for mode, want := range map[string]int64{"prefill_cache": tr.GPU + tr.CPU + tr.Store, "prefill_compute": tr.Tokens - tr.GPU - tr.CPU - tr.Store} {
					if got := doc.sum("sglang:realtime_tokens", "total", "mode", mode); got != float64(want) {
						t.Errorf("realtime %s is %v, want %v", mode, got, want)
					}
				}
			})
		}
	}
}

// The tokenizer counts for all ranks, the schedulers each for itself; replicas
// of a rank repeat its values.
func TestSGLangRanks(t *testing.T) {
	s := deep(SGLANG, "unified", Upstream)
	s.Ranks = 2
	doc := exportOf(t, generate(t, s))
	if n := len(doc.Metrics["sglang:prompt_tokens"].Series); n != 1 {
		t.Errorf("%d series of prompt_tokens, want 1", n)
	}
	ranks := doc.Metrics["sglang:cache_hit_rate"].Series
	if len(ranks) != 2 || ranks[1].Labels["tp_rank"] != "1" || ranks[1].Labels["dp_rank"] != "1" {
		t.Errorf("scheduler series %+v, want two that tell dp_rank and tp_rank", ranks)
	}
	s.Ranks, s.Faults = 1, []Fault{{Slug: "replica-ranks"}}
	doc = exportOf(t, generate(t, s))
	ranks = doc.Metrics["sglang:cache_hit_rate"].Series
	if len(ranks) != 4 || ranks[3].Labels["tp_rank"] != "3" || ranks[3].Labels["dp_rank"] != "" || ranks[3].Stats["avg"] != ranks[0].Stats["avg"] {
		t.Errorf("replicas %+v, want four equal ones without dp_rank", ranks)
	}
}

// A tier that is not declared is never born (rule 10), and a fresh server loses
// the first value of every series.
func TestLazySeries(t *testing.T) {
	s := demo(SGLANG, "unified", Upstream)
	s.Offload, s.Profiling.CPU = false, nil
	out := generate(t, s)
	sources := exportOf(t, out).Metrics["sglang:cached_tokens"].Series
	if len(sources) != 1 || sources[0].Labels["cache_source"] != "device" {
		t.Errorf("sources %+v, want device alone", sources)
	}
	s.Warmup, s.Faults = nil, []Fault{{Slug: "late-series"}}
	late := generate(t, s)
	if got, want := exportOf(t, late).sum("sglang:num_requests", "total", "", ""), float64(late.Truth.Requests)-1; got != want {
		t.Errorf("a fresh server shows %v requests, want %v: the first one is lost", got, want)
	}
}

// engines.md, "The naive reading": a generation server has every prompt cached,
// so that the sums read (T+g)/2T, and its gauge is 0.
func TestTRTLLMRoles(t *testing.T) {
	out := generate(t, deep(TRTLLM, "1p3d", Upstream))
	doc, tr := exportOf(t, out), out.Truth
	hits := float64(tr.GPU + tr.CPU + tr.Store)
	if got := doc.sum("trtllm_prompt_cached_tokens", "total", "", ""); got != hits+float64(tr.Tokens) {
		t.Errorf("prompt_cached is %v, want %v", got, hits+float64(tr.Tokens))
	}
	for tier, want := range map[string]int64{"gpu": tr.GPU, "host": tr.CPU, "disk": tr.Store} {
		if got := doc.sum("trtllm_prompt_cache_hit_tokens", "total", "cache_tier", tier); got != float64(want) {
			t.Errorf("tier %s is %v, want %v", tier, got, want)
		}
	}
	gauges := doc.Metrics["trtllm_kv_cache_hit_rate"]
	if gauges.Type != "gauge" || len(gauges.Series) != 4 {
		t.Fatalf("%s with %d series, want a gauge of four servers", gauges.Type, len(gauges.Series))
	}
	for _, g := range gauges.Series {
		context := g.Endpoint == "http://p0:8000/metrics"
		if (g.Stats["max"] > 0) != context {
			t.Errorf("the gauge of %s runs to %v", g.Endpoint, g.Stats["max"])
		}
	}
}

// A Dynamo front end counts each client request once, whatever stands behind
// it.
func TestDynamoCountsOnce(t *testing.T) {
	for _, engine := range []string{DYNAMO, VLLM, SGLANG, TRTLLM} {
		for _, version := range []string{V1012, V1011, Upstream} {
			s := deep(engine, "2p3d", version)
			s.Dynamo = engine != DYNAMO
			out := generate(t, s)
			doc, tr := exportOf(t, out), out.Truth
			in, cached := doc.Metrics["dynamo_frontend_input_sequence_tokens"], doc.Metrics["dynamo_frontend_cached_tokens"]
			if in.Type != "histogram" || len(in.Series) != 1 || len(cached.Series) != 1 {
				t.Fatalf("%s: %s with %d series, want one histogram", engine, in.Type, len(in.Series))
			}
			want := []float64{float64(tr.Tokens), float64(tr.Requests), float64(tr.GPU + tr.CPU + tr.Store), float64(tr.Requests)}
			if version == V1011 { // the first slice, and so the total, holds the warmup
				want[0], want[1], want[3] = in.Series[0].Stats["sum"], want[1]+4, want[3]+4
			}
			got := []float64{in.Series[0].Stats["sum"], in.Series[0].Stats["count"], cached.Series[0].Stats["sum"], cached.Series[0].Stats["count"]}
			if !slices.Equal(got, want) {
				t.Errorf("%s %s: the front end shows %v, want %v", engine, version, got, want)
			}
			if engine == DYNAMO {
				if len(doc.Metrics) != 4 {
					t.Errorf("%d families, want the front end's four", len(doc.Metrics))
				}
				continue
			}
			for name, f := range doc.Metrics {
				for _, s := range f.Series {
					if s.Endpoint != "http://frontend:8000/metrics" && s.Labels["dynamo_component"] != map[byte]string{'p': "prefill", 'd': "decode"}[s.Endpoint[len("http://")]] {
						t.Errorf("%s at %s has the component %q", name, s.Endpoint, s.Labels["dynamo_component"])
					}
				}
			}
		}
	}
}

// The gauge of SGLang ends at 0, because decode logs set it to 0 after every
// prefill batch: no statistic of it is the hit rate.
func TestSGLangGaugeIsZeroed(t *testing.T) {
	out := generate(t, demo(SGLANG, "unified", Upstream))
	g := exportOf(t, out).Metrics["sglang:cache_hit_rate"].Series[0].Stats
	rates, _ := out.Truth.Rates()
	if g["min"] != 0 || g["max"] <= 0 || math.Abs(g["avg"]-rates[3]) < 0.05 {
		t.Errorf("the gauge is %v, the rate %v", g, rates[3])
	}
}

// AIPerf writes no server metrics at all when no endpoint had a series
// (export.md section 1): of fresh servers that serve nothing nothing is born.
func TestNothingBorn(t *testing.T) {
	s := demo(DYNAMO, "unified", Upstream)
	s.Warmup, s.Faults = nil, []Fault{{Slug: "late-series"}, {Slug: "zero-denominator"}}
	s.Faults = append(s.Faults, Fault{Slug: "stale-snapshot", Size: 600_000})
	for _, f := range generate(t, s).Files {
		if f.Path == "aiperf_artifacts/server_metrics_export.csv" || f.Path == "aiperf_artifacts/server_metrics_export.json" {
			t.Errorf("%s was written: %s", f.Path, f.Data)
		}
	}
}
