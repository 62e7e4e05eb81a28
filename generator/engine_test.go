package generator

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// counted adds up what an engine emits, by the counter's short name.
func counted(e engine, emit func(emitter)) map[string]int64 {
	defs, sums := e.counters(), map[string]int64{}
	emit(func(_ int64, c int, n int64) {
		name := defs[c].name[strings.IndexByte(defs[c].name, ':')+1:]
		for _, l := range defs[c].labels {
			name += "/" + l.Value
		}
		sums[name] += n
	})
	maps.DeleteFunc(sums, func(_ string, n int64) bool { return n == 0 })
	return sums
}

func show(m map[string]int64) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(m)) {
		parts = append(parts, fmt.Sprintf("%s %d", name, m[name]))
	}
	return strings.Join(parts, ", ")
}

// The rows of engines.md, "Per-request emission rules", for a prompt of T = 100
// with g = 60, c = 20 (vLLM: c + s = 25) and n = 7 generated tokens.
func TestEmissionRules(t *testing.T) {
	base := request{start: 1e9, admit: 2e9, first: 3e9, end: 5e9, prompt: 100, gpu: 60, cpu: 20, output: 7, outcome: OK}
	with := func(change func(*request)) request {
		r := base
		change(&r)
		return r
	}
	stored := with(func(r *request) { r.store = 5 })
	cachedWhole := with(func(r *request) { r.gpu = 80 })
	preempted := with(func(r *request) { r.preempted = 3 })
	aborted := with(func(r *request) { r.outcome, r.end = Cancelled, r.first })
	genA, genB := atom{genA: true, lmcache: true}, atom{lmcache: true}
	era1, era2 := vllm{era1: true, connector: true}, vllm{connector: true}
	prefill := func(r request, pd bool) func(engine) map[string]int64 {
		return func(e engine) map[string]int64 { return counted(e, func(emit emitter) { e.prefill(&r, pd, emit) }) }
	}
	decode := func(r request) func(engine) map[string]int64 {
		return func(e engine) map[string]int64 { return counted(e, func(emit emitter) { e.decode(&r, emit) }) }
	}
	for _, tt := range []struct {
		name string
		e    engine
		do   func(engine) map[string]int64
		want string
	}{
		{"ATOM A unified", genA, prefill(base, false), "generation_tokens 7, lmcache_loaded_tokens 20, prefix_cache_cached_tokens 80, prefix_cache_full_tokens 100, prefix_cache_requests 1, prompt_tokens 100, requests_finished 1"},
		{"ATOM B unified", genB, prefill(base, false), "generation_tokens 7, lmcache_loaded_tokens 20, prefix_cache_cached_tokens 60, prefix_cache_full_tokens 100, prefix_cache_offload_tokens 20, prefix_cache_requests 1, prompt_tokens 100, requests_finished 1"},
		{"ATOM B prefill", genB, prefill(base, true), "generation_tokens 1, lmcache_loaded_tokens 20, prefix_cache_cached_tokens 60, prefix_cache_full_tokens 100, prefix_cache_offload_tokens 20, prefix_cache_requests 1, prompt_tokens 100, requests_finished 1"},
		{"ATOM A decode", genA, decode(base), "generation_tokens 7, prompt_tokens 100, requests_finished 1"},
		{"ATOM B decode", genB, decode(base), "generation_tokens 7, prefix_cache_full_tokens 100, prefix_cache_requests 1, prompt_tokens 100, requests_finished 1"},
		{"ATOM B decode with its own prefix", genB, decode(with(func(r *request) { r.local = 40 })), "generation_tokens 7, prefix_cache_cached_tokens 40, prefix_cache_full_tokens 100, prefix_cache_requests 1, prompt_tokens 100, requests_finished 1"},
		{"ATOM A decode after a failed transfer", genA, decode(with(func(r *request) { r.loadFail = true })), "generation_tokens 7, prefix_cache_full_tokens 100, prefix_cache_requests 1, prompt_tokens 100, requests_finished 1"},
		{"ATOM B preempted", genB, prefill(preempted, false), "generation_tokens 7, lmcache_loaded_tokens 20, preemptions 1, prefix_cache_cached_tokens 160, prefix_cache_full_tokens 203, prefix_cache_offload_tokens 20, prefix_cache_requests 2, prompt_tokens 100, requests_finished 1"},
		{"ATOM A hand-off", genA, prefill(with(func(r *request) { r.handoff = 90 }), false), "generation_tokens 7, lmcache_loaded_tokens 20, prefix_cache_cached_tokens 170, prefix_cache_full_tokens 200, prefix_cache_requests 2, prompt_tokens 100, requests_finished 1"},

		{"vLLM unified", era2, prefill(stored, false), "external_prefix_cache_hits 25, external_prefix_cache_queries 40, generation_tokens 7, prefix_cache_hits 60, prefix_cache_queries 100, prompt_tokens 100, prompt_tokens_by_source/external_kv_transfer 25, prompt_tokens_by_source/local_cache_hit 60, prompt_tokens_by_source/local_compute 15, prompt_tokens_cached 85, request_success/stop 1"},
		{"vLLM without a connector", vllm{}, prefill(with(func(r *request) { r.cpu = 0 }), false), "generation_tokens 7, prefix_cache_hits 60, prefix_cache_queries 100, prompt_tokens 100, prompt_tokens_by_source/local_cache_hit 60, prompt_tokens_by_source/local_compute 40, prompt_tokens_cached 60, request_success/stop 1"},
		{"vLLM prefill", era2, prefill(stored, true), "external_prefix_cache_hits 25, external_prefix_cache_queries 40, generation_tokens 1, prefix_cache_hits 60, prefix_cache_queries 100, prompt_tokens 100, prompt_tokens_by_source/external_kv_transfer 25, prompt_tokens_by_source/local_cache_hit 60, prompt_tokens_by_source/local_compute 15, prompt_tokens_cached 85, request_success/length 1"},
		{"vLLM era 2 decode", era2, decode(base), "external_prefix_cache_hits 100, external_prefix_cache_queries 100, generation_tokens 7, prefix_cache_queries 100, prompt_tokens 100, prompt_tokens_by_source/external_kv_transfer 100, prompt_tokens_cached 100, request_success/stop 1"},
		{"vLLM era 1 decode", era1, decode(base), "external_prefix_cache_hits 100, external_prefix_cache_queries 100, generation_tokens 7, prefix_cache_queries 100, prompt_tokens 100, prompt_tokens_by_source/external_kv_transfer 100, prompt_tokens_by_source/local_compute 1, prompt_tokens_cached 99, prompt_tokens_recomputed 1, request_success/stop 1"},
		{"vLLM era 2 decode with its own prefix", era2, decode(with(func(r *request) { r.local = 30 })), "external_prefix_cache_hits 70, external_prefix_cache_queries 70, generation_tokens 7, prefix_cache_hits 30, prefix_cache_queries 100, prompt_tokens 100, prompt_tokens_by_source/external_kv_transfer 70, prompt_tokens_by_source/local_cache_hit 30, prompt_tokens_cached 100, request_success/stop 1"},
		{"vLLM era 1, all cached", era1, prefill(cachedWhole, false), "external_prefix_cache_hits 20, external_prefix_cache_queries 20, generation_tokens 7, prefix_cache_hits 80, prefix_cache_queries 100, prompt_tokens 100, prompt_tokens_by_source/external_kv_transfer 20, prompt_tokens_by_source/local_cache_hit 80, prompt_tokens_by_source/local_compute 1, prompt_tokens_cached 99, prompt_tokens_recomputed 1, request_success/stop 1"},
		{"vLLM preempted", era2, prefill(preempted, false), "external_prefix_cache_hits 20, external_prefix_cache_queries 40, generation_tokens 7, num_preemptions 1, prefix_cache_hits 60, prefix_cache_queries 100, prompt_tokens 100, prompt_tokens_by_source/external_kv_transfer 20, prompt_tokens_by_source/local_cache_hit 60, prompt_tokens_by_source/local_compute 20, prompt_tokens_cached 80, request_success/stop 1"},
		{"vLLM retried", era2, prefill(with(func(r *request) { r.attempts = 2 }), false), "external_prefix_cache_hits 20, external_prefix_cache_queries 40, generation_tokens 7, prefix_cache_hits 180, prefix_cache_queries 300, prompt_tokens 100, prompt_tokens_by_source/external_kv_transfer 20, prompt_tokens_by_source/local_cache_hit 60, prompt_tokens_by_source/local_compute 20, prompt_tokens_cached 80, request_success/stop 1"},
		{"vLLM aborted in prefill", era2, prefill(aborted, false), "external_prefix_cache_hits 20, external_prefix_cache_queries 40, prefix_cache_hits 60, prefix_cache_queries 100, request_success/abort 1"},
		{"vLLM before #30522", vllm{connector: true, unconditional: true}, prefill(aborted, false), "external_prefix_cache_hits 20, external_prefix_cache_queries 100, prefix_cache_hits 60, prefix_cache_queries 100, request_success/abort 1"},
		{"vLLM before #28585", vllm{connector: true, double: true}, prefill(aborted, false), "external_prefix_cache_hits 20, external_prefix_cache_queries 80, prefix_cache_hits 60, prefix_cache_queries 100, request_success/abort 1"},
	} {
		if got := show(tt.do(tt.e)); got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

// When each counter of one request moves: FULL and the hits of ATOM at the
// admission, vLLM's sources by the first token, the finish counters at the end.
func TestWhenCountersMove(t *testing.T) {
	r := request{start: 1e9, admit: 2e9, first: 3e9, end: 5e9, prompt: 100, gpu: 60, output: 7, outcome: OK}
	at := func(e engine, counter int) (times []int64) {
		e.prefill(&r, false, func(at int64, c int, n int64) {
			if c == counter && n > 0 {
				times = append(times, at)
			}
		})
		return times
	}
	for _, tt := range []struct {
		name    string
		e       engine
		counter int
		want    int64
	}{
		{"FULL", atom{}, atomFull, r.admit}, {"CACHED", atom{}, atomCached, r.admit}, {"REQUESTS", atom{}, atomRequests, r.admit},
		{"prompt_tokens of ATOM", atom{}, atomPrompt, r.end}, {"queries", vllm{}, vllmQueries, r.admit},
		{"local_compute", vllm{}, vllmCompute, r.first - ms}, {"prompt_tokens of vLLM", vllm{}, vllmPrompt, r.first - ms}, {"success", vllm{}, vllmStop, r.end},
	} {
		if got := at(tt.e, tt.counter); !slices.Equal(got, []int64{tt.want}) {
			t.Errorf("%s moves at %v, want %d", tt.name, got, tt.want)
		}
	}
}

// A rank that refreshes shows the state of its last tick; generation A
// refreshes twice (export.md 3, item 10).
func TestRefresh(t *testing.T) {
	for _, tt := range []struct {
		r       [2]refresh
		at, see int64
	}{
		{[2]refresh{}, 17, 17},
		{[2]refresh{{period: 5}}, 17, 15},
		{[2]refresh{{period: 5, offset: 3}}, 17, 13},
		{[2]refresh{{period: 5, offset: 3}}, 2, -2},
		{[2]refresh{{period: 5}, {period: 5, offset: 1}}, 17, 11}, // the API saw the rank's state at 15, which was pushed at 11
	} {
		if got := (&unit{refresh: tt.r}).shown(tt.at); got != tt.see {
			t.Errorf("%v at %d shows %d, want %d", tt.r, tt.at, got, tt.see)
		}
	}
}
