package window

import (
	"fmt"
	"slices"

	"github.com/pdreplay/pdreplay/replay/adapter"
)

// The words of a validity record (accounting.md section 6).
const (
	ValidComplete     = "VALID_COMPLETE"
	WindowUnresolved  = "WINDOW_UNRESOLVED"
	ScopeUnresolved   = "REQUEST_SCOPE_UNRESOLVED"
	InvalidCounter    = "INVALID_COUNTER"
	RolesUnresolved   = "ROLES_UNRESOLVED"
	CounterMissing    = "COUNTER_MISSING"
	CPUUnresolved     = "CPU_UNRESOLVED"
	IntervalTelemetry = "INTERVAL_TELEMETRY"
)

// A Refusal is one thing that keeps a run from being priced.
type Refusal struct {
	Status string
	Null   bool // the rates are not shown either
	Rule   int  // number in accounting.md, 0 for none
	Text   string
	At     string // address in the export, "" for none
}

// String gives the reason with its rule and address.
func (r Refusal) String() string {
	text := r.Text
	if r.Rule != 0 {
		text = fmt.Sprintf("rule %d: %s", r.Rule, text)
	}
	if r.At != "" {
		text += " (" + r.At + ")"
	}
	return text
}

// rank is the order in which a status goes before another when several apply.
func (r Refusal) rank() int {
	word := r.Status
	if word == WindowUnresolved && r.Null {
		word = "WINDOW (null)"
	}
	return slices.Index([]string{
		RolesUnresolved, InvalidCounter, "WINDOW (null)", CounterMissing,
		WindowUnresolved, CPUUnresolved, ScopeUnresolved, IntervalTelemetry,
	}, word)
}

// Refusals are all the reasons against pricing one run.
type Refusals []Refusal

// Add appends a refusal that shows the rates.
func (rs *Refusals) Add(status string, rule int, at, format string, args ...any) {
	*rs = append(*rs, Refusal{Status: status, Rule: rule, At: at, Text: fmt.Sprintf(format, args...)})
}

// Nullify appends a refusal that shows no rate.
func (rs *Refusals) Nullify(status string, rule int, at, format string, args ...any) {
	*rs = append(*rs, Refusal{Status: status, Null: true, Rule: rule, At: at, Text: fmt.Sprintf(format, args...)})
}

// Null reports whether any refusal forbids showing rates.
func (rs Refusals) Null() bool {
	return slices.ContainsFunc(rs, func(r Refusal) bool { return r.Null })
}

// Status is the word that goes first, [ValidComplete] without a refusal.
func (rs Refusals) Status() string {
	if len(rs) == 0 {
		return ValidComplete
	}
	return slices.MinFunc(rs, func(a, b Refusal) int { return a.rank() - b.rank() }).Status
}

// Reasons are all the refusals as text, in the order of the statuses.
func (rs Refusals) Reasons() []string {
	sorted := slices.Clone(rs)
	slices.SortStableFunc(sorted, func(a, b Refusal) int { return a.rank() - b.rank() })
	var reasons []string
	for _, r := range sorted {
		reasons = append(reasons, r.String())
	}
	return reasons
}

// Record writes the validity record of the refusals into the answer: status,
// eligibility and reasons, with the notes after them. Rates are set to null
// when a refusal forbids showing them.
func (rs Refusals) Record(a *adapter.Answer, notes []string) {
	a.Status = rs.Status()
	eligible := len(rs) == 0
	a.Eligible = &eligible
	a.Reasons = append(rs.Reasons(), notes...)
	if rs.Null() {
		a.Rates = adapter.Rates{}
	}
}
