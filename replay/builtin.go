package replay

import (
	"sync"

	"github.com/pdreplay/pdreplay/oracle"
	"github.com/pdreplay/pdreplay/replay/adapter"
	"github.com/pdreplay/pdreplay/replay/adapter/atom"
	"github.com/pdreplay/pdreplay/replay/adapter/dynamo"
	"github.com/pdreplay/pdreplay/replay/adapter/etl"
	"github.com/pdreplay/pdreplay/replay/adapter/sglang"
	"github.com/pdreplay/pdreplay/replay/adapter/trtllm"
	"github.com/pdreplay/pdreplay/replay/adapter/vllm"
)

// An Engine is one inference engine that pdreplay knows.
type Engine struct {
	Name     string
	Adapters []adapter.Adapter      // every version that is built in, oldest first
	Selects  func(name string) bool // the metric families that they read
}

// Builtin lists the engines. A new one is a line here, and its file in each of
// adapter/x, oracle/x.go and generator/x.go.
func Builtin() []Engine {
	return []Engine{
		{"atom", atom.Adapters(), atom.Selects},
		{"vllm", vllm.Adapters(), vllm.Selects},
		{"sglang", sglang.Adapters(), sglang.Selects},
		{"trtllm", trtllm.Adapters(), trtllm.Selects},
		{"dynamo", dynamo.Adapters(), dynamo.Selects},
	}
}

// BuiltinAdapters returns the adapters of all engines, and the consumer's own
// derivation behind them. That one answers for every engine, from a CSV that
// not every run has, so it is asked by name only.
func BuiltinAdapters() []adapter.Adapter {
	var all []adapter.Adapter
	for _, e := range Builtin() {
		all = append(all, e.Adapters...)
	}
	return append(all, etl.Adapters()...)
}

// Selects reports whether any adapter or the oracle reads a metric family; a
// run is opened with it.
func Selects(name string) bool {
	for _, e := range registered() {
		if e.Selects(name) {
			return true
		}
	}
	return etl.Selects(name) || oracle.Selects(name)
}

// registered is Builtin, made once: Selects is asked about every family of
// every run.
var registered = sync.OnceValue(Builtin)
