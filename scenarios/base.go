package scenarios

import "slices"

// The window of every base run, and its admissions: one a second, of 100
// prompt tokens each (accounting-matrix.md).
const (
	second      = int64(1e9)
	windowStart = 100 * second
	windowEnd   = 110 * second
	admissions  = 10
)

// bases are the runs a scenario can begin with.
func bases() map[string]func() *run {
	return map[string]func() *run{
		"base": atomUnified, "pd": atomPD, "vllm": vllmUnified, "vllm-pd": vllmPD, "files": handWritten,
		"sglang": sglangUnified, "sglang-pd": sglangPD, "trtllm": trtllmUnified, "trtllm-pd": trtllmPD, "dynamo": dynamoFrontEnd,
	}
}

// atomUnified: per admission 60 tokens from HBM, 20 from the CPU tier; LOADED
// 35 is transfer volume and differs from both on purpose.
func atomUnified() *run {
	r := newRun("atom", "false")
	r.setEnv("SRT_AGG_ENDPOINTS", "p:9")
	r.count("p:9", "atom:lmcache_loaded_tokens", 35)
	r.count("p:9", "atom:prefix_cache_cached_tokens", 60)
	r.count("p:9", "atom:prefix_cache_full_tokens", 100)
	r.count("p:9", "atom:prefix_cache_offload_tokens", 20)
	r.count("p:9", "atom:prefix_cache_requests", 1)
	return r
}

// atomPD adds a decode worker of generation B: it counts every prompt again,
// with no hit (engines.md, "What each role counts").
func atomPD() *run {
	r := atomUnified()
	r.asPD()
	r.count("d:9", "atom:prefix_cache_cached_tokens", 0)
	r.count("d:9", "atom:prefix_cache_full_tokens", 100)
	r.count("d:9", "atom:prefix_cache_offload_tokens", 0)
	r.count("d:9", "atom:prefix_cache_requests", 1)
	return r
}

// vllmUnified tells the same story twice: by source (60 local, 20 external, 20
// computed) and by lookups (queries 100, hits 60; of the 40 missed, 20 external).
func vllmUnified() *run {
	r := newRun("vllm", "false")
	r.setEnv("SRT_AGG_ENDPOINTS", "p:9")
	r.countVLLM("p:9", 60, 20, 20)
	return r
}

// vllmPD adds a decode worker: all of a prompt comes over from prefill and
// lands in the external bucket (engines.md, vLLM era 2).
func vllmPD() *run {
	r := vllmUnified()
	r.asPD()
	r.countVLLM("d:9", 0, 100, 0)
	return r
}

// sglangUnified: per request 60 tokens from the device and 20 from the host.
func sglangUnified() *run {
	r := newRun("sglang", "false")
	r.setEnv("SRT_AGG_ENDPOINTS", "p:9")
	r.countSGLang("p:9", "unified")
	return r
}

// sglangPD adds a decode worker, which repeats what its prefill worker counted
// (engines.md, SGLang).
func sglangPD() *run {
	r := newRun("sglang", "false")
	r.asPD()
	r.countSGLang("p:9", "prefill")
	r.countSGLang("d:9", "decode")
	return r
}

func (r *run) countSGLang(hostPort, role string) {
	labels := func(more ...pair) []pair {
		return sortedLabels(append([]pair{{"engine_type", role}, {"model_name", "m"}}, more...))
	}
	r.count(hostPort, "sglang:cached_tokens", 60, labels(pair{"cache_source", "device"})...)
	r.count(hostPort, "sglang:cached_tokens", 20, labels(pair{"cache_source", "host"})...)
	r.count(hostPort, "sglang:num_requests", 1, labels()...)
	r.count(hostPort, "sglang:prompt_tokens", 100, labels()...)
}

// trtllmUnified: per request 80 tokens cached, 60 of them on the GPU and 20 on
// the host; the gauge agrees.
func trtllmUnified() *run {
	r := newRun("trtllm", "false")
	r.setEnv("SRT_AGG_ENDPOINTS", "p:9")
	r.countTRTLLM("p:9", 80, "0.8")
	return r
}

// trtllmPD adds a generation server: every prompt is cached there, and the
// gauge is 0 because it does not reuse blocks (engines.md, TensorRT-LLM).
func trtllmPD() *run {
	r := trtllmUnified()
	r.asPD()
	r.countTRTLLM("d:9", 100, "0.0")
	return r
}

func (r *run) countTRTLLM(hostPort string, cached float64, gauge string) {
	labels := func(more ...pair) []pair {
		return sortedLabels(append([]pair{{"engine_type", "trtllm"}, {"model_name", "m"}}, more...))
	}
	r.gauge(hostPort, "trtllm_kv_cache_hit_rate", labels(), pair{"avg", gauge}, pair{"max", gauge})
	if cached < 100 {
		r.count(hostPort, "trtllm_prompt_cache_hit_tokens", 60, labels(pair{"cache_level", "0"}, pair{"cache_tier", "gpu"})...)
		r.count(hostPort, "trtllm_prompt_cache_hit_tokens", 20, labels(pair{"cache_level", "1"}, pair{"cache_tier", "host"})...)
	}
	r.count(hostPort, "trtllm_prompt_cached_tokens", cached, labels()...)
	r.count(hostPort, "trtllm_prompt_tokens", 100, labels()...)
	r.count(hostPort, "trtllm_request_success", 1, labels(pair{"finished_reason", "length"})...)
}

