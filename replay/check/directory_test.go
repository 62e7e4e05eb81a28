package check

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/pdreplay/pdreplay/generator"
	"github.com/pdreplay/pdreplay/oracle"
	"github.com/pdreplay/pdreplay/replay"
	"github.com/pdreplay/pdreplay/scenarios"
)

func read(t *testing.T, path ...string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The directory of a failure holds everything that its author needs, and a
// scenario that the corpus takes as it is.
func TestReportDirectory(t *testing.T) {
	o := options(naive(), correct())
	o.Dir = filepath.Join(t.TempDir(), "out")
	o.Runs, o.FailFast = 40, true
	o.Versions = []string{"pdreplay of this test"}
	r := run(t, o)
	if len(r.Failures) != 1 {
		t.Fatalf("%d failures", len(r.Failures))
	}
	f := r.Failures[0]
	report := string(read(t, f.Dir, "report.txt"))
	for _, want := range []string{"atom@naive", "pdreplay of this test", "--seed 1 --only ", "pdreplay replay " + f.Dir + "/run --adapter atom@naive", "shrunk to", "does not matter"} {
		if !strings.Contains(report, want) {
			t.Errorf("report.txt does not say %q:\n%s", want, report)
		}
	}
	answers := bytes.Split(bytes.TrimSpace(read(t, f.Dir, "answers.ndjson")), []byte("\n"))
	for i, line := range answers {
		var got replay.Result
		if err := json.Unmarshal(line, &got); err != nil || string(got.Adapter) != o.Adapters[i].Name() {
			t.Errorf("answer %d is of %s: %v", i, got.Adapter, err)
		}
	}
	if len(answers) != len(o.Adapters) {
		t.Errorf("%d answers", len(answers))
	}
	spec, err := generator.Parse("spec.yaml", read(t, f.Dir, "run", "spec.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	again, err := generator.Generate(spec)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range again.Files {
		if !bytes.Equal(file.Data, read(t, f.Dir, "run", file.Path)) {
			t.Errorf("the spec gives another %s", file.Path)
		}
	}
	if _, err := generator.Parse("drawn.yaml", read(t, f.Dir, "drawn.yaml")); err != nil {
		t.Error(err)
	}
	if explained := read(t, f.Dir, "explain.txt"); !bytes.Contains(explained, []byte("window")) {
		t.Errorf("%s", explained)
	}
	committable(t, read(t, f.Dir, "scenario.txtar"))
}

// committable holds a scenario as the corpus does: it builds, and what it wants
// is what the oracle says.
func committable(t *testing.T, src []byte) {
	t.Helper()
	s, err := scenarios.Parse("found", src)
	if err != nil {
		t.Fatal(err)
	}
	c, err := s.Build(replay.Selects)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Want.Check(oracle.Examine(c.Run, oracle.Options{})); err != nil {
		t.Error(err)
	}
	if strings.Contains(string(src), "atom@") {
		t.Error("a scenario names no adapter")
	}
}

// What was judged is not lost with the directory that it should have gone to.
func TestReportWithoutItsDirectory(t *testing.T) {
	o := options(naive())
	o.Runs, o.FailFast, o.Dir = 40, true, filepath.Join(t.TempDir(), "out")
	o.Each = func(replay.Result) error { // a file in the directory's place, as a full disk would do
		return errors.Join(os.RemoveAll(o.Dir), os.WriteFile(o.Dir, nil, 0o666))
	}
	r, err := Run(t.Context(), o)
	if err == nil || r == nil || r.Summary.Failed == 0 {
		t.Errorf("report %v, error %v; want both", r, err)
	}
}

// Scenarios of every contract and of runs of every status are such.
func TestScenariosAreCommittable(t *testing.T) {
	statuses := map[oracle.Status]bool{}
	o, err := options(correct()).validate()
	if err != nil {
		t.Fatal(err)
	}
	p := newPlan(o)
	for i := 0; i < len(p.steps); i += 3 {
		spec, err := p.spec(i)
		if err != nil {
			t.Fatal(err)
		}
		out, run, err := open(spec, "x")
		if err != nil {
			t.Fatal(err)
		}
		ev := oracle.Examine(run, oracle.Options{})
		v := ev.Verdict(oracle.Contracts()[i%3])
		if v.Status == "" || statuses[v.Status] {
			continue
		}
		statuses[v.Status] = true
		committable(t, scenario(out, ev, v))
	}
	if len(statuses) < 7 {
		t.Errorf("only %v occurred", statuses)
	}
}

// A truth outside of what the oracle says ends with exit 3 and a directory of
// its own. No such run is known, so this one is told another truth than it has.
func TestContradiction(t *testing.T) {
	o, err := options(correct()).validate()
	if err != nil {
		t.Fatal(err)
	}
	o.Dir = filepath.Join(t.TempDir(), "out")
	c := &checker{Options: o, plan: newPlan(o), report: newReport(o), seen: coverage{}}
	g, ev := proven(t, c)
	if text := contradiction(g.truth, ev); text != "" {
		t.Fatalf("the real truth contradicts: %s", text)
	}
	g.truth.GPU = (g.truth.GPU + g.truth.Tokens/2) % g.truth.Tokens
	for name, void := range map[string]func(*generator.Truth){
		"a silent fault":     func(t *generator.Truth) { t.Faults = []generator.Injected{{Tag: generator.Silent}} },
		"a broken promise":   func(t *generator.Truth) { t.Broken = []string{"snapshot"} },
		"staler than allows": func(t *generator.Truth) { t.Staleness = int64(ev.Lag()) + 1 },
	} {
		truth := g.truth
		void(&truth)
		if text := contradiction(truth, ev); text != "" {
			t.Errorf("%s makes the oracle's word void, but: %s", name, text)
		}
	}
	if err := g.check(ev, ev.Verdict(o.Contract)); err == nil {
		t.Fatal("the truth is another, and nothing contradicts")
	}
	c.truth(g)
	c.conclude(t.Context())
	if err := c.write(t.Context()); err != nil {
		t.Fatal(err)
	}
	if c.report.Exit() != replay.ExitOracle || len(c.report.Contradictions) != 1 {
		t.Errorf("exit %d, %d contradictions", c.report.Exit(), len(c.report.Contradictions))
	}
	k := c.report.Contradictions[0]
	if report := string(read(t, k.Dir, "report.txt")); !strings.Contains(report, "outside the true interval") {
		t.Error(report)
	}
	if found, err := replay.Find([]string{k.Dir}); err != nil || len(found) != 1 {
		t.Errorf("%d runs under %s: %v", len(found), k.Dir, err)
	}
}

// An oracle that fails before the truth is held against it is told too, and
// its run comes back small. The zero contract makes it panic.
func TestOracleFails(t *testing.T) {
	o := options(correct())
	o.Contract, o.Engines, o.Runs = oracle.Contract{}, []string{generator.ATOM}, 2
	r := run(t, o)
	if r.Exit() != replay.ExitOracle || len(r.Contradictions) != 2 || r.Runs != 2 {
		t.Fatalf("exit %d, %d contradictions in %d runs", r.Exit(), len(r.Contradictions), r.Runs)
	}
	if k := r.Contradictions[0]; !strings.Contains(k.Text, "the oracle panicked") || len(k.Spec.Requests) > 1 {
		t.Errorf("%d requests: %s", len(k.Spec.Requests), k.Text)
	}
}

// proven returns a run of the plan whose true rate is a proven point.
func proven(t *testing.T, c *checker) (*generated, *oracle.Evidence) {
	t.Helper()
	for i := range 100 {
		g := c.generated((len(c.plan.steps)+len(c.plan.more)+3)/3*3 + 3*i) // without a fault
		out, run, err := open(g.spec, g.id)
		if err != nil {
			t.Fatal(err)
		}
		ev := oracle.Examine(run, oracle.Options{})
		g.truth = out.Truth
		if len(g.spec.Faults) == 0 && ev.True.Proven && g.truth.Tokens > 1 && g.truth.Staleness <= int64(ev.Lag()) {
			return g, ev
		}
	}
	t.Fatal("no run is proven")
	return nil, nil
}

// What the contract prices away from the truth is counted, with its cost.
func TestRuleHoles(t *testing.T) {
	half, none := 0.5, 0.0
	truth := generator.Truth{Requests: 1, Tokens: 100, GPU: 60}
	v := oracle.Verdict{Eligible: true, Rates: [4]*float64{&half, &none, &none, &half}}
	// Priced at 1-0.9*0.5 = 0.55, right is 1-0.9*0.6 = 0.46: 19.57 % too dear.
	hole := holeOf(truth, v)
	if hole == nil || hole.Error < 19.56 || hole.Error > 19.57 {
		t.Errorf("%+v", hole)
	}
	truth.GPU = 50
	if hole := holeOf(truth, v); hole != nil {
		t.Errorf("priced right, but %+v", hole)
	}
	v.Eligible = false
	truth.GPU = 60
	if hole := holeOf(truth, v); hole != nil {
		t.Errorf("not priced, but %+v", hole)
	}
	var h Holes
	h.add(nil, Hole{-3})
	h.add(nil, Hole{2})
	h.add(FaultSet{"restart"}, Hole{1})
	h.add(FaultSet{"restart", "true-zero"}, Hole{9})
	if h.Runs() != 4 || h.Of["none"] != (FaultHoles{2, -3}) || strings.Join(h.Faults(), " ") != "none restart mixture" {
		t.Errorf("%+v %v", h, h.Faults())
	}
}
