package oracle

import (
	"strings"
	"sync"
	"time"

	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// A counter is one thing that an engine counts, and the series it stands in.
type counter struct {
	name      string                  // what reasons call it: FULL
	spellings []string                // family names of the same counter
	label     string                  // the label that splits the family into parts, "" for none
	part      func(value string) bool // the parts that are this counter; nil is their sum
	needs     []string                // the parts without which the sum is not whole
	replicas  []string                // labels of ranks that all count the same requests, unless dp_rank tells them apart
	stat      stat
}

// A stat is the number of a series that a counter is: the total of a counter
// family, or the sum or count of a histogram.
type stat int

const (
	statTotal stat = iota
	statSum
	statCount
)

// one is the part of that value.
func one(value string) func(string) bool { return func(v string) bool { return v == value } }

// An engine says which series are which counter.
type engine struct {
	name     string
	prefixes []string // of its families

	// choose returns the tables to read an export with. An engine that counts
	// the same in several ways picks the one that can be trusted.
	choose func(export *aiperf.Export) tables
	// selects lists every family that any of the tables reads.
	selects []string

	// refresh is how often the engine renews what /metrics shows, when nothing
	// better is known, and how many such periods a value can be old.
	refresh func(r reading) (period time.Duration, periods float64)
	// frontend engines count each client request once, before any worker does:
	// they need no roles.
	frontend bool
	// atFinish: FULL moves when the request ends, not when it is admitted.
	atFinish bool
	// lateBorn: a series appears with its first event, so a scrape of its
	// endpoint before the window is no reference for it.
	lateBorn bool
	// countsTogether: REQUESTS moves with FULL. Where it moves at another event
	// the ledger's fit ignores it.
	countsTogether bool
	// preemptions admit a prompt again; nil where that counts nothing.
	preemptions *counter
}

// tables are the counters of one way of reading an export.
type tables struct {
	full             counter
	tiers            []tier   // the first one is CACHED, the GPU's
	requests, tokens counter  // what the client's records are held against (rule 14)
	loaded           *counter // transfer volume: bounds the CPU tier where OFFLOAD is unknown
	mustEqual        *counter // FULL counts what it should only where it equals this one

	// reported counts the requests whose hits are known; where it is not all of
	// them, the others may have hit too.
	reported *counter

	overallOnly        bool // no tier is told apart, so no price can be made (rule 12)
	estimates          bool // the counters are not exact enough for a price
	cachedHoldsOffload bool // without OFFLOAD, CACHED may contain the CPU tier (ATOM generation A)
}

// A tier is a place that prompt tokens are reused from.
type tier struct {
	counter
	gpu, cpu, external, overall bool // the rates that it is part of
	untold                      bool // hits of which the engine does not say the tier: part of overall only

	// lazy tiers are born with their first hit: where FULL is exported an
	// absent one is 0 in overall, and its own rate is null (rule 10).
	lazy bool
}

// finishing is an engine that counts a request when it ends, and whose series
// are born with their first event.
func finishing(name string, t tables, prefixes ...string) engine {
	return engine{
		name:           name,
		prefixes:       prefixes,
		choose:         func(*aiperf.Export) tables { return t },
		selects:        families(t),
		refresh:        func(reading) (time.Duration, float64) { return 0, 1 },
		atFinish:       true,
		lateBorn:       true,
		countsTogether: true,
	}
}

// engines in the order of detection.
var engines = sync.OnceValue(func() []engine {
	return []engine{atomEngine(), sglangEngine(), trtllmEngine(), vllmEngine(), dynamoEngine()}
})

func engineNamed(name string) (engine, bool) {
	for _, e := range engines() {
		if e.name == name {
			return e, true
		}
	}
	return engine{}, false
}

// Detect returns the engine whose metrics a run has, "" for none. Families
// decide, those of workers before those of a front end (accounting.md D8); the
// FRAMEWORK of the environment or of the published row speaks only for an
// export without any family.
func Detect(run *aiperf.Run) string {
	export := run.Metrics()
	if export == nil {
		return ""
	}
	for _, e := range engines() {
		for _, name := range export.Names {
			if e.owns(name) {
				return e.name
			}
		}
	}
	if len(export.Names) == 0 {
		name := strings.ToLower(framework(run))
		if strings.HasPrefix(name, "dynamo") {
			name = "dynamo"
		}
		if e, ok := engineNamed(name); ok {
			return e.name
		}
	}
	return ""
}

func framework(run *aiperf.Run) string {
	if f := run.Env["FRAMEWORK"]; f != "" || run.Published == nil {
		return f
	}
	return run.Published.Framework
}

func (e engine) owns(family string) bool {
	for _, p := range e.prefixes {
		if strings.HasPrefix(family, p) {
			return true
		}
	}
	return false
}

// Selects reports whether the oracle reads a metric family.
func Selects(name string) bool { return selected()[name] }

var selected = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{}
	for _, e := range engines() {
		for _, name := range e.selects {
			all[name] = true
		}
	}
	return all
})

// counters returns all counters of the tables.
func (t tables) counters() []counter {
	all := []counter{t.full, t.requests, t.tokens}
	for _, tier := range t.tiers {
		all = append(all, tier.counter)
	}
	for _, c := range []*counter{t.loaded, t.mustEqual, t.reported} {
		if c != nil {
			all = append(all, *c)
		}
	}
	return all
}

// families lists the families of several tables.
func families(all ...tables) []string {
	var names []string
	for _, t := range all {
		for _, c := range t.counters() {
			for _, s := range c.spellings {
				names = appendNew(names, s)
			}
		}
	}
	return names
}
