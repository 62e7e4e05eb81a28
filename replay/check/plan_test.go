package check

import (
	"slices"
	"testing"

	"github.com/pdreplay/pdreplay/generator"
)

func TestEdgesNameFaults(t *testing.T) {
	known := slugs()
	for slug := range edges() {
		if !slices.Contains(known, slug) {
			t.Errorf("no fault is called %s", slug)
		}
	}
	if !meet("slice-over-end", "trailing-gap") || meet("slice-over-end", "leading-gap") || meet("interior-gap", "interior-gap") {
		t.Error("two meet at E, two do not meet, and one is at no edge")
	}
}

// Every step can be drawn with exactly its faults, whatever the seed, and each
// fault that the engine can have is alone once.
func TestPlanIsDrawn(t *testing.T) {
	for seed := range uint64(3) {
		o, err := options(correct()).validate()
		if err != nil {
			t.Fatal(err)
		}
		o.Seed = seed
		p := newPlan(o)
		for i, step := range p.steps {
			s, err := p.spec(i)
			if err != nil {
				t.Fatalf("run %d: %v", i, err)
			}
			if s.Engine != step.engine || !slices.Equal(faultsOf(s), sorted(step.faults)) {
				t.Errorf("run %d is %s with %s, want %s with %s", i, s.Engine, faultsOf(s), step.engine, step.faults)
			}
		}
		for _, k := range generator.Kinds() {
			alone := slices.ContainsFunc(p.steps, func(s step) bool { return slices.Equal(s.faults, FaultSet{k.Slug}) })
			if want := k.Engines == nil || slices.Contains(k.Engines, "atom"); alone != want && k.Slug != "sources-overflow" {
				t.Errorf("%s alone: %t", k.Slug, alone)
			}
		}
	}
}

// Restrictions hold in every run.
func TestRestrictions(t *testing.T) {
	o := options(correct())
	o.Topologies, o.Collectors, o.Faults = []string{"2p1d"}, []string{"1.0.11", "upstream"}, []string{"trailing-gap", "slice-over-end", "role-missing"}
	o, err := o.validate()
	if err != nil {
		t.Fatal(err)
	}
	p := newPlan(o)
	if want := 1 + 3 + 1; len(p.steps) != want || p.pairs() != 1 {
		t.Errorf("%d steps, %d pairs; want %d and 1", len(p.steps), p.pairs(), want)
	}
	several := 0
	for i := range 100 {
		s, err := p.spec(i)
		if err != nil {
			t.Fatal(err)
		}
		if s.Topology != "2p1d" || !slices.Contains(o.Collectors, s.Collector.Version) {
			t.Errorf("run %d has %s, collector %s", i, s.Topology, s.Collector.Version)
		}
		for _, f := range s.Faults {
			if !slices.Contains(o.Faults, f.Slug) {
				t.Errorf("run %d has %s", i, f.Slug)
			}
		}
		if len(s.Faults) > 1 {
			several++
		}
	}
	if several < 15 {
		t.Errorf("%d runs of 100 have several faults", several)
	}
}
