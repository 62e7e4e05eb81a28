package generator

import (
	"cmp"
	"slices"

	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// This file is the engine layer: what each worker counts (engines.md). An
// engine names its counters and says which of them one request moves and when;
// all else is common.

// A counterDef is one exported counter of an engine, or a gauge or histogram.
type counterDef struct {
	name, help, unit string
	labels           []aiperf.Label

	lazy    bool       // the series does not exist before its first event
	perRank bool       // of a scheduler: ranks stand side by side where the rest is one series (SGLang)
	gauge   *gauge     // nil for a counter
	hist    *histogram // nil for a counter; its count and buckets are the counters behind it
	hidden  bool       // one of these
}

// kind is the type of the family.
func (d counterDef) kind() string {
	switch {
	case d.gauge != nil:
		return "gauge"
	case d.hist != nil:
		return "histogram"
	}
	return "counter"
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
	// plays returns the counters that play a part in a rate.
	plays(p part) []int
	// hit reports whether the counter counts hits.
	hit(counter int) bool
	// before emits what the worker counted before anybody scraped it. Where
	// series appear with their first event it decides which of them stand from
	// the first scrape on.
	before(emit func(counter int, n int64))
	// labels are what the worker of that role adds to its series, of a rank with
	// that number out of so many.
	labels(def counterDef, role string, number, ranks int) []aiperf.Label
}

// A part is what a counter is for the accounting rules.
type part int

const (
	full     part = iota // denominator
	cached               // GPU hits
	offload              // CPU or external hits
	requests             // admissions
	loaded               // transfer volume
)

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

// longAgo is when what a worker counted before the run happened.
const longAgo = 1

// A unit is what publishes counters as one: a worker's data-parallel rank. Its
// counters move together, when it is refreshed.
type unit struct {
	worker, rank int
	events       []event // by time
	refresh      [2]refresh
	born         int64 // ns; nothing of it is visible before
	frozen       int64 // ns; nothing moves from then on, 0: never
	delay        int64 // ns; everything is visible so much later
	shadow       int   // position of the unit that publishes the hits, 0: this one
}

// shown returns the time whose state a scrape at t sees.
func (u *unit) shown(t int64) int64 {
	if u.born > t {
		return 0
	}
	t = u.refresh[1].shown(u.refresh[0].shown(t)) - u.delay
	if u.frozen > 0 {
		t = min(t, u.frozen)
	}
	return t
}

// A fleet is all workers of a run with what they counted. Prefill or unified
// workers come first, decode workers after them.
type fleet struct {
	engines  []engine // of each worker
	counters []counterDef
	units    []unit // worker by worker, rank by rank, shadows behind them
	workers  int
	ranks    int
	top      topology
	front    []int // the units behind the workers': of a Dynamo front end
}

func (f *fleet) unit(worker, rank int) *unit { return &f.units[worker*f.ranks+rank] }

// publisher is the position of the unit that publishes the counter.
func (f *fleet) publisher(worker, rank, counter int) int {
	i := worker*f.ranks + rank
	if u := &f.units[i]; u.shadow > 0 && f.engines[worker].hit(counter) {
		return u.shadow
	}
	return i
}

// countersOf are the counters of the unit at the position.
func (f *fleet) countersOf(unit int) []counterDef {
	if slices.Contains(f.front, unit) {
		return frontEnd{}.counters()
	}
	return f.counters
}

// accounted calls do for every unit of a prefill or unified worker.
func (f *fleet) accounted(do func(u *unit)) {
	for w := range f.top.accounted() {
		for r := range f.ranks {
			do(f.unit(w, r))
		}
	}
}

// isDecode reports whether the worker is a decode worker.
func (f *fleet) isDecode(worker int) bool { return worker >= f.top.accounted() }

// serve runs the requests through the fleet. tick is when a refresh falls, 0
// for anywhere.
func serve(s Spec, engines []engine, requests []request, tick int64) *fleet {
	t := s.scraped()
	f := &fleet{engines: engines, counters: engines[0].counters(), workers: t.accounted() + t.decode, ranks: s.Ranks, top: t}
	f.units = make([]unit, f.workers*f.ranks)
	for i := range f.units {
		u := &f.units[i]
		u.worker, u.rank = i/f.ranks, i%f.ranks
		u.events = make([]event, 0, 8*len(requests)/len(f.units)+16)
		u.before(engines[u.worker])
	}
	f.setRefresh(s, tick)
	for i := range requests {
		r := &requests[i]
		if !r.admitted() || r.unscraped {
			continue
		}
		w := r.worker
		if s.Engine == DYNAMO {
			w = 0 // the front end, whichever worker serves it
		}
		engines[w].prefill(r, t.decode > 0, f.unit(w, r.rank).add)
		if t.decode > 0 && r.decoded() {
			w := t.accounted() + r.decoder
			engines[w].decode(r, f.unit(w, r.rank).add)
		}
	}
	if s.Dynamo {
		f.addFrontEnd(requests)
	}
	for i := range f.units {
		f.units[i].sort()
	}
	return f
}

// before counts what the unit's worker had counted before the run.
func (u *unit) before(e engine) {
	e.before(func(counter int, n int64) { u.add(longAgo, counter, n) })
}

func (u *unit) sort() {
	slices.SortStableFunc(u.events, func(a, b event) int { return cmp.Compare(a.at, b.at) })
}

func (u *unit) add(at int64, counter int, n int64) {
	if n != 0 {
		u.events = append(u.events, event{at, counter, n})
	}
}

// setRefresh gives every unit its refresh. Ranks refresh independently of each
// other; generation A refreshes twice, in the rank and in the API process.
func (f *fleet) setRefresh(s Spec, tick int64) {
	if s.Refresh == 0 {
		return
	}
	rng := layerRand(s.Seed, 3)
	period := int64(s.Refresh)
	api := make([]int64, f.workers)
	for i := range api {
		if api[i] = rng.Int64N(period); tick > 0 {
			api[i] = tick % period
		}
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

// newEngines returns the engine of each of the spec's workers.
func newEngines(s Spec) []engine {
	t := s.scraped()
	out := make([]engine, t.accounted()+t.decode)
	for i := range out {
		out[i] = newEngine(s)
	}
	return out
}

func newEngine(s Spec) engine {
	switch s.Engine {
	case VLLM:
		return vllm{era1: s.Generation == Era1, connector: s.Offload}
	case SGLANG:
		return sglang{tiers: s.Offload}
	case TRTLLM:
		return trtllm{tiers: s.Offload}
	case DYNAMO:
		return frontEnd{}
	}
	return atom{genA: s.Generation == GenA, lmcache: s.Offload, labelled: s.RanksAs == RanksLabels}
}

// decoded reports whether a request of a P/D run got as far as the decode
// worker.
func (r *request) decoded() bool { return r.first < r.end || r.finished() }

// handover returns when a P/D request leaves the prefill worker and when the
// decode worker admits it: between its admission and its first token.
func (r *request) handover() (left, taken int64) {
	span := r.first - r.admit
	return r.admit + span*8/10, r.admit + span*9/10
}
