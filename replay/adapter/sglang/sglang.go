// Package sglang holds the adapters that answer for SGLang runs.
package sglang

import (
	"slices"

	"github.com/pdreplay/pdreplay/replay/adapter"
)

// Engine is the engine whose runs these adapters answer for.
const Engine = "sglang"

// Adapters returns the adapters of this package, oldest first.
func Adapters() []adapter.Adapter { return []adapter.Adapter{mainAdapter(), engine().Adapter()} }

// Selects reports whether a metric family is one that the adapters read.
func Selects(family string) bool {
	return slices.Contains([]string{prompt, generation, cached, maxTotal, hitRate}, family) || tables().Selects(family)
}
