package cmd

import (
	"io"
	"time"

	"github.com/schollz/progressbar/v3"
)

// A progress is the line with rate and time left. It stands on stderr, and
// only where that is a terminal.
type progress struct {
	bar  *progressbar.ProgressBar // nil without a terminal
	last string                   // run
}

func newProgress(w io.Writer, runs int) *progress {
	if !isTerminal(w) {
		return &progress{}
	}
	return &progress{bar: progressbar.NewOptions(runs,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetDescription("replaying"),
		progressbar.OptionSetItsString("runs"),
		progressbar.OptionShowIts(),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionShowCount(),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionFullWidth())}
}

// around takes the line away while something of a run is reported: both may go
// to the same terminal.
func (p *progress) around(run string, report func() error) error {
	if p.bar == nil {
		return report()
	}
	p.bar.Clear() // a lost progress line is no reason to stop
	err := report()
	if run != p.last {
		p.bar.Add(1)
		p.last = run
	}
	return err
}

func (p *progress) done() {
	if p.bar != nil {
		p.bar.Clear()
	}
}
