package oracle_test

import (
	"flag"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pdreplay/pdreplay/generator"
	"github.com/pdreplay/pdreplay/generator/gentest"
	"github.com/pdreplay/pdreplay/oracle"
	"github.com/pdreplay/pdreplay/replay/aiperf"
)

var runs = flag.Int("runs", 1200, "synthesized runs of the property test")

// A sample is one synthesized run and what the oracle makes of it.
type sample struct {
	spec  generator.Spec
	truth generator.Truth
	run   *aiperf.Run
	ev    *oracle.Evidence
}

func sampled(spec generator.Spec) (sample, error) {
	out, err := generator.Generate(spec)
	if err != nil {
		return sample{}, err
	}
	run, err := aiperf.Open(out.FS(), ".", oracle.Selects)
	if err != nil {
		return sample{}, err
	}
	return sample{out.Spec, out.Truth, run, oracle.Examine(run, oracle.Options{})}, nil
}

// claims reports whether the oracle claims to hold for the run: no fault that
// no reader can know, and none of the three named assumptions broken.
func (s sample) claims() bool {
	return !s.truth.Silent() && len(s.truth.Broken) == 0 && s.truth.Staleness <= int64(s.ev.Lag())
}

func contract(name string) oracle.Contract {
	c, err := oracle.ContractNamed(name)
	if err != nil {
		panic(err)
	}
	return c
}

// hold checks every theorem of oracle.md on one run.
func (s sample) hold() (broken []string) {
	say := func(format string, args ...any) { broken = append(broken, fmt.Sprintf(format, args...)) }
	ev := s.ev
	observed, within := ev.Observed.List(), ev.True.Rates.List()
	if !s.within() {
		say("an observed interval is wider (%v) than what straddles, runs over E or fell into gaps over FULL (%v)", observed, ev.Open())
	}
	// Three exceptions, where rules 6, 7 and 14 report what is inside all the same:
	// a gap in a series that was reset, which nothing limits; hits that move at an
	// edge without the prompts that they are of; and requests in a gap of which
	// nobody reported the hits.
	overall := ev.Verdict(contract("review")).Rates[3]
	if ev.RunBasis() == oracle.Unknown && overall != nil && !math.IsInf(ev.Open(), 1) && !ev.HitsOutrunFull() && !ev.Unreported() {
		say("basis unknown, and contract review reports overall %v", *overall)
	}
	if ev.Witness.Contradicts && ev.RunBasis() == oracle.Exact {
		say("called exact against the client's own account")
	}
	if ev.OneSideClosed() && ev.WindowIsLedger() && !ev.Witness.Contradicts && ev.RunBasis() != oracle.Exact {
		say("whole evidence with one side closed is called %s", ev.RunBasis())
	}
	truth, any := s.truth.Rates()
	if !any || !s.claims() {
		return broken
	}
	const ulps = 1e-12 // the truth and the interval divide in different orders
	for i, name := range oracle.RateNames {
		if truth[i] < within[i].Lo-ulps || truth[i] > within[i].Hi+ulps {
			say("true %s is %v, outside %v", name, truth[i], within[i])
		}
		if ev.Basis[i] == oracle.Exact && math.Abs(observed[i].Lo-truth[i]) > ulps {
			say("%s is called exact at %v, true is %v", name, observed[i], truth[i])
		}
	}
	if v := ev.Verdict(contract("ledger")); v.Eligible {
		for i, r := range v.Rates {
			if r != nil && math.Abs(*r-truth[i]) > ulps {
				say("contract ledger prices %s at %v, true is %v", oracle.RateNames[i], *r, truth[i])
			}
		}
	}
	return broken
}

