package oracle

// dynamoEngine reads the front end's histograms: it counts each client request
// once, whatever the workers behind it do, and tells no tier apart. Exports
// with the workers' own series are read as their engine's.
func dynamoEngine() engine {
	histogram := func(name, family string, s stat) counter {
		return counter{name: name, spellings: []string{family}, stat: s}
	}
	const input, cached = "dynamo_frontend_input_sequence_tokens", "dynamo_frontend_cached_tokens"
	full := histogram("FULL", input, statSum)
	reported := histogram("REPORTED", cached, statCount)
	t := tables{
		full:        full,
		tiers:       []tier{{counter: histogram("CACHED", cached, statSum), overall: true}},
		requests:    histogram("REQUESTS", input, statCount),
		tokens:      full,
		reported:    &reported,
		overallOnly: true,
	}
	e := finishing("dynamo", t, "dynamo_")
	e.frontend = true
	return e
}
