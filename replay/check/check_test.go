package check

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pdreplay/pdreplay/generator"
	"github.com/pdreplay/pdreplay/oracle"
	"github.com/pdreplay/pdreplay/replay"
	"github.com/pdreplay/pdreplay/replay/adapter"
	"github.com/pdreplay/pdreplay/replay/adapter/atom"
	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// review is the version that makes no mistake by contract review.
func review() atom.Version {
	for _, v := range atom.Versions() {
		if v.Name == "review" {
			return v
		}
	}
	panic("atom has no version review")
}

// A mutant is an adapter of the tests.
type mutant struct {
	name   string
	derive func(*aiperf.Run) (adapter.Answer, error)
}

func (m mutant) Name() string   { return "atom@" + m.name }
func (m mutant) Engine() string { return "atom" }

func (m mutant) Derive(_ context.Context, run *aiperf.Run) (adapter.Answer, error) {
	return m.derive(run)
}

// off is review with one field changed.
func off(name string, change func(*atom.Version)) mutant {
	v := review()
	change(&v)
	return mutant{name, v.Derive}
}

func correct() adapter.Adapter { return off("review", func(*atom.Version) {}) }

// naive sums prefill and decode: it takes every decode worker for a prefill one.
func naive() adapter.Adapter {
	return mutant{"naive", func(run *aiperf.Run) (adapter.Answer, error) {
		return review().Derive(edited(run, func(run *aiperf.Run) {
			if decode := run.Env["SRT_DECODE_ENDPOINTS"]; decode != "" && run.Env["SRT_PREFILL_ENDPOINTS"] != "" {
				run.Env["SRT_PREFILL_ENDPOINTS"] += "," + decode
				delete(run.Env, "SRT_DECODE_ENDPOINTS")
			}
		}))
	}}
}

// edited is the run with a change to its environment.
func edited(run *aiperf.Run, change func(*aiperf.Run)) *aiperf.Run {
	other := *run
	other.Env = maps.Clone(run.Env)
	change(&other)
	return &other
}

// corrected are the built-in adapters that follow the rules, one an engine.
func corrected() []adapter.Adapter {
	return slices.DeleteFunc(replay.BuiltinAdapters(), func(a adapter.Adapter) bool {
		return a.Name() != "atom@review" && !strings.HasSuffix(a.Name(), "@corrected")
	})
}

func options(list ...adapter.Adapter) Options {
	return Options{Adapters: list, Contract: oracle.Contracts()[0], Seed: 1, Jobs: 2, Timeout: time.Minute, Now: time.Now}
}

