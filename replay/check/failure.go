package check

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pdreplay/pdreplay/generator"
	"github.com/pdreplay/pdreplay/replay"
	"github.com/pdreplay/pdreplay/replay/adapter"
	"github.com/pdreplay/pdreplay/replay/shrink"
)

// The classes of failures that are no judgement.
const (
	classError   = "error"   // the adapter failed or panicked
	classTimeout = "timeout" // no answer in time
	classFlaky   = "flaky"   // another answer to the same call
)

// A Bug is what a failure is told apart by, and what a shrunk run must still
// have.
type Bug struct {
	Adapter string
	Class   string // a class of [replay.Class], or error, timeout or flaky
	Rule    int    // the first differing rule, 0 for none
}

func bugOf(r replay.Result) Bug {
	b := Bug{Adapter: string(r.Adapter), Class: string(r.Class), Rule: r.Rule()}
	switch {
	case flaky(r):
		b.Class = classFlaky
	case r.Outcome == replay.TimedOut:
		b.Class = classTimeout
	case r.Outcome != replay.Answered:
		b.Class = classError
	}
	return b
}

// A Failure is one distinct way in which an adapter breaks, with the smallest
// run that shows it.
type Failure struct {
	Bug
	Faults FaultSet // the smallest set found
	Count  int      // runs that it explains
	Price  float64  // the largest price error of these, per cent

	Number  int            // of the run that was shrunk
	Again   string         // the command that draws it again
	Drawn   generator.Spec // as it was drawn
	Spec    generator.Spec // shrunk
	Shrink  shrink.Stats
	Matters []shrink.Matter

	Result  replay.Result   // of the adapter for the shrunk run
	Results []replay.Result // of every adapter for the shrunk run
	Size    Size
	Dir     string // "" when none was written
}

// A group is the failures of one bug under the same drawn faults.
type group struct {
	Bug
	faults FaultSet
	first  *generated
	result replay.Result
	count  int
	price  float64
}

// group adds a failure to its group.
func (c *checker) group(g *generated, r replay.Result) {
	bug, faults := bugOf(r), faultsOf(g.spec)
	i := slices.IndexFunc(c.groups, func(x *group) bool { return x.Bug == bug && slices.Equal(x.faults, faults) })
	if i < 0 {
		i = len(c.groups)
		c.groups = append(c.groups, &group{Bug: bug, faults: faults, first: g, result: r})
	}
	x := c.groups[i]
	x.count++
	if e := r.PriceError; e != nil && abs(*e) > abs(x.price) {
		x.price = *e
	}
}

func abs(x float64) float64 { return max(x, -x) }

// isolate turns the groups into distinct failures, those of few faults first:
// what one fault explains is not told again for three. Of an adapter that is
// flaky nothing else can be told.
func (c *checker) isolate(ctx context.Context) error {
	order := func(g *group) int {
		if g.Class == classFlaky {
			return -1
		}
		return len(g.faults)
	}
	slices.SortStableFunc(c.groups, func(a, b *group) int { return cmp.Compare(order(a), order(b)) })
	for _, g := range c.groups {
		if ctx.Err() != nil {
			break
		}
		if f := c.explained(g.Bug, g.faults); f != nil {
			f.take(g)
			continue
		}
		f, err := c.minimize(ctx, g)
		if err != nil {
			return err
		}
		if known := c.explained(f.Bug, f.Faults); known != nil {
			known.take(g)
			continue
		}
		f.take(g)
		c.report.Failures = append(c.report.Failures, f)
	}
	if err := c.shrinkContradictions(ctx); err != nil {
		return err
	}
	return c.write(ctx)
}

// explained returns the failure of the same bug whose faults are all among the
// given ones, or that the adapter is flaky.
func (c *checker) explained(b Bug, faults FaultSet) *Failure {
	for _, f := range c.report.Failures {
		if f.Adapter == b.Adapter && f.Class == classFlaky || f.Bug == b && faults.holds(f.Faults) {
			return f
		}
	}
	return nil
}

func (f *Failure) take(g *group) {
	f.Count += g.count
	if abs(g.price) > abs(f.Price) {
		f.Price = g.price
	}
}

// Title names the failure in one line.
func (f *Failure) Title() string {
	parts := []string{f.Adapter, f.Class}
	if f.Rule > 0 {
		parts = append(parts, fmt.Sprintf("rule %d", f.Rule))
	}
	parts = append(parts, "faults: "+f.Faults.String())
	return strings.Join(parts, "  ")
}

func (c *checker) adapter(name string) adapter.Adapter {
	for _, a := range c.Adapters {
		if a.Name() == name {
			return a
		}
	}
	return nil
}
