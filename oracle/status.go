package oracle

import (
	"fmt"
	"strings"
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

// Ours reports whether the word is not one that the producer has: where it is
// expected, an adapter passes with any word but VALID_COMPLETE.
func (s Status) Ours() bool {
	switch s {
	case ValidComplete, WindowUnresolved, ScopeUnresolved, InvalidCounter:
		return false
	}
	return true
}

// A Reason is one thing that keeps a run from being priced.
type Reason struct {
	Rule   int    // number in accounting.md
	Status Status // what this reason alone makes the status
	Null   bool   // it nulls every rate
	Text   string
	At     string // address: file#/json/pointer, file:line, or ""
}

// String prints a reason as one line: rule, word, text and address.
func (r Reason) String() string {
	head := "oracle.md"
	if r.Rule > 0 {
		head = fmt.Sprintf("rule %d", r.Rule)
	}
	if r.Status != "" { // what is settled has no word
		head += ", " + string(r.Status)
	}
	return strings.TrimRight(head+": "+r.Text+"  "+r.At, " ")
}

// printable is the reason as it may be shown to people.
func (r Reason) printable() Reason {
	r.Text, r.At = printable(r.Text), printable(r.At)
	return r
}

// order is the place of a reason when several apply (accounting.md section 6).
func (r Reason) order() int {
	switch {
	case r.Status == RolesUnresolved:
		return 0
	case r.Status == InvalidCounter:
		return 1
	case r.Status == WindowUnresolved && r.Null:
		return 2
	case r.Status == CounterMissing:
		return 3
	case r.Status == WindowUnresolved:
		return 4
	case r.Status == CPUUnresolved:
		return 5
	case r.Status == ScopeUnresolved:
		return 6
	}
	return 7
}
