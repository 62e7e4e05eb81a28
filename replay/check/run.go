package check

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pdreplay/pdreplay/generator"
	"github.com/pdreplay/pdreplay/replay"
)

// chunk is how many runs are planned and judged together; the clock and
// --fail-fast are looked at between chunks.
const chunk = 256

// Run draws, judges and shrinks. The error is one of the options, of the files
// that are written, or of Options.Each; what adapters get wrong stands in the
// report, which comes beside an error of the files too.
func Run(ctx context.Context, o Options) (*Report, error) {
	o, err := o.validate()
	if err != nil {
		return nil, err
	}
	if err := claim(o.Dir); err != nil {
		return nil, err
	}
	c := &checker{Options: o, plan: newPlan(o), report: newReport(o), seen: coverage{}, listed: map[string]bool{}}
	began := o.Now()
	if err := c.draw(ctx); err != nil {
		return nil, err
	}
	c.report.Elapsed = o.Now().Sub(began)
	c.conclude(ctx)
	return c.report, c.isolate(ctx)
}

// A checker is a check under way.
type checker struct {
	Options
	plan   plan
	report *Report
	tally  replay.Tally
	seen   coverage
	groups []*group        // failures as they were drawn, in the order they came
	drawn  int             // runs that were planned so far
	listed map[string]bool // addresses of the entries that excused something
}

// draw judges chunk after chunk until there are enough.
func (c *checker) draw(ctx context.Context) error {
	deadline := c.Now().Add(c.Time)
	next := 0
	for ctx.Err() == nil {
		runs := c.take(&next)
		if len(runs) == 0 || c.Time > 0 && !c.Now().Before(deadline) {
			break
		}
		c.drawn = next
		stopped, err := c.judge(ctx, runs)
		if err != nil {
			return err
		}
		if stopped {
			c.report.Stopped = true
			break
		}
	}
	return nil
}

// take returns the next runs, from a number on.
func (c *checker) take(next *int) []*generated {
	var runs []*generated
	for ; len(runs) < chunk && (c.Runs == 0 || *next < c.Runs || c.Only != nil); *next++ {
		if c.Only != nil {
			if *next > 0 {
				break
			}
			runs = append(runs, c.generated(*c.Only))
			continue
		}
		if c.Shard.holds(*next) {
			runs = append(runs, c.generated(*next))
		}
	}
	return runs
}

func (c *checker) generated(number int) *generated {
	g := &generated{number: number}
	spec, err := c.plan.spec(number)
	if err != nil {
		// The run fails when it is opened, where its error can be counted.
		g.spec, g.id = generator.Spec{}, fmt.Sprintf("%s/%d-%d", idRoot, c.Seed, number)
		return g
	}
	g.spec, g.id = spec, runID(spec, c.Seed, number)
	return g
}

// judge replays one chunk. It is true when --fail-fast ended it.
func (c *checker) judge(ctx context.Context, runs []*generated) (bool, error) {
	sources := make([]replay.Source, len(runs))
	byID := make(map[string]*generated, len(runs))
	for i, g := range runs {
		sources[i] = g.source(c.Options)
		byID[g.id] = g
	}
	failed := false
	o := c.engine()
	o.Runs = c.EachRun // not where failures are shrunk
	summary, err := replay.Run(ctx, sources, o, func(r replay.Result) error {
		if r.Outcome == replay.Skipped && r.Adapter != "" {
			return nil // not its engine: nothing that anybody asked for
		}
		failed = c.add(byID[r.Run], &r) || failed
		if c.Each != nil {
			if err := c.Each(r); err != nil {
				return err
			}
		}
		if c.FailFast && failed {
			return errStop
		}
		return nil
	})
	if err != nil && !errors.Is(err, errStop) {
		return false, err
	}
	c.report.Interrupted = c.report.Interrupted || summary.Interrupted
	for _, text := range summary.Contradictions {
		id, why, _ := strings.Cut(text, ": ")
		byID[id].against = why // also where the oracle failed before the truth was held against it
	}
	for _, g := range runs {
		c.truth(g)
	}
	return err != nil || c.FailFast && len(c.report.Contradictions) > 0, nil
}

// errStop ends a replay at the first unlisted failure.
var errStop = errors.New("stopped by --fail-fast")

func (o Options) engine() replay.Options {
	return replay.Options{
		Adapters: twice(o.Adapters), Contract: o.Contract, Oracle: o.Oracle,
		Jobs: o.Jobs, Timeout: o.Timeout, Now: o.Now, Flags: o.Flags, Arguments: o.Arguments,
	}
}

// add counts one result and reports whether it is an unlisted failure.
func (c *checker) add(g *generated, r *replay.Result) bool {
	c.excuse(r)
	c.tally.Add(*r)
	c.report.Scorecard.add(g, *r)
	count := r.Count()
	if count != replay.CountFailed && count != replay.CountError {
		return false
	}
	if r.Adapter == "" {
		c.report.Broken = append(c.report.Broken, r.Run+": "+string(r.Error))
	} else {
		c.group(g, *r)
	}
	return true
}

// onlyCompared is the list, so to speak, that the adapter of --against is on.
const onlyCompared = "--against"

// excuse marks a deviation that is listed, or that of the adapter that others
// are only compared with: its failures are known, or it would not be.
func (c *checker) excuse(r *replay.Result) {
	class := replay.Class(r.Class)
	if r.Outcome != replay.Answered || !slices.Contains(failing(), string(class)) {
		return
	}
	entry, ok := c.Expect.Listed(string(r.Adapter), r.Run, class)
	switch {
	case ok:
		c.listed[entry.At()] = true
		r.Listed = &replay.Listing{Class: class, Why: entry.Why, At: entry.At()}
		r.Expected = entry.Why != replay.Unedited
	case c.Against != "" && string(r.Adapter) == c.Against:
		r.Listed = &replay.Listing{Class: class, Why: "others are compared with it", At: onlyCompared}
		r.Expected = true
	}
}

// truth counts what a run taught beside its results. Runs that were not
// reached have nothing to say.
func (c *checker) truth(g *generated) {
	if !g.examined && g.against == "" {
		return
	}
	c.seen.add(c.plan, g)
	c.report.Runs++
	if g.priced {
		c.report.Holes.Priced++
	}
	if g.hole != nil {
		c.report.Holes.add(faultsOf(g.spec), *g.hole)
	}
	if g.against != "" {
		c.report.Contradictions = append(c.report.Contradictions, &Contradiction{Run: g.id, Number: g.number, Spec: g.spec, Text: g.against})
	}
}
