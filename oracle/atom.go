package oracle

import (
	"time"

	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// ATOM spells a counter with a colon (the worker) or an underscore (Atomesh),
// each with or without _total (accounting.md section 1).
func atomCounter(name, stem string) counter {
	return counter{name: name, spellings: []string{
		"atom:" + stem, "atom_" + stem, "atom:" + stem + "_total", "atom_" + stem + "_total",
	}}
}

func atomEngine() engine {
	loaded := atomCounter("LOADED", "lmcache_loaded_tokens")
	full := atomCounter("FULL", "prefix_cache_full_tokens")
	t := tables{
		full: full,
		tiers: []tier{
			{counter: atomCounter("CACHED", "prefix_cache_cached_tokens"), gpu: true, overall: true},
			{counter: atomCounter("OFFLOAD", "prefix_cache_offload_tokens"), cpu: true, external: true, overall: true},
		},
		requests:           atomCounter("REQUESTS", "prefix_cache_requests"),
		tokens:             full,
		loaded:             &loaded,
		cachedHoldsOffload: true,
	}
	preemptions := atomCounter("PREEMPTIONS", "preemptions")
	return engine{
		name:     "atom",
		prefixes: []string{"atom:", "atom_"},
		choose:   func(*aiperf.Export) tables { return t },
		selects:  append(families(t), preemptions.spellings...),
		refresh: func(r reading) (time.Duration, float64) {
			if r.tiers[1].presence == absent {
				return 10 * time.Second, 2 // generation A: ranks push every 5 s, the API refreshes every 5 s
			}
			return time.Second, 1
		},
		countsTogether: true,
		preemptions:    &preemptions,
	}
}
