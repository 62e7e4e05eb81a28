package corrected_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pdreplay/pdreplay/replay/adapter"
	"github.com/pdreplay/pdreplay/replay/adapter/dynamo"
	"github.com/pdreplay/pdreplay/replay/adapter/sglang"
	"github.com/pdreplay/pdreplay/replay/adapter/trtllm"
	"github.com/pdreplay/pdreplay/replay/adapter/vllm"
	"github.com/pdreplay/pdreplay/replay/aiperf"
)

const second = int64(1e9)

// A line is one series: ten slices of a tenth of its total over the window
// [100 s, 110 s).
type line struct {
	family   string
	endpoint string
	labels   string // "source=local_cache_hit,engine=0"
	total    float64
	count    float64 // histograms
}

// build is a run of ten successful profiling requests of 100 tokens each,
// with P at p:9 and D at d:9 where the lines name a decode endpoint.
func build(lines ...line) *aiperf.Run {
	e := &aiperf.Export{File: "server_metrics_export.json", Profiling: &aiperf.Range{Start: 100 * second, End: 110 * second}}
	run := &aiperf.Run{Env: aiperf.Env{"DISAGG": "false", "KV_OFFLOADING": "dram", "SRT_AGG_ENDPOINTS": "p:9"}, Export: e}
	for _, l := range lines {
		if l.endpoint == "" {
			l.endpoint = "p:9"
		}
		if l.endpoint == "d:9" {
			run.Env = aiperf.Env{"DISAGG": "true", "KV_OFFLOADING": "dram", "SRT_PREFILL_ENDPOINTS": "p:9", "SRT_DECODE_ENDPOINTS": "d:9"}
		}
		at := slices.Index(e.Names, l.family)
		if at < 0 {
			at = len(e.Names)
			e.Names = append(e.Names, l.family)
			e.Metrics = append(e.Metrics, aiperf.Family{Name: l.family})
		}
		e.Metrics[at].Series = append(e.Metrics[at].Series, l.series())
	}
	none := 0
	run.Records = &aiperf.Records{Accounting: aiperf.Accounting{Total: 10, Profiled: 10, ProfilingErrors: &none}}
	for range 10 {
		run.Records.List = append(run.Records.List, aiperf.Record{Phase: "profiling", PromptTokens: aiperf.NumberValue(100)})
	}
	return run
}

func (l line) series() aiperf.Series {
	s := aiperf.Series{Endpoint: "http://" + l.endpoint + "/metrics", HasSlices: true, At: "/metrics/" + l.family}
	for pair := range strings.SplitSeq(l.labels, ",") {
		if k, v, ok := strings.Cut(pair, "="); ok {
			if s.Labels == nil {
				s.Labels = map[string]string{}
			}
			s.Labels[k] = v
		}
	}
	if l.count == 0 {
		s.Stats.Total = aiperf.NumberValue(l.total)
	} else {
		s.Stats.Sum, s.Stats.Count = aiperf.NumberValue(l.total), aiperf.NumberValue(l.count)
	}
	for i := range int64(10) {
		s.Slices = append(s.Slices, aiperf.Slice{Start: (100 + i) * second, End: (101 + i) * second, Value: aiperf.NumberValue(l.total / 10)})
		if l.count > 0 {
			s.Counts = append(s.Counts, aiperf.NumberValue(l.count/10))
		}
	}
	return s
}

func find(t *testing.T, name string) adapter.Adapter {
	t.Helper()
	for _, a := range slices.Concat(vllm.Adapters(), sglang.Adapters(), trtllm.Adapters(), dynamo.Adapters()) {
		if a.Name() == name {
			return a
		}
	}
	t.Fatalf("no adapter %s", name)
	return nil
}

// show writes an answer as status, ok when eligible, and the four rates.
func show(t *testing.T, name string, run *aiperf.Run) (string, []string) {
	t.Helper()
	a, err := find(t, name).Derive(context.Background(), run)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	text := a.Status
	if a.Eligible != nil && *a.Eligible {
		text += " ok"
	}
	for i, r := range a.Rates.List() {
		text += []string{" ", "/", "/", "/"}[i]
		if r == nil {
			text += "null"
		} else {
			text += fmt.Sprint(*r)
		}
	}
	return text, a.Reasons
}

