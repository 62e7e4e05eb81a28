package cmd

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pdreplay/pdreplay/oracle"
	"github.com/pdreplay/pdreplay/replay"
	"github.com/pdreplay/pdreplay/replay/aiperf"
	"github.com/pdreplay/pdreplay/replay/archive"
)

// look is how a run is looked at: with which adapters, by which contract, and
// with what it lacks.
type look struct {
	adapters []string
	against  string
	config   string
	engine   string
	contract string
	env      []string
	envFiles []string
	lag      time.Duration
	timeout  time.Duration

	timeoutGiven bool
	maxUnpacked  int64
}

func (l *look) flags(c *cobra.Command) {
	f := c.Flags()
	f.StringArrayVar(&l.adapters, "adapter", nil, "`ADAPTER` to ask: a name from pdreplay adapters, a glob of built-in ones, or NAME=COMMAND; repeatable (default all built-in ones of the run's engine)")
	f.StringVar(&l.config, "config", "", "`FILE` that names further adapters (default pdreplay.yaml of the working directory)")
	f.DurationVar(&l.timeout, "timeout", time.Minute, "time limit of one adapter for one run")
	f.StringVar(&l.engine, "engine", "", "only runs of `ENGINE`, and what an adapter by command answers for: "+strings.Join(engineNames(), ", "))
	f.StringVar(&l.contract, "contract", oracle.Contracts()[0].Name, "`NAME` of what is expected beside the facts: "+contracts())
	f.StringArrayVar(&l.env, "env", nil, "`KEY=VALUE` that the run's producer had in its environment (run.env); repeatable")
	f.StringArrayVar(&l.envFiles, "env-file", nil, "`FILE` of such lines, which --env goes before; repeatable")
	f.DurationVar(&l.lag, "lag", 0, "how long a counter may lag behind an event (default: by engine and export)")
}

// pathFlags are those of the verbs that look for runs.
func (l *look) pathFlags(c *cobra.Command) {
	c.Flags().Int64Var(&l.maxUnpacked, "max-unpacked", archive.DefaultLimit, "how many `BYTES` may come out of one archive")
}

// options checks the flags and finds the adapters. Close the choice, also when
// there is an error.
func (l *look) options(c *cobra.Command) (o replay.Options, chosen choice, err error) {
	if o.Contract, err = oracle.ContractNamed(l.contract); err != nil {
		return o, chosen, fmt.Errorf("--contract: %w", err)
	}
	if err := l.check(); err != nil {
		return o, chosen, err
	}
	if o.Env, err = l.environment(); err != nil {
		return o, chosen, err
	}
	l.timeoutGiven = c.Flags().Changed("timeout")
	o.Engine, o.Oracle.Lag, o.Flags, o.Now = l.engine, l.lag, l.repeat(), time.Now
	chosen, err = l.chooseAll(c)
	// An external adapter keeps its own time, and says more when it runs out.
	o.Adapters, o.Arguments, o.Timeout = chosen.adapters, chosen.arguments, max(l.timeout, chosen.longest)
	return o, chosen, err
}

// engineOf returns the engine of a built-in adapter, else the pattern of all.
func engineOf(name string) string {
	for _, a := range replay.BuiltinAdapters() {
		if a.Name() == name {
			return a.Engine()
		}
	}
	return "*"
}

func (l *look) check() error {
	switch {
	case l.engine != "" && !slices.Contains(engineNames(), l.engine):
		return fmt.Errorf("--engine %q: want one of %s", l.engine, strings.Join(engineNames(), ", "))
	case l.lag < 0:
		return fmt.Errorf("--lag %s: want 0 or more", l.lag)
	case l.timeout <= 0:
		return fmt.Errorf("--timeout %s: want more than 0", l.timeout)
	}
	return nil
}

// chooseAll adds the adapter of --against to those of --adapter. Without
// --adapter the default ones are asked, to which it belongs or does not.
func (l *look) chooseAll(c *cobra.Command) (choice, error) {
	names := l.adapters
	if l.against != "" {
		if strings.ContainsAny(l.against, `*?[\=`) {
			return choice{}, fmt.Errorf("--against %s: name one adapter", l.against)
		}
		if len(names) == 0 {
			names = []string{engineOf(l.against) + "@*"}
		}
		names = append(slices.Clone(names), l.against)
	}
	return l.choose(c.Context(), names)
}

// asShipped reports whether runs are looked at as the built-in expectation lists
// have them: another contract or environment gives other deviations.
func (l *look) asShipped() bool {
	return l.contract == oracle.Contracts()[0].Name && len(l.env) == 0 && len(l.envFiles) == 0
}

// repeat returns the flags that a repeating command needs.
func (l *look) repeat() []string {
	var flags []string
	if l.config != "" {
		flags = append(flags, "--config", l.config)
	}
	if l.contract != oracle.Contracts()[0].Name {
		flags = append(flags, "--contract", l.contract)
	}
	for _, e := range l.env {
		flags = append(flags, "--env", e)
	}
	for _, f := range l.envFiles {
		flags = append(flags, "--env-file", f)
	}
	if l.lag != 0 {
		flags = append(flags, "--lag", l.lag.String())
	}
	if l.timeoutGiven {
		flags = append(flags, "--timeout", l.timeout.String())
	}
	if l.maxUnpacked != archive.DefaultLimit && l.maxUnpacked != 0 { // 0: a verb without paths
		flags = append(flags, "--max-unpacked", strconv.FormatInt(l.maxUnpacked, 10))
	}
	return flags
}

// find looks for runs under paths.
func (l *look) find(paths []string) ([]replay.Source, error) {
	if l.maxUnpacked <= 0 {
		return nil, fmt.Errorf("--max-unpacked %d: want more than 0 bytes", l.maxUnpacked)
	}
	return replay.Search{MaxUnpacked: l.maxUnpacked}.Find(paths)
}

func (l *look) environment() (aiperf.Env, error) {
	env := aiperf.Env{}
	for _, file := range l.envFiles {
		if _, err := os.Stat(file); err != nil {
			return nil, fmt.Errorf("--env-file: %w", err)
		}
		more, err := aiperf.ReadEnv(os.DirFS(filepath.Dir(file)), filepath.Base(file))
		if err != nil {
			return nil, fmt.Errorf("--env-file %s: %w", file, err)
		}
		maps.Copy(env, more)
	}
	for _, pair := range l.env {
		key, value, ok := strings.Cut(pair, "=")
		if !ok || key == "" {
			return nil, fmt.Errorf("--env %q: want KEY=VALUE", pair)
		}
		env[key] = value
	}
	return env, nil
}

func engineNames() []string {
	var names []string
	for _, e := range replay.Builtin() {
		names = append(names, e.Name)
	}
	return names
}