// within reports whether the observed intervals are as narrow as promised.
// Unknown rates, and unknown tiers, promise nothing.
func (s sample) within() bool {
	if s.ev.RunBasis() == oracle.Unknown || math.IsNaN(s.ev.Open()) || math.IsInf(s.ev.Open(), 1) || s.ev.Spelled() {
		return true
	}
	for _, r := range s.ev.Verdict(contract("review")).Reasons {
		if r.Status == oracle.CPUUnresolved {
			return true
		}
	}
	for _, i := range s.ev.Observed.List() {
		if i != (oracle.Interval{Lo: 0, Hi: 1}) && i.Hi-i.Lo > s.ev.Open()+1e-12 {
			return false
		}
	}
	return true
}

// rapid draws and, when a theorem breaks, shrinks.
func TestTheorems(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := gentest.Draw(t, generator.Options{Mixture: 2, Tags: []generator.Tag{generator.Visible, generator.Bounded}})
		s, err := sampled(spec)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range s.hold() {
			t.Error(b)
		}
	})
}

// Many runs, every fault in turn, and a table of what has to have occurred: a
// property that never met its case proves nothing.
func TestTheoremsSometimes(t *testing.T) {
	if testing.Short() {
		t.Skip("much arithmetic and one goroutine: nothing for the race detector (make race)")
	}
	kinds := generator.Kinds()
	seen := map[string]int{}
	for i := range *runs {
		spec, ok := balanced(i, kinds)
		if !ok {
			continue
		}
		s, err := sampled(spec)
		if err != nil {
			t.Fatalf("run %d: %v", i, err)
		}
		s.count(seen)
		for _, b := range s.hold() {
			text, _ := generator.Format(s.spec)
			t.Fatalf("run %d: %s\n%s", i, b, text)
		}
	}
	var never []string
	for _, what := range mustOccur(kinds) {
		if seen[what] == 0 {
			never = append(never, what)
		}
	}
	if len(never) > 0 {
		t.Errorf("in %d runs these never occurred: %s", *runs, strings.Join(never, ", "))
	}
	for _, what := range slices.Sorted(maps.Keys(seen)) {
		t.Logf("%6d %s", seen[what], what)
	}
}

// balanced is run i: a third without a fault, a third with one fault in turn,
// a third with mixtures. It is false for a fault that its draw cannot have.
func balanced(i int, kinds []generator.Kind) (generator.Spec, bool) {
	o := generator.Options{}
	switch i % 3 {
	case 1:
		o.Faults = []string{kinds[i/3%len(kinds)].Slug}
	case 2:
		o.Mixture = 3
	}
	spec, err := generator.Draw(generator.NewSource(1, uint64(i)), o)
	return spec, err == nil
}

func (s sample) count(seen map[string]int) {
	for _, f := range s.truth.Faults {
		seen["fault "+f.Slug]++
	}
	seen["engine "+s.spec.Engine+" "+s.spec.Generation]++
	seen["topology "+s.spec.Topology]++
	seen["collector "+s.spec.Collector.Version]++
	seen["status "+string(s.ev.Verdict(contract("review")).Status)]++
	seen["basis "+string(s.ev.RunBasis())]++
	if !s.claims() {
		seen["outside the oracle's claim"]++
	}
	for _, name := range []string{"review", "4405", "ledger"} {
		if s.ev.Verdict(contract(name)).Eligible {
			seen["priced by "+name]++
		}
	}
}

func mustOccur(kinds []generator.Kind) []string {
	list := []string{
		"engine atom A", "engine atom B", "engine vllm era1", "engine vllm era2", "engine sglang ", "engine trtllm ", "engine dynamo ",
		"basis exact", "basis conserved", "basis bounded", "basis unknown",
		"status VALID_COMPLETE", "status WINDOW_UNRESOLVED", "status REQUEST_SCOPE_UNRESOLVED", "status INVALID_COUNTER",
		"status ROLES_UNRESOLVED", "status COUNTER_MISSING", "status CPU_UNRESOLVED",
		"priced by review", "priced by 4405", "priced by ledger",
	}
	for _, k := range kinds {
		list = append(list, "fault "+k.Slug)
	}
	for _, topology := range generator.Topologies() {
		list = append(list, "topology "+topology)
	}
	for _, c := range generator.Collectors() {
		list = append(list, "collector "+c)
	}
	return list
}
