package report

import "github.com/pdreplay/pdreplay/replay"

// A Reporter writes events in one format, each as it comes.
type Reporter interface {
	Result(replay.Result) error
	// Summary comes last and once.
	Summary(replay.Summary) error
}