// dynamoFrontEnd: the front end alone is scraped; per request 80 of 100 tokens
// were cached.
func dynamoFrontEnd() *run {
	r := newRun("dynamo-vllm", "true")
	r.asPD()
	r.setEnv("SRTCTL_FRONTEND_TYPE", "dynamo")
	for i, name := range []string{"dynamo_frontend_cached_tokens", "dynamo_frontend_input_sequence_tokens"} {
		r.count("f:9", name, []float64{80, 100}[i], pair{"model", "m"})
		s := r.metrics[len(r.metrics)-1]
		s.kind = "histogram"
		s.observe(admissions)
	}
	return r
}

// observe splits n observations evenly over the slices of a histogram.
func (s *series) observe(n int64) {
	for i, part := range evenly(n, len(s.slices)) {
		s.slices[i].count = ns(part)
	}
	s.count = ns(n)
}

// gauge adds a gauge with these statistics and no slices.
func (r *run) gauge(hostPort, name string, labels []pair, stats ...pair) {
	r.metrics = append(r.metrics, &series{name: name, endpoint: url(hostPort), labels: labels, kind: "gauge", gauge: stats, noSlices: true})
}

// handWritten has only what the sections of the script hold.
func handWritten() *run { return &run{noExport: true, noRecords: true} }

func newRun(framework, disagg string) *run {
	r := &run{profiling: &span{windowStart, windowEnd}}
	for _, p := range []pair{
		{"FRAMEWORK", framework}, {"RESULT_FILENAME", "agg"}, {"DISAGG", disagg},
		{"KV_OFFLOADING", "dram"}, {"KV_OFFLOAD_BACKEND", "lmcache"}, {"KV_OFFLOAD_BACKEND_METADATA", `{"name":"lmcache"}`},
		{"AGENTX_HARNESS_VERSION", "1.0.12"},
	} {
		r.setEnv(p.key, p.value)
	}
	r.setRecords(evenly(admissions*100, admissions))
	return r
}

func (r *run) asPD() {
	r.setEnv("DISAGG", "true")
	r.env = slices.DeleteFunc(r.env, func(p pair) bool { return p.key == "SRT_AGG_ENDPOINTS" })
	r.setEnv("SRT_PREFILL_ENDPOINTS", "p:9")
	r.setEnv("SRT_DECODE_ENDPOINTS", "d:9")
}

// count adds a series that moves by each in every second of the window.
func (r *run) count(hostPort, name string, each float64, labels ...pair) {
	s := &series{name: name, endpoint: url(hostPort), labels: labels}
	for i := range int64(admissions) {
		start := windowStart + i*second
		s.slices = append(s.slices, slice{start: ns(start), end: ns(start + second), total: float(each)})
	}
	s.total = float(each * admissions)
	r.metrics = append(r.metrics, s)
}

func (r *run) countVLLM(hostPort string, local, external, computed float64) {
	prompt := local + external + computed
	labels := func(more ...pair) []pair {
		return sortedLabels(append([]pair{{"engine", "0"}, {"model_name", "m"}}, more...))
	}
	r.count(hostPort, "vllm:external_prefix_cache_hits", external, labels()...)
	r.count(hostPort, "vllm:external_prefix_cache_queries", prompt-local, labels()...)
	r.count(hostPort, "vllm:prefix_cache_hits", local, labels()...)
	r.count(hostPort, "vllm:prefix_cache_queries", prompt, labels()...)
	r.count(hostPort, "vllm:prompt_tokens", prompt, labels()...)
	r.count(hostPort, "vllm:prompt_tokens_by_source", external, labels(pair{"source", "external_kv_transfer"})...)
	r.count(hostPort, "vllm:prompt_tokens_by_source", local, labels(pair{"source", "local_cache_hit"})...)
	r.count(hostPort, "vllm:prompt_tokens_by_source", computed, labels(pair{"source", "local_compute"})...)
	r.count(hostPort, "vllm:request_success", 0, labels(pair{"finished_reason", "abort"})...)
	r.count(hostPort, "vllm:request_success", 1, labels(pair{"finished_reason", "stop"})...)
}

// setRecords makes one successful profiling record per element of tokens,
// started evenly over the window.
func (r *run) setRecords(tokens []int64) {
	r.records = nil
	step := (windowEnd - windowStart) / int64(len(tokens))
	for i, n := range tokens {
		start := windowStart + int64(i)*step + 5e6
		r.records = append(r.records, &record{start: start, end: start + 4e8, phase: "profiling", tokens: ns(n)})
	}
}

// evenly splits a sum over n parts that differ by at most one.
func evenly(sum int64, n int) []int64 {
	parts := make([]int64, n)
	for i := range parts {
		parts[i] = share(sum, i+1, n) - share(sum, i, n)
	}
	return parts
}

// share is floor(sum*i/n) without overflow for any count an export can hold.
func share(sum int64, i, n int) int64 {
	return sum/int64(n)*int64(i) + sum%int64(n)*int64(i)/int64(n)
}
