package adapter

import (
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
