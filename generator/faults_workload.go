package generator

import (
	"fmt"
	"slices"
	"time"
)

const second = int64(time.Second)

// workloadKinds are faults of the requests themselves: they happen to a server
// and a client that work as they should.
func workloadKinds() []Kind {
	return []Kind{
		{Slug: "abort-after-admission", Layer: LayerWorkload, Tag: Visible, Doc: "the client cancels a request that was admitted: server counters have it, no successful record",
			Unit: "tokens", Default: 700, Least: 1, Most: 1 << 30, inject: func(b *build, size int64) {
				b.addRequest(request{start: b.middle(), prompt: size, outcome: Cancelled}, 200, 400)
			}},
		{Slug: "abort-before-admission", Layer: LayerWorkload, Tag: Visible, Doc: "the client cancels a request in the queue: no counter moves, the records list it",
			Unit: "tokens", Default: 700, Least: 1, Most: 1 << 30, inject: func(b *build, size int64) {
				r := b.addRequest(request{start: b.middle(), prompt: size, outcome: Cancelled}, 200, 400)
				r.admit, r.first = r.end+second, r.end+2*second
			}},
		{Slug: "cancelled-tail", Layer: LayerWorkload, Tag: Bounded, Doc: "H4: a request is admitted before E and cut off after the grace: the server counted it, no record",
			Unit: "tokens", Default: 900, Least: 1, Most: 1 << 30,
			needs: func(s Spec) string {
				if s.Duration < Duration(time.Second) {
					return "a duration of at least 1s"
				}
				return ""
			},
			inject: func(b *build, size int64) {
				at := b.phases.s + int64(b.spec.Duration) - 300_000_000
				b.addRequest(request{start: at, prompt: size, gpu: size / 3, outcome: OK}, 100, 2*grace/1_000_000)
			}},
		{Slug: "compensation", Layer: LayerWorkload, Tag: Bounded, Doc: "H1: a warmup admission leaks in at S and an equally long one is lost at E: conserved, and wrong",
			Unit: "tokens", Default: 1000, Least: 2, Most: 1 << 30,
			needs: all(needsGenB, needsRefresh, func(s Spec) string {
				switch {
				case s.Ranks > 1:
					return "one rank"
				case s.Refresh < Duration(time.Second):
					return "a refresh of at least 1s"
				}
				return ""
			}),
			inject: (*build).compensate},
		{Slug: "error-before-admission", Layer: LayerWorkload, Tag: Visible, Doc: "rules 14, 17: a profiling request fails in the queue: no counter moves, and all the same it blocks",
			Unit: "tokens", Default: 600, Least: 1, Most: 1 << 30, inject: func(b *build, size int64) {
				r := b.addRequest(request{start: b.middle(), prompt: size, outcome: Failed}, 200, 400)
				r.admit, r.first = r.end+second, r.end+2*second
			}},
		{Slug: "foreign-traffic", Layer: LayerWorkload, Tag: Silent, Doc: "another client's request in the middle of the window: counted, never recorded",
			Unit: "tokens", Default: 800, Least: 1, Most: 1 << 30, inject: func(b *build, size int64) {
				b.addRequest(request{start: b.middle(), prompt: size, outcome: OK, lost: true}, 100, 200)
			}},
		{Slug: "profiling-error", Layer: LayerWorkload, Tag: Visible, Doc: "rules 14, 17: a profiling request fails after its admission",
			Unit: "tokens", Default: 600, Least: 1, Most: 1 << 30, inject: func(b *build, size int64) {
				b.addRequest(request{start: b.middle(), prompt: size, outcome: Failed}, 100, 300)
			}},
		{Slug: "slice-over-end", Layer: LayerWorkload, Tag: Bounded, Doc: "H7: a request is admitted just before E, so the slice over E is not empty",
			Unit: "tokens", Default: 1100, Least: 1, Most: 1 << 30, inject: func(b *build, size int64) {
				b.addRequest(request{start: b.phases.e - 60_000_000, prompt: size, gpu: size / 2, outcome: OK}, 30, 20)
			}},
		{Slug: "true-zero", Layer: LayerWorkload, Tag: Visible, Doc: "nothing is ever hit: a measured zero", inject: func(b *build, _ int64) {
			for i := range b.requests {
				b.requests[i].gpu, b.requests[i].cpu, b.requests[i].store = 0, 0, 0
			}
		}},
		{Slug: "unscraped-request", Layer: LayerWorkload, Tag: Silent, Doc: "a recorded request ran on a worker that nobody scrapes: one record more than admissions",
			Unit: "tokens", Default: 500, Least: 1, Most: 1 << 30, inject: func(b *build, size int64) {
				b.addRequest(request{start: b.middle(), prompt: size, gpu: size / 2, outcome: OK, unscraped: true}, 100, 200)
			}},
		{Slug: "warmup-error", Layer: LayerWorkload, Tag: Visible, Doc: "rules 15, 17: a warmup request fails; only profiling errors block",
			Unit: "tokens", Default: 600, Least: 1, Most: 1 << 30, inject: func(b *build, size int64) {
				start := b.phases.s - int64(b.spec.Collector.Handover) - second
				b.addRequest(request{warm: true, start: start, prompt: size, outcome: Failed}, 100, 200)
			}},
		{Slug: "zero-denominator", Layer: LayerWorkload, Tag: Visible, Doc: "no prompt is admitted in profiling: every request fails in the queue", inject: func(b *build, _ int64) {
			for i := range b.requests {
				if r := &b.requests[i]; !r.warm {
					r.outcome = Failed
					r.admit, r.first = r.end+second, r.end+2*second
				}
			}
		}},
		{Slug: "all-cached", Layer: LayerWorkload, Tag: Visible, Doc: "every prompt is found whole; vLLM era 1 then recomputes a token (sources-overflow)",
			needs: func(s Spec) string {
				if s.Generation == Era1 {
					return "another generation than era1: use sources-overflow"
				}
				return ""
			},
			inject: func(b *build, _ int64) { b.hitAll() }},
		{Slug: "sources-overflow", Layer: LayerWorkload, Tag: Bounded, Doc: "every prompt is found whole and era 1 counts a recomputed token twice: the sources sum to T+1",
			Engines: []string{VLLM}, Breaks: breaksPrompt,
			needs: func(s Spec) string {
				if s.Generation != Era1 {
					return "generation era1"
				}
				return ""
			},
			inject: func(b *build, _ int64) { b.hitAll() }},
	}
}

