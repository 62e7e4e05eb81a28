package replay

import (
	"fmt"
	"slices"

	"github.com/pdreplay/pdreplay/oracle"
)

// EventVersion is the "v" of every event. It changes when a field changes its
// meaning or goes away, not when one is added.
const EventVersion = 1

// An Outcome says how the process went, apart from what it answered.
type Outcome string

const (
	Answered Outcome = "answered"
	Failed   Outcome = "failed"  // the adapter, or reading the run, ended with an error
	TimedOut Outcome = "timeout" // no answer within the time limit
	Skipped  Outcome = "skipped" // nothing to answer: not its engine, or no engine
)

// A Result is the event of one adapter and one run. What is absent is null.
type Result struct {
	V       int     `json:"v"`
	Type    string  `json:"type"` // "result"
	Run     string  `json:"run"`
	Adapter Word    `json:"adapter"` // null: the run itself could not be read or has no engine
	Engine  Word    `json:"engine"`
	Outcome Outcome `json:"outcome"`

	Status   Word     `json:"status"`
	Eligible *bool    `json:"pricing_eligible"` // null: no validity record
	Rates    Rates    `json:"rates"`
	H        *Rate    `json:"h"` // before the consumer clamps it to [0, 1]; null: no rate that it reads
	Reasons  []string `json:"reasons"`

	Oracle     *Finding `json:"oracle"` // null where nothing was examined
	Class      Word     `json:"class"`
	Expected   bool     `json:"expected"` // correct, or a listed deviation that did happen
	PriceError *float64 `json:"price_error_pct"`
	Price      *Price   `json:"price,omitempty"` // with --price
	Published  *Parity  `json:"published"`       // null where no row lies beside the run
	Lacks      []string `json:"lacks,omitempty"` // "lacks ..." with the flag that supplies it, "hint: ..." with its evidence
	ElapsedMS  float64  `json:"elapsed_ms"`

	Contract   string   `json:"contract"`
	Difference string   `json:"difference"` // the first thing that differs, in words
	Listed     *Listing `json:"listed"`     // the line of an expectation list about this run and adapter
	Error      Word     `json:"error"`      // why the outcome is not "answered"
	Again      string   `json:"again"`      // the command that repeats it
}

// A RunEvent is the event of one examined run, before its results: what there
// is to draw.
type RunEvent struct {
	V        int              `json:"v"`
	Type     string           `json:"type"` // "run"
	Run      string           `json:"run"`
	Engine   Word             `json:"engine"`
	Faults   []string         `json:"faults"`   // what a generator did to it
	Timeline *oracle.Timeline `json:"timeline"` // null where the export has no window
}

// A Finding is what the oracle says of a run.
type Finding struct {
	Status   Word         `json:"status"`
	Eligible bool         `json:"pricing_eligible"`
	Basis    oracle.Basis `json:"basis"`
	Rates    Intervals    `json:"rates"`    // observed
	Rules    []int        `json:"rules"`    // of the reasons, in their order, each once
	Reasons  []string     `json:"reasons"`  // what keeps it from being priced, then what was left out as proven
	Reported Rates        `json:"reported"` // what the contract has a refused row show
}

// Intervals are closed, their ends rounded to 5 decimals.
type Intervals struct {
	GPU      [2]Rate `json:"gpu"`
	CPU      [2]Rate `json:"cpu"`
	External [2]Rate `json:"external"`
	Overall  [2]Rate `json:"overall"`
}

// List returns the intervals in the order gpu, cpu, external, overall.
func (i Intervals) List() [4]oracle.Interval {
	var l [4]oracle.Interval
	for n, ends := range [4][2]Rate{i.GPU, i.CPU, i.External, i.Overall} {
		l[n] = oracle.Interval{Lo: float64(ends[0]), Hi: float64(ends[1])}
	}
	return l
}

// A Listing is a line of an expectation list.
type Listing struct {
	Class Class  `json:"class"`
	Why   string `json:"why"`
	At    string `json:"at"` // file:line
}

func findingOf(ev *oracle.Evidence, v oracle.Verdict) *Finding {
	reasons := reasonsOf(ev, v)
	f := &Finding{
		Status:   Word(v.Status),
		Eligible: v.Eligible,
		Basis:    ev.RunBasis(),
		Rates:    intervalsOf(ev.Observed),
		Rules:    rulesOf(reasons),
		Reasons:  []string{},
		Reported: ratesOf(v.Rates),
	}
	for _, r := range reasons {
		f.Reasons = append(f.Reasons, reasonText(r))
	}
	return f
}

// reasonsOf are what keeps the run from being priced, then what was found and
// settled.
func reasonsOf(ev *oracle.Evidence, v oracle.Verdict) []oracle.Reason {
	return append(slices.Clone(v.Reasons), ev.Settled()...)
}

// rulesOf are the rules of the reasons, in their order, each once.
func rulesOf(reasons []oracle.Reason) []int {
	rules := []int{}
	for _, r := range reasons {
		if r.Rule != 0 && !slices.Contains(rules, r.Rule) {
			rules = append(rules, r.Rule)
		}
	}
	return rules
}

// reasonText is "rule 7: what was found (address)".
func reasonText(r oracle.Reason) string {
	text := r.Text
	if r.Rule > 0 {
		text = fmt.Sprintf("rule %d: %s", r.Rule, text)
	}
	if r.At != "" {
		text += " (" + r.At + ")"
	}
	return text
}

func intervalsOf(r oracle.Rates) Intervals {
	var l [4][2]Rate
	for i, in := range r.List() {
		l[i] = [2]Rate{Rate(oracle.Round(in.Lo)), Rate(oracle.Round(in.Hi))}
	}
	return Intervals{l[0], l[1], l[2], l[3]}
}

// A Count is where a result counts in the summary.
type Count uint8

const (
	CountPassed Count = iota
	CountFailed
	CountSkipped
	CountUndecided
	CountError
)

// Count says where the result counts. A listed deviation passes, but what is
// undecided never does; a list whose line no longer holds fails.
func (r Result) Count() Count {
	switch {
	case r.Outcome == Skipped:
		return CountSkipped
	case r.Outcome != Answered:
		return CountError
	case r.Class == Word(Undecided) && (r.Expected || r.Listed == nil):
		return CountUndecided
	case r.Expected:
		return CountPassed
	}
	return CountFailed
}
