package check

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/pdreplay/pdreplay/generator"
	"github.com/pdreplay/pdreplay/replay"
	"github.com/pdreplay/pdreplay/replay/adapter"
	"github.com/pdreplay/pdreplay/scenarios"
)

// A catch is what a mutant came to.
type catch struct {
	mutation
	scenarios int    // that fail
	after     int    // runs until the first failure, 0: never
	group     *group // of that failure
	changed   int    // runs with another answer than the right adapter's
	judged    int
	failure   *Failure // shrunk
}

var mutantsInFull = flag.Bool("mutants", false, "check mutants as a user would, and shrink what they break (make mutants)")

// The scenarios and a check both catch every mutant, and none of them is a bug
// that nobody could overlook. In `make mutants` the check is the default one
// and each first failure is shrunk.
func TestMutantsAreCaught(t *testing.T) {
	if testing.Short() {
		t.Skip("much arithmetic and one goroutine: nothing for the race detector (make race)")
	}
	whole := *mutantsInFull
	var all []*catch
	for _, engine := range generator.Engines() {
		t.Run(engine, func(t *testing.T) {
			catches := catchAll(t, engine, whole)
			if whole {
				printCatches(t, catches)
			}
			var missed []string
			for _, c := range catches {
				if c.scenarios == 0 {
					t.Errorf("%s (%s): no scenario catches it", c.name, c.about)
				}
				if c.after == 0 {
					missed = append(missed, c.name+" ("+c.about+")")
				}
				if whole && 2*c.changed >= c.judged {
					t.Errorf("%s (%s): it changes %d of %d answers", c.name, c.about, c.changed, c.judged)
				}
			}
			// A few bugs need a run that only the default check is sure to draw.
			if most := len(catches) / 8; len(missed) > most || whole && len(missed) > 0 {
				t.Errorf("check does not catch %s", strings.Join(missed, ", "))
			}
			all = append(all, catches...)
		})
	}
	if whole {
		assertSmall(t, all)
	}
}

func catchAll(t *testing.T, engine string, whole bool) []*catch {
	t.Helper()
	var catches []*catch
	var list []adapter.Adapter
	for _, m := range mutations() {
		if a := m.adapter(); a != nil && a.Engine() == engine {
			catches = append(catches, &catch{mutation: m})
			list = append(list, a)
		}
	}
	if len(catches) == 0 {
		t.Skipf("no corrected adapter of %s is built in", engine)
	}
	right := catches[0].adapter().(mutated).right
	countScenarios(t, list, catches)
	o := options(append(list, right)...)
	o, err := o.validate()
	if err != nil {
		t.Fatal(err)
	}
	plan := newPlan(o)
	if !whole {
		plan.steps = slices.DeleteFunc(plan.steps, func(s step) bool { return len(s.faults) == 2 })
		o.Runs = len(plan.steps) + len(plan.more)
	}
	c := &checker{Options: o, plan: plan, report: newReport(o), seen: coverage{}, listed: map[string]bool{}}
	c.Each = compareWith(right.Name(), list, catches)
	if err := c.draw(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, g := range c.groups {
		if g.Adapter == right.Name() {
			t.Errorf("the right adapter fails: %+v on run %d", g.Bug, g.first.number)
			continue
		}
		k := catches[slices.IndexFunc(list, func(a adapter.Adapter) bool { return a.Name() == g.Adapter })]
		if k.group == nil || g.first.number < k.group.first.number {
			k.group, k.after = g, g.first.number+1
		}
	}
	if whole {
		shrinkAll(t, c, catches)
	}
	return catches
}

// countScenarios counts the scenarios that each mutant fails.
func countScenarios(t *testing.T, list []adapter.Adapter, catches []*catch) {
	t.Helper()
	o := options(list...).engine()
	o.Adapters = list
	var sources []replay.Source
	for _, s := range scenarios.Under(o.Contract.Name) {
		sources = append(sources, s.Source())
	}
	if _, err := replay.Run(t.Context(), sources, o, func(r replay.Result) error {
		i := slices.IndexFunc(list, func(a adapter.Adapter) bool { return a.Name() == string(r.Adapter) })
		if i >= 0 && r.Count() == replay.CountFailed {
			catches[i].scenarios++
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// compareWith counts the answers that are others than the right adapter's,
// which comes last of each run.
func compareWith(right string, list []adapter.Adapter, catches []*catch) func(replay.Result) error {
	var of []replay.Result
	return func(r replay.Result) error {
		if r.Adapter == "" {
			return nil // a run without server metrics, which nobody answers for
		}
		if string(r.Adapter) != right {
			of = append(of, r)
			return nil
		}
		for i, got := range of {
			catches[i].judged++
			if got.Outcome != r.Outcome || sameAnswer(got) != sameAnswer(r) {
				catches[i].changed++
			}
		}
		of = of[:0]
		return nil
	}
}

func sameAnswer(r replay.Result) string { return got(r) }

func shrinkAll(t *testing.T, c *checker, catches []*catch) {
	t.Helper()
	for _, k := range catches {
		if k.group == nil {
			continue
		}
		f, err := c.minimize(context.Background(), k.group)
		if err != nil {
			t.Fatal(err)
		}
		k.failure = f
	}
}

func printCatches(t *testing.T, catches []*catch) {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "mutant\tabout\ttest: scenarios\tcheck: runs\tclass\tanswers changed\tshrunk to")
	for _, c := range catches {
		class, size := "-", "-"
		if c.failure != nil {
			class, size = c.failure.Class, c.failure.Size.String()
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%s\t%d of %d\t%s\n", c.name, c.about, c.scenarios, c.after, class, c.changed, c.judged, size)
	}
	w.Flush()
	t.Log("\n" + b.String())
}

// assertSmall holds the median of the shrunk failures against what an author
// can read.
func assertSmall(t *testing.T, catches []*catch) {
	t.Helper()
	var endpoints, slice, requests, faults []int
	for _, c := range catches {
		if c.failure != nil {
			s := c.failure.Size
			endpoints, slice = append(endpoints, s.Endpoints), append(slice, s.Slices)
			requests, faults = append(requests, s.Requests), append(faults, s.Faults)
		}
	}
	for _, m := range []struct {
		what string
		all  []int
		most int
	}{{"endpoints", endpoints, 2}, {"slices", slice, 3}, {"requests", requests, 2}, {"faults", faults, 1}} {
		slices.Sort(m.all)
		if median := m.all[len(m.all)/2]; median > m.most {
			t.Errorf("the median of %s is %d, want at most %d: %v", m.what, median, m.most, m.all)
		}
	}
}
