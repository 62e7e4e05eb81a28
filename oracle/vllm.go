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
	source := func(name, value string) counter {
		return counter{name: name, spellings: []string{vllmBySource}, label: "source", value: value}
	}
	requests := plain("REQUESTS", "vllm:request_success")
	prompt := plain("PROMPT", "vllm:prompt_tokens")
	bySource := tables{
		full:     source("FULL", ""),
		cached:   source("CACHED", "local_cache_hit"),
		offload:  source("OFFLOAD", "external_kv_transfer"),
		requests: requests,
		tokens:   prompt,
	}
	// Queries are counted at every scheduling attempt in older builds, so they
	// are prompt tokens only where they equal them (vllm #43736).
	lookups := tables{
		full:      plain("FULL", "vllm:prefix_cache_queries"),
		cached:    plain("CACHED", "vllm:prefix_cache_hits"),
		offload:   plain("OFFLOAD", "vllm:external_prefix_cache_hits"),
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
		selects: []string{
			vllmBySource, "vllm:request_success", "vllm:prompt_tokens",
			"vllm:prefix_cache_queries", "vllm:prefix_cache_hits", "vllm:external_prefix_cache_hits",
		},
		refresh: func(reading) (time.Duration, float64) { return 0, 1 },
	}
}
