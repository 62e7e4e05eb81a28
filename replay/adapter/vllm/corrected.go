package vllm

import (
	"slices"

	"github.com/pdreplay/pdreplay/replay/adapter/corrected"
	"github.com/pdreplay/pdreplay/replay/adapter/window"
	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// success is the counter of finished requests, one series a finish reason.
const success = "vllm:request_success"

// engine is vllm@corrected. The prompt tokens by source are one transaction
// and sum to the prompt; on prefill and unified endpoints what came from
// outside is reuse, never a transfer between roles. Without them lookups stand
// in, where they were not counted more than once: external hits are divided by
// the local queries, because the external queries leave out what hit locally
// in one era and not in the other (engines.md, "Correct rate").
func engine() corrected.Engine {
	plain := func(name, family string) window.Counter {
		return window.Counter{Name: name, Spellings: []string{family}}
	}
	source := func(name, value string) window.Counter {
		return window.Counter{Name: name, Spellings: []string{bySource}, Keep: window.Labelled("source", value)}
	}
	tables := func(full, cached, offload window.Counter) corrected.Tables {
		return corrected.Tables{
			Full: full,
			Tiers: []corrected.Tier{
				{Counter: cached, GPU: true, Overall: true},
				{Counter: offload, CPU: true, External: true, Overall: true},
			},
			Requests: plain("REQUESTS", success),
			Tokens:   plain("PROMPT", Prompt),
		}
	}
	// Every source is exported from the start, so a missing one is not 0.
	full := plain("FULL", bySource)
	full.Part, full.Needs = "source", []string{"local_compute", "local_cache_hit", "external_kv_transfer"}
	sources := tables(full, source("CACHED", "local_cache_hit"), source("OFFLOAD", "external_kv_transfer"))
	fewer := sources // of a run that declares that there is no outside
	fewer.Full.Needs = full.Needs[:2]
	lookups := tables(plain("FULL", queries), plain("CACHED", hits), plain("OFFLOAD", externalHits))
	lookups.FullMustEqualTokens = true
	return corrected.Engine{Name: Engine, Choose: func(run *aiperf.Run) corrected.Tables {
		switch {
		case !slices.Contains(run.Metrics().Names, bySource):
			return lookups
		case window.NoCPUTier(run):
			return fewer
		}
		return sources
	}}
}
