package report_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdreplay/pdreplay/replay"
	"github.com/pdreplay/pdreplay/replay/report"
)

// answered is a result of a run whose oracle proves gpu, cpu, overall as points.
func answered(adapter string, class replay.Class, gpu, cpu, overall float64) replay.Result {
	point := func(x float64) [2]replay.Rate { return [2]replay.Rate{replay.Rate(x), replay.Rate(x)} }
	off := 0.
	return replay.Result{
		Run: "m/01", Adapter: replay.Word(adapter), Engine: "atom", Outcome: replay.Answered, Class: replay.Word(class), Expected: class == replay.Correct,
		Rates: replay.Rates{GPU: rate(gpu), CPU: rate(cpu), External: rate(cpu), Overall: rate(overall)}, H: rate(gpu + cpu), PriceError: &off,
		Oracle: &replay.Finding{Status: "VALID_COMPLETE", Eligible: true, Basis: "conserved",
			Rates:    replay.Intervals{GPU: point(0.6), CPU: point(0.2), External: point(0.2), Overall: point(0.8)},
			Reported: replay.Rates{GPU: rate(0.6), CPU: rate(0.2), External: rate(0.2), Overall: rate(0.8)}},
		Contract: "review", Again: "pdreplay replay m/01 --adapter " + adapter,
	}
}

func text(t *testing.T, o report.TextOptions, results ...replay.Result) string {
	t.Helper()
	var out strings.Builder
	r := report.NewText(&out, o)
	var tally replay.Tally
	for _, x := range results {
		tally.Add(x)
		if err := r.Result(x); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Summary(tally.Summary()); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// block returns the lines from the one that begins with head to the next blank
// one.
func block(t *testing.T, text, head string) string {
	t.Helper()
	_, rest, ok := strings.Cut("\n"+text, "\n"+head)
	if !ok {
		t.Fatalf("no %q in\n%s", head, text)
	}
	first, _, _ := strings.Cut(head+rest, "\n\n")
	return first
}

func TestTextDigits(t *testing.T) {
	// 0.60001 and 0.6 are alike in three decimals.
	r := answered("x@1", replay.WrongRate, 0.60001, 0.2, 0.8)
	r.Difference = "gpu 0.60001 is outside the observed 0.6"
	want := `FAIL m/01  x@1  wrong-rate
     want VALID_COMPLETE  priced  gpu 0.60000 cpu 0.20000 overall 0.80000
     got  no record       priced  gpu 0.60001 cpu 0.20000 overall 0.80000
     gpu 0.60001 is outside the observed 0.6
     again: pdreplay replay m/01 --adapter x@1`
	if diff := cmp.Diff(want, block(t, text(t, report.TextOptions{}, r), "FAIL")); diff != "" {
		t.Error(diff)
	}
}

func TestTextOddRates(t *testing.T) {
	r := answered("x@1", replay.Mispriced, math.NaN(), 0.2, math.Inf(1))
	r.Rates.External = nil
	r.Difference = "h NaN is outside overall's observed 0.8"
	off := 257.142857
	r.PriceError = &off
	want := `FAIL m/01  x@1  mispriced, price +257.1 %
     want VALID_COMPLETE  priced  gpu 0.600 cpu 0.200 external 0.200 overall 0.800
     got  no record       priced  gpu NaN cpu 0.200 external null overall Infinity
     h NaN is outside overall's observed 0.8
     again: pdreplay replay m/01 --adapter x@1`
	if diff := cmp.Diff(want, block(t, text(t, report.TextOptions{}, r), "FAIL")); diff != "" {
		t.Error(diff)
	}
}

// Of many reasons the first of each rule is shown, three rules at most.
func TestTextReasons(t *testing.T) {
	r := answered("x@1", replay.WrongStatus, 0.6, 0.2, 0.8)
	r.Difference = "status X, contract review says VALID_COMPLETE"
	r.Oracle.Reasons = []string{"rule 7: a", "rule 7: b", "rule 14: c", "rule 12: d", "rule 9: e"}
	got := block(t, text(t, report.TextOptions{}, r), "FAIL")
	if !strings.Contains(got, "     rule 7: a\n     rule 14: c\n     rule 12: d\n     again: ") {
		t.Error(got)
	}
}

func TestTextError(t *testing.T) {
	r := replay.Result{Run: "m/01", Adapter: "x@1", Outcome: replay.Failed, Error: "exit status 1\n  last words", Again: "pdreplay replay m/01"}
	got := text(t, report.TextOptions{}, r)
	want := `                   status                                gpu     cpu external overall
m/01
  x@1              failed: exit status 1

ERROR m/01  x@1
     exit status 1
       last words
     again: pdreplay replay m/01

0 undecided, 1 errors
0 passed, 0 failed, 0 skipped
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// The summary is the last line whatever came before, and says what is missing.
func TestTextSummary(t *testing.T) {
	var out strings.Builder
	r := report.NewText(&out, report.TextOptions{})
	if err := r.Summary(replay.Summary{Undecided: 1, Errors: 2, Passed: 3, Failed: 4, Skipped: 5, ParityHeld: 6, ParityBroken: 7, Interrupted: true}); err != nil {
		t.Fatal(err)
	}
	want := "\n6 published rows reproduced, 7 not\ninterrupted: the rest was not judged\n1 undecided, 2 errors\n3 passed, 4 failed, 5 skipped\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

func TestTextAgainst(t *testing.T) {
	base := answered("x@1", replay.Correct, 0.6, 0.2, 0.8)
	other := answered("x@2", replay.Mispriced, 0.6, 0.3, 0.9)
	off := -32.142857
	other.PriceError = &off
	failed := replay.Result{Run: "m/01", Adapter: "x@3", Outcome: replay.Failed, Error: "gone"}
	alike := answered("x@4", replay.Correct, 0.6, 0.2, 0.8)
	got := text(t, report.TextOptions{Against: "x@1"}, base, other, failed, alike)
	want := `m/01  x@2 against x@1
     cpu       0.20000 -> 0.30000
     external  0.20000 -> 0.30000
     overall   0.80000 -> 0.90000
     x@1 is right (x@1: correct; x@2: mispriced, price -32.1 %)
m/01  x@3 against x@1
     outcome   answered -> failed
     x@1 is right (x@1: correct; x@3: failed)
`
	if !strings.HasPrefix(got, want) {
		t.Error(cmp.Diff(want, got))
	}
}

func TestTextColour(t *testing.T) {
	got := text(t, report.TextOptions{Colour: true}, answered("x@1", replay.Correct, 0.6, 0.2, 0.8))
	if !strings.Contains(got, "\x1b[32mcorrect\x1b[0m") || !strings.HasSuffix(got, "\n1 passed, 0 failed, 0 skipped\n") {
		t.Errorf("%q", got)
	}
}

// A long name, as those of revisions are, moves the columns of its run.
func TestTextLongName(t *testing.T) {
	got := text(t, report.TextOptions{}, answered("inferencex@843c6254", replay.Correct, 0.6, 0.2, 0.8))
	want := `                      status                                gpu     cpu external overall
m/01
  atom oracle         VALID_COMPLETE           priced     0.600   0.200    0.200   0.800  basis conserved
  inferencex@843c6254 no record                priced     0.600   0.200    0.200   0.800  correct
`
	if !strings.HasPrefix(got, want) {
		t.Error(cmp.Diff(want, got))
	}
}
