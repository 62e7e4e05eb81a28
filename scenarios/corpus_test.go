package scenarios

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pdreplay/pdreplay/oracle"
	"github.com/pdreplay/pdreplay/replay"
	"github.com/pdreplay/pdreplay/replay/adapter"
	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// TestOracle holds every want against the oracle: two derivations of the same
// rules, one by hand and one by program.
func TestOracle(t *testing.T) {
	for _, s := range All() {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			c, err := s.Build(nil)
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Want.Check(oracle.Examine(c.Run, oracle.Options{})); err != nil {
				t.Errorf("%s: %v", s.File(), err)
			}
		})
	}
}

func known(t *testing.T) replay.Expectations {
	t.Helper()
	list, err := replay.Historical()
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestBuiltins runs every built-in version over the corpus. Where a historical
// one deviates stands in its expectation list, with a reason.
func TestBuiltins(t *testing.T) {
	for _, e := range replay.Builtin() {
		for _, a := range e.Adapters {
			t.Run(a.Name(), func(t *testing.T) { runUnder(t, oracle.Contracts()[0], a, known(t)) })
		}
	}
}

// TestContract4405: the version of that name keeps its own contract. A contract
// never excuses a fact, so what it shows of the old collector is still wrong.
func TestContract4405(t *testing.T) {
	facts, err := replay.ReadExpectations(strings.NewReader(`
atom@4405  scenarios/contract-4405-old-collector  wrong-rate  # rates of stats.total, warmup included
atom@4405  scenarios/thread-c2-4405               wrong-rate  # rates of stats.total, warmup included
`), "corpus_test.go")
	if err != nil {
		t.Fatal(err)
	}
	contract, err := oracle.ContractNamed("4405")
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range replay.BuiltinAdapters() {
		if a.Name() == "atom@4405" {
			runUnder(t, contract, a, facts)
		}
	}
}

// TestListsNameScenarios: a line about a scenario that is not there excuses nothing.
func TestListsNameScenarios(t *testing.T) {
	ids := map[string]bool{}
	for _, s := range All() {
		ids[s.RunID()] = true
	}
	for _, e := range known(t) {
		if strings.HasPrefix(e.Run, "scenarios/") && !ids[e.Run] {
			t.Errorf("%s: there is no %s", e.At(), e.Run)
		}
	}
}

// answering is an adapter that always says the same.
type answering adapter.Answer

func (answering) Name() string   { return "answering" }
func (answering) Engine() string { return "vllm" }
func (a answering) Derive(context.Context, *aiperf.Run) (adapter.Answer, error) {
	return adapter.Answer(a), nil
}

// TestConc16: 124804987/3387936661 = 0.03684 (and no external tier) can be
// neither proven nor refuted without prompt_tokens_by_source, and is wrong with it.
func TestConc16(t *testing.T) {
	share, none := 0.03684, 0.0
	fallback := answering{Rates: adapter.Rates{GPU: &share, CPU: &none, External: &none, Overall: &share}}
	got := map[string]replay.Word{}
	var sources []replay.Source
	for _, s := range All() {
		if strings.HasPrefix(s.Name, "conc16-") {
			sources = append(sources, s.Source())
		}
	}
	o := replay.Options{Adapters: []adapter.Adapter{fallback}, Contract: oracle.Contracts()[0], Jobs: 1, Timeout: time.Minute, Now: time.Now}
	_, err := replay.Run(t.Context(), sources, o, func(r replay.Result) error { got[r.Run] = r.Class; return nil })
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]replay.Word{
		"scenarios/conc16-without-by-source": replay.Word(replay.Undecided),
		"scenarios/conc16-by-source":         replay.Word(replay.Mispriced),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestCorpus: every rule that a run can show has a scenario, and ids depend on
// names and contents.
func TestCorpus(t *testing.T) {
	all := All()
	for rule := 1; rule <= 17; rule++ {
		prefix := fmt.Sprintf("rule%02d-", rule)
		if !slices.ContainsFunc(all, func(s Scenario) bool { return strings.HasPrefix(s.Name, prefix) }) {
			t.Errorf("rule %d has no scenario", rule)
		}
	}
	for _, s := range all {
		if strings.Contains(string(s.src), "atom@") || strings.Contains(string(s.src), "vllm@") {
			t.Errorf("%s names an adapter", s.File())
		}
		if strings.HasPrefix(s.Name, "rule") && !strings.HasPrefix(s.Story, "rule") {
			t.Errorf("%s: the story does not begin with its rule: %s", s.File(), s.Story)
		}
	}
	changed := slices.Clone(all)
	changed[0].src = append(slices.Clone(changed[0].src), '\n')
	if id(all) != ID() || id(changed) == ID() || id(all[1:]) == ID() {
		t.Error("the corpus id does not follow the corpus")
	}
	if n := len(Under("none")); n != len(all) {
		t.Errorf("under none: %d scenarios, want all %d", n, len(all))
	}
	if n := len(Under("review")) + len(Under("4405")); n != len(all) {
		t.Errorf("under review and 4405: %d scenarios, want all %d", n, len(all))
	}
}

// Public bugs name repository and number, and each fails a version that is
// built in: a story that nobody gets wrong proves nothing.
func TestPublicBugs(t *testing.T) {
	fails := map[string]bool{}
	for _, e := range known(t) {
		fails[e.Run] = fails[e.Run] || e.Class != replay.Undecided
	}
	source, n := regexp.MustCompile(`^[\w.-]+/[\w.-]+ #\d+: `), 0
	for _, s := range All() {
		switch {
		case strings.HasPrefix(s.Name, "bug-"):
			n++
			if !source.MatchString(s.Story) {
				t.Errorf("%s: the story %q does not begin with repository and number", s.File(), s.Story)
			}
		case !strings.HasPrefix(s.Name, "defect-"):
			continue
		}
		if !fails[s.RunID()] {
			t.Errorf("%s: no built-in adapter fails it", s.File())
		}
	}
	if n < 25 {
		t.Errorf("%d public bugs, want 25", n)
	}
}
