package report_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdreplay/pdreplay/replay"
	"github.com/pdreplay/pdreplay/replay/report"
)

// written are events as a file holds them.
func written(t *testing.T, s replay.Summary, results ...replay.Result) string {
	t.Helper()
	for i := range results {
		results[i].V, results[i].Type = replay.EventVersion, "result"
	}
	s.V, s.Type = replay.EventVersion, "summary"
	var out strings.Builder
	write(t, report.NewJSON(&out), s, results...)
	return out.String()
}

func read(t *testing.T, name, text string) []report.Events {
	t.Helper()
	events, err := report.Read(strings.NewReader(text), name)
	if err != nil {
		t.Fatal(err)
	}
	return events
}

// What was read back is what was written, whatever stands in it.
func TestReadBack(t *testing.T) {
	results := hostileResults()
	s := summaryOf(results)
	s.Contradictions = []string{"x"}
	text := written(t, s, results...)
	back := read(t, "a", text)
	if len(back) != 1 {
		t.Fatalf("%d replays, want 1", len(back))
	}
	if again := written(t, back[0].Summary, back[0].Results...); again != text {
		t.Error(cmp.Diff(text, again))
	}
}

// Merging takes contradictions of the oracle once, and what ended any replay
// early ended the whole.
func TestMergeSummaries(t *testing.T) {
	one := answered("a@1", replay.Correct, 0.6, 0.2, 0.8)
	two := answered("a@2", replay.Correct, 0.6, 0.2, 0.8)
	first, second := summaryOf([]replay.Result{one}), summaryOf([]replay.Result{two})
	first.Contradictions, second.Contradictions = []string{"x", "y"}, []string{"y"}
	second.Interrupted, first.Stopped = true, true
	all, err := report.Merge(append(read(t, "a", written(t, first, one)), read(t, "b", written(t, second, two))...))
	if err != nil {
		t.Fatal(err)
	}
	s := all.Summary
	if s.Passed != 2 || !cmp.Equal(s.Contradictions, []string{"x", "y"}) || !s.Interrupted || !s.Stopped || s.Exit() != replay.ExitInterrupted {
		t.Errorf("%+v", s)
	}
}

// A row that one adapter reproduces is reproduced, though another replay's
// adapter does not: parity adds up by run, not by sums.
func TestMergeParity(t *testing.T) {
	same := answered("a@1", replay.Correct, 0.6, 0.2, 0.8)
	same.Published = &replay.Parity{Fields: []string{"gpu"}, Differs: []string{}}
	other := answered("a@2", replay.Correct, 0.6, 0.2, 0.8)
	other.Published = &replay.Parity{Fields: []string{"gpu"}, Differs: []string{"gpu"}}
	all, err := report.Merge(append(read(t, "a", written(t, summaryOf([]replay.Result{same}), same)), read(t, "b", written(t, summaryOf([]replay.Result{other}), other))...))
	if err != nil {
		t.Fatal(err)
	}
	if s := all.Summary; s.ParityHeld != 1 || s.ParityBroken != 0 || s.Exit() != replay.ExitOK {
		t.Errorf("%+v", s)
	}
}

func TestMergeRefuses(t *testing.T) {
	one, two := answered("a@1", replay.Correct, 0.6, 0.2, 0.8), answered("a@2", replay.Correct, 0.6, 0.2, 0.8)
	with := func(change func(*replay.Summary)) replay.Summary {
		s := summaryOf([]replay.Result{two})
		change(&s)
		return s
	}
	seed := uint64(7)
	broken := replay.Result{Run: "m/09", Outcome: replay.Failed, Error: "no such file"}
	gone := replay.Result{Run: "m/09", Outcome: replay.Failed, Error: "permission denied"}
	for _, test := range []struct {
		name, a, b, want string
	}{
		{"corpus", written(t, summaryOf([]replay.Result{one}), one), written(t, with(func(s *replay.Summary) { s.Corpus = "c0" }), two),
			"merging b: its corpus is c0, that of a is none: only results of one corpus add up"},
		{"seed", written(t, summaryOf([]replay.Result{one}), one), written(t, with(func(s *replay.Summary) { s.Seed = &seed }), two),
			"merging b: its seed is 7, that of a is none: only results of one seed add up"},
		{"twice", written(t, summaryOf([]replay.Result{one}), one), written(t, summaryOf([]replay.Result{one}), one),
			"merging b: m/01 of a@1 stands in a already and would count twice"},
		{"a run that reads in another way", written(t, summaryOf([]replay.Result{broken}), broken), written(t, summaryOf([]replay.Result{gone}), gone),
			"merging b: m/09 stands in a already and would count twice"},
		{"shard", written(t, with(func(s *replay.Summary) { s.Shard = "1/3" }), two), written(t, summaryOf([]replay.Result{one}), one),
			"merging: shard 2/3 is missing (it stands 0 times, others 1): the sum would look whole"},
		{"no shard", written(t, summaryOf([]replay.Result{one}), one), written(t, with(func(s *replay.Summary) { s.Shard = "3/2" }), two),
			`merging b: its shard is "3/2", not I/N`},
	} {
		_, err := report.Merge(append(read(t, "a", test.a), read(t, "b", test.b)...))
		if err == nil || err.Error() != test.want {
			t.Errorf("%s: %v, want %s", test.name, err, test.want)
		}
	}
}

// Fields that a later version added are passed over.
func TestReadLaterField(t *testing.T) {
	one := answered("a@1", replay.Correct, 0.6, 0.2, 0.8)
	text := strings.Replace(written(t, summaryOf([]replay.Result{one}), one), `"v":1,`, `"v":1,"later":{"a":[1]},`, 1)
	if events := read(t, "a", text); len(events[0].Results) != 1 {
		t.Errorf("%+v", events)
	}
}
