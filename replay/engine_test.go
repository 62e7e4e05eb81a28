package replay_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pdreplay/pdreplay/oracle"
	"github.com/pdreplay/pdreplay/replay"
	"github.com/pdreplay/pdreplay/replay/adapter"
	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// A fake answers by a function; what the real adapters do is tested elsewhere.
type fake struct {
	name, engine string
	derive       func(ctx context.Context, run *aiperf.Run) (adapter.Answer, error)
}

func (f fake) Name() string   { return f.name }
func (f fake) Engine() string { return f.engine }
func (f fake) Derive(ctx context.Context, run *aiperf.Run) (adapter.Answer, error) {
	return f.derive(ctx, run)
}

// right answers fixture 01 as contract review wants it.
func right(context.Context, *aiperf.Run) (adapter.Answer, error) {
	return adapter.Answer{Rates: rates(0.6, 0.2), Status: "VALID_COMPLETE", Eligible: &yes}, nil
}

func wrong(context.Context, *aiperf.Run) (adapter.Answer, error) {
	return adapter.Answer{Rates: rates(0.6, 0.3)}, nil
}

// clean is a source of fixture 01 under another id.
func clean(id string) replay.Source {
	return replay.Source{ID: id, Again: []string{"pdreplay", "replay", id}, Open: func() (*aiperf.Run, error) {
		return aiperf.Open(os.DirFS("../testdata/matrix/01-unified-clean"), ".", nil)
	}}
}

