package replay_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pdreplay/pdreplay/oracle"
	"github.com/pdreplay/pdreplay/replay"
)

// The table at the end of accounting-matrix.md, derived there by hand: what
// each ATOM version gets under contract review where it is not correct.
var deviations = map[string]map[replay.Class]string{
	"atom@main": {
		replay.Undecided: "03 22 24 28 29",
		replay.WrongRate: "07",
		replay.Mispriced: "01 02 04 05 06 08 09 10 11 12 13 14 15 16 17 18 20 21 23 25 26 27 30 31 32",
	},
	"atom@2db01926": {replay.NeedlessRefusal: "08 12 15 16 17", replay.LostRate: "09 13 31"},
	"atom@0842d829": {replay.NeedlessRefusal: "08 12 15 16", replay.LostRate: "09 13 31"},
	"atom@review":   {},
	"atom@4397":     {replay.Mispriced: "05 06", replay.Undecided: "07 09 10 11 21 22 23 24 28 29 32"},
	"atom@4405": {
		replay.WrongRate:     "05 06 07",
		replay.UnprovenPrice: "09 10 11 13 22 23 24 28 29",
		replay.WrongStatus:   "31 32",
	},
}

func TestClassesOnMatrix(t *testing.T) {
	want := map[string]map[string]replay.Class{}
	results, summary := replayMatrix(t, nil)
	for _, r := range results {
		a, number := string(r.Adapter), runNumber(r.Run)
		if want[a] == nil {
			want[a] = map[string]replay.Class{}
			for class, numbers := range deviations[a] {
				for _, n := range strings.Fields(numbers) {
					want[a][n] = class
				}
			}
		}
		expected, deviates := want[a][number]
		if !deviates {
			expected = replay.Correct
		}
		if r.Class != replay.Word(expected) {
			t.Errorf("%s %s: %s (%s), want %s", r.Run, a, r.Class, r.Difference, expected)
		}
	}
	if len(results) != 31*6 {
		t.Errorf("%d results, want 31 runs of 6 versions", len(results))
	}
	if summary.Exit() != replay.ExitFailed {
		t.Errorf("exit %d without lists, want %d", summary.Exit(), replay.ExitFailed)
	}
}

// The built-in lists say the same as the table, each line with a reason.
func TestHistoricalListsOnMatrix(t *testing.T) {
	lists, err := replay.Historical()
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]map[replay.Class]string{"atom@review": {}}
	for _, e := range lists {
		if !strings.HasPrefix(e.Run, "matrix/") {
			continue
		}
		if listed[e.Adapter] == nil {
			listed[e.Adapter] = map[replay.Class]string{}
		}
		l := listed[e.Adapter]
		l[e.Class] = strings.TrimSpace(l[e.Class] + " " + runNumber(e.Run))
	}
	if diff := cmp.Diff(deviations, listed); diff != "" {
		t.Errorf("lists (-table +lists):\n%s", diff)
	}
	_, summary := replayMatrix(t, lists)
	if summary.Exit() != replay.ExitOK || summary.Undecided != 16 {
		t.Errorf("with the lists: exit %d, %+v", summary.Exit(), summary)
	}
}

func replayMatrix(t *testing.T, lists replay.Expectations) ([]replay.Result, replay.Summary) {
	t.Helper()
	sources, err := replay.Find([]string{"../testdata/matrix"})
	if err != nil {
		t.Fatal(err)
	}
	o := options()
	o.Expect = lists
	var results []replay.Result
	summary, err := replay.Run(context.Background(), sources, o, func(r replay.Result) error {
		results = append(results, r)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return results, summary
}

// options are those of a plain replay, with a clock that stands still.
func options() replay.Options {
	return replay.Options{
		Contract: oracle.Contracts()[0],
		Jobs:     2,
		Timeout:  10 * time.Second,
		Now:      func() time.Time { return time.Unix(0, 0) },
	}
}

func runNumber(id string) string {
	number, _, _ := strings.Cut(id[strings.LastIndex(id, "/")+1:], "-")
	return number
}

// The rule that a failure names first: what a shrunk failure must keep.
func TestJudgementRule(t *testing.T) {
	want := map[string][]int{"01": {}, "03": {3}, "05": {7}, "08": {14}, "10": {6}, "18": {14}, "21": {12}, "22": {9}}
	results, _ := replayMatrix(t, nil)
	for _, r := range results {
		rules, ok := want[runNumber(r.Run)]
		if !ok {
			continue
		}
		first := r.Oracle.Rules
		if len(first) > 1 {
			first = first[:1]
		}
		if diff := cmp.Diff(rules, first); diff != "" {
			t.Errorf("%s (-want +got):\n%s", r.Run, diff)
		}
	}
}
