package trtllm

import (
	"github.com/pdreplay/pdreplay/replay/adapter/corrected"
	"github.com/pdreplay/pdreplay/replay/adapter/window"
	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// engine is trtllm@corrected. The tiers come from counters of another scope
// and time than prompt_cached_tokens and need not sum to it (TensorRT-LLM
// #18583), so they are no part of overall. Blocks are never turned into
// tokens: without prompt tokens there is no rate.
func engine() corrected.Engine {
	return corrected.Engine{Name: Engine, Choose: func(*aiperf.Run) corrected.Tables { return tables() }}
}

func tables() corrected.Tables {
	counter := func(name, stem string) window.Counter {
		return window.Counter{Name: name, Spellings: names(stem)}
	}
	tier := func(name, tier string) window.Counter {
		c := counter(name, "prompt_cache_hit_tokens")
		c.Keep = window.Labelled("cache_tier", tier)
		return c
	}
	full := counter("FULL", "prompt_tokens")
	return corrected.Tables{
		Full: full,
		Tiers: []corrected.Tier{
			{Counter: counter("CACHED", "prompt_cached_tokens"), Overall: true, Lazy: true},
			{Counter: tier("GPU", "gpu"), GPU: true, Lazy: true},
			{Counter: tier("HOST", "host"), CPU: true, External: true, Lazy: true},
			{Counter: tier("DISK", "disk"), External: true, Lazy: true},
		},
		Requests: counter("REQUESTS", "request_success"),
		Tokens:   full,
		Unpriced: "the counters of TensorRT-LLM move at other events than the requests and cannot be priced exactly",
	}
}
