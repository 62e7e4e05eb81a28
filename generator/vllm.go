package generator

import (
	"strconv"

	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// vLLM's counters, by position.
const (
	vllmQueries = iota
	vllmHits
	vllmExtQueries
	vllmExtHits
	vllmPrompt
	vllmCompute
	vllmLocal
	vllmExternal
	vllmCached
	vllmRecomputed
	vllmGeneration
	vllmAbort
	vllmError
	vllmLength
	vllmStop
	vllmPreemptions
)

// vllm is vLLM v1 with every change of engines.md in, with the by-source
// counters of era 1 or 2.
type vllm struct {
	era1, connector bool
	double          bool // an async connector records the external pair twice (before #28585)
	unconditional   bool // external queries hold local hits too (before #30522)
	logprobs        bool // prompt_logprobs: external queries without hits (#57596)
	sentinel        bool // a miss is recorded as -1 local hits
}

func (v vllm) counters() []counterDef {
	source := func(word string) counterDef {
		return counterDef{name: "vllm:prompt_tokens_by_source", help: "Prompt tokens, by source.",
			labels: []aiperf.Label{{Name: "source", Value: word}}}
	}
	success := func(reason string) counterDef {
		return counterDef{name: "vllm:request_success", help: "Requests finished, by reason.", unit: "requests",
			labels: []aiperf.Label{{Name: "finished_reason", Value: reason}}}
	}
	return []counterDef{
		vllmQueries:     {name: "vllm:prefix_cache_queries", help: "Tokens looked up in the prefix cache."},
		vllmHits:        {name: "vllm:prefix_cache_hits", help: "Tokens found in the prefix cache."},
		vllmExtQueries:  {name: "vllm:external_prefix_cache_queries", help: "Tokens looked up through the KV connector."},
		vllmExtHits:     {name: "vllm:external_prefix_cache_hits", help: "Tokens found through the KV connector."},
		vllmPrompt:      {name: "vllm:prompt_tokens", help: "Prompt tokens processed.", unit: "tokens"},
		vllmCompute:     source("local_compute"),
		vllmLocal:       source("local_cache_hit"),
		vllmExternal:    source("external_kv_transfer"),
		vllmCached:      {name: "vllm:prompt_tokens_cached", help: "Cached prompt tokens, local and external."},
		vllmRecomputed:  {name: "vllm:prompt_tokens_recomputed", help: "Prompt tokens computed again although cached."},
		vllmGeneration:  {name: "vllm:generation_tokens", help: "Tokens generated.", unit: "tokens"},
		vllmAbort:       success("abort"),
		vllmError:       success("error"),
		vllmLength:      success("length"),
		vllmStop:        success("stop"),
		vllmPreemptions: {name: "vllm:num_preemptions", help: "Preemptions."},
	}
}

// exports reports whether the era has the counter.
func (v vllm) exports(counter int) bool { return counter != vllmRecomputed || v.era1 }

// before: every child is created at the start, as 0.
func (vllm) before(func(int, int64)) {}

func (vllm) labels(_ counterDef, _ string, number, _ int) []aiperf.Label {
	return []aiperf.Label{{Name: "engine", Value: strconv.Itoa(number)}, {Name: "model_name", Value: model}}
}

func (v vllm) hit(counter int) bool { return counter == vllmLocal || counter == vllmExternal }

// plays: the denominator is the sum of the sources, so each of them is full.
func (v vllm) plays(p part) []int {
	return map[part][]int{full: {vllmCompute}, cached: {vllmLocal}, offload: {vllmExternal}, requests: {vllmAbort, vllmError, vllmLength, vllmStop}}[p]
}

func (v vllm) prefill(r *request, pd bool, emit emitter) {
	for range r.attempts { // before #48860 each failed admission counted
		emit(r.start+(r.admit-r.start)/2, vllmQueries, r.prompt)
		emit(r.start+(r.admit-r.start)/2, vllmHits, r.gpu)
	}
	emit(r.admit, vllmQueries, r.prompt)
	emit(r.admit, vllmHits, r.gpu)
	ext := r.cpu + r.store + r.claimed
	if v.connector {
		v.lookup(r.admit, r.prompt, r.gpu, ext, emit)
	}
	first, end, output, reason := r.seen(), r.end, r.output, vllmStop
	if pd {
		first, _ = r.handover()
		end, output, reason = first, 1, vllmLength
	}
	if r.first >= r.end && !r.finished() { // aborted during prefill: the prompt counters do not move
		emit(r.end, vllmAbort, 1)
		return
	}
	v.firstToken(first, r.prompt, r.gpu, ext, emit)
	v.steps(first, end, output, reason, r, emit)
}

// lookup is the external pair of counters at an admission.
func (v vllm) lookup(at, prompt, local, ext int64, emit emitter) {
	asked := prompt - local
	if v.unconditional {
		asked = prompt
	}
	if v.double {
		asked *= 2
	}
	if v.logprobs {
		asked += prompt
	}
	emit(at, vllmExtQueries, asked)
	emit(at, vllmExtHits, ext)
}

// seen is when the API process has processed the first token, a millisecond
// before the client has it.
func (r *request) seen() int64 { return max(r.first-1_000_000, r.admit) }

// firstToken counts the prompt by source. Era 1 recomputes one token of a
// prompt that was cached whole, and counts it twice.
func (v vllm) firstToken(at, prompt, local, ext int64, emit emitter) {
	compute, cached := prompt-local-ext, local+ext
	if v.era1 && compute == 0 {
		compute, cached = 1, cached-1
		emit(at, vllmRecomputed, 1)
	}
	if v.sentinel && local == 0 {
		local, compute = -1, compute+1
	}
	emit(at, vllmCompute, compute)
	emit(at, vllmLocal, local)
	emit(at, vllmExternal, ext)
	emit(at, vllmPrompt, prompt)
	emit(at, vllmCached, cached)
}

// steps counts the generated tokens, the first at the first token and the rest
// at the finish, and the finish.
func (v vllm) steps(first, end, output int64, reason int, r *request, emit emitter) {
	emit(first, vllmGeneration, 1)
	emit(end, vllmGeneration, output-1)
	if r.preempted > 0 {
		emit(first+(end-first)/2, vllmPreemptions, 1)
	}
	if !r.finished() {
		reason = vllmAbort
	}
	emit(end, reason, 1)
}

// decode: the worker looks the prompt up itself, and the connector claims the
// rest as an external hit.
func (v vllm) decode(r *request, emit emitter) {
	_, taken := r.handover()
	emit(taken, vllmQueries, r.prompt)
	emit(taken, vllmHits, r.local)
	emit(taken, vllmExtQueries, r.prompt-r.local)
	emit(taken, vllmExtHits, r.prompt-r.local)
	v.firstToken(r.seen(), r.prompt, r.local, r.prompt-r.local, emit)
	v.steps(r.seen(), r.end, r.output, vllmStop, r, emit)
}