func source(source, endpoint string, total float64) line {
	return line{family: "vllm:prompt_tokens_by_source", endpoint: endpoint, labels: "source=" + source, total: total}
}

func vllmScope(endpoint string) []line {
	return []line{
		{family: "vllm:prompt_tokens", endpoint: endpoint, total: 1000},
		{family: "vllm:request_success", endpoint: endpoint, labels: "finished_reason=stop", total: 7},
		{family: "vllm:request_success", endpoint: endpoint, labels: "finished_reason=length", total: 3},
		{family: "vllm:request_success", endpoint: endpoint, labels: "finished_reason=abort", total: 0},
	}
}

func sglangScope(endpoint string) []line {
	return []line{
		{family: "sglang:prompt_tokens", endpoint: endpoint, total: 1000},
		{family: "sglang:num_requests", endpoint: endpoint, total: 10},
	}
}

func tier(cacheSource, endpoint string, total float64) line {
	return line{family: "sglang:cached_tokens", endpoint: endpoint, labels: "cache_source=" + cacheSource, total: total}
}

func trtllmScope(endpoint string) []line {
	return []line{
		{family: "trtllm_prompt_tokens", endpoint: endpoint, total: 1000},
		{family: "trtllm_request_success", endpoint: endpoint, labels: "finished_reason=stop", total: 10},
	}
}

const allNull = " null/null/null/null"

