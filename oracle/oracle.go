package oracle

import (
	"math"
	"time"

	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// Options are what a caller knows better than the run's files.
type Options struct {
	// Lag overrides how long after an event a counter may still not show it;
	// 0 takes the engine's refresh and the scrape interval (oracle.md, "Lag").
	Lag time.Duration
}

// A Basis says what an observed rate is worth.
type Basis string

const (
	Exact     Basis = "exact"     // observed and true rate are the same proven point
	Conserved Basis = "conserved" // priced by conservation, which a swap could satisfy
	Bounded   Basis = "bounded"   // somewhere in an interval narrower than [0, 1]
	Unknown   Basis = "unknown"   // the evidence says nothing
)

// Evidence is what the oracle makes of one run.
type Evidence struct {
	Engine   string
	Observed Rates    // what a perfect reader of the window would publish
	True     Truth    // where the rates of the requests must lie
	Witness  Witness  // the client's own account
	Basis    [4]Basis // in the order gpu, cpu, external, overall; the run's basis is overall's

	run    *aiperf.Run
	engine engine
	roles  roles
	window *aiperf.Range // the profiling phase, nil when the export has none
	read   reading       // the counters, cut to the window
	scope  scope         // the client's side
	lag    int64         // ns after an event in which a counter may still not show it

	observedWhy string // why every observed rate is unknown, "" when they are not
}

// Lag is how long after an event the oracle takes a counter to show it at the
// latest. A truth that is staler breaks a named assumption (oracle.md).
func (ev *Evidence) Lag() time.Duration { return time.Duration(ev.lag) }

// RunBasis is the basis of the run: that of its overall rate.
func (ev *Evidence) RunBasis() Basis { return ev.Basis[3] }

// Examine works out what the export of a run proves. It never fails: what it
// cannot use becomes a reason. A run of no known engine gives Evidence with an
// empty Engine; its rates are unknown.
func Examine(run *aiperf.Run, o Options) *Evidence {
	ev := &Evidence{run: run, Observed: unknownRates(), True: Truth{Rates: unknownRates()}}
	e, ok := engineNamed(Detect(run))
	if !ok {
		ev.observedWhy = "the run has no metrics of a known engine"
		ev.True.Why = ev.observedWhy
		ev.setBasis()
		return ev
	}
	ev.engine, ev.Engine = e, e.name
	export := run.Metrics()
	if w := export.Profiling; w != nil && w.Start != aiperf.NoTime && w.End != aiperf.NoTime && w.Start < w.End {
		ev.window = w
	}
	ev.roles = resolveRoles(run, e)
	ev.read = readCounters(export, e, ev.roles, ev.window, kvOffloading(run) == "none")
	ev.scope = readScope(run)
	ev.lag = int64(o.Lag)
	if o.Lag == 0 {
		ev.lag = ev.defaultLag()
	}
	ev.Observed, ev.observedWhy = ev.observe()
	ev.True = ev.settle()
	ev.Witness = ev.hearWitness()
	ev.setBasis()
	return ev
}

func (ev *Evidence) setBasis() {
	if ev.Engine == "" {
		ev.Basis = [4]Basis{Unknown, Unknown, Unknown, Unknown}
		return
	}
	exact, priced := ev.exact(), ev.Verdict(review).Eligible
	truth := ev.True.Rates.List()
	for i, observed := range ev.Observed.List() {
		switch {
		case exact && observed.Point() && truth[i].Point():
			ev.Basis[i] = Exact
		case priced:
			ev.Basis[i] = Conserved
		case observed != anything || truth[i] != anything:
			ev.Basis[i] = Bounded
		default:
			ev.Basis[i] = Unknown
		}
	}
}

// defaultLag is the engine's refresh, two scrapes and a slow answer
// (oracle.md, "Lag"). Too short is unsound, too long only less sharp.
func (ev *Evidence) defaultLag() int64 {
	refresh, factor := ev.engine.refresh(ev.read)
	var slowest float64 // ms
	for _, row := range ev.read.full.rows {
		if info := ev.endpointInfo(row.series.Endpoint); info != nil {
			median, _ := info.MedianUpdateIntervalMS.Float()
			slowest = math.Max(slowest, median)
		}
	}
	if slowest < 500 {
		slowest = 0 // updates as fast as scrapes: no refresh of the engine's own
	}
	measured := time.Duration(factor * 1.1 * slowest * float64(time.Millisecond))
	return int64(max(refresh, measured) + time.Second)
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
