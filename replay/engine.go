package replay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/pdreplay/pdreplay/oracle"
	"github.com/pdreplay/pdreplay/replay/adapter"
	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// Options say how runs are replayed.
type Options struct {
	Adapters []adapter.Adapter // nil: every built-in version of the run's engine
	Contract oracle.Contract
	Oracle   oracle.Options
	Engine   string     // runs of other engines are skipped; "" for none
	Env      aiperf.Env // laid over the run's own environment
	Expect   Expectations
	Corpus   string // id of the scenario corpus, when that is what is replayed
	Shard    string // "I/N", when the sources are only a part

	Price    bool          // work out what each answer asks of the consumer
	Jobs     int           // runs at a time, at least 1
	Timeout  time.Duration // of one Derive
	FailFast bool          // stop after the first failure or error

	Flags     []string          // what a repeating command needs beside paths and adapter
	Arguments map[string]string // what calls an adapter by name there, where the name does not
	Now       func() time.Time  // the clock, for elapsed times

	// Runs takes the event of each examined run, before its results. Nil: none
	// are made.
	Runs func(RunEvent) error
}

// grace is how long a cancelled adapter may take to clean up after itself.
const grace = 1500 * time.Millisecond

// patience is how long after Ctrl-C Run waits for what was under way.
const patience = 1800 * time.Millisecond

// Run replays the sources and emits one Result an adapter and run, in the
// order of the sources and adapters whatever finishes first. Once ctx is done
// it emits what was judged by then. An error is one of emit or o.Runs.
func Run(ctx context.Context, sources []Source, o Options, emit func(Result) error) (Summary, error) {
	caller := ctx
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	late := make(chan struct{})
	context.AfterFunc(ctx, func() { time.AfterFunc(patience, func() { close(late) }) })

	var tally Tally
	var sold sweeps
	var err error
	stopped := false
	slots := o.start(ctx, sources)
	for i, slot := range slots {
		j := await(slot, late)
		if j.event != nil {
			err = errors.Join(err, o.Runs(*j.event))
		}
		for _, r := range j.results {
			tally.Add(r)
			sold.add(r)
			err = errors.Join(err, emit(r))
		}
		tally.contradict(j.contradiction)
		stopped = o.FailFast && tally.summary.Failed+tally.summary.Errors > 0
		if stopped || err != nil {
			// Nothing of it may still be under way when Run returns: the sources
			// are the caller's.
			cancel()
			for _, rest := range slots[i+1:] {
				await(rest, late)
			}
			break
		}
	}
	s := tally.Summary()
	s.Sweeps = sold.priced()
	s.Corpus, s.Shard, s.Stopped, s.Interrupted = Word(o.Corpus), Word(o.Shard), stopped, caller.Err() != nil
	return s, err
}

// start replays the sources in the background, o.Jobs at a time. What comes of
// the i-th arrives in the i-th channel.
func (o Options) start(ctx context.Context, sources []Source) []chan judged {
	slots := make([]chan judged, len(sources))
	for i := range slots {
		slots[i] = make(chan judged, 1)
	}
	var workers errgroup.Group
	workers.SetLimit(max(1, o.Jobs))
	go func() {
		for i, s := range sources {
			workers.Go(func() error { slots[i] <- o.replay(ctx, s); return nil })
		}
	}()
	return slots
}

// await returns what a slot holds, or nothing once it is too late to wait.
func await(slot chan judged, late chan struct{}) judged {
	select {
	case j := <-slot:
		return j
	default:
	}
	select {
	case j := <-slot:
		return j
	case <-late:
		return judged{}
	}
}

// A judged is what came of one source.
type judged struct {
	event         *RunEvent // nil: none is asked for
	results       []Result
	contradiction string // what the oracle got wrong, "" for nothing
}

// replay opens one run, derives with every adapter and judges. What was not
// finished when ctx ended is left out.
func (o Options) replay(ctx context.Context, s Source) judged {
	if ctx.Err() != nil {
		return judged{}
	}
	blank := o.blank(s)
	run, err := s.Open()
	if err != nil {
		blank.Outcome, blank.Error = Failed, Word(err.Error())
		return judged{results: []Result{blank}}
	}
	run.Env = overlay(run.Env, o.Env)
	ev, v, err := o.examine(s, run)
	if err != nil {
		return judged{contradiction: fmt.Sprintf("%s: %v", s.ID, err)}
	}
	blank.Engine = Word(ev.Engine)
	if why := o.skips(ev.Engine, run); why != "" {
		blank.Outcome, blank.Reasons = Skipped, []string{why}
		return judged{results: []Result{blank}}
	}
	var j judged
	if o.Runs != nil {
		j.event = &RunEvent{V: EventVersion, Type: "run", Run: s.ID, Engine: blank.Engine, Faults: faultsOf(s, run), Timeline: ev.Timeline()}
	}
	blank.Oracle = findingOf(ev, v)
	blank.Lacks = append(blank.Lacks, lacks(ev, run, o.Contract.Name)...)
	for _, a := range o.adapters(ev.Engine) {
		if r, ok := o.derive(ctx, s, a, run, ev, v, blank); ok {
			j.results = append(j.results, r)
		}
	}
	return j
}

