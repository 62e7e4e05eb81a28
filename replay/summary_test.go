package replay_test

import (
	"testing"

	"github.com/pdreplay/pdreplay/replay"
)

func TestExit(t *testing.T) {
	contradicts := []string{"x"}
	for _, tt := range []struct {
		name string
		s    replay.Summary
		want int
	}{
		{"passed", replay.Summary{Passed: 1, Undecided: 1, Skipped: 1}, 0},
		{"nothing", replay.Summary{}, 2},
		{"only skipped", replay.Summary{Skipped: 3}, 2},
		{"only undecided", replay.Summary{Undecided: 3}, 2},
		{"undecided, but parity held", replay.Summary{Undecided: 3, ParityHeld: 1}, 0},
		{"parity broke", replay.Summary{Undecided: 3, ParityBroken: 1}, 1},
		{"failed", replay.Summary{Passed: 1, Failed: 1}, 1},
		{"an error goes before a failure", replay.Summary{Failed: 1, Errors: 1}, 2},
		{"a contradiction goes before an error", replay.Summary{Errors: 1, Contradictions: contradicts}, 3},
		{"a contradiction goes before nothing", replay.Summary{Contradictions: contradicts}, 3},
		{"an interruption goes before all", replay.Summary{Failed: 1, Contradictions: contradicts, Interrupted: true}, 130},
	} {
		if got := tt.s.Exit(); got != tt.want {
			t.Errorf("%s: exit %d, want %d", tt.name, got, tt.want)
		}
	}
}

// A published row is reproduced when one adapter says the same in every field.
func TestTallyParity(t *testing.T) {
	var tally replay.Tally
	add := func(run string, differs ...string) {
		tally.Add(replay.Result{Run: run, Outcome: replay.Answered, Class: "undecided", Published: &replay.Parity{Fields: []string{"gpu"}, Differs: differs}})
	}
	add("a", "gpu")
	add("a")
	add("b", "gpu")
	add("b", "gpu")
	if s := tally.Summary(); s.ParityHeld != 1 || s.ParityBroken != 1 || s.Undecided != 4 {
		t.Errorf("%+v", s)
	}
}
