package replay_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdreplay/pdreplay/replay"
)

func TestReadExpectations(t *testing.T) {
	text := "# a list\n\natom@main  matrix/07-x  wrong-rate  # includes the warmup # and more\n"
	got, err := replay.ReadExpectations(strings.NewReader(text), "list.txt")
	want := replay.Expectations{{Adapter: "atom@main", Run: "matrix/07-x", Class: replay.WrongRate, Why: "includes the warmup # and more", File: "list.txt", Line: 3}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

func TestReadExpectationsRefuses(t *testing.T) {
	for _, tt := range []struct{ line, says string }{
		{"atom@main run mispriced", `list.txt:1: no reason: say after # why atom@main deviates on run`},
		{"atom@main run mispriced #  ", `list.txt:1: no reason`},
		{"atom@main run # why", `list.txt:1: want adapter, run, class and # why`},
		{"atom@main run mispriced twice # why", `list.txt:1: want adapter, run, class and # why`},
		{"atom@main run correct # why", `list.txt:1: "correct" is no deviation: want one of mispriced,`},
		{"atom@main run Mispriced # why", `list.txt:1: "Mispriced" is no deviation`},
		{"atom@main * mispriced # why", `list.txt:1: pattern "*" matches every run`},
		{"atom@main */*? mispriced # why", `list.txt:1: pattern "*/*?" matches every run`},
		{"atom@main run[ mispriced # why", `list.txt:1: run pattern "run[": syntax error`},
		{"\ufeffatom@main run mispriced # why", `list.txt:1: begins with a byte-order mark: remove the first three bytes`},
		{"\ufeff# a comment", `list.txt:1: begins with a byte-order mark`},
		{"atom@* run mispriced # why", `list.txt:1: adapter "atom@*": a deviation belongs to one adapter`},
	} {
		_, err := replay.ReadExpectations(strings.NewReader(tt.line), "list.txt")
		if err == nil || !strings.HasPrefix(err.Error(), tt.says) {
			t.Errorf("%s\n got %v\nwant %s", tt.line, err, tt.says)
		}
	}
}

func TestCheckPatterns(t *testing.T) {
	x := expectations(t, "a@1 matrix/0* mispriced # why", "a@1 matrix/01 mispriced # why")
	if err := x.CheckPatterns([]string{"t/matrix/01", "t/matrix/02"}); err == nil || !strings.Contains(err.Error(), "list.txt:1: pattern \"matrix/0*\" matches every run") {
		t.Errorf("a pattern that matches every run: %v", err)
	}
	if err := x.CheckPatterns([]string{"t/matrix/01", "t/matrix/11"}); err != nil {
		t.Errorf("a pattern that matches some runs: %v", err)
	}
	// A command that repeats one run still takes the list of all.
	if err := x.CheckPatterns([]string{"matrix/01"}); err != nil {
		t.Errorf("a single run: %v", err)
	}
}

func TestCheckContradictions(t *testing.T) {
	for _, tt := range []struct {
		lines []string
		says  string
	}{
		{[]string{"a@1 m/01 mispriced # why", "a@1 m/01 lost-rate # why"},
			"list.txt:2 lists lost-rate for a@1 on m/01, but list.txt:1 lists mispriced: remove one of the lines"},
		{[]string{"a@1 01 mispriced # why", "a@1 m/02 mispriced # why", "a@1 m/01 lost-rate # why"},
			"list.txt:3 lists lost-rate for a@1 on m/01, but list.txt:1 lists mispriced: remove one of the lines"},
		{[]string{"a@1 m/0* mispriced # why", "a@1 m/0* lost-rate # why"},
			"list.txt:2 lists lost-rate for a@1 on m/0*, but list.txt:1 lists mispriced: remove one of the lines"},
		{[]string{"a@1 m/01 mispriced # why", "a@2 m/01 lost-rate # why", "a@1 n/01 lost-rate # why", "a@1 m/0* lost-rate # why", "a@1 m/01 mispriced # again"}, ""},
	} {
		err := expectations(t, tt.lines...).CheckContradictions()
		if tt.says == "" && err != nil || tt.says != "" && (err == nil || err.Error() != tt.says) {
			t.Errorf("%q:\n got %v\nwant %s", tt.lines, err, tt.says)
		}
	}
	builtin, err := replay.Historical()
	if err != nil {
		t.Fatal(err)
	}
	if err := builtin.CheckContradictions(); err != nil {
		t.Errorf("the built-in lists: %v", err)
	}
	e := builtin[0]
	ours := replay.Entry{Adapter: e.Adapter, Run: e.Run, Class: "other"}
	if err := append(replay.Expectations{ours}, builtin...).CheckContradictions(); err != nil {
		t.Errorf("a line of ours before a built-in one: %v", err)
	}
}

// What a list says of one result: wrong@1 is mispriced on every run.
func TestListedDeviations(t *testing.T) {
	for _, tt := range []struct {
		name     string
		lines    []string
		run      string
		expected bool
		count    replay.Count
	}{
		{"not listed", nil, "m/01", false, replay.CountFailed},
		{"listed", []string{"wrong@1 m/01 mispriced # why"}, "m/01", true, replay.CountPassed},
		{"listed by its last elements", []string{"wrong@1 m/01 mispriced # why"}, "deep/m/01", true, replay.CountPassed},
		{"not by a part of an element", []string{"wrong@1 1 mispriced # why"}, "m/01", false, replay.CountFailed},
		{"listed by a pattern", []string{"wrong@1 m/0? mispriced # why"}, "m/01", true, replay.CountPassed},
		{"a pattern does not cross elements", []string{"wrong@1 m* mispriced # why"}, "m/01", false, replay.CountFailed},
		{"another adapter", []string{"wrong@2 m/01 mispriced # why"}, "m/01", false, replay.CountFailed},
		{"another class", []string{"wrong@1 m/01 lost-rate # why"}, "m/01", false, replay.CountFailed},
		{"an id goes before a pattern", []string{"wrong@1 m/0? lost-rate # why", "wrong@1 m/01 mispriced # why"}, "m/01", true, replay.CountPassed},
		{"not edited", []string{"wrong@1 m/01 mispriced # why?"}, "m/01", false, replay.CountFailed},
	} {
		got := judged(t, fake{"wrong@1", "atom", wrong}, tt.run, tt.lines...)
		if got.Expected != tt.expected || got.Count() != tt.count {
			t.Errorf("%s: expected %t, counts as %d", tt.name, got.Expected, got.Count())
		}
	}
	stale := judged(t, fake{"good@1", "atom", right}, "m/01", "good@1 m/01 mispriced # why")
	if stale.Count() != replay.CountFailed || stale.Listed == nil || stale.Listed.At != "list.txt:1" {
		t.Errorf("a listed deviation that no longer happens: %+v", stale)
	}
}

// Undecided is never passed, listed or not; a list that names another class fails.
func TestListedUndecided(t *testing.T) {
	undecided := replay.Result{Outcome: replay.Answered, Class: replay.Word(replay.Undecided)}
	if undecided.Count() != replay.CountUndecided {
		t.Error("not listed")
	}
	undecided.Listed, undecided.Expected = &replay.Listing{Class: replay.Undecided}, true
	if undecided.Count() != replay.CountUndecided {
		t.Error("listed")
	}
	undecided.Listed, undecided.Expected = &replay.Listing{Class: replay.Mispriced}, false
	if undecided.Count() != replay.CountFailed {
		t.Error("listed as mispriced")
	}
}

func TestFix(t *testing.T) {
	text := "# head\nkept@1 m/01 mispriced # why\nstale@1 m/01 mispriced # why\nmoved@1 m/01 lost-rate # why\nother@1 m/09 lost-rate # not in this replay"
	lines := strings.Split(text, "\n")
	results := []replay.Result{
		judged(t, fake{"kept@1", "atom", wrong}, "m/01", lines...),
		judged(t, fake{"stale@1", "atom", right}, "m/01", lines...),
		judged(t, fake{"moved@1", "atom", wrong}, "m/01", lines...),
		judged(t, fake{"new@1", "atom", wrong}, "m/01", lines...),
		judged(t, fake{"fine@1", "atom", right}, "m/01", lines...),
	}
	want := "# head\nkept@1 m/01 mispriced # why\nother@1 m/09 lost-rate # not in this replay\n" +
		"moved@1  m/01  mispriced  # why?\nnew@1  m/01  mispriced  # why?\n"
	if diff := cmp.Diff(want, string(replay.Fix("list.txt", []byte(text), results, true))); diff != "" {
		t.Error(diff)
	}
	// Another list loses only its stale lines.
	want = "# head\nkept@1 m/01 mispriced # why\nother@1 m/09 lost-rate # not in this replay\n"
	if diff := cmp.Diff(want, string(replay.Fix("list.txt", []byte(text), results, false))); diff != "" {
		t.Error(diff)
	}
}

func expectations(t *testing.T, lines ...string) replay.Expectations {
	t.Helper()
	x, err := replay.ReadExpectations(strings.NewReader(strings.Join(lines, "\n")), "list.txt")
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// judged is what one adapter gets on fixture 01 under the id, with these lists.
func judged(t *testing.T, a fake, id string, lines ...string) replay.Result {
	t.Helper()
	o := options()
	o.Adapters = append(o.Adapters, a)
	o.Expect = expectations(t, lines...)
	results, _ := run(t, t.Context(), o, clean(id))
	return results[0]
}
