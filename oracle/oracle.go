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
	Basis    [4]Basis // in the order gpu, cpu, external, overall; the run's basis is overall's

	run    *aiperf.Run
	engine engine
	roles  roles
	window *aiperf.Range // the profiling phase, nil when the export has none
	read   reading       // the counters, cut to the window
	scope  scope         // the client's side

	observedWhy string // why every observed rate is unknown, "" when they are not
}

// RunBasis is the basis of the run: that of its overall rate.
func (ev *Evidence) RunBasis() Basis { return ev.Basis[3] }

// Examine works out what the export of a run proves. It never fails: what it
// cannot use becomes a reason. A run of no known engine gives Evidence with an
// empty Engine; its rates are unknown.
func Examine(run *aiperf.Run, _ Options) *Evidence {
	ev := &Evidence{run: run, Observed: unknownRates()}
	e, ok := engineNamed(Detect(run))
	if !ok {
		ev.observedWhy = "the run has no metrics of a known engine"
		ev.setBasis()
		return ev
	}
	ev.engine, ev.Engine = e, e.name
	export := run.Metrics()
	ev.window = export.Profiling
	ev.roles = resolveRoles(run, e)
	ev.read = readCounters(export, e, ev.roles, ev.window)
	ev.scope = readScope(run)
	ev.Observed, ev.observedWhy = ev.observe()
	ev.setBasis()
	return ev
}

func (ev *Evidence) setBasis() {
	priced := ev.Engine != "" && ev.Verdict(review).Eligible
	for i, observed := range ev.Observed.List() {
		switch {
		case priced:
			ev.Basis[i] = Conserved
		case observed.Lo > 0 || observed.Hi < 1:
			ev.Basis[i] = Bounded
		default:
			ev.Basis[i] = Unknown
		}
	}
}

// tokens prints a count of tokens or requests as the file's readers know it.
func tokens(x float64) string { return formatCount(x) }

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
