package generator

import (
	"strconv"

	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// SGLang's counters, by position.
const (
	sglangPrompt = iota
	sglangGeneration
	sglangRequests
	sglangDevice
	sglangHost
	sglangStorage
	sglangAborted
	sglangCompute
	sglangCache
	sglangDecode
	sglangHitRate
)

// sglang is SGLang with HiCache where tiers are declared. The tokenizer manager
// counts what has finished, the schedulers every step.
type sglang struct {
	tiers      bool
	radix      bool // decode radix cache: D adds its own prefix to P's value (before #25973)
	noMetadata bool // very old: D knows nothing of P's hits
	ownChunks  bool // chunks of the same prompt count as hits (before #2555)
}

func (sglang) counters() []counterDef {
	source := func(word string) counterDef {
		return counterDef{name: "sglang:cached_tokens", help: "Cached prompt tokens, by source.", unit: "tokens", lazy: true,
			labels: []aiperf.Label{{Name: "cache_source", Value: word}}}
	}
	mode := func(word string) counterDef {
		return counterDef{name: "sglang:realtime_tokens", help: "Tokens processed, by mode.", unit: "tokens", lazy: true, perRank: true,
			labels: []aiperf.Label{{Name: "mode", Value: word}}}
	}
	return []counterDef{
		sglangPrompt:     {name: "sglang:prompt_tokens", help: "Prefill tokens processed.", unit: "tokens", lazy: true},
		sglangGeneration: {name: "sglang:generation_tokens", help: "Generation tokens processed.", unit: "tokens", lazy: true},
		sglangRequests:   {name: "sglang:num_requests", help: "Requests processed.", unit: "requests", lazy: true},
		sglangDevice:     source("device"),
		sglangHost:       source("host"),
		sglangStorage:    source("storage_mooncake"),
		sglangAborted:    {name: "sglang:num_aborted_requests", help: "Requests aborted.", unit: "requests", lazy: true},
		sglangCompute:    mode("prefill_compute"),
		sglangCache:      mode("prefill_cache"),
		sglangDecode:     mode("decode"),
		sglangHitRate:    {name: "sglang:cache_hit_rate", help: "Prefix cache hit rate of the last batch.", lazy: true, perRank: true, gauge: &gauge{scale: million}},
	}
}

// million is the scale of ratios.
const million = 1_000_000

func (sglang) exports(int) bool { return true }

func (sglang) hit(counter int) bool { return counter >= sglangDevice && counter <= sglangStorage }

func (sglang) plays(p part) []int {
	return map[part][]int{full: {sglangPrompt}, cached: {sglangDevice}, offload: {sglangHost}, requests: {sglangRequests}}[p]
}

// before: the launcher's own test request, so that the series stand from the
// first scrape on. A tier that is not declared is never born.
func (g sglang) before(emit func(int, int64)) {
	emit(sglangPrompt, 64)
	emit(sglangGeneration, 1)
	emit(sglangRequests, 1)
	emit(sglangDevice, 16)
	emit(sglangCompute, 48)
	emit(sglangCache, 16)
	emit(sglangDecode, 1)
	if g.tiers {
		emit(sglangHost, 8)
		emit(sglangStorage, 8)
	}
}

// labels: those of the tokenizer, and for a scheduler its ranks. With DP
// attention the data-parallel rank is the tensor-parallel one.
func (sglang) labels(def counterDef, role string, number, ranks int) []aiperf.Label {
	out := []aiperf.Label{{Name: "engine_type", Value: role}, {Name: "model_name", Value: model}}
	if !def.perRank {
		return out
	}
	rank := strconv.Itoa(number)
	if ranks > 1 {
		out = append(out, aiperf.Label{Name: "dp_rank", Value: rank})
	}
	return append(out, aiperf.Label{Name: "moe_ep_rank", Value: "0"}, aiperf.Label{Name: "pp_rank", Value: "0"}, aiperf.Label{Name: "tp_rank", Value: rank})
}

func (g sglang) prefill(r *request, pd bool, emit emitter) {
	hits := r.gpu + r.cpu + r.store
	emit(r.admit, sglangCompute, r.prompt-hits)
	emit(r.admit, sglangCache, hits)
	set(emit, r.admit, sglangHitRate, hits*million/r.prompt)
	if r.preempted > 0 { // a retraction computes it all again
		emit(r.first+(r.end-r.first)/2, sglangCompute, r.prompt+r.preempted)
	}
	end, done := r.end, r.finished()
	if pd {
		if done = r.decoded(); done {
			end, _ = r.handover()
		}
	}
	if !done { // nothing of an aborted request is counted but that
		emit(end, sglangAborted, 1)
		return
	}
	gpu := r.gpu
	if g.ownChunks {
		gpu += (r.prompt - hits) / 2
	}
	output := r.output
	if pd {
		output = 1
	} else {
		g.steps(r, emit)
	}
	g.finish(end, r.prompt, output, [3]int64{gpu, r.cpu, r.store}, emit)
}

// steps counts the decode steps; at a log of them the gauge of the last prefill
// batch is set to 0.
func (sglang) steps(r *request, emit emitter) {
	emit(r.end, sglangDecode, r.output-1)
	if r.output > 1 {
		set(emit, r.first+(r.end-r.first)/2, sglangHitRate, 0)
	}
}

// finish is what the tokenizer manager counts of a request that is done; only
// sources with a hit are counted, and so born.
func (sglang) finish(at, prompt, output int64, hits [3]int64, emit emitter) {
	emit(at, sglangPrompt, prompt)
	emit(at, sglangGeneration, output)
	emit(at, sglangRequests, 1)
	for i, n := range hits {
		emit(at, sglangDevice+i, n)
	}
}

// decode: the worker repeats the prompt and the hits of the prefill worker.
func (g sglang) decode(r *request, emit emitter) {
	if !r.finished() {
		emit(r.end, sglangAborted, 1)
		return
	}
	g.steps(r, emit)
	hits := [3]int64{r.gpu, r.cpu, r.store}
	switch {
	case g.noMetadata:
		hits = [3]int64{}
	case g.radix:
		hits[0] += r.gpu + r.cpu + r.store
	}
	g.finish(r.end, r.prompt, r.output, hits, emit)
}