// The wants come from accounting.md section 8 (D rows) and engines.md
// ("Correct rate"); where a status is not in a D row, from section 6.
func TestCorrected(t *testing.T) {
	without := func(run *aiperf.Run, family string) *aiperf.Run {
		run.Export.Metrics = slices.DeleteFunc(run.Export.Metrics, func(f aiperf.Family) bool { return f.Name == family })
		run.Export.Names = slices.DeleteFunc(run.Export.Names, func(n string) bool { return n == family })
		return run
	}
	with := func(run *aiperf.Run, key, value string) *aiperf.Run {
		run.Env[key] = value
		return run
	}
	lookups := func(q, h, eq, eh float64) []line {
		return []line{
			{family: "vllm:prefix_cache_queries", total: q}, {family: "vllm:prefix_cache_hits", total: h},
			{family: "vllm:external_prefix_cache_queries", total: eq}, {family: "vllm:external_prefix_cache_hits", total: eh},
		}
	}
	join := func(parts ...[]line) *aiperf.Run { return build(slices.Concat(parts...)...) }
	frontend := func(requests, reported float64) []line {
		return []line{
			{family: "dynamo_frontend_input_sequence_tokens", endpoint: "f:8", total: 1000, count: requests},
			{family: "dynamo_frontend_cached_tokens", endpoint: "f:8", total: 500, count: reported},
		}
	}
	for _, tt := range []struct {
		name    string
		adapter string
		run     *aiperf.Run
		want    string
		reason  string
	}{
		{"D1 external hits over local queries", "vllm", join(vllmScope(""), lookups(1000, 600, 400, 200)),
			"VALID_COMPLETE ok 0.6/0.2/0.2/0.8", ""},
		{"queries counted again", "vllm", join(vllmScope(""), lookups(57000, 600, 400, 200)),
			"COUNTER_MISSING" + allNull, "every lookup counted once"},
		{"queries that a gap may hide", "vllm", func() *aiperf.Run {
			run := join(vllmScope(""), lookups(1000, 600, 400, 200))
			s := &run.Export.Metrics[slices.Index(run.Export.Names, "vllm:prefix_cache_queries")].Series[0]
			s.Slices[0].Start += 1e8
			s.Stats.Total = aiperf.NumberValue(1001)
			return run
		}(), "COUNTER_MISSING" + allNull, "every lookup counted once"},
		{"a gap that hides nothing", "vllm", func() *aiperf.Run {
			run := join(vllmScope(""), lookups(1000, 600, 400, 200))
			run.Export.Metrics[slices.Index(run.Export.Names, "vllm:prefix_cache_queries")].Series[0].Slices[0].Start += 1e8
			return run
		}(), "VALID_COMPLETE ok 0.6/0.2/0.2/0.8", ""},
		{"by source goes before lookups", "vllm", join(vllmScope(""), lookups(57000, 600, 400, 200),
			[]line{source("local_cache_hit", "", 600), source("external_kv_transfer", "", 200), source("local_compute", "", 200)}),
			"VALID_COMPLETE ok 0.6/0.2/0.2/0.8", ""},
		{"D2 decode's transfer is no reuse", "vllm", join(vllmScope("p:9"), vllmScope("d:9"), []line{
			source("local_cache_hit", "p:9", 600), source("external_kv_transfer", "p:9", 0), source("local_compute", "p:9", 400),
			source("external_kv_transfer", "d:9", 1000)}),
			"VALID_COMPLETE ok 0.6/0/0/0.6", ""},
		{"no external counter, a tier declared", "vllm", join(vllmScope(""), []line{source("local_cache_hit", "", 600), source("local_compute", "", 400)}),
			"COUNTER_MISSING" + allNull, "FULL is unknown"},
		{"no external lookups, a tier declared", "vllm", join(vllmScope(""), lookups(1000, 600, 400, 200)[:2]),
			"CPU_UNRESOLVED 0.6/null/null/null", "OFFLOAD"},
		{"no computed tokens", "vllm", join(vllmScope(""), []line{source("local_cache_hit", "", 600), source("external_kv_transfer", "", 200)}),
			"COUNTER_MISSING" + allNull, "FULL is unknown"},
		{"no external counter, none declared", "vllm", with(join(vllmScope(""), []line{source("local_cache_hit", "", 600), source("local_compute", "", 400)}), "KV_OFFLOADING", "none"),
			"VALID_COMPLETE ok 0.6/0/0/0.6", ""},
		{"a data parallel rank more", "vllm", join(vllmScope(""), []line{
			source("local_cache_hit,engine=0", "", 100), source("local_cache_hit,engine=1", "", 500),
			source("external_kv_transfer,engine=0", "", 100), source("external_kv_transfer,engine=1", "", 100),
			source("local_compute,engine=0", "", 200)}),
			"VALID_COMPLETE ok 0.6/0.2/0.2/0.8", ""},
		{"T+1 of a cached prompt is held against prompt_tokens", "vllm", join(vllmScope(""), []line{
			source("local_cache_hit", "", 1000), source("external_kv_transfer", "", 0), source("local_compute", "", 10)}),
			"VALID_COMPLETE ok 0.9901/0/0/0.9901", ""},
		{"no finished requests", "vllm", without(join(vllmScope(""), []line{source("local_cache_hit", "", 600), source("external_kv_transfer", "", 200), source("local_compute", "", 200)}), "vllm:request_success"),
			"REQUEST_SCOPE_UNRESOLVED 0.6/0.2/0.2/0.8", "REQUESTS"},
		{"no prompt_tokens", "vllm", without(join(vllmScope(""), []line{source("local_cache_hit", "", 600), source("external_kv_transfer", "", 200), source("local_compute", "", 200)}), "vllm:prompt_tokens"),
			"REQUEST_SCOPE_UNRESOLVED 0.6/0.2/0.2/0.8", "PROMPT"},
		{"D10 negative hits", "vllm", join(vllmScope(""), []line{source("local_cache_hit", "", -50), source("external_kv_transfer", "", 0), source("local_compute", "", 1050)}),
			"WINDOW_UNRESOLVED" + allNull, "has -5"},
		{"D10 hits above queries", "vllm", join(vllmScope(""), lookups(1000, 1500, 0, 0)),
			"INVALID_COUNTER" + allNull, "CACHED 1500 is above FULL 1000"},
		{"no roles", "vllm", with(with(join(vllmScope(""), lookups(1000, 600, 0, 0)), "SRT_AGG_ENDPOINTS", ""), "DISAGG", ""),
			"ROLES_UNRESOLVED" + allNull, "DISAGG=false"},

		{"D4 storage is external", "sglang", join(sglangScope(""), []line{tier("device", "", 400), tier("host", "", 100), tier("storage_mooncake", "", 200)}),
			"VALID_COMPLETE ok 0.4/0.1/0.3/0.7", ""},
		{"decode repeats prefill", "sglang", join(sglangScope("p:9"), sglangScope("d:9"), []line{
			tier("device", "p:9", 400), tier("device", "d:9", 800)}),
			"VALID_COMPLETE ok 0.4/null/null/0.4", ""},
		{"no tier was born", "sglang", join(sglangScope("")),
			"VALID_COMPLETE ok null/null/null/0", ""},
		{"a tier born on one of two endpoints", "sglang", with(join(sglangScope("p:9"), []line{
			{family: "sglang:prompt_tokens", endpoint: "q:9", total: 0}, {family: "sglang:num_requests", endpoint: "q:9", total: 0},
			tier("device", "p:9", 400), tier("host", "q:9", 100)}), "SRT_AGG_ENDPOINTS", "p:9,q:9"),
			"VALID_COMPLETE ok 0.4/0.1/0.1/0.5", ""},
		{"hits of no known tier", "sglang", join(sglangScope(""), []line{tier("total", "", 400)}),
			"CPU_UNRESOLVED null/null/null/0.4", "no known tier"},
		{"tensor parallel replicas count once", "sglang", join([]line{
			{family: "sglang:prompt_tokens", labels: "tp_rank=0", total: 1000}, {family: "sglang:prompt_tokens", labels: "tp_rank=1", total: 1000},
			{family: "sglang:num_requests", labels: "tp_rank=0", total: 10}, {family: "sglang:num_requests", labels: "tp_rank=1", total: 10},
			tier("device,tp_rank=0", "", 400), tier("device,tp_rank=1", "", 400)}),
			"VALID_COMPLETE ok 0.4/null/null/0.4", ""},
		{"data parallel ranks are added", "sglang", join([]line{
			{family: "sglang:prompt_tokens", labels: "tp_rank=0,dp_rank=0", total: 500}, {family: "sglang:prompt_tokens", labels: "tp_rank=1,dp_rank=1", total: 500},
			{family: "sglang:num_requests", labels: "tp_rank=0,dp_rank=0", total: 5}, {family: "sglang:num_requests", labels: "tp_rank=1,dp_rank=1", total: 5},
			tier("device,tp_rank=0,dp_rank=0", "", 100), tier("device,tp_rank=1,dp_rank=1", "", 300)}),
			"VALID_COMPLETE ok 0.4/null/null/0.4", ""},
		{"two spellings", "sglang", join(sglangScope(""), []line{{family: "sglang_prompt_tokens", total: 1000}, tier("device", "", 400)}),
			"INVALID_COUNTER" + allNull, "sglang_prompt_tokens"},
		{"the normalised spelling alone", "sglang", join([]line{{family: "sglang_prompt_tokens_total", total: 1000}, {family: "sglang_num_requests_total", total: 10},
			{family: "sglang_cached_tokens_total", labels: "cache_source=device", total: 400}}),
			"VALID_COMPLETE ok 0.4/null/null/0.4", ""},
		{"the gauge is not used", "sglang", without(join(sglangScope(""), []line{tier("device", "", 400), {family: "sglang:cache_hit_rate", total: 0.9}}), "sglang:prompt_tokens"),
			"COUNTER_MISSING" + allNull, "FULL is unknown"},
		{"D8 the framework does not decide", "sglang", with(join(sglangScope(""), []line{tier("device", "", 400)}), "FRAMEWORK", "dynamo-sglang"),
			"VALID_COMPLETE ok 0.4/null/null/0.4", ""},
		{"another engine's run", "sglang", join(vllmScope(""), lookups(1000, 600, 0, 0)),
			"COUNTER_MISSING" + allNull, "vllm"},

		{"D3 context servers, token-weighted", "trtllm", join(trtllmScope("p:9"), []line{
			{family: "trtllm_prompt_cached_tokens", endpoint: "p:9", total: 900}, {family: "trtllm_prompt_cached_tokens", endpoint: "d:9", total: 0},
			{family: "trtllm_prompt_tokens", endpoint: "d:9", total: 1000},
			{family: "trtllm_kv_cache_hit_rate", endpoint: "p:9", total: 0.9}, {family: "trtllm_kv_cache_hit_rate", endpoint: "d:9", total: 0}}),
			"INTERVAL_TELEMETRY null/null/null/0.9", "cannot be priced"},
		{"levels are tiers and no part of overall", "trtllm", join(trtllmScope(""), []line{
			{family: "trtllm_prompt_cached_tokens", total: 700},
			{family: "trtllm_prompt_cache_hit_tokens", labels: "cache_tier=gpu,cache_level=0", total: 300}, {family: "trtllm_prompt_cache_hit_tokens", labels: "cache_tier=gpu,cache_level=1", total: 100},
			{family: "trtllm_prompt_cache_hit_tokens", labels: "cache_tier=host,cache_level=2", total: 100}, {family: "trtllm_prompt_cache_hit_tokens", labels: "cache_tier=disk,cache_level=3", total: 50}}),
			"INTERVAL_TELEMETRY 0.4/0.1/0.15/0.7", ""},
		{"the tiers of external are within FULL together", "trtllm", join(trtllmScope(""), []line{
			{family: "trtllm_prompt_cached_tokens", total: 700},
			{family: "trtllm_prompt_cache_hit_tokens", labels: "cache_tier=host,cache_level=2", total: 600}, {family: "trtllm_prompt_cache_hit_tokens", labels: "cache_tier=disk,cache_level=3", total: 500}}),
			"INVALID_COUNTER" + allNull, "HOST + DISK"},
		{"never born is 0 in overall", "trtllm", join(trtllmScope("")), "INTERVAL_TELEMETRY null/null/null/0", ""},
		{"blocks are no tokens", "trtllm", join([]line{{family: "trtllm_kv_cache_reused_blocks", total: 9}, {family: "trtllm_kv_cache_missed_blocks", total: 1}}),
			"COUNTER_MISSING" + allNull, "FULL is unknown"},

		{"D7 the front end alone", "dynamo", join(frontend(10, 10)), "CPU_UNRESOLVED null/null/null/0.5", "no tiers"},
		{"not all requests reported", "dynamo", join(frontend(20, 10)), "COUNTER_MISSING" + allNull, "10 of 20"},
		{"no cached tokens", "dynamo", join(frontend(10, 10)[:1]), "COUNTER_MISSING" + allNull, "CACHED is unknown"},
		{"no roles needed", "dynamo", with(with(join(frontend(10, 10)), "SRT_AGG_ENDPOINTS", ""), "DISAGG", "true"), "CPU_UNRESOLVED null/null/null/0.5", ""},
		{"workers go before the front end", "dynamo", join(frontend(10, 10), vllmScope("")), "COUNTER_MISSING" + allNull, "vllm"},
	} {
		t.Run(tt.adapter+" "+tt.name, func(t *testing.T) {
			got, reasons := show(t, tt.adapter+"@corrected", tt.run)
			if got != tt.want {
				t.Errorf("got  %s\nwant %s\nreasons %q", got, tt.want, reasons)
			}
			if !strings.Contains(strings.Join(reasons, "\n"), tt.reason) {
				t.Errorf("no reason says %q: %q", tt.reason, reasons)
			}
		})
	}
}

