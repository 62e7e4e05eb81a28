package oracle

import (
	"strings"
	"time"

	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// sglangNames are the spellings of a counter: the server's, and those of
// routers and normalising scrapers, each with or without _total.
func sglangNames(stem string) []string {
	return []string{"sglang:" + stem, "sglang_" + stem, "sglang:" + stem + "_total", "sglang_" + stem + "_total"}
}

func sglangEngine() engine {
	cached := func(name string, part func(string) bool) counter {
		return counter{name: name, spellings: sglangNames("cached_tokens"), label: "cache_source", part: part}
	}
	storage := func(source string) bool { return source == "storage" || strings.HasPrefix(source, "storage_") }
	full := counter{name: "FULL", spellings: sglangNames("prompt_tokens")}
	t := tables{
		full: full,
		tiers: []tier{
			{counter: cached("DEVICE", one("device")), gpu: true, overall: true, lazy: true},
			{counter: cached("HOST", one("host")), cpu: true, external: true, overall: true, lazy: true},
			{counter: cached("STORAGE", storage), external: true, overall: true, lazy: true},
			// The fallback child, which excludes the split.
			{counter: cached("CACHED", one("total")), overall: true, lazy: true},
		},
		requests: counter{name: "REQUESTS", spellings: sglangNames("num_requests")},
		tokens:   full,
	}
	return engine{
		name:           "sglang",
		prefixes:       []string{"sglang:", "sglang_"},
		choose:         func(*aiperf.Export) tables { return t },
		selects:        families(t),
		refresh:        func(reading) (time.Duration, float64) { return 0, 1 },
		atFinish:       true,
		lateBorn:       true,
		countsTogether: true,
	}
}
