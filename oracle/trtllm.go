package oracle

func trtllmNames(stem string) []string {
	return []string{"trtllm_" + stem, "trtllm_" + stem + "_total"}
}

func trtllmEngine() engine {
	// The level counters have another scope and time than prompt_cached
	// (TensorRT-LLM #18583), so they are not part of overall.
	level := func(name, value string) counter {
		return counter{name: name, spellings: trtllmNames("prompt_cache_hit_tokens"), label: "cache_tier", part: one(value)}
	}
	full := counter{name: "FULL", spellings: trtllmNames("prompt_tokens")}
	t := tables{
		full: full,
		tiers: []tier{
			{counter: counter{name: "CACHED", spellings: trtllmNames("prompt_cached_tokens")}, overall: true, lazy: true},
			{counter: level("GPU", "gpu"), gpu: true, lazy: true},
			{counter: level("HOST", "host"), cpu: true, external: true, lazy: true},
			{counter: level("DISK", "disk"), external: true, lazy: true},
		},
		requests:  counter{name: "REQUESTS", spellings: trtllmNames("request_success")},
		tokens:    full,
		estimates: true,
	}
	return finishing("trtllm", t, "trtllm_", "trtllm:")
}
