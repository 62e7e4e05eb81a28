// Package trtllm holds the adapters that answer for TensorRT-LLM runs.
package trtllm

import (
	"github.com/pdreplay/pdreplay/replay/adapter"
)

// Engine is the engine whose runs these adapters answer for.
const Engine = "trtllm"

// Adapters returns the adapters of this package, oldest first.
func Adapters() []adapter.Adapter { return []adapter.Adapter{published{}, engine().Adapter()} }

// Selects reports whether a metric family is one that the adapters read.
func Selects(family string) bool { return family == hitRate || tables().Selects(family) }
