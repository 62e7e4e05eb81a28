package replay

import (
	"github.com/pdreplay/pdreplay/oracle"
	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// A Source is where a run comes from: a directory that [Find] found, or a
// scenario that builds it.
type Source struct {
	ID string // how events and expectation lists name the run

	// Again are the words of the command that replays only this run, without
	// adapters and flags: "pdreplay replay matrix/05".
	Again []string

	// Faults are what a generator did to the run, by their slugs. Of a run in a
	// directory its truth.json tells them.
	Faults []string

	// Open reads the run. It is called once, in its turn.
	Open func() (*aiperf.Run, error)

	// Check holds what the source knows of the run against the oracle; an
	// error means that the oracle is wrong. It may be nil.
	Check func(ev *oracle.Evidence, v oracle.Verdict) error
}
