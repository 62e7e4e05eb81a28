package generator

import (
	"math/rand/v2"
	"slices"
	"time"
)

// grace is how long AIPerf waits for running requests after the configured
// duration, before it cancels them without a record.
const grace = int64(30 * time.Second)

// A request is one request with the times at which things happened to it, in
// ns since the Unix epoch, and what it really hit. The workload layer makes
// it; workload faults change it; nothing below does.
type request struct {
	warm                bool
	worker, rank        int
	decoder             int // decode worker, P/D only
	start, admit        int64
	first, end          int64
	prompt, output      int64
	gpu, cpu, store     int64
	local               int64
	outcome             string
	lost                bool  // cancelled at the end of the phase: no record
	preempted           int64 // tokens generated when it lost its blocks, 0: never
	attempts            int   // failed admission attempts before the one that counted
	unreported          bool  // its backend reports no cached tokens to the Dynamo front end
	handoff             int64 // boundary that a hand-off's second admission counts as cached, 0: none
	claimed             int64 // external hit that the engine counted although its load failed
	unscraped, loadFail bool  // prefilled where nobody scrapes; P/D: the KV transfer failed
	clientPrompt        int64 // usage_prompt_tokens where the client's differs, else 0
}

// admitted reports whether the server took the request before it ended.
func (r *request) admitted() bool { return r.admit < r.end }

// finished reports whether the server saw it through.
func (r *request) finished() bool { return r.outcome == OK && !r.lost }

// workload draws and places the requests and derives the phases from them.
func workload(s Spec) ([]request, phases) {
	t, _ := parseTopology(s.Topology)
	specs := slices.Clone(s.Requests)
	if s.Warmup != nil {
		specs = append(specs, s.drawWarmup(t)...)
	}
	if s.Profiling != nil {
		specs = append(specs, s.Profiling.expand(layerRand(s.Seed, 2), time.Duration(s.Duration), t.accounted(), s.Ranks)...)
	}
	slices.SortStableFunc(specs, func(a, b Request) int { return int(a.At - b.At) })
	out := make([]request, len(specs))
	for i, r := range specs {
		out[i] = s.place(r)
		if t.decode > 0 {
			out[i].decoder = i % t.decode
		}
	}
	return out, s.phases(out)
}

// drawWarmup draws the warmup so that its last request ends at the handover.
func (s Spec) drawWarmup(t topology) []Request {
	out := s.Warmup.expand(layerRand(s.Seed, 1), 0, t.accounted(), s.Ranks)
	var last Duration
	for _, r := range out {
		last = max(last, r.At+r.Queue+r.Prefill+r.Decode)
	}
	for i := range out {
		out[i].Warmup = true
		out[i].At -= last + s.Collector.Handover
	}
	return out
}

func (s Spec) place(r Request) request {
	at := s.Start + int64(r.At)
	return request{
		warm: r.Warmup, worker: r.Worker, rank: r.Rank,
		start: at, admit: at + int64(r.Queue), first: at + int64(r.Queue+r.Prefill), end: at + int64(r.Queue+r.Prefill+r.Decode),
		prompt: r.Prompt, output: r.Output, gpu: r.GPU, cpu: r.CPU, store: r.Store, local: r.Local, outcome: r.Outcome,
	}
}

// phases derives the credit phases: the warmup runs from its first request to
// its last end; profiling ends with its last request, not before the
// configured duration, and at the latest when the grace is over.
func (s Spec) phases(requests []request) phases {
	p := phases{s: s.Start, e: s.Start + int64(s.Duration)}
	for i := range requests {
		r := &requests[i]
		if r.warm {
			if p.w0 == 0 || r.start < p.w0 {
				p.w0 = r.start
			}
			p.w1 = max(p.w1, r.end)
			continue
		}
		p.e = max(p.e, r.end)
	}
	if s.Duration > 0 {
		cut := s.Start + int64(s.Duration) + grace
		for i := range requests {
			r := &requests[i]
			if r.warm || r.end < cut {
				continue
			}
			if r.end > cut {
				r.lost, r.end = true, cut
			}
			p.e = cut + int64(3*time.Millisecond) // the phase is complete when the last one is cancelled
		}
	}
	if p.warm() {
		p.w0 -= int64(2 * time.Millisecond)
		p.w1 += int64(time.Millisecond)
		p.w1 = min(p.w1, p.s-1)
	}
	if p.e <= p.s {
		p.e = p.s + 1
	}
	return p
}

// layerRand is the source of one layer. Each layer has its own, so that a
// change in one does not move the others.
func layerRand(seed, layer uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, layer)) }
