package adapter

import (
	"context"
	"fmt"
	"slices"

	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// OldAccounting is the request accounting of producers that do not tell
// profiling errors from warmup errors (all before 0fda3f1e of #3964, and the
// August tree). It is nil without records.
func OldAccounting(records *aiperf.Records) *aiperf.Accounting {
	a := NewAccounting(records)
	if a != nil {
		a.ProfilingErrors = nil
	}
	return a
}

// NewAccounting is the request accounting with records_profiling_error_dropped,
// or nil without records.
func NewAccounting(records *aiperf.Records) *aiperf.Accounting {
	if records == nil {
		return nil
	}
	a := records.Accounting
	return &a
}

// NoRecords is the reason that an @main adapter adds to a run without
// profile_export.jsonl. The producer itself stops there, although no rate
// needs the records: a person who has only the server metrics still learns
// what it would publish [ours].
const NoRecords = "the producer itself stops here: profile_export.jsonl not found"

// CSVOnly is the reason that an @main adapter adds when its totals come from
// server_metrics_export.csv, which the producer never reads [ours]: the CSV
// has the same statistics at 4 decimals.
const CSVOnly = "totals from server_metrics_export.csv: server_metrics_export.json is not there"

// MainReasons are the two reasons above, where they apply.
func MainReasons(run *aiperf.Run) []string {
	var reasons []string
	if run.Records == nil {
		reasons = append(reasons, NoRecords)
	}
	if run.Export == nil && run.Totals != nil {
		reasons = append(reasons, CSVOnly)
	}
	return reasons
}

// A Main is one engine's @main adapter: what the producer publishes for its
// runs, once its detection has picked an adapter for them.
type Main struct {
	EngineName string
	Picks      []string // the picks that Published models
	// Published returns the rounded rates of an export's families, and the
	// counters that they are made of.
	Published func([]aiperf.Family) (Rates, []Counter, error)
}

// Name implements [Adapter].
func (m Main) Name() string { return m.EngineName + "@main" }

// Engine implements [Adapter].
func (m Main) Engine() string { return m.EngineName }

// Derive implements [Adapter]. The error is one that the producer dies of. A
// run without records, or with totals only, gets its rates all the same
// [ours]; the reasons say so.
func (m Main) Derive(_ context.Context, run *aiperf.Run) (Answer, error) {
	answer := Answer{Accounting: OldAccounting(run.Records), Reasons: MainReasons(run)}
	pick, err := Pick(run)
	if err != nil {
		return Answer{}, err
	}
	export := run.Metrics()
	if export == nil || !slices.Contains(m.Picks, pick) {
		answer.Reasons = append(answer.Reasons, PickedElse(run, pick))
		return answer, nil
	}
	if answer.Rates, answer.Counters, err = m.Published(export.Metrics); err != nil {
		return Answer{}, fmt.Errorf("deriving %s from %s: %w", m.Name(), export.File, err)
	}
	return answer, nil
}

// Round returns the rates after the producer's rounding.
func (r Rates) Round() Rates {
	return Rates{GPU: Rounded(r.GPU), CPU: Rounded(r.CPU), External: Rounded(r.External), Overall: Rounded(r.Overall)}
}
