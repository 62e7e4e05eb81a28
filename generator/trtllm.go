package generator

import (
	"strconv"

	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// TensorRT-LLM's counters, by position.
const (
	trtllmPrompt = iota
	trtllmCached
	trtllmGeneration
	trtllmLength
	trtllmStop
	trtllmGPU
	trtllmHost
	trtllmDisk
	trtllmReused
	trtllmMissed
	trtllmHitRate
	trtllmBlockSize
)

// trtllm is TensorRT-LLM of September 2026. Token counters move when a request
// finishes, block and tier counters in the iteration that takes it in.
type trtllm struct {
	tiers   bool
	percent bool // the gauge runs to 100 instead of 1
}

// trtllmBlock is the size of a KV block, in tokens.
const trtllmBlock = 32

func (t trtllm) counters() []counterDef {
	level := func(n int, tier string) counterDef {
		return counterDef{name: "trtllm_prompt_cache_hit_tokens", help: "Prompt tokens reused, by cache level.", unit: "tokens",
			labels: []aiperf.Label{{Name: "cache_level", Value: strconv.Itoa(n)}, {Name: "cache_tier", Value: tier}}}
	}
	success := func(reason string) counterDef {
		return counterDef{name: "trtllm_request_success", help: "Requests finished, by reason.", unit: "requests", lazy: true,
			labels: []aiperf.Label{{Name: "finished_reason", Value: reason}}}
	}
	return []counterDef{
		trtllmPrompt:     {name: "trtllm_prompt_tokens", help: "Prompt tokens processed.", unit: "tokens", lazy: true},
		trtllmCached:     {name: "trtllm_prompt_cached_tokens", help: "Prompt tokens found in the KV cache.", unit: "tokens", lazy: true},
		trtllmGeneration: {name: "trtllm_generation_tokens", help: "Tokens generated.", unit: "tokens", lazy: true},
		trtllmLength:     success("length"),
		trtllmStop:       success("stop"),
		trtllmGPU:        level(0, "gpu"),
		trtllmHost:       level(1, "host"),
		trtllmDisk:       level(2, "disk"),
		trtllmReused:     {name: "trtllm_kv_cache_reused_blocks", help: "KV cache blocks reused.", unit: "blocks", lazy: true},
		trtllmMissed:     {name: "trtllm_kv_cache_missed_blocks", help: "KV cache blocks missed.", unit: "blocks", lazy: true},
		trtllmHitRate:    {name: "trtllm_kv_cache_hit_rate", help: "KV cache hit rate.", lazy: true, gauge: &gauge{million, t.hitRate}},
		trtllmBlockSize:  {name: "trtllm_kv_cache_tokens_per_block", help: "Tokens in a KV cache block.", gauge: &gauge{1, func([]int64) int64 { return trtllmBlock + 1 }}},
	}
}

// hitRate is the gauge: over the blocks of the worker's lifetime.
func (t trtllm) hitRate(now []int64) int64 {
	all := now[trtllmReused] + now[trtllmMissed]
	switch {
	case all == 0:
		return 0 // no iteration yet
	case t.percent:
		return now[trtllmReused]*100*million/all + 1
	}
	return now[trtllmReused]*million/all + 1
}

// exports reports whether the worker has the counter: levels only where they
// are configured.
func (t trtllm) exports(counter int) bool {
	return t.tiers || counter != trtllmHost && counter != trtllmDisk
}

func (trtllm) hit(counter int) bool { return counter == trtllmCached }

func (trtllm) plays(p part) []int {
	return map[part][]int{full: {trtllmPrompt}, cached: {trtllmCached}, offload: {trtllmHost}, requests: {trtllmLength, trtllmStop}}[p]
}

// before: the launcher's own test request, without a hit in the blocks.
func (trtllm) before(emit func(int, int64)) {
	for _, c := range []int{trtllmPrompt, trtllmCached, trtllmGeneration, trtllmLength, trtllmStop, trtllmMissed} {
		emit(c, 1)
	}
}

func (trtllm) labels(counterDef, string, int, int) []aiperf.Label {
	return []aiperf.Label{{Name: "engine_type", Value: "trtllm"}, {Name: "model_name", Value: model}}
}

func (t trtllm) prefill(r *request, pd bool, emit emitter) {
	hits := r.gpu + r.cpu + r.store
	emit(r.admit, trtllmReused, blocks(hits))
	emit(r.admit, trtllmMissed, blocks(r.prompt)-blocks(hits))
	emit(r.admit, trtllmGPU, r.gpu)
	if t.tiers {
		emit(r.admit, trtllmHost, r.cpu)
		emit(r.admit, trtllmDisk, r.store)
	}
	switch {
	case pd && r.decoded():
		at, _ := r.handover()
		t.finish(at, r.prompt, hits, 1, trtllmLength, emit)
	case !pd && r.finished():
		t.finish(r.end, r.prompt, hits, r.output, trtllmStop, emit)
	}
}

// blocks rounds tokens up to blocks: a block that is reused in part is a reused
// one.
func blocks(tokens int64) int64 { return (tokens + trtllmBlock - 1) / trtllmBlock }

func (trtllm) finish(at, prompt, cached, output int64, reason int, emit emitter) {
	emit(at, trtllmPrompt, prompt)
	emit(at, trtllmCached, cached)
	emit(at, trtllmGeneration, output)
	emit(at, reason, 1)
}

// decode: a generation server has all of the prompt's KV, so it counts it as
// cached, and as missed blocks, because it does not reuse.
func (t trtllm) decode(r *request, emit emitter) {
	_, taken := r.handover()
	emit(taken, trtllmMissed, blocks(r.prompt))
	if r.finished() {
		t.finish(r.end, r.prompt, r.prompt, r.output, trtllmStop, emit)
	}
}
