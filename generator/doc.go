// Package generator synthesizes AIPerf runs whose true cache rates are known.
//
// [Generate] turns a [Spec] into an [Output]: the files of a run and its
// [Truth]. Its layers are small functions, each of the one above:
//
//   - workload: requests with their times, prompts and hits ([Load], [Request])
//   - engine: what each worker counts for a request (a file an engine), as
//     increments in time, and when they become visible (refresh.go)
//   - collector: when AIPerf scrapes and how a scrape is tagged (scrape.go), the
//     arithmetic of one series in one window (collector.go), and which window
//     and samples each generation takes (shape.go)
//   - files: export, records, aggregate, run.env and truth.json
//
// A [Kind] is a fault that can be injected into one of these layers; [Kinds]
// lists them, with what a reader can know of each. The truth is that of the
// successful profiling records, per tier, as exact integers: everything else
// that a server counts is foreign to it.
//
// A spec and its seed give the same bytes on every machine: times and tokens
// are whole numbers up to the last operation, and no order comes from a map.
//
// # The spec
//
// [Parse] reads a spec, [Format] writes one. Every field but version, engine,
// topology, collector.version and some requests has a default. Times are text
// like 333ms or 1.5s, relative to S, the start of the profiling phase.
//
//	version: 1
//	seed: 7                # of everything that is left open
//	engine: atom           # atom, vllm
//	generation: B          # atom: A, B; vllm: era1, era2
//	topology: 1p1d         # unified, unified:N, nPmD
//	ranks: 2               # data-parallel ranks a worker
//	ranks_as: summed       # summed (atom only), labels, endpoints
//	mesh: false            # atom: merged by Atomesh into one endpoint
//	offload: true          # an offload connector exists
//	witness: true          # records carry usage_prompt_cache_read_tokens
//	refresh: 1s            # how often the engine publishes (atom)
//	tick: 50ms             # when a refresh falls; default: each worker when it likes
//	duration: 60s          # configured benchmark duration; default: none
//	collector:
//	  version: 1.0.12      # 1.0.11, 1.0.12, upstream, upstream-1.0
//	  interval: 333ms      # between scrapes
//	  latency: [2ms, 9ms]  # least and most, to the first byte
//	  skew: [0s, 40ms]     # of each endpoint's clock
//	  slice: 1s            # no_slices: true turns slicing off
//	  straddle: 300ms      # 1.0.11: how far before S the first slice starts
//	  handover: 120ms      # from the end of the warmup to S
//	  final: 150ms         # from the end of the phase to the final scrape
//	warmup:                # requests that are drawn; profiling has the same fields
//	  requests: 4
//	  concurrency: 2
//	  prompt: [800, 1200]  # one number, least and most, or eleven percentiles
//	  gpu: [0, 300]        # hits, in thousandths of the prompt; cpu, store: of what is left
//	  prefill: [200, 400]  # ms; also queue, decode, idle, first
//	requests:              # requests at explicit times, beside the drawn ones
//	- {at: 500ms, queue: 10ms, prefill: 200ms, decode: 1s, prompt: 900, gpu: 640, cpu: 64}
//	- {warmup: true, at: -2s, prefill: 200ms, decode: 300ms, prompt: 500}
//	series:                # hand-made counters instead of the engine's
//	- {endpoint: 0, name: "atom:prefix_cache_full_tokens", values: 0+100x10 _x3 5}
//	faults:
//	- {fault: restart, size: 400}
//
// A hand-made series has one value a scrape, in the order of the scrapes, in
// promtool's notation: see [ParseValues].
//
// # Property tests
//
// [Draw] draws the spec of a small run from any [Source] of choices: [NewSource]
// is a seeded one, package gentest has rapid's. [Twins] builds pairs of runs
// that look the same and have different truths.
package generator
