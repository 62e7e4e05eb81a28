// Package dynamo holds the adapters that answer for runs of which only the
// Dynamo front end was scraped. Where its workers' own series are in the
// export, the run is one of their engine.
package dynamo

import (
	"github.com/pdreplay/pdreplay/replay/adapter"
	"github.com/pdreplay/pdreplay/replay/adapter/corrected"
	"github.com/pdreplay/pdreplay/replay/adapter/vllm"
	"github.com/pdreplay/pdreplay/replay/adapter/window"
	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// Engine is the engine whose runs these adapters answer for.
const Engine = "dynamo"

// The front end's families: two histograms, and a counter that the producer
// prefers for its generation total.
const (
	input  = "dynamo_frontend_input_sequence_tokens"
	cached = "dynamo_frontend_cached_tokens"
	output = "dynamo_frontend_output_tokens"
)

// Adapters returns the adapters of this package, oldest first.
func Adapters() []adapter.Adapter { return []adapter.Adapter{mainAdapter(), engine().Adapter()} }

// Selects reports whether a metric family is one that the adapters read.
func Selects(family string) bool {
	return family == output || tables().Selects(family) || vllm.Selects(family)
}

// mainAdapter is dynamo@main, the producer's dynamo-vllm of the August tree:
// the rates of the vllm: families, and null without them. What it makes of the
// front end's ratio and of the router's gauges goes to a table that nobody
// reads, because it is written after the row was filled (accounting.md D7).
func mainAdapter() adapter.Main {
	return adapter.Main{EngineName: Engine, Picks: []string{adapter.PickDynamo}, Published: published}
}

func published(metrics []aiperf.Family) (adapter.Rates, []adapter.Counter, error) {
	// The front end's totals go before the workers' for the prompt and
	// generation totals, and whichever is taken must round to an integer.
	for _, total := range [][]string{{input, vllm.Prompt}, {output, vllm.Generation}} {
		if err := firstRounds(metrics, total); err != nil {
			return adapter.Rates{}, nil, err
		}
	}
	return vllm.Rates(metrics)
}

func firstRounds(metrics []aiperf.Family, names []string) error {
	for _, name := range names {
		sum, err := adapter.SumStat(metrics, name)
		if err != nil {
			return err
		}
		if sum != nil {
			return adapter.Integral(name, sum)
		}
	}
	return nil
}

// engine is dynamo@corrected: the front end counts each client request once,
// whatever the workers behind it do, so its ratio of sums is the overall rate;
// the tiers stay unknown. Router gauges are predictions and are never used.
func engine() corrected.Engine {
	return corrected.Engine{Name: Engine, Choose: func(*aiperf.Run) corrected.Tables { return tables() }}
}

func tables() corrected.Tables {
	sum := func(name, family string) window.Counter {
		return window.Counter{Name: name, Spellings: []string{family}}
	}
	count := func(name, family string) window.Counter {
		return window.Counter{Name: name, Spellings: []string{family}, Count: true}
	}
	full := sum("FULL", input)
	reported := count("REPORTED", cached)
	return corrected.Tables{
		Full:     full,
		Tiers:    []corrected.Tier{{Counter: sum("CACHED", cached), Overall: true}},
		Requests: count("REQUESTS", input),
		Tokens:   full,
		Reported: &reported,
		FrontEnd: true,
	}
}