func run(t testing.TB, o Options) *Report {
	t.Helper()
	r, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func text(t testing.TB, r *Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := r.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// What the rules say is never called wrong, and the truth never contradicts
// the oracle, on every fault, every pair at an edge and some mixtures.
func TestNoFalseAlarm(t *testing.T) {
	o := options(corrected()...)
	o, err := o.validate()
	if err != nil {
		t.Fatal(err)
	}
	plan := newPlan(o)
	o.Runs = len(plan.steps) + len(plan.more)/3 // with each fault, pairs at an edge, and some again
	r := run(t, o)
	if code := r.Exit(); code != replay.ExitOK || !r.Whole {
		t.Errorf("exit %d, whole %t\n%s", code, r.Whole, text(t, r))
	}
	if r.PairsPlanned < 100 || r.Pairs != r.PairsPlanned {
		t.Errorf("pairs at an edge: %d of %d", r.Pairs, r.PairsPlanned)
	}
	if r.Summary.Passed < r.Runs {
		t.Errorf("%d runs, %d passed", r.Runs, r.Summary.Passed)
	}
}

// The same seed gives the same report with any number of jobs, and shards are
// parts of the same runs.
func TestSameRunsWhateverTheMachine(t *testing.T) {
	gather := func(change func(*Options)) (events []string, report string) {
		o := options(naive(), correct())
		o.Runs = 30
		o.Each = func(r replay.Result) error {
			events = append(events, r.Run+" "+string(r.Adapter)+" "+string(r.Class)+" "+r.Difference)
			return nil
		}
		change(&o)
		report = text(t, run(t, o))
		return events, report
	}
	whole, report := gather(func(*Options) {})
	again, same := gather(func(o *Options) { o.Jobs = 7 })
	if !slices.Equal(whole, again) || report != same {
		t.Errorf("jobs change the report:\n%s\nthen\n%s", report, same)
	}
	var parts []string
	for i := range 3 {
		part, _ := gather(func(o *Options) { o.Shard = Shard{i + 1, 3} })
		parts = append(parts, part...)
	}
	slices.Sort(whole)
	slices.Sort(parts)
	if len(whole) != 60 || !slices.Equal(whole, parts) {
		t.Errorf("%d events, the shards have %d or others", len(whole), len(parts))
	}
	only := 17
	one, _ := gather(func(o *Options) { o.Only = &only })
	if len(one) != 2 || !slices.Contains(whole, one[0]) || !slices.Contains(whole, one[1]) {
		t.Errorf("run 17 alone is another: %q", one)
	}
}

// A bug comes back as one small run, and its report can be judged again.
func TestFailureComesBackSmall(t *testing.T) {
	o := options(naive(), correct())
	o.Dir = filepath.Join(t.TempDir(), "out")
	o.Against = "atom@review"
	o.Runs = 120
	r := run(t, o)
	if r.Exit() != replay.ExitFailed || len(r.Failures) == 0 {
		t.Fatalf("exit %d, %d failures", r.Exit(), len(r.Failures))
	}
	f := r.Failures[0]
	// Two endpoints are needed: the bug is to add them up.
	if f.Adapter != "atom@naive" || f.Size.Endpoints != 2 || f.Size.Requests > 2 || f.Size.Faults != 0 || f.Size.Slices > 3 {
		t.Errorf("%s: %s", f.Title(), f.Size)
	}
	if !strings.Contains(text(t, r), "shrunk to 2 endpoints") || !strings.Contains(text(t, r), "NEW") {
		t.Error(text(t, r))
	}
	for _, f := range r.Failures {
		judgeAgain(t, f, o)
	}
}

// judgeAgain replays a report directory as any run.
func judgeAgain(t *testing.T, f *Failure, o Options) {
	t.Helper()
	sources, err := replay.Find([]string{f.Dir})
	if err != nil || len(sources) != 1 {
		t.Fatalf("%d runs under %s: %v", len(sources), f.Dir, err)
	}
	var got []replay.Result
	_, err = replay.Run(t.Context(), sources, o.engine(), func(r replay.Result) error { got = append(got, r); return nil })
	if err != nil || len(got) != 2 {
		t.Fatal(got, err)
	}
	if bugOf(got[0]) != f.Bug || got[1].Class != replay.Word(replay.Correct) {
		t.Errorf("judged again: %+v and %s, want %+v and correct", bugOf(got[0]), got[1].Class, f.Bug)
	}
}

// An adapter that answers differently when asked again is told with both
// answers, and nothing else is said of it.
func TestFlakyAdapter(t *testing.T) {
	var calls atomic.Int64
	shaky := mutant{"shaky", func(run *aiperf.Run) (adapter.Answer, error) {
		a, err := review().Derive(run)
		if calls.Add(1)%2 == 0 {
			x := 0.125
			a.Rates.GPU = &x
		}
		return a, err
	}}
	o := options(shaky)
	o.Runs, o.Jobs = 40, 1
	r := run(t, o)
	if r.Exit() != replay.ExitUnusable {
		t.Errorf("exit %d", r.Exit())
	}
	out := text(t, r)
	if !strings.Contains(out, "atom@shaky  flaky") || !strings.Contains(out, "not shrunk") || !strings.Contains(out, "gpu 0.125") {
		t.Error(out)
	}
}

// A crash is a failure like others: shrunk, and told once.
func TestCrashingAdapter(t *testing.T) {
	crash := mutant{"crash", func(run *aiperf.Run) (adapter.Answer, error) {
		if len(run.Records.List) > 1 {
			return adapter.Answer{}, errors.New("list index out of range")
		}
		return review().Derive(run)
	}}
	o := options(crash)
	o.Runs = 40
	r := run(t, o)
	if len(r.Failures) != 1 || r.Failures[0].Class != classError || r.Failures[0].Size.Requests != 2 || r.Exit() != replay.ExitUnusable {
		t.Errorf("exit %d\n%s", r.Exit(), text(t, r))
	}
}

// The adapter that others are compared with fails nothing, in the events too.
func TestOnlyCompared(t *testing.T) {
	o := options(correct(), naive())
	o.Against, o.Runs = "atom@naive", 30
	fixed := 0
	o.Each = func(r replay.Result) error {
		if r.Count() != replay.CountPassed {
			t.Errorf("%s on %s counts as failed", r.Adapter, r.Run)
		}
		return nil
	}
	r := run(t, o)
	for _, row := range r.Scorecard.Rows() {
		fixed += r.Scorecard.Cell(row, "atom@review").Fixed
	}
	if r.Exit() != replay.ExitOK || len(r.Failures) != 0 || fixed == 0 {
		t.Errorf("exit %d, %d failures, %d fixed", r.Exit(), len(r.Failures), fixed)
	}
}

func TestFailFast(t *testing.T) {
	o := options(naive())
	o.FailFast = true
	var last replay.Result
	o.Each = func(r replay.Result) error { last = r; return nil }
	r := run(t, o)
	if last.Count() != replay.CountFailed {
		t.Errorf("the last event is %s", last.Class)
	}
	if !r.Stopped || r.Exit() != replay.ExitFailed || r.Summary.Failed != 1 || len(r.Failures) != 1 {
		t.Errorf("stopped %t, exit %d, %d failures", r.Stopped, r.Exit(), len(r.Failures))
	}
}

// With a time instead of a number of runs the clock ends it.
func TestTime(t *testing.T) {
	var now atomic.Int64
	o := options(correct())
	o.Time = time.Second
	o.Now = func() time.Time { return time.Unix(0, now.Add(int64(time.Millisecond))) }
	if r := run(t, o); r.Runs == 0 || r.Runs%chunk != 0 || r.Exit() != replay.ExitOK {
		t.Errorf("%d runs, exit %d", r.Runs, r.Exit())
	}
}

// Listed failures are counted and excused; a list that excuses nothing any
// more, and one about everything, are not.
func TestExpectationLists(t *testing.T) {
	list := func(text string) replay.Expectations {
		x, err := replay.ReadExpectations(strings.NewReader(text), "known.txt")
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	o := options(naive())
	o.Faults, o.Topologies, o.Collectors, o.Runs = []string{"true-zero"}, []string{"1p1d"}, []string{"upstream"}, 40
	r := run(t, o)
	classes := map[string]int{}
	for _, f := range r.Failures {
		classes[f.Class] += f.Count
	}
	if len(classes) == 0 || !r.Whole {
		t.Fatalf("nothing failed, or it was not whole (%t)", r.Whole)
	}
	var lines []string
	for class := range classes {
		lines = append(lines, "atom@naive check/atom/*/*/*/* "+class+" # P and D are added up")
	}
	o.Expect = list(strings.Join(lines, "\n"))
	if r := run(t, o); r.Exit() != replay.ExitOK || len(r.Failures) != 0 || !strings.Contains(text(t, r), "listed") {
		t.Errorf("exit %d\n%s", r.Exit(), text(t, r))
	}
	o.Expect = append(o.Expect, list(strings.Repeat("\n", 9)+"atom@naive check/atom/1p1d/*/true-zero/* shown-refusal # gone")...)
	if r := run(t, o); r.Exit() != replay.ExitFailed || len(r.Stale) != 1 {
		t.Errorf("exit %d, stale %q", r.Exit(), r.Stale)
	}
	o.Expect = list("atom@naive check/*/*/*/*/* mispriced # all of them")
	if _, err := Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "matches every generated run") {
		t.Error(err)
	}
}

// Every pair of the plan leaves something to judge, whatever the seed: with
// these, no-final-scrape and scrape-gap-at-end once left no metrics at all.
func TestPairsAreJudged(t *testing.T) {
	for seed := range uint64(8) {
		o := options(correct())
		o.Engines, o.Seed, o.Faults = []string{generator.ATOM, generator.VLLM, generator.TRTLLM, generator.DYNAMO}, 200+seed, []string{"no-final-scrape", "scrape-gap-at-end"}
		p := newPlan(o)
		for i, s := range p.steps {
			if spec, err := p.spec(i); err != nil || len(s.faults) == 2 && !judgeable(spec) {
				t.Errorf("seed %d: %s %s leaves nothing to judge (%v)", o.Seed, s.engine, s.faults, err)
			}
		}
	}
}

func TestRefusedOptions(t *testing.T) {
	for want, change := range map[string]func(*Options){
		"needs an adapter":           func(o *Options) { o.Adapters = nil },
		`--fault "no-such": want on`: func(o *Options) { o.Faults = []string{"no-such"} },
		`--collector "9": want one`:  func(o *Options) { o.Collectors = []string{"9"} },
		`--engine "x": want one of`:  func(o *Options) { o.Engines = []string{"x"} },
		`--topology: unknown topolo`: func(o *Options) { o.Topologies = []string{"unified", "p2d"} },
		"want more than 0":           func(o *Options) { o.Runs = -1 },
		"the directory is not empty": func(o *Options) { o.Dir = "." },
	} {
		o := options(correct())
		change(&o)
		if _, err := Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q, have %v", want, err)
		}
	}
	for _, bad := range []string{"", "0/2", "3/2", "1", "1/2x", "-1/2"} {
		if s, err := ParseShard(bad); err == nil {
			t.Errorf("%q is shard %v", bad, s)
		}
	}
}
