package oracle

import "strings"

// sglangNames are the spellings of a counter: the server's, and those of
// routers and normalising scrapers, each with or without _total.
func sglangNames(stem string) []string {
	return []string{"sglang:" + stem, "sglang_" + stem, "sglang:" + stem + "_total", "sglang_" + stem + "_total"}
}

func sglangEngine() engine {
	plain := func(name, stem string) counter {
		return counter{name: name, spellings: sglangNames(stem), replicas: []string{"tp_rank", "pp_rank", "moe_ep_rank"}}
	}
	cached := func(name string, part func(string) bool) counter {
		c := plain(name, "cached_tokens")
		c.label, c.part = "cache_source", part
		return c
	}
	storage := func(source string) bool { return source == "storage" || strings.HasPrefix(source, "storage_") }
	// "total" is the fallback, which excludes the split; a source that nobody
	// knows is no better.
	untold := func(source string) bool { return source != "device" && source != "host" && !storage(source) }
	full := plain("FULL", "prompt_tokens")
	t := tables{
		full: full,
		tiers: []tier{
			{counter: cached("DEVICE", one("device")), gpu: true, overall: true, lazy: true},
			{counter: cached("HOST", one("host")), cpu: true, external: true, overall: true, lazy: true},
			{counter: cached("STORAGE", storage), external: true, overall: true, lazy: true},
			{counter: cached("UNTOLD", untold), overall: true, lazy: true, untold: true},
		},
		requests: plain("REQUESTS", "num_requests"),
		tokens:   full,
	}
	return finishing("sglang", t, "sglang:", "sglang_")
}
