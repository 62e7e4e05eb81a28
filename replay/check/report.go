package check

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pdreplay/pdreplay/generator"
	"github.com/pdreplay/pdreplay/replay"
)

// A Report is what a check came to.
type Report struct {
	Summary   replay.Summary
	Options   Options // as they were used
	Runs      int     // examined
	Elapsed   time.Duration
	Scorecard *Scorecard

	Pairs, PairsPlanned int      // pairs of faults at an edge
	Missing             []string // what a whole check should have met and did not
	Whole               bool     // everything that is planned was drawn
	Stale               []string // entries of lists about generated runs that excused nothing

	Holes          Holes
	Failures       []*Failure
	Broken         []string // runs that could not be made or read, and why: bugs of this program
	Contradictions []*Contradiction
	Interrupted    bool
	Stopped        bool // by --fail-fast
}

// A Contradiction is a run where the truth lies outside what the oracle says.
// The oracle is wrong there, and no adapter was judged.
type Contradiction struct {
	Run    string
	Number int
	Spec   generator.Spec
	Text   string
	Dir    string // "" when none was written
}

// Holes are the runs that the contract itself prices away from the truth.
type Holes struct {
	Priced int // runs that the contract prices
	Of     map[string]FaultHoles
}

// FaultHoles are the holes of the runs with one fault.
type FaultHoles struct {
	Runs  int
	Error float64 // the largest, per cent of the price at the true rate
}

// Runs counts all holes.
func (h Holes) Runs() (n int) {
	for _, f := range h.Of {
		n += f.Runs
	}
	return n
}

func (h *Holes) add(faults FaultSet, hole Hole) {
	if h.Of == nil {
		h.Of = map[string]FaultHoles{}
	}
	name := faults.String()
	if len(faults) > 1 {
		name = rowMixture
	}
	f := h.Of[name]
	f.Runs++
	if abs(hole.Error) > abs(f.Error) {
		f.Error = hole.Error
	}
	h.Of[name] = f
}

// Faults lists the rows of the holes: no fault, each fault in the generator's
// order, mixtures.
func (h Holes) Faults() []string {
	names := append(append([]string{rowNone}, slugs()...), rowMixture)
	return slices.DeleteFunc(names, func(n string) bool { return h.Of[n].Runs == 0 })
}

func newReport(o Options) *Report {
	return &Report{Options: o, Scorecard: newScorecard(o.Adapters, o.Against)}
}

// corpus names what a check draws, whatever the shard: reports of other runs
// are not to be added up with it.
func (o Options) corpus() string {
	drawn := fmt.Sprintf("%d %s %q %q %q %q", o.Runs, o.Time, o.Engines, o.Topologies, o.Collectors, o.Faults)
	return fmt.Sprintf("check-%.6x", sha256.Sum256([]byte(drawn)))
}

// conclude sums up what was drawn.
func (c *checker) conclude(ctx context.Context) {
	r := c.report
	r.Summary = c.tally.Summary()
	r.Summary.Seed, r.Summary.Corpus = &c.Seed, replay.Word(c.corpus())
	r.Interrupted = r.Interrupted || ctx.Err() != nil
	r.Summary.Interrupted, r.Summary.Stopped = r.Interrupted, r.Stopped
	for _, k := range r.Contradictions {
		r.Summary.Contradictions = append(r.Summary.Contradictions, k.Run+": "+k.Text)
	}
	r.Pairs, r.PairsPlanned = c.seen.pairs(c.plan), c.plan.pairs()
	r.Whole = c.whole() && !r.Interrupted && !r.Stopped && c.drawn >= len(c.plan.steps)
	if !r.Whole {
		return
	}
	r.Missing = c.seen.missing(c.plan)
	for _, e := range c.Expect {
		mine := strings.HasPrefix(e.Run, idRoot+"/") && c.adapter(e.Adapter) != nil
		if mine && !c.listed[e.At()] {
			r.Stale = append(r.Stale, e.At()+": "+e.Adapter+" "+e.Run+" "+string(e.Class))
		}
	}
}

// Exit is the exit code of the check: that of the summary, and beside it a
// whole check fails that did not meet what it should have, or whose lists name
// what no longer happens.
func (r *Report) Exit() int {
	code := r.Summary.Exit()
	short := r.Whole && (r.Pairs < r.PairsPlanned || len(r.Missing) > 0)
	switch {
	case code == replay.ExitInterrupted || code == replay.ExitOracle || code == replay.ExitUnusable:
		return code
	case short:
		return replay.ExitUnusable
	case len(r.Stale) > 0:
		return replay.ExitFailed
	}
	return code
}
