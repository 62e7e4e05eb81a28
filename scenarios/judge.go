package scenarios

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pdreplay/pdreplay/oracle"
	"github.com/pdreplay/pdreplay/replay"
	"github.com/pdreplay/pdreplay/replay/adapter"
)

// deriveLimit is how long an adapter may think about one scenario of ten slices.
const deriveLimit = 30 * time.Second

// Run puts an adapter under the corpus, a parallel subtest a scenario, by the
// default contract. A scenario of another engine is skipped, and so is one whose
// answer stays undecided; that nothing was judged is a failure.
func Run(t *testing.T, a adapter.Adapter) {
	t.Helper()
	runUnder(t, oracle.Contracts()[0], a, nil)
}

func runUnder(t *testing.T, contract oracle.Contract, a adapter.Adapter, known replay.Expectations) {
	t.Helper()
	var judged atomic.Int64
	t.Cleanup(func() { // after the parallel subtests
		if judged.Load() == 0 && !t.Skipped() {
			t.Errorf("%s was judged by no scenario: is its engine right? Engine() is %q", a.Name(), a.Engine())
		}
	})
	o := replay.Options{
		Adapters: []adapter.Adapter{a},
		Contract: contract,
		Expect:   known,
		Jobs:     1,
		Timeout:  deriveLimit,
		Now:      time.Now,
	}
	for _, s := range Under(contract.Name) {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			var result replay.Result
			sum, err := replay.Run(t.Context(), []replay.Source{s.Source()}, o, func(r replay.Result) error { result = r; return nil })
			switch {
			case err != nil:
				t.Fatal(err)
			case len(sum.Contradictions) > 0:
				t.Fatal(strings.Join(sum.Contradictions, "\n"))
			}
			report(t, s, result, &judged)
		})
	}
}

// report turns one result into the outcome of its subtest.
func report(t *testing.T, s Scenario, r replay.Result, judged *atomic.Int64) {
	t.Helper()
	switch r.Count() {
	case replay.CountSkipped:
		t.Skip(strings.Join(r.Reasons, "; "))
	case replay.CountUndecided:
		t.Skip("undecided: " + r.Difference)
	case replay.CountError:
		t.Fatalf("%s: %s: %s", r.Adapter, r.Outcome, r.Error)
	}
	judged.Add(1)
	if r.Count() == replay.CountFailed {
		t.Error(failure(s, r))
	}
}

// failure says what is wrong: want before got, then why.
func failure(s Scenario, r replay.Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", r.Adapter, r.Class)
	fmt.Fprintf(&b, "\tstory %s (%s)\n", s.Story, s.File())
	fmt.Fprintf(&b, "\twant  %s\n\tgot   %s\n", s.Want, r.Difference)
	if r.Listed != nil {
		fmt.Fprintf(&b, "\tlisted as %s at %s: # %s\n", r.Listed.Class, r.Listed.At, r.Listed.Why)
	}
	for _, why := range r.Oracle.Reasons {
		fmt.Fprintf(&b, "\twhy   %s\n", why)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