func run(t *testing.T, ctx context.Context, o replay.Options, sources ...replay.Source) ([]replay.Result, replay.Summary) {
	t.Helper()
	var results []replay.Result
	s, err := replay.Run(ctx, sources, o, func(r replay.Result) error {
		results = append(results, r)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return results, s
}

func TestOutcomes(t *testing.T) {
	t.Parallel()
	o := options()
	o.Timeout = 20 * time.Millisecond
	o.Flags = []string{"--env", "A=b c"}
	hang := make(chan struct{})
	defer close(hang)
	o.Adapters = []adapter.Adapter{
		fake{"good@1", "atom", right},
		fake{"any@1", "", right},
		fake{"bad@1", "atom", func(context.Context, *aiperf.Run) (adapter.Answer, error) {
			return adapter.Answer{}, errors.New("exit status 1\nlast words")
		}},
		fake{"panics@1", "atom", func(context.Context, *aiperf.Run) (adapter.Answer, error) { panic("boom") }},
		fake{"slow@1", "atom", func(ctx context.Context, _ *aiperf.Run) (adapter.Answer, error) {
			<-ctx.Done()
			return adapter.Answer{}, fmt.Errorf("cleaned up: %w", ctx.Err())
		}},
		fake{"deaf@1", "atom", func(context.Context, *aiperf.Run) (adapter.Answer, error) {
			<-hang
			return adapter.Answer{}, nil
		}},
		fake{"other@1", "vllm", right},
	}
	results, s := run(t, context.Background(), o, clean("a"))
	want := []struct {
		outcome replay.Outcome
		class   replay.Word
		says    string
	}{
		{replay.Answered, "correct", ""},
		{replay.Answered, "correct", ""},
		{replay.Failed, "", "exit status 1\nlast words"},
		{replay.Failed, "", "panics@1 panicked: boom"},
		{replay.TimedOut, "", "cleaned up: context deadline exceeded"},
		{replay.TimedOut, "", "no answer within 20ms"},
		{replay.Skipped, "", "it answers for vllm, this is a run of atom"},
	}
	for i, r := range results {
		text := string(r.Error) + strings.Join(r.Reasons, "")
		if r.Outcome != want[i].outcome || r.Class != want[i].class || !strings.HasPrefix(text, want[i].says) {
			t.Errorf("%s: %s %q %q, want %+v", r.Adapter, r.Outcome, r.Class, text, want[i])
		}
		if again := "pdreplay replay a --adapter " + string(r.Adapter) + " --env 'A=b c'"; r.Again != again {
			t.Errorf("again %q, want %q", r.Again, again)
		}
	}
	if len(results) != len(want) || s.Passed != 2 || s.Errors != 4 || s.Skipped != 1 || s.Exit() != replay.ExitUnusable {
		t.Errorf("%d results, %+v", len(results), s)
	}
}

// What is wrong with one run leaves the others alone.
func TestRunsThatCannotBeJudged(t *testing.T) {
	o := options()
	o.Adapters = []adapter.Adapter{fake{"good@1", "atom", right}}
	broken := clean("broken")
	broken.Open = func() (*aiperf.Run, error) { return nil, errors.New("x.json:3:5: cut short") }
	bare := clean("bare")
	bare.Open = func() (*aiperf.Run, error) { return &aiperf.Run{Env: aiperf.Env{}}, nil }
	results, s := run(t, context.Background(), o, broken, bare, clean("fine"))
	var got []string
	for _, r := range results {
		got = append(got, fmt.Sprint(r.Run, " ", r.Adapter, " ", r.Outcome))
	}
	if diff := cmp.Diff([]string{"broken  failed", "bare  skipped", "fine good@1 answered"}, got); diff != "" {
		t.Error(diff)
	}
	if s.Exit() != replay.ExitUnusable {
		t.Errorf("exit %d", s.Exit())
	}
}

// The order is that of the sources and adapters, whatever finishes first, and
// no more runs are open than there are jobs.
func TestOrderAndJobs(t *testing.T) {
	const runs = 20
	var open, most atomic.Int32
	o := options()
	o.Jobs = 3
	late := make(chan struct{})
	o.Adapters = []adapter.Adapter{
		fake{"one@1", "atom", func(ctx context.Context, run *aiperf.Run) (adapter.Answer, error) {
			if n := open.Add(1); n > most.Load() {
				most.Store(n)
			}
			defer open.Add(-1)
			if run.ID == "0" {
				<-late // the first ends after the second
			} else if run.ID == "1" {
				close(late)
			}
			return right(ctx, run)
		}},
		fake{"two@1", "atom", right},
	}
	var sources []replay.Source
	var want []string
	for i := range runs {
		s := clean(fmt.Sprint(i))
		inner := s.Open
		s.Open = func() (*aiperf.Run, error) {
			run, err := inner()
			run.ID = s.ID
			return run, err
		}
		sources = append(sources, s)
		want = append(want, s.ID+" one@1", s.ID+" two@1")
	}
	results, _ := run(t, context.Background(), o, sources...)
	var got []string
	for _, r := range results {
		got = append(got, r.Run+" "+string(r.Adapter))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if most.Load() > 3 {
		t.Errorf("%d runs at a time with 3 jobs", most.Load())
	}
}

// Ctrl-C: what was judged is there, what hangs is left behind.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	o := options()
	o.Jobs = 1
	o.Adapters = []adapter.Adapter{fake{"x@1", "atom", func(ctx context.Context, run *aiperf.Run) (adapter.Answer, error) {
		if run.ID == "second" {
			cancel()
			<-ctx.Done()
			return adapter.Answer{}, ctx.Err()
		}
		return right(ctx, run)
	}}}
	second := clean("second")
	inner := second.Open
	second.Open = func() (*aiperf.Run, error) {
		run, err := inner()
		run.ID = "second"
		return run, err
	}
	began := time.Now()
	results, s := run(t, ctx, o, clean("first"), second, clean("third"))
	if len(results) != 1 || results[0].Run != "first" || s.Exit() != replay.ExitInterrupted {
		t.Errorf("%d results, exit %d", len(results), s.Exit())
	}
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("it took %s to stop", took)
	}
}

// A read that does not end holds nothing up.
func TestInterruptWhileReading(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	hang := make(chan struct{})
	defer close(hang)
	s := clean("endless")
	s.Open = func() (*aiperf.Run, error) {
		cancel()
		<-hang
		return nil, errors.New("too late")
	}
	began := time.Now()
	results, sum := run(t, ctx, options(), s)
	if len(results) != 0 || sum.Exit() != replay.ExitInterrupted || time.Since(began) > 2*time.Second {
		t.Errorf("%d results, exit %d after %s", len(results), sum.Exit(), time.Since(began))
	}
}

func TestFailFast(t *testing.T) {
	o := options()
	o.FailFast = true
	o.Adapters = []adapter.Adapter{fake{"wrong@1", "atom", wrong}}
	results, s := run(t, context.Background(), o, clean("a"), clean("b"))
	if len(results) != 1 || !s.Stopped || s.Interrupted || s.Exit() != replay.ExitFailed {
		t.Errorf("%d results, %+v", len(results), s)
	}
}

// A want that the oracle does not meet is the oracle's failure, and judges no
// adapter.
func TestContradiction(t *testing.T) {
	o := options()
	o.Adapters = []adapter.Adapter{fake{"good@1", "atom", right}}
	s := clean("scenario")
	s.Check = func(ev *oracle.Evidence, v oracle.Verdict) error {
		if v.Status != oracle.ValidComplete {
			t.Errorf("asked about %s", v.Status)
		}
		return errors.New("want WINDOW_UNRESOLVED")
	}
	results, sum := run(t, context.Background(), o, s, clean("fine"))
	if diff := cmp.Diff([]string{"scenario: want WINDOW_UNRESOLVED"}, sum.Contradictions); diff != "" || sum.Exit() != replay.ExitOracle {
		t.Errorf("exit %d\n%s", sum.Exit(), diff)
	}
	if len(results) != 1 {
		t.Errorf("%d results, want only that of the other run", len(results))
	}
}

func TestEngineAndEnvironment(t *testing.T) {
	o := options()
	o.Env = aiperf.Env{"SRT_AGG_ENDPOINTS": "elsewhere:9"}
	o.Adapters = []adapter.Adapter{fake{"good@1", "atom", func(ctx context.Context, run *aiperf.Run) (adapter.Answer, error) {
		if run.Env["SRT_AGG_ENDPOINTS"] != "elsewhere:9" || run.Env["KV_OFFLOADING"] != "dram" {
			t.Errorf("environment %v", run.Env)
		}
		return adapter.Answer{Status: "WINDOW_UNRESOLVED", Eligible: &no}, nil
	}}}
	results, _ := run(t, context.Background(), o, clean("a"))
	// The listed endpoint is not in the export: FULL is unknown (rule 4).
	if results[0].Oracle.Status != "COUNTER_MISSING" || results[0].Class != "correct" {
		t.Errorf("%+v", results[0])
	}
	o.Engine = "vllm"
	skipped, s := run(t, context.Background(), o, clean("a"))
	if skipped[0].Outcome != replay.Skipped || s.Exit() != replay.ExitUnusable || !s.Nothing() {
		t.Errorf("%+v %+v", skipped[0], s)
	}
}

func TestDefaultAdapters(t *testing.T) {
	results, _ := run(t, context.Background(), options(), clean("a"))
	var got []string
	for _, r := range results {
		got = append(got, string(r.Adapter))
	}
	want := []string{"atom@main", "atom@2db01926", "atom@0842d829", "atom@review", "atom@4397", "atom@4405"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// The event of a run comes before its results, with the faults that its source
// or its truth.json tells.
func TestRunEvents(t *testing.T) {
	t.Parallel()
	told := clean("told")
	told.Faults = []string{"stuck-counter"}
	written := replay.Source{ID: "written", Open: func() (*aiperf.Run, error) {
		run, err := clean("").Open()
		if err == nil {
			run.FS, run.Dir = fstest.MapFS{"r/truth.json": {Data: []byte(`{"requests":5,"faults":[{"fault":"late-scrape","size":1},{"fault":"reset"}]}`)}}, "r"
		}
		return run, err
	}}
	o := options()
	o.Adapters = []adapter.Adapter{fake{"a", "atom", right}, fake{"b", "atom", right}}
	var order []string
	o.Runs = func(r replay.RunEvent) error {
		order = append(order, fmt.Sprintf("%s %s %q, %d s", r.Run, r.Engine, r.Faults, (r.Timeline.E-r.Timeline.S)/1e9))
		return nil
	}
	if _, err := replay.Run(t.Context(), []replay.Source{clean("plain"), told, written}, o, func(r replay.Result) error {
		order = append(order, r.Run+" "+string(r.Adapter))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"plain atom [], 10 s", "plain a", "plain b",
		`told atom ["stuck-counter"], 10 s`, "told a", "told b",
		`written atom ["late-scrape" "reset"], 10 s`, "written a", "written b",
	}
	if diff := cmp.Diff(want, order); diff != "" {
		t.Error(diff)
	}
}
