package check

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/pdreplay/pdreplay/generator"
	"github.com/pdreplay/pdreplay/replay"
	"github.com/pdreplay/pdreplay/replay/adapter"
	"github.com/pdreplay/pdreplay/replay/aiperf"
	"github.com/pdreplay/pdreplay/replay/shrink"
)

// The budget of one failure. In-process adapters need a fraction of the time;
// the limit is there for external ones.
const (
	evaluations = 2000
	patience    = 30 * time.Second
)

// minimize shrinks the first run of a group.
func (c *checker) minimize(ctx context.Context, g *group) (*Failure, error) {
	f := &Failure{Bug: g.Bug, Faults: g.faults, Number: g.first.number, Again: g.result.Again, Drawn: g.first.spec, Spec: g.first.spec, Result: g.result, Results: []replay.Result{g.result}}
	a := c.adapter(g.Adapter)
	if a == nil || unshrinkable(g.Class) {
		return f, nil
	}
	keep := func(ctx context.Context, s generator.Spec) (bool, error) {
		r, err := c.ask(ctx, s, g.first.id, a)
		return err == nil && bugOf(r) == g.Bug, ctx.Err()
	}
	if again, err := c.ask(ctx, f.Spec, g.first.id, a); err != nil || bugOf(again) != g.Bug {
		if ctx.Err() == nil {
			f.Class, f.Rule = classFlaky, 0
			f.Results = append(f.Results, again)
		}
		return f, nil
	}
	var err error
	f.Spec, f.Shrink, err = shrink.Shrink(ctx, f.Spec, passes(), keep, shrink.Budget{Evaluations: evaluations, Time: patience, Jobs: c.Jobs, Now: c.Now})
	if err == nil {
		f.Matters, err = shrink.Explain(ctx, parts(f.Spec), keep, c.Jobs)
	}
	if err != nil && ctx.Err() == nil {
		return nil, fmt.Errorf("shrinking run %s: %w", g.first.id, err)
	}
	f.Faults = faultsOf(f.Spec)
	return f, c.record(context.WithoutCancel(ctx), f)
}

// unshrinkable reports whether there is nothing to shrink by, or that it would
// take forever.
func unshrinkable(class string) bool { return class == classTimeout || class == classFlaky }

// shrinkContradictions makes the runs small on which the oracle is wrong.
func (c *checker) shrinkContradictions(ctx context.Context) error {
	for _, k := range c.report.Contradictions {
		keep := func(ctx context.Context, s generator.Spec) (bool, error) {
			return c.wrong(ctx, s, k.Run) != "", ctx.Err()
		}
		small, _, err := shrink.Shrink(ctx, k.Spec, passes(), keep, shrink.Budget{Evaluations: evaluations, Time: patience, Jobs: c.Jobs, Now: c.Now})
		if err != nil && ctx.Err() == nil {
			return fmt.Errorf("shrinking run %s: %w", k.Run, err)
		}
		if text := c.wrong(context.WithoutCancel(ctx), small, k.Run); text != "" {
			k.Spec, k.Text = small, text
		}
	}
	return nil
}

// wrong says how the oracle is wrong about the run of a spec, "" where it is not.
func (c *checker) wrong(ctx context.Context, s generator.Spec, id string) string {
	g, o := &generated{spec: s, id: id}, c.engine()
	o.Adapters, o.Jobs = []adapter.Adapter{}, 1 // it is the oracle that is asked
	summary, err := replay.Run(ctx, []replay.Source{g.source(c.Options)}, o, func(replay.Result) error { return nil })
	if err != nil || len(summary.Contradictions) == 0 {
		return ""
	}
	return strings.TrimPrefix(summary.Contradictions[0], id+": ")
}

// record keeps what every adapter says of the shrunk run, and how large it is.
func (c *checker) record(ctx context.Context, f *Failure) error {
	id := runID(f.Spec, c.Seed, f.Number)
	_, run, err := open(f.Spec, id)
	if err != nil {
		return err
	}
	f.Size = sizeOf(f.Spec, run)
	f.Results = nil
	for _, a := range c.Adapters {
		r, err := c.ask(ctx, f.Spec, id, a)
		if err != nil {
			return err
		}
		f.Results = append(f.Results, r)
		if a.Name() == f.Adapter {
			f.Result = r
		}
	}
	return nil
}

// ask judges one adapter on the run of a spec.
func (c *checker) ask(ctx context.Context, s generator.Spec, id string, a adapter.Adapter) (replay.Result, error) {
	o := c.engine()
	o.Adapters, o.Jobs = []adapter.Adapter{a}, 1
	var result replay.Result
	source := replay.Source{ID: id, Again: []string{"pdreplay", "replay", "run"}, Open: func() (*aiperf.Run, error) {
		_, run, err := open(s, id)
		return run, err
	}}
	_, err := replay.Run(ctx, []replay.Source{source}, o, func(r replay.Result) error { result = r; return nil })
	return result, err
}
