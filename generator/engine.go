package generator

import (
	"slices"

	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// This file is the engine layer: what each worker counts (engines.md). An
// engine names its counters and says which of them one request moves and when;
// all else is common.

// A counterDef is one exported counter of an engine.
type counterDef struct {
	name, help, unit string
	labels           []aiperf.Label
}

// An engine is one engine generation.
type engine interface {
	// counters are what every worker exports, in a fixed order.
	counters() []counterDef
	// prefill emits what a unified worker (pd false) or a prefill worker counts.
	prefill(r *request, pd bool, emit emitter)
	// decode emits what a decode worker counts.
	decode(r *request, emit emitter)
	// exports reports whether this generation has the counter at all.
	exports(counter int) bool
}

// An emitter adds n to a counter at a time.
type emitter func(at int64, counter int, n int64)

// An event is one increment of one counter of one unit.
type event struct {
	at      int64 // ns
	counter int   // position in the engine's counters, or reset
	n       int64
}

// reset is the counter number of an event that drops all counters to 0.
const reset = -1

// A unit is what publishes counters as one: a worker's data-parallel rank. Its
// counters move together, when it is refreshed.
type unit struct {
	worker, rank int
	events       []event // by time
	refresh      [2]refresh
	born         int64 // ns; nothing of it is visible before
	frozen       int64 // ns; nothing moves from then on, 0: never
}

// shown returns the time whose state a scrape at t sees.
func (u *unit) shown(t int64) int64 {
	if u.born > t {
		return 0
	}
	t = u.refresh[1].shown(u.refresh[0].shown(t))
	if u.frozen > 0 {
		t = min(t, u.frozen)
	}
	return t
}

// A fleet is all workers of a run with what they counted. Prefill or unified
// workers come first, decode workers after them.
type fleet struct {
	engine   engine
	counters []counterDef
	units    []unit // worker by worker, rank by rank
	workers  int
	ranks    int
	top      topology
}

func (f *fleet) unit(worker, rank int) *unit { return &f.units[worker*f.ranks+rank] }

// isDecode reports whether the worker is a decode worker.
func (f *fleet) isDecode(worker int) bool { return worker >= f.top.accounted() }

// serve runs the requests through the fleet.
func serve(s Spec, e engine, requests []request) *fleet {
	t, _ := parseTopology(s.Topology)
	f := &fleet{engine: e, counters: e.counters(), workers: t.accounted() + t.decode, ranks: s.Ranks, top: t}
	f.units = make([]unit, f.workers*f.ranks)
	for i := range f.units {
		f.units[i].worker, f.units[i].rank = i/f.ranks, i%f.ranks
	}
	f.setRefresh(s)
	for i := range requests {
		r := &requests[i]
		if !r.admitted() || r.unscraped {
			continue
		}
		e.prefill(r, t.decode > 0, f.unit(r.worker, r.rank).add)
		if t.decode > 0 && (r.first < r.end || r.finished()) {
			e.decode(r, f.unit(t.accounted()+r.decoder, r.rank).add)
		}
	}
	for i := range f.units {
		slices.SortStableFunc(f.units[i].events, func(a, b event) int {
			switch {
			case a.at < b.at:
				return -1
			case a.at > b.at:
				return 1
			}
			return 0
		})
	}
	return f
}

func (u *unit) add(at int64, counter int, n int64) {
	if n != 0 {
		u.events = append(u.events, event{at, counter, n})
	}
}

// setRefresh gives every unit its refresh. Ranks refresh independently of each
// other; generation A refreshes twice, in the rank and in the API process.
func (f *fleet) setRefresh(s Spec) {
	if s.Refresh == 0 {
		return
	}
	rng := layerRand(s.Seed, 3)
	period := int64(s.Refresh)
	api := make([]int64, f.workers)
	for i := range api {
		api[i] = rng.Int64N(period)
	}
	for i := range f.units {
		u := &f.units[i]
		u.refresh[0] = refresh{period, api[u.worker]}
		if f.ranks > 1 || s.Generation == GenA {
			u.refresh[1] = refresh{period, rng.Int64N(period)}
		}
	}
}

// stages returns the number of refreshes that follow on each other.
func (f *fleet) stages() int64 {
	n := int64(0)
	for _, r := range f.units[0].refresh {
		if r.period > 0 {
			n++
		}
	}
	return n
}

// newEngine returns the spec's engine.
func newEngine(s Spec) engine {
	if s.Engine == VLLM {
		return vllm{era1: s.Generation == Era1, connector: s.Offload}
	}
	return atom{genA: s.Generation == GenA, lmcache: s.Offload}
}

// handover returns when a P/D request leaves the prefill worker and when the
// decode worker admits it: between its admission and its first token.
func (r *request) handover() (left, taken int64) {
	span := r.first - r.admit
	return r.admit + span*8/10, r.admit + span*9/10
}
