package check

import (
	"slices"

	"github.com/pdreplay/pdreplay/generator"
)

// mixed is the largest number of faults of a mixture.
const mixed = 3

// A plan says what run i is made of. It begins with what has to be seen once,
// the steps, goes on with each fault alone a few times more, and then with
// mixtures.
type plan struct {
	options Options
	steps   []step
	more    []step
}

// A step is a run with exactly these faults.
type step struct {
	engine string
	faults FaultSet
}

// alone is how often each fault is drawn alone: much of what it can do shows
// only where the rest of the run could be priced, which is one run of four.
const alone = 4

// newPlan lists every fault alone, for each engine, and every pair that can
// meet at an edge. What no spec within the options can have is no part of it.
func newPlan(o Options) plan {
	p := plan{options: o}
	allowed := o.Faults
	if len(allowed) == 0 {
		allowed = slugs()
	}
	for _, engine := range o.Engines {
		p.steps = append(p.steps, step{engine, nil})
		var fit []string
		for _, slug := range allowed {
			if s := (step{engine, FaultSet{slug}}); p.possible(s) {
				p.steps = append(p.steps, s)
				p.more = append(p.more, slices.Repeat([]step{s}, alone-1)...)
				fit = append(fit, slug)
			}
		}
		for i, a := range fit {
			for _, b := range fit[i+1:] {
				if s := (step{engine, FaultSet{a, b}}); meet(a, b) && p.possible(s) {
					p.steps = append(p.steps, s)
				}
			}
		}
	}
	return p
}

// possible reports whether some spec can have the step's faults.
func (p plan) possible(s step) bool {
	const tries = 3 // from different fleets: what can be had can be had from most
	for k := range uint64(tries) {
		if _, err := generator.Draw(generator.NewSource(0, k), p.within(s.engine, s.faults)); err == nil {
			return true
		}
	}
	return false
}

func (p plan) within(engine string, faults []string) generator.Options {
	return generator.Options{
		Engines: []string{engine}, Topologies: p.options.Topologies, Collectors: p.options.Collectors, Faults: faults,
	}
}

// spec draws run i: a step, then one run of three without a fault and two with
// some.
func (p plan) spec(i int) (generator.Spec, error) {
	if s, ok := p.step(i); ok {
		return p.draw(i, p.within(s.engine, s.faults))
	}
	o := p.within(p.options.Engines[i%len(p.options.Engines)], nil)
	if i%3 == 0 {
		return p.draw(i, o) // most that can be wrong about a price needs no fault
	}
	if len(p.options.Faults) == 0 {
		o.Mixture = mixed
		return p.draw(i, o)
	}
	// Of a few faults that may be injected, those that fit together.
	rest := slices.Clone(p.options.Faults)
	source := p.source(i, 1)
	for range source.Int("faults", 0, min(mixed, len(rest))) {
		k := source.Int("fault", 0, len(rest)-1)
		o.Faults = append(o.Faults, rest[k])
		rest = slices.Delete(rest, k, k+1)
	}
	for {
		s, err := p.draw(i, o)
		if err == nil || len(o.Faults) == 0 {
			return s, err
		}
		o.Faults = o.Faults[:len(o.Faults)-1]
	}
}

// step returns the step that run i is, false where it is a mixture.
func (p plan) step(i int) (step, bool) {
	switch n := len(p.steps); {
	case i < n:
		return p.steps[i], true
	case i < n+len(p.more):
		return p.more[i-n], true
	}
	return step{}, false
}

// draw draws one spec. Not every fleet can be changed so that the faults fit,
// and a pair may leave nothing to judge, so a few are tried.
func (p plan) draw(i int, o generator.Options) (generator.Spec, error) {
	const tries = 30
	for try := uint64(0); ; try++ {
		s, err := generator.Draw(p.source(i, 2+try), o)
		if err == nil && (len(o.Faults) != 2 || judgeable(s)) || try == tries {
			return s, err
		}
	}
}

// judgeable reports whether the run of a spec has server metrics: without any
// (no scrape before E and no final one) nobody is judged. One that cannot be
// made is told as an error later.
func judgeable(s generator.Spec) bool {
	_, run, err := open(s, "")
	return err != nil || run.Metrics() != nil
}

// source is the i-th source of choices of a run. The streams of two runs never
// meet, however many of them a run needs.
func (p plan) source(run int, stream uint64) generator.Source {
	return generator.NewSource(p.options.Seed, uint64(run)<<8|stream)
}

// pairs counts the steps with two faults.
func (p plan) pairs() (n int) {
	for _, s := range p.steps {
		if len(s.faults) == 2 {
			n++
		}
	}
	return n
}
