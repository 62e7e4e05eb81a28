package report

import "github.com/pdreplay/pdreplay/replay"

// A Reporter writes events in one format, each as it comes.
type Reporter interface {
	Result(replay.Result) error
	// Summary comes last and once.
	Summary(replay.Summary) error
}

// A RunReporter also takes the event of each run, before its results.
type RunReporter interface {
	Reporter
	Run(replay.RunEvent) error
}