// examine asks the oracle and holds it against itself and against what the
// source knows. Nothing is judged by an oracle that is wrong.
func (o Options) examine(s Source, run *aiperf.Run) (ev *oracle.Evidence, v oracle.Verdict, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the oracle panicked: %v\n%s", p, debug.Stack())
		}
	}()
	ev = oracle.Examine(run, o.Oracle)
	v = ev.Verdict(o.Contract)
	// What the default contract reports is summed inside the window, so it
	// must lie in every interval that the same window gives.
	observed := ev.Observed.List()
	for i, reported := range ev.Verdict(oracle.Contracts()[0]).Rates {
		if reported != nil && !observed[i].Contains(*reported, 0) {
			return nil, v, fmt.Errorf("the oracle reports %s %s, outside its own %s", adapter.RateNames[i], decimal(*reported), observed[i])
		}
	}
	if s.Check != nil {
		err = s.Check(ev, v)
	}
	return ev, v, err
}

func (o Options) blank(s Source) Result {
	return Result{V: EventVersion, Type: "result", Run: s.ID, Contract: o.Contract.Name, Reasons: []string{}, Again: o.again(s)}
}

// again is the command that repeats one run, with one adapter if it is named.
func (o Options) again(s Source, flags ...string) string {
	return shellWords(slices.Concat(s.Again, flags, o.Flags))
}

func (o Options) skips(engine string, run *aiperf.Run) string {
	switch {
	case run.Metrics() == nil:
		return "it has no server metrics (server_metrics_export.json or .csv), so no engine"
	case engine == "":
		return "its server metrics are of no known engine"
	case o.Engine != "" && o.Engine != engine:
		return fmt.Sprintf("it is a run of %s, not of %s", engine, o.Engine)
	}
	return ""
}

func (o Options) adapters(engine string) []adapter.Adapter {
	if o.Adapters != nil {
		return o.Adapters
	}
	for _, e := range Builtin() {
		if e.Name == engine {
			return e.Adapters
		}
	}
	return nil
}

// derive asks one adapter and judges its answer; false when ctx ended first.
func (o Options) derive(ctx context.Context, s Source, a adapter.Adapter, run *aiperf.Run, ev *oracle.Evidence, v oracle.Verdict, r Result) (Result, bool) {
	r.Adapter = Word(a.Name())
	r.Again = o.again(s, "--adapter", cmp.Or(o.Arguments[a.Name()], a.Name()))
	if a.Engine() != "" && a.Engine() != ev.Engine {
		r.Outcome, r.Reasons = Skipped, []string{fmt.Sprintf("it answers for %s, this is a run of %s", a.Engine(), ev.Engine)}
		return r, true
	}
	began := o.Now()
	answer, err := call(ctx, a, run, o.Timeout)
	r.ElapsedMS = float64(o.Now().Sub(began).Microseconds()) / 1000
	switch {
	case err == nil:
		o.judge(&r, ev, v, answer, run.Published)
		if o.Price {
			r.Price = priceOf(pointOf(run, answer))
		}
	case ctx.Err() != nil:
		return r, false
	case errors.Is(err, context.DeadlineExceeded):
		r.Outcome, r.Error = TimedOut, Word(err.Error())
	default:
		r.Outcome, r.Error = Failed, Word(err.Error())
	}
	return r, true
}

// call runs Derive with a time limit that holds for an adapter that does not
// look at its context, and turns a panic into an error.
func call(ctx context.Context, a adapter.Adapter, run *aiperf.Run, limit time.Duration) (adapter.Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	type reply struct {
		answer adapter.Answer
		err    error
	}
	replied := make(chan reply, 1)
	go func() {
		var r reply
		defer func() {
			if p := recover(); p != nil {
				r.err = fmt.Errorf("%s panicked: %v\n%s", a.Name(), p, debug.Stack())
			}
			replied <- r
		}()
		r.answer, r.err = a.Derive(ctx, run)
	}()
	select {
	case r := <-replied:
		return r.answer, r.err
	case <-ctx.Done():
	}
	select {
	case r := <-replied:
		return r.answer, r.err
	case <-time.After(grace):
		return adapter.Answer{}, fmt.Errorf("no answer within %s, raise it with --timeout: %w", limit, ctx.Err())
	}
}

// judge fills in what an answer came to.
func (o Options) judge(r *Result, ev *oracle.Evidence, v oracle.Verdict, a adapter.Answer, row *aiperf.Row) {
	j := Judge(ev, v, a)
	r.Outcome = Answered
	r.Status, r.Eligible, r.Reasons = Word(a.Status), a.Eligible, append(r.Reasons, a.Reasons...)
	r.Rates = ratesOf(a.Rates.List())
	if h, ok := a.Rates.Hit(); ok {
		h := Rate(adapter.Round(h))
		r.H = &h
	}
	r.Class, r.Difference = Word(j.Class), j.Difference
	off := adapter.Round(j.PriceError)
	r.PriceError = &off
	r.Published = parityOf(row, a)
	r.Expected = j.Class == Correct
	if e, ok := o.Expect.find(string(r.Adapter), r.Run); ok {
		r.Listed = &Listing{Class: e.Class, Why: e.Why, At: e.At()}
		r.Expected = e.Class == j.Class && e.Why != Unedited
	}
}

func overlay(env, over aiperf.Env) aiperf.Env {
	all := aiperf.Env{}
	maps.Copy(all, env)
	maps.Copy(all, over)
	return all
}