func (b *build) hitAll() {
	for i := range b.requests {
		r := &b.requests[i]
		r.gpu = r.prompt - r.cpu - r.store
	}
}

// middle is the middle of the profiling phase, on a whole millisecond after S.
func (b *build) middle() int64 {
	const ms = 1_000_000
	return b.phases.s + (b.phases.e-b.phases.s)/2/ms*ms
}

// addRequest adds a request on the first worker that runs prefill, with its
// phases in ms, and keeps the requests by their start.
func (b *build) addRequest(r request, prefill, decode int64) *request {
	r.output = 1
	r.admit = r.start + 10_000_000
	r.first = r.admit + prefill*1_000_000
	r.end = r.first + decode*1_000_000
	i, _ := slices.BinarySearchFunc(b.requests, r.start, func(q request, t int64) int {
		if q.start <= t {
			return -1
		}
		return 1
	})
	b.requests = slices.Insert(b.requests, i, r)
	return &b.requests[i]
}

// compensate adds a warmup request that is admitted after the last refresh
// before S and a profiling request that is admitted after the last refresh
// before the final scrape: the first is seen in the window, the second never.
// Both admissions lie a whole number of refreshes apart and the refresh falls
// half-way between two of them.
func (b *build) compensate(size int64) {
	const ms = 1_000_000
	period := int64(b.spec.Refresh)
	start := b.phases.s - int64(b.spec.Collector.Handover) - 90*ms
	in := b.addRequest(request{warm: true, start: start, prompt: size, outcome: OK}, 50, 20).admit
	out := in
	for out < b.phases.e-20*ms {
		out += period
	}
	b.addRequest(request{start: out - 10*ms, prompt: size, gpu: size - 1, outcome: OK}, 30, 20)
	b.tick = in + period/2
}

func needsRanks(s Spec) string {
	if s.Ranks < 2 {
		return "at least 2 ranks"
	}
	return ""
}

func needsAccounted(n int) func(Spec) string {
	return func(s Spec) string {
		if s.scraped().accounted() < n {
			return fmt.Sprintf("at least %d prefill or unified workers", n)
		}
		return ""
	}
}

func needsDecode(s Spec) string {
	if t, _ := parseTopology(s.Topology); t.decode == 0 {
		return "a P/D topology"
	}
	return ""
}

func needsRefresh(s Spec) string {
	if s.Refresh == 0 {
		return "a refresh"
	}
	return ""
}

func needsWarmup(s Spec) string {
	if s.Warmup != nil || slices.ContainsFunc(s.Requests, func(r Request) bool { return r.Warmup }) {
		return ""
	}
	return "a warmup"
}

func needsWitness(s Spec) string {
	if !s.Witness {
		return "witness: true"
	}
	return ""
}

func needsGenB(s Spec) string {
	if s.Generation != GenB {
		return "generation B"
	}
	return ""
}

func needsOffload(s Spec) string {
	if !s.Offload {
		return "offload: true"
	}
	return ""
}

func needsSlices(s Spec) string {
	if s.Collector.NoSlices {
		return "slices"
	}
	return ""
}

// all asks for everything that the list asks for.
func all(list ...func(Spec) string) func(Spec) string {
	return func(s Spec) string {
		for _, need := range list {
			if lack := need(s); lack != "" {
				return lack
			}
		}
		return ""
	}
}
