package cmd

import (
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pdreplay/pdreplay/oracle"
	"github.com/pdreplay/pdreplay/replay"
	"github.com/pdreplay/pdreplay/replay/adapter"
	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// look is how a run is looked at: with which adapters, by which contract, and
// with what it lacks.
type look struct {
	adapters []string
	engine   string
	contract string
	env      []string
	envFiles []string
	lag      time.Duration
}

func (l *look) flags(c *cobra.Command) {
	f := c.Flags()
	f.StringArrayVar(&l.adapters, "adapter", nil, "adapter `NAME|GLOB`, as listed by pdreplay adapters; repeatable (default all of the run's engine)")
	f.StringVar(&l.engine, "engine", "", "only runs of `ENGINE`: "+strings.Join(engineNames(), ", "))
	f.StringVar(&l.contract, "contract", oracle.Contracts()[0].Name, "what is expected beside the facts, `NAME`: "+contracts())
	f.StringArrayVar(&l.env, "env", nil, "`KEY=VALUE` of the environment that the run's producer had (run.env); repeatable")
	f.StringArrayVar(&l.envFiles, "env-file", nil, "`FILE` of such lines; --env goes before it; repeatable")
	f.DurationVar(&l.lag, "lag", 0, "how long a counter may lag behind an event (default: by engine and export)")
}

func (l *look) options() (replay.Options, error) {
	var o replay.Options
	var err error
	if o.Contract, err = oracle.ContractNamed(l.contract); err != nil {
		return o, fmt.Errorf("--contract: %w", err)
	}
	if l.engine != "" && !slices.Contains(engineNames(), l.engine) {
		return o, fmt.Errorf("--engine %q: want one of %s", l.engine, strings.Join(engineNames(), ", "))
	}
	if l.lag < 0 {
		return o, fmt.Errorf("--lag %s: want 0 or more", l.lag)
	}
	if len(l.adapters) > 0 {
		if o.Adapters, err = chooseAdapters(l.adapters); err != nil {
			return o, err
		}
	}
	if o.Env, err = l.environment(); err != nil {
		return o, err
	}
	o.Engine, o.Oracle.Lag, o.Flags = l.engine, l.lag, l.repeat()
	return o, nil
}

// asShipped reports whether runs are looked at as the built-in expectation lists
// have them: another contract or environment gives other deviations.
func (l *look) asShipped() bool {
	return l.contract == oracle.Contracts()[0].Name && len(l.env) == 0 && len(l.envFiles) == 0
}

// repeat returns the flags that a repeating command needs.
func (l *look) repeat() []string {
	var flags []string
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
	return flags
}

func (l *look) environment() (aiperf.Env, error) {
	env := aiperf.Env{}
	for _, file := range l.envFiles {
		dir, name := filepath.Split(file)
		if dir == "" {
			dir = "."
		}
		more, err := aiperf.ReadEnv(os.DirFS(dir), name)
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

// chooseAdapters returns the adapters that the patterns name, each once, in the
// order of the patterns. A pattern that names none is an error.
func chooseAdapters(patterns []string) ([]adapter.Adapter, error) {
	var chosen []adapter.Adapter
	var names []string
	for _, p := range patterns {
		matched := false
		for _, a := range replay.BuiltinAdapters() {
			ok, err := path.Match(p, a.Name())
			if err != nil {
				return nil, fmt.Errorf("--adapter %q: %w", p, err)
			}
			if !ok {
				continue
			}
			matched = true
			if !slices.Contains(names, a.Name()) {
				chosen, names = append(chosen, a), append(names, a.Name())
			}
		}
		if !matched {
			return nil, fmt.Errorf("--adapter %q matches no adapter: have %s", p, strings.Join(adapterNames(), ", "))
		}
	}
	return chosen, nil
}

func adapterNames() []string {
	var names []string
	for _, a := range replay.BuiltinAdapters() {
		names = append(names, a.Name())
	}
	return names
}

func engineNames() []string {
	var names []string
	for _, e := range replay.Builtin() {
		names = append(names, e.Name)
	}
	return names
}
