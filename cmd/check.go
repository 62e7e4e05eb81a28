package cmd

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pdreplay/pdreplay/generator"
	"github.com/pdreplay/pdreplay/oracle"
	"github.com/pdreplay/pdreplay/replay"
	"github.com/pdreplay/pdreplay/replay/adapter"
	"github.com/pdreplay/pdreplay/replay/check"
	"github.com/pdreplay/pdreplay/replay/report"
)

// checking is the check verb's flags.
type checking struct {
	judging
	o     check.Options
	shard string
	only  int
}

func newCheck() *cobra.Command {
	k := checking{only: -1}
	c := &cobra.Command{
		Use:   "check",
		Short: "Judge adapters on synthesized runs, and shrink what breaks them",
		Long: `Check draws runs whose true rates are known and judges adapters on them: every fault
alone, every pair of faults that can meet at an edge of the window, then mixtures. The
scorecard counts what each adapter made of each fault, and each distinct failure comes
back as the smallest run that still shows it.

With -o each failure leaves a directory: the run (pdreplay replay judges it again), its
spec and truth, every adapter's answer, the oracle's explanation, and a scenario that is
ready to commit. A run is the same run for the same seed, number and restrictions,
whatever --runs, --shard and --jobs are.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if os.Getenv("GOGC") == "" {
				debug.SetGCPercent(check.GCPercent)
			}
			return k.run(c)
		},
	}
	k.flags(c)
	return c
}

func (k *checking) flags(c *cobra.Command) {
	f := c.Flags()
	f.StringArrayVar(&k.look.adapters, "adapter", nil, "`ADAPTER` to ask: a name or glob from pdreplay adapters, or NAME=COMMAND; repeatable (default all built-in ones)")
	f.StringVar(&k.look.against, "against", "", "count what each adapter has fixed, and what it has new, compared with adapter `NAME`")
	f.StringVar(&k.look.config, "config", "", "`FILE` that names further adapters (default pdreplay.yaml of the working directory)")
	f.StringVar(&k.look.contract, "contract", oracle.Contracts()[0].Name, "`NAME` of what is expected beside the facts: "+contracts())
	f.DurationVar(&k.look.timeout, "timeout", time.Minute, "time limit of one adapter for one run")
	f.DurationVar(&k.look.lag, "lag", 0, "how long a counter may lag behind an event (default: by engine and export)")
	f.StringVar(&k.look.engine, "engine", "", "only runs of `ENGINE`, and what an adapter by command answers for: "+strings.Join(generator.Engines(), ", "))
	f.StringArrayVar(&k.o.Topologies, "topology", nil, "only runs of `TOPOLOGY`: unified, unified:N or nPmD as in 2p3d; repeatable (default "+strings.Join(generator.Topologies(), ", ")+")")
	f.StringArrayVar(&k.o.Collectors, "collector", nil, "only runs of collector `VERSION`: "+strings.Join(generator.Collectors(), ", ")+"; repeatable")
	f.StringArrayVar(&k.o.Faults, "fault", nil, "only these faults, and none, `SLUG`; repeatable (pdreplay generate --list-faults shows them)")
	f.IntVar(&k.o.Runs, "runs", 0, fmt.Sprintf("how many runs (default %d, or what --time allows)", check.DefaultRuns))
	f.DurationVar(&k.o.Time, "time", 0, "draw runs for so long")
	f.Uint64Var(&k.o.Seed, "seed", 1, "what the runs are drawn from")
	f.IntVar(&k.only, "only", -1, "only the run of that `NUMBER`, from 0")
	f.StringVar(&k.shard, "shard", "", "only the `I/N`-th part of the runs, I from 1 to N")
	f.StringVarP(&k.o.Dir, "output", "o", "", "write a report of each distinct failure under `DIR`")
	k.formats.flag(c)
	f.StringArrayVar(&k.expect, "expect", nil, "`FILE` of known deviations: adapter, pattern of run ids (check/ENGINE/TOPOLOGY/COLLECTOR/FAULTS/*), class, # why; repeatable")
	f.IntVar(&k.jobs, "jobs", runtime.GOMAXPROCS(0), "runs judged at a time")
	f.BoolVar(&k.failFast, "fail-fast", false, "stop after the first failure")
}

func (k *checking) run(c *cobra.Command) (err error) {
	o, chosen, err := k.options(c)
	defer func() { chosen.close(c, &err) }()
	if err != nil {
		return err
	}
	var result *check.Report
	out, err := k.formats.open(c, func(w io.Writer) report.Reporter { return checkText{w, &result} })
	if err != nil {
		return err
	}
	p := newProgress(c.ErrOrStderr(), k.planned(o))
	o.Each = func(r replay.Result) error { return p.around(r.Run, func() error { return out.result(r) }) }
	o.EachRun = out.eachRun(p)
	result, err = check.Run(c.Context(), o)
	p.done()
	if result == nil {
		return err
	}
	// What was judged is told even where a failure's directory could not be written.
	result.Summary.Shard = replay.Word(k.shard)
	if err := errors.Join(err, out.summary(result.Summary)); err != nil {
		return err
	}
	return exitWith(result.Exit())
}

// options turns the flags into those of check.
func (k *checking) options(c *cobra.Command) (check.Options, choice, error) {
	shared, chosen, err := k.judging.options(c)
	if err != nil {
		return check.Options{}, chosen, err
	}
	o := k.o
	o.Adapters, o.Arguments, o.Against = shared.Adapters, shared.Arguments, k.look.against
	if o.Adapters == nil {
		o.Adapters = replay.BuiltinAdapters()
	}
	if k.look.engine != "" {
		o.Engines = []string{k.look.engine}
		if o.Adapters = answering(o.Adapters, k.look.engine); len(o.Adapters) == 0 {
			return o, chosen, fmt.Errorf("--engine %s: no adapter of --adapter answers for it", k.look.engine)
		}
	}
	if k.only >= 0 {
		o.Only = &k.only
	}
	for _, pair := range [][2]string{{"only", "runs"}, {"only", "time"}, {"only", "shard"}, {"runs", "time"}} {
		if c.Flags().Changed(pair[0]) && c.Flags().Changed(pair[1]) {
			return o, chosen, fmt.Errorf("--%s and --%s: give one of them", pair[0], pair[1])
		}
	}
	if c.Flags().Changed("runs") && o.Runs < 1 {
		return o, chosen, fmt.Errorf("--runs %d: want 1 or more", o.Runs)
	}
	if k.shard != "" {
		if o.Shard, err = check.ParseShard(k.shard); err != nil {
			return o, chosen, fmt.Errorf("--shard: %w", err)
		}
	}
	version, revision, _ := build()
	o.Versions = []string{fmt.Sprintf("pdreplay %s, revision %s", version, revision)}
	o.Contract, o.Oracle, o.Expect, o.Flags = shared.Contract, shared.Oracle, shared.Expect, shared.Flags
	o.Jobs, o.Timeout, o.FailFast, o.Now = shared.Jobs, shared.Timeout, shared.FailFast, shared.Now
	return o, chosen, nil
}

// answering are the adapters that answer for an engine.
func answering(list []adapter.Adapter, engine string) []adapter.Adapter {
	var kept []adapter.Adapter
	for _, a := range list {
		if a.Engine() == engine || a.Engine() == "" {
			kept = append(kept, a)
		}
	}
	return kept
}

// planned is how many runs the progress line counts to.
func (k *checking) planned(o check.Options) int {
	switch {
	case o.Only != nil:
		return 1
	case o.Runs == 0 && o.Time > 0:
		return -1 // nobody knows
	case o.Runs == 0:
		return check.DefaultRuns
	}
	return o.Runs / max(1, o.Shard.Of)
}

// checkText is the text format: nothing until the report stands.
type checkText struct {
	w      io.Writer
	report **check.Report
}

func (t checkText) Result(replay.Result) error   { return nil }
func (t checkText) Summary(replay.Summary) error { return (*t.report).Write(t.w) }
