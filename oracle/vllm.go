package oracle

import (
	"slices"
	"time"

	"github.com/pdreplay/pdreplay/replay/aiperf"
)

const vllmBySource = "vllm:prompt_tokens_by_source"

func vllmEngine() engine {
	plain := func(name, family string) counter {
		return counter{name: name, spellings: []string{family}}
	}
	source := func(name string, part func(string) bool) counter {
		return counter{name: name, spellings: []string{vllmBySource}, label: "source", part: part}
	}
	requests := plain("REQUESTS", "vllm:request_success")
	prompt := plain("PROMPT", "vllm:prompt_tokens")
	// Every source is exported from the start, so a missing one is a loss, not a 0.
	full := source("FULL", nil)
	full.needs = []string{"local_compute", "local_cache_hit", "external_kv_transfer"}
	bySource := tables{
		full: full,
		tiers: []tier{
			{counter: source("CACHED", one("local_cache_hit")), gpu: true, overall: true},
			{counter: source("OFFLOAD", one("external_kv_transfer")), cpu: true, external: true, overall: true},
		},
		requests: requests,
		tokens:   prompt,
	}
	// Queries are counted at every scheduling attempt in older builds, so they
	// are prompt tokens only where they equal them (vllm #43736).
	lookups := tables{
		full: plain("FULL", "vllm:prefix_cache_queries"),
		tiers: []tier{
			{counter: plain("CACHED", "vllm:prefix_cache_hits"), gpu: true, overall: true},
			{counter: plain("OFFLOAD", "vllm:external_prefix_cache_hits"), cpu: true, external: true, overall: true},
		},
		requests:  requests,
		tokens:    prompt,
		mustEqual: &prompt,
	}
	return engine{
		name:     "vllm",
		prefixes: []string{"vllm:"},
		choose: func(export *aiperf.Export) tables {
			if slices.Contains(export.Names, vllmBySource) {
				return bySource
			}
			return lookups
		},
		selects: families(bySource, lookups),
		refresh: func(reading) (time.Duration, float64) { return 0, 1 },
	}
}
