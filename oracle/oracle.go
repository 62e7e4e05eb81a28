// Package oracle says what an export proves about the cache rates of its run,
// as intervals with reasons, and what a contract lets be priced. It shares no
// rule with any adapter: endpoint roles, slice sums and request scope are its
// own on purpose, so that an error in one does not excuse the same in the other.
package oracle

import "github.com/pdreplay/pdreplay/replay/aiperf"

func round(x float64) float64 { return x }

// An Interval is a closed range of fractions in [0, 1].
type Interval struct{ Lo, Hi float64 }

// Point reports whether the interval holds one value, to 5 decimals.
func (i Interval) Point() bool { return round(i.Lo) == round(i.Hi) }

// Rates are one interval a published rate, in the order gpu, cpu, external, overall.
type Rates struct{ GPU, CPU, External, Overall Interval }

// List returns the intervals in the order gpu, cpu, external, overall.
func (r Rates) List() [4]Interval { return [4]Interval{r.GPU, r.CPU, r.External, r.Overall} }

// A Basis says what an observed rate is worth.
type Basis string

const (
	Exact     Basis = "exact"     // observed and true rate are the same proven point
	Conserved Basis = "conserved" // priced by conservation, which a swap could satisfy
	Bounded   Basis = "bounded"   // somewhere in an interval narrower than [0, 1]
	Unknown   Basis = "unknown"   // the evidence says nothing
)

// A Status is a word of the validity record (accounting.md section 6).
type Status string

const (
	ValidComplete     Status = "VALID_COMPLETE"
	WindowUnresolved  Status = "WINDOW_UNRESOLVED"
	ScopeUnresolved   Status = "REQUEST_SCOPE_UNRESOLVED"
	InvalidCounter    Status = "INVALID_COUNTER"
	RolesUnresolved   Status = "ROLES_UNRESOLVED"   // ours
	CounterMissing    Status = "COUNTER_MISSING"    // ours
	CPUUnresolved     Status = "CPU_UNRESOLVED"     // ours
	IntervalTelemetry Status = "INTERVAL_TELEMETRY" // ours
)

// Ours reports whether the word is not one that the producer has: an adapter
// that says any other refusal passes.
func (s Status) Ours() bool {
	switch s {
	case ValidComplete, WindowUnresolved, ScopeUnresolved, InvalidCounter:
		return false
	}
	return true
}

// A Reason is one thing that keeps a run from being priced or a rate from
// being a point.
type Reason struct {
	Rule   int    // number in accounting.md, 0 for none
	Status Status // what the reason alone would make the status
	Text   string
	At     string // address: file#/json/pointer, file:line, or ""
}

// A Verdict is what a contract expects of an adapter's answer for one run.
type Verdict struct {
	Contract string
	Status   Status
	Eligible bool
	Rates    [4]*float64 // what is reported, in the order gpu, cpu, external, overall; nil is null
	Reasons  []Reason    // every reason, the one that decides the status first
}

// Evidence is what the oracle makes of one run.
type Evidence struct {
	Engine   string
	Observed Rates
	Basis    [4]Basis // in the order gpu, cpu, external, overall; the run's basis is overall's

	run *aiperf.Run
}
