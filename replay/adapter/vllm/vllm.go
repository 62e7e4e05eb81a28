// Package vllm holds the adapters that answer for vLLM runs.
package vllm

import "github.com/pdreplay/pdreplay/replay/adapter"

// Engine is the engine whose runs these adapters answer for.
const Engine = "vllm"

// Adapters returns the adapters of this package, oldest first.
func Adapters() []adapter.Adapter { return []adapter.Adapter{mainAdapter(), engine().Adapter()} }

// Selects reports whether a metric family is one that the adapters read.
func Selects(family string) bool {
	switch family {
	case hits, queries, externalHits, externalQuery, bySource, Prompt, Generation, success:
		return true
	}
	return false
}
