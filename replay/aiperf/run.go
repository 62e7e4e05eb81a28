package aiperf

import "io/fs"

// A Run is one benchmark point: the files of an AIPerf artifact directory and
// the environment that its producer ran with. A part that has no file is nil:
// that is a fact about the run, not an error.
type Run struct {
	ID  string // how the user names it: slash-separated path from where it was found
	FS  fs.FS  // where the files are
	Dir string // the run's directory inside FS

	Env       Env        // run.env; never nil
	Export    *Export    // server_metrics_export.json
	Totals    *Export    // server_metrics_export.csv: Stats only, endpoints as host:port
	Records   *Records   // profile_export.jsonl
	Aggregate *Aggregate // profile_export_aiperf.json
	Published *Row       // the published row beside the artifacts

	Files Files
	Notes []Note // what was kept although it is not what AIPerf writes
}

// Files holds the paths of a run's files inside its FS, "" where there is none.
type Files struct {
	Export, Totals, Records, Aggregate, Env, Published string
}

// Metrics returns the export that rates are derived from: the JSON where
// there is one, else the CSV, else nil.
func (r *Run) Metrics() *Export {
	if r.Export != nil {
		return r.Export
	}
	return r.Totals
}

// An Env is the environment of the launcher and the producer, from run.env.
type Env map[string]string

// A Note says what a reader met and kept, and where.
type Note struct {
	File string
	At   string // JSON pointer, or "line N"
	Text string
}

// A Selection says which metric families a reader keeps. Memory is bounded by
// what it selects; all else is checked for syntax and skipped. The nil
// Selection keeps everything.
type Selection func(name string) bool
