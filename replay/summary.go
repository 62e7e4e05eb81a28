package replay

import "errors"

// Exit codes of the verbs that judge, see [Summary.Exit].
const (
	ExitOK          = 0
	ExitFailed      = 1   // a verdict failed, or parity with a published row broke
	ExitUnusable    = 2   // usage, unreadable input, adapter errors, nothing judged
	ExitOracle      = 3   // the oracle contradicts itself or the truth
	ExitInterrupted = 130 // by Ctrl-C
)

// A Summary is the last event.
type Summary struct {
	V         int    `json:"v"`
	Type      string `json:"type"` // "summary"
	Passed    int    `json:"passed"`
	Failed    int    `json:"failed"`
	Skipped   int    `json:"skipped"`
	Undecided int    `json:"undecided"`
	Errors    int    `json:"errors"`
	Corpus    Word   `json:"corpus"` // id of the scenario corpus, or of what a check draws; null for runs that a user has

	Seed  *uint64 `json:"seed,omitempty"`  // of the drawn runs, where runs were drawn
	Shard Word    `json:"shard,omitempty"` // "I/N": only this part was to be judged

	Sweeps []Sweep `json:"sweeps,omitempty"` // with --price: of each adapter

	ParityHeld     int      `json:"parity_held"`   // runs whose published row an adapter reproduces in every field
	ParityBroken   int      `json:"parity_broken"` // runs whose published row none reproduces
	Contradictions []string `json:"contradictions"`
	Interrupted    bool     `json:"interrupted"`
	Stopped        bool     `json:"stopped"` // by --fail-fast
}

// Exit returns the exit code, the first that applies. Undecided changes
// nothing, but nothing else is nothing judged: there is no empty green.
func (s Summary) Exit() int {
	switch {
	case s.Interrupted:
		return ExitInterrupted
	case len(s.Contradictions) > 0:
		return ExitOracle
	case s.Errors > 0 || s.Nothing():
		return ExitUnusable
	case s.Failed > 0 || s.ParityBroken > 0:
		return ExitFailed
	}
	return ExitOK
}

// Nothing reports whether nothing was judged.
func (s Summary) Nothing() bool {
	return s.Passed+s.Failed+s.ParityHeld+s.ParityBroken == 0
}

// ErrNothing says that nothing was judged.
var ErrNothing = errors.New("nothing was judged: every run was skipped or undecided, and none has a published row to compare with")

// A Tally adds results up.
type Tally struct {
	summary Summary
	parity  map[string]bool // runs with a published row: does an adapter reproduce it
}

// Add counts one result.
func (t *Tally) Add(r Result) {
	s := &t.summary
	switch r.Count() {
	case CountPassed:
		s.Passed++
	case CountFailed:
		s.Failed++
	case CountSkipped:
		s.Skipped++
	case CountUndecided:
		s.Undecided++
	case CountError:
		s.Errors++
	}
	if p := r.Published; p != nil {
		if t.parity == nil {
			t.parity = map[string]bool{}
		}
		t.parity[r.Run] = t.parity[r.Run] || p.Holds()
	}
}

// Summary returns the sum of what was added.
func (t *Tally) Summary() Summary {
	s := t.summary
	s.V, s.Type, s.Contradictions = EventVersion, "summary", append([]string{}, s.Contradictions...)
	for _, held := range t.parity {
		if held {
			s.ParityHeld++
		} else {
			s.ParityBroken++
		}
	}
	return s
}

// contradict notes where the oracle is wrong; "" is nothing.
func (t *Tally) contradict(what string) {
	if what != "" {
		t.summary.Contradictions = append(t.summary.Contradictions, what)
	}
}
