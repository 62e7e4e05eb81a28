package check

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/pdreplay/pdreplay/generator"
	"github.com/pdreplay/pdreplay/oracle"
	"github.com/pdreplay/pdreplay/replay"
	"github.com/pdreplay/pdreplay/replay/adapter"
)

// GCPercent is how seldom a program that checks should collect garbage, for
// debug.SetGCPercent: each run is some megabytes that are dropped at once, and
// collecting four times less often saves a third of the time.
const GCPercent = 400

// DefaultRuns is how many runs are drawn when nobody says.
const DefaultRuns = 2000

// Options say what is drawn, who is asked and how it is judged.
type Options struct {
	Adapters []adapter.Adapter // at least one
	Against  string            // the one of them that the others are compared with, "" for none
	Contract oracle.Contract
	Oracle   oracle.Options
	Expect   replay.Expectations

	Seed  uint64
	Runs  int           // 0: DefaultRuns, or any number within Time
	Time  time.Duration // 0: as long as Runs take
	Only  *int          // the one run of that number, instead of all
	Shard Shard

	// What is drawn; empty: all that the adapters answer for.
	Engines, Topologies, Collectors, Faults []string

	Jobs     int           // runs at a time, at least 1
	Timeout  time.Duration // of one Derive
	FailFast bool
	Now      func() time.Time

	Arguments map[string]string // what calls an adapter by name on the command line, where the name does not
	Dir       string            // where reports of failures go, "" for nowhere
	Flags     []string          // what a repeating command needs beside what Options has
	Versions  []string          // lines that say which program and adapters these are

	Each    func(replay.Result) error   // is told every result, in order; may be nil
	EachRun func(replay.RunEvent) error // is told every run, before its results; may be nil
}

// A Shard is every Of-th run, beginning with number Index-1. The zero value is
// all of them.
type Shard struct{ Index, Of int }

// ParseShard reads I/N, 1/1 for all.
func ParseShard(text string) (Shard, error) {
	var s Shard
	if n, err := fmt.Sscanf(text, "%d/%d", &s.Index, &s.Of); n != 2 || err != nil || s.Index < 1 || s.Index > s.Of || text != s.String() {
		return Shard{}, fmt.Errorf("%q is no shard: want I/N, as in 2/3, with I from 1 to N", text)
	}
	return s, nil
}

func (s Shard) String() string { return fmt.Sprintf("%d/%d", s.Index, s.Of) }

func (s Shard) holds(i int) bool { return s.Of == 0 || i%s.Of == s.Index-1 }

// whole reports whether everything that is planned is drawn.
func (o Options) whole() bool { return o.Only == nil && o.Shard.Of <= 1 }

// validate fills in what is not given and refuses what cannot be drawn.
func (o Options) validate() (Options, error) {
	if len(o.Adapters) == 0 {
		return o, errors.New("checking needs an adapter: name it with --adapter")
	}
	if len(o.Engines) == 0 {
		o.Engines = o.answered()
	}
	for _, w := range []struct {
		flag           string
		words, allowed []string
	}{
		{"engine", o.Engines, generator.Engines()},
		{"collector", o.Collectors, generator.Collectors()},
		{"fault", o.Faults, slugs()},
	} {
		for _, word := range w.words {
			if !slices.Contains(w.allowed, word) {
				return o, fmt.Errorf("--%s %q: want one of %s", w.flag, word, strings.Join(w.allowed, ", "))
			}
		}
	}
	for _, word := range o.Topologies {
		if err := generator.CheckTopology(word); err != nil {
			return o, fmt.Errorf("--topology: %w", err)
		}
	}
	if o.Runs == 0 && o.Time == 0 {
		o.Runs = DefaultRuns
	}
	if o.Runs < 0 || o.Time < 0 || o.Only != nil && *o.Only < 0 {
		return o, fmt.Errorf("--runs %d, --time %s: want more than 0", o.Runs, o.Time)
	}
	return o, refuseAll(o.Expect)
}

// answered are the engines that the adapters answer for, in the generator's order.
func (o Options) answered() []string {
	var engines []string
	for _, e := range generator.Engines() {
		if slices.ContainsFunc(o.Adapters, func(a adapter.Adapter) bool { return a.Engine() == e || a.Engine() == "" }) {
			engines = append(engines, e)
		}
	}
	return engines
}

// refuseAll refuses an entry about every generated run.
func refuseAll(list replay.Expectations) error {
	for _, e := range list {
		if rest, ok := strings.CutPrefix(e.Run, idRoot+"/"); ok && strings.Trim(rest, "*?/") == "" {
			return fmt.Errorf("%s: pattern %q matches every generated run: name the faults, topology or collector that deviate", e.At(), e.Run)
		}
	}
	return nil
}

func slugs() []string {
	var all []string
	for _, k := range generator.Kinds() {
		all = append(all, k.Slug)
	}
	return all
}

// idRoot begins the id of every generated run.
const idRoot = "check"

// runID names a run by what is in it, so that expectation lists can name kinds
// of runs: check/ENGINE/TOPOLOGY/COLLECTOR/FAULTS/SEED-NUMBER.
func runID(s generator.Spec, seed uint64, number int) string {
	return path.Join(idRoot, s.Engine, s.Topology, s.Collector.Version, faultsOf(s).String(), fmt.Sprintf("%d-%d", seed, number))
}

// A FaultSet is a set of slugs, sorted.
type FaultSet []string

// String joins the slugs by +; no fault is "none".
func (f FaultSet) String() string {
	if len(f) == 0 {
		return "none"
	}
	return strings.Join(f, "+")
}

func faultsOf(s generator.Spec) FaultSet {
	var set FaultSet
	for _, f := range s.Faults {
		set = append(set, f.Slug)
	}
	slices.Sort(set)
	return set
}

// holds reports whether every fault of the other set is in this one.
func (f FaultSet) holds(other FaultSet) bool {
	return !slices.ContainsFunc(other, func(slug string) bool { return !slices.Contains(f, slug) })
}
