package replay

import (
	"github.com/pdreplay/pdreplay/oracle"
	"github.com/pdreplay/pdreplay/replay/adapter"
	"github.com/pdreplay/pdreplay/replay/adapter/atom"
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
	}
}

// BuiltinAdapters returns the adapters of all engines.
func BuiltinAdapters() []adapter.Adapter {
	var all []adapter.Adapter
	for _, e := range Builtin() {
		all = append(all, e.Adapters...)
	}
	return all
}

// Selects reports whether any adapter or the oracle reads a metric family; a
// run is opened with it.
func Selects(name string) bool {
	for _, e := range Builtin() {
		if e.Selects(name) {
			return true
		}
	}
	return oracle.Selects(name)
}
