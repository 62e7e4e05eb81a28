package sglang

import (
	"strings"

	"github.com/pdreplay/pdreplay/replay/adapter/corrected"
	"github.com/pdreplay/pdreplay/replay/adapter/window"
	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// engine is sglang@corrected. Host and storage are both external to the GPU,
// so that gpu + external is the whole rate (accounting.md section 1). The gauge
// is never used: it is overwritten a batch and zeroed at decode.
func engine() corrected.Engine {
	return corrected.Engine{Name: Engine, Choose: func(*aiperf.Run) corrected.Tables { return tables() }}
}

func tables() corrected.Tables {
	full := counter("FULL", "prompt_tokens", nil)
	source := func(name string, is func(source string) bool) window.Counter {
		return counter(name, "cached_tokens", func(labels map[string]string) bool { return is(labels["cache_source"]) })
	}
	return corrected.Tables{
		Full: full,
		Tiers: []corrected.Tier{
			{Counter: source("DEVICE", isDevice), GPU: true, Overall: true, Lazy: true},
			{Counter: source("HOST", isHost), CPU: true, External: true, Overall: true, Lazy: true},
			{Counter: source("STORAGE", isStorage), External: true, Overall: true, Lazy: true},
			{Counter: source("UNSPLIT", isUnsplit), Overall: true, Lazy: true, Unsplit: true},
		},
		Requests: counter("REQUESTS", "num_requests", nil),
		Tokens:   full,
	}
}

func isDevice(source string) bool { return source == "device" }
func isHost(source string) bool   { return source == "host" }

// isStorage accepts storage_ with the name of any backend.
func isStorage(source string) bool {
	return source == "storage" || strings.HasPrefix(source, "storage_")
}

// isUnsplit is the fallback "total", which a server counts in place of the
// split, and any source that is not known.
func isUnsplit(source string) bool {
	return !isDevice(source) && !isHost(source) && !isStorage(source)
}

// counter is one counter in the spellings of the server and of routers and
// scrapers that replace the colon. Ranks of one tensor parallel group serve
// the same requests and repeat each other's values; data parallel ranks have
// their own dp_rank and are added.
func counter(name, stem string, keep func(map[string]string) bool) window.Counter {
	return window.Counter{
		Name:      name,
		Spellings: []string{"sglang:" + stem, "sglang_" + stem, "sglang:" + stem + "_total", "sglang_" + stem + "_total"},
		Keep:      keep,
		Replicas:  []string{"tp_rank", "pp_rank", "moe_ep_rank"},
	}
}