// One contract: the same fault of the same shape refuses every engine alike,
// as it does atom@review (accounting.md section 6).
func TestOneContract(t *testing.T) {
	runs := map[string]func() *aiperf.Run{
		"vllm": func() *aiperf.Run {
			return build(append(vllmScope(""), source("local_cache_hit", "", 600), source("external_kv_transfer", "", 200), source("local_compute", "", 200))...)
		},
		"sglang": func() *aiperf.Run {
			return build(append(sglangScope(""), tier("device", "", 600), tier("host", "", 200))...)
		},
	}
	full := map[string]string{"vllm": "vllm:prompt_tokens_by_source", "sglang": "sglang:prompt_tokens"}
	cached := map[string]string{"vllm": "vllm:prompt_tokens_by_source", "sglang": "sglang:cached_tokens"}
	first := func(run *aiperf.Run, family string) *aiperf.Series {
		return &run.Export.Metrics[slices.Index(run.Export.Names, family)].Series[0]
	}
	const good, shown = "VALID_COMPLETE ok 0.6/0.2/0.2/0.8", " 0.6/0.2/0.2/0.8"
	for engine, run := range runs {
		for _, tt := range []struct {
			name   string
			change func(*aiperf.Run)
			want   string
		}{
			{"clean", func(*aiperf.Run) {}, good},
			{"no window", func(r *aiperf.Run) { r.Export.Profiling = nil }, "WINDOW_UNRESOLVED" + allNull},
			{"leading gap, conserved", func(r *aiperf.Run) { first(r, cached[engine]).Slices[0].Start += 1e8 }, good},
			{"leading gap, not conserved", func(r *aiperf.Run) {
				first(r, cached[engine]).Slices[0].Start += 1e8
				r.Records.List = r.Records.List[:9]
			}, "WINDOW_UNRESOLVED" + shown},
			{"interior gap", func(r *aiperf.Run) { first(r, full[engine]).Slices[4].End-- }, "WINDOW_UNRESOLVED" + allNull},
			{"trailing gap", func(r *aiperf.Run) { first(r, cached[engine]).Slices[9].End-- }, "WINDOW_UNRESOLVED" + allNull},
			{"unproven straddler", func(r *aiperf.Run) {
				s := first(r, cached[engine])
				s.Slices = append([]aiperf.Slice{{Start: 90 * second, End: 100*second + 1, Value: aiperf.NumberValue(5)}}, s.Slices...)
				s.Slices[1].Start++
			}, "WINDOW_UNRESOLVED" + shown},
			{"proven straddler", func(r *aiperf.Run) {
				s := first(r, cached[engine])
				s.Slices = append([]aiperf.Slice{{Start: 90 * second, End: 100*second + 1, Value: aiperf.NumberValue(5)}}, s.Slices...)
				s.Slices[1].Start++
				r.Export.WarmupMetrics = []aiperf.Family{{Name: cached[engine], Series: []aiperf.Series{{
					Endpoint: s.Endpoint, Labels: s.Labels, Stats: aiperf.Stats{Total: aiperf.NumberValue(5)},
				}}}}
			}, good},
			{"one request more", func(r *aiperf.Run) { r.Records.List = r.Records.List[:9] }, "REQUEST_SCOPE_UNRESOLVED" + shown},
			{"a profiling error", func(r *aiperf.Run) { *r.Records.Accounting.ProfilingErrors = 1 }, "REQUEST_SCOPE_UNRESOLVED" + shown},
			{"a cancelled request", func(r *aiperf.Run) { r.Records.List[0].Cancelled = true }, "REQUEST_SCOPE_UNRESOLVED" + shown},
			{"no records", func(r *aiperf.Run) { r.Records = nil }, "REQUEST_SCOPE_UNRESOLVED" + shown},
			{"no metrics", func(r *aiperf.Run) { r.Export = nil }, "COUNTER_MISSING" + allNull},
			{"a listed endpoint is missing", func(r *aiperf.Run) { r.Env["SRT_AGG_ENDPOINTS"] = "p:9,q:9" }, "COUNTER_MISSING" + allNull},
		} {
			t.Run(engine+" "+tt.name, func(t *testing.T) {
				r := run()
				tt.change(r)
				if got, reasons := show(t, engine+"@corrected", r); got != tt.want {
					t.Errorf("got  %s\nwant %s\nreasons %q", got, tt.want, reasons)
				}
			})
		}
	}
}
