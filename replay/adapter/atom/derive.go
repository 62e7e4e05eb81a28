package atom

import (
	"context"
	"strconv"
	"strings"

	"github.com/pdreplay/pdreplay/replay/adapter"
	"github.com/pdreplay/pdreplay/replay/adapter/window"
	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// Engine is the engine whose runs these adapters answer for.
const Engine = "atom"

var (
	full     = counter("FULL", "prefix_cache_full_tokens")
	cached   = counter("CACHED", "prefix_cache_cached_tokens")
	offload  = counter("OFFLOAD", "prefix_cache_offload_tokens")
	loaded   = counter("LOADED", "lmcache_loaded_tokens")
	requests = counter("REQUESTS", "prefix_cache_requests")

	// What main sums while it fills its row; a NaN there costs the whole row.
	prompt     = counter("prompt_tokens", "prompt_tokens")
	generation = counter("generation_tokens", "generation_tokens")

	cacheCounters = []window.Counter{full, cached, offload, loaded, requests}
)

// counter is one counter under the four names that ATOM and Atomesh give it.
func counter(name, stem string) window.Counter {
	return window.Counter{Name: name, Spellings: []string{
		"atom:" + stem, "atom_" + stem, "atom:" + stem + "_total", "atom_" + stem + "_total",
	}}
}

// Selects reports whether a metric family is one that the adapters read.
func Selects(family string) bool {
	for _, c := range append([]window.Counter{prompt, generation}, cacheCounters...) {
		for _, name := range c.Spellings {
			if family == name {
				return true
			}
		}
	}
	return false
}

// Adapters returns atom@main and its successors in the order of [Versions].
func Adapters() []adapter.Adapter {
	var all []adapter.Adapter
	for _, v := range Versions() {
		all = append(all, atom{v})
	}
	return all
}

type atom struct{ version Version }

func (a atom) Name() string   { return Engine + "@" + a.version.Name }
func (a atom) Engine() string { return Engine }

// Derive implements [adapter.Adapter].
func (a atom) Derive(_ context.Context, run *aiperf.Run) (adapter.Answer, error) {
	return a.version.Derive(run)
}

// counts are the numbers that rates are made of, nil where unknown.
type counts struct {
	full, cached, offload, loaded, requests *float64
}

// Derive derives the rates of one run. The error is one that main dies of; a
// refusal is an answer.
func (v Version) Derive(run *aiperf.Run) (adapter.Answer, error) {
	if v.Bounds == Unbounded {
		return v.main().Derive(context.Background(), run)
	}
	answer := adapter.Answer{Accounting: v.accounting(run.Records)}
	n, refusals, notes := v.checked(run)
	answer.Rates, answer.Counters = v.rates(n), n.list()
	v.record(&answer, refusals, notes)
	return answer, nil
}

// rates are the published rates of known counts, rounded.
func (v Version) rates(n counts) adapter.Rates {
	second := n.offload
	if v.CPU == LoadedOverFull {
		second = n.loaded
	}
	r := adapter.Rates{GPU: adapter.Ratio(n.cached, n.full), CPU: adapter.Ratio(second, n.full)}
	r.External, r.Overall = r.CPU, r.GPU
	if v.Overall == OverallGPUCPU {
		r.Overall = adapter.Ratio(sum(n.cached, second), n.full) // sum first, divide once
	}
	return r.Round()
}

func sum(a, b *float64) *float64 {
	if a == nil || b == nil {
		return nil
	}
	s := *a + *b
	return &s
}

// record writes the version's validity record, or what it has instead.
func (v Version) record(a *adapter.Answer, refusals window.Refusals, notes []string) {
	refusals.Record(a, notes)
	if v.Validity != RefusalsOnly {
		return
	}
	a.Eligible = nil
	if !refusals.Null() {
		a.Status = ""
	}
}

// accounting is the request accounting that the version publishes: those
// before the split of #3964 (0fda3f1e) lack it.
func (v Version) accounting(records *aiperf.Records) *aiperf.Accounting {
	if v.Errors == NoErrors || v.Errors == AllErrors {
		return adapter.OldAccounting(records)
	}
	return adapter.NewAccounting(records)
}

// blocking is how many failed requests of an accounting forbid a price.
func (v Version) blocking(a aiperf.Accounting) int {
	switch v.Errors {
	case NoErrors:
		return 0
	case AllErrors:
		return a.ErrorDropped
	}
	return a.BlockingErrors()
}

func (n counts) list() []adapter.Counter {
	var list []adapter.Counter
	for _, c := range []struct {
		counter window.Counter
		value   *float64
	}{{full, n.full}, {cached, n.cached}, {offload, n.offload}, {loaded, n.loaded}, {requests, n.requests}} {
		if c.value != nil {
			list = append(list, adapter.Counter{Name: c.counter.Name, Value: *c.value})
		}
	}
	return list
}

// main is the version without any check: every spelling and every endpoint
// added up, each series by its first usable statistic.
func (v Version) main() adapter.Main {
	return adapter.Main{EngineName: Engine, Picks: []string{adapter.PickAtom}, Published: v.published}
}

func (v Version) published(metrics []aiperf.Family) (adapter.Rates, []adapter.Counter, error) {
	sums := map[string]*float64{}
	for _, c := range []window.Counter{prompt, generation, cached, full, loaded} {
		sum, err := adapter.SumStat(metrics, c.Spellings...)
		if err != nil {
			return adapter.Rates{}, nil, err
		}
		sums[c.Name] = sum
	}
	for _, c := range []window.Counter{prompt, generation} {
		if err := adapter.Integral(c.Name, sums[c.Name]); err != nil {
			return adapter.Rates{}, nil, err
		}
	}
	n := counts{full: sums[full.Name], cached: sums[cached.Name], loaded: sums[loaded.Name]}
	return v.rates(n), n.list(), nil
}

// modern reports whether the run says that its collector is 1.0.12 or newer.
// Absent, older or unreadable is the old one [ours].
func modern(env aiperf.Env) bool {
	parts := strings.Split(env["AGENTX_HARNESS_VERSION"], ".")
	for i, least := range []int{1, 0, 12} {
		if i >= len(parts) {
			return false
		}
		n, err := strconv.Atoi(parts[i])
		if err != nil || n < least {
			return false
		}
		if n > least {
			return true
		}
	}
	return true
}
