package check

import (
	"fmt"
	"slices"

	"github.com/pdreplay/pdreplay/generator"
	"github.com/pdreplay/pdreplay/oracle"
)

// A coverage counts what has occurred, by what it is.
type coverage map[string]int

func (c coverage) add(p plan, g *generated) {
	c["topology "+g.spec.Topology]++
	c["collector "+g.spec.Collector.Version]++
	c["status "+string(g.status)+" on "+g.spec.Engine]++
	for _, f := range g.spec.Faults {
		c[f.Slug+" on "+g.spec.Engine]++
	}
	if s, ok := p.step(g.number); ok && slices.Equal(faultsOf(g.spec), sorted(s.faults)) {
		c[stepName(s)]++
	}
}

func stepName(s step) string { return "step " + s.engine + " " + sorted(s.faults).String() }

func sorted(f FaultSet) FaultSet {
	f = slices.Clone(f)
	slices.Sort(f)
	return f
}

// pairs counts the pairs of the plan that occurred.
func (c coverage) pairs(p plan) (n int) {
	for _, s := range p.steps {
		if len(s.faults) == 2 && c[stepName(s)] > 0 {
			n++
		}
	}
	return n
}

// missing lists what a whole check of the options should have met and did not.
// Statuses are only asked for where nothing was restricted: a fault that is
// not drawn can be the only way to one.
func (c coverage) missing(p plan) []string {
	var names []string
	need := func(format string, words ...string) {
		for _, w := range words {
			if name := fmt.Sprintf(format, w); c[name] == 0 {
				names = append(names, name)
			}
		}
	}
	o := p.options
	need("topology %s", or(o.Topologies, generator.Topologies())...)
	need("collector %s", or(o.Collectors, generator.Collectors())...)
	for _, s := range p.steps {
		if len(s.faults) == 1 {
			need("%s on "+s.engine, s.faults[0])
		}
	}
	if len(o.Topologies)+len(o.Collectors)+len(o.Faults) == 0 && !o.Contract.FactsOnly {
		for _, e := range o.Engines {
			for _, s := range statuses(e) {
				need("status %s on "+e, string(s))
			}
		}
	}
	return names
}

// statuses are those that synthesized runs of an engine come to. TensorRT-LLM is
// never priced; a Dynamo front end has no roles, and tells no tiers apart before
// it asks for the scope; only ATOM's CPU tier can be missing.
func statuses(engine string) []oracle.Status {
	list := []oracle.Status{oracle.WindowUnresolved, oracle.InvalidCounter, oracle.CounterMissing}
	if engine == "dynamo" {
		return append(list, oracle.CPUUnresolved)
	}
	list = append(list, oracle.RolesUnresolved, oracle.ScopeUnresolved)
	switch engine {
	case "trtllm":
		return append(list, oracle.IntervalTelemetry)
	case "atom":
		list = append(list, oracle.CPUUnresolved)
	}
	return append(list, oracle.ValidComplete)
}

func or(list, otherwise []string) []string {
	if len(list) > 0 {
		return list
	}
	return otherwise
}
