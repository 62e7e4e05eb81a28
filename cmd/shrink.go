package cmd

import (
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/google/shlex"
	"github.com/spf13/cobra"

	"github.com/pdreplay/pdreplay/oracle"
	"github.com/pdreplay/pdreplay/replay"
	"github.com/pdreplay/pdreplay/replay/adapter"
	"github.com/pdreplay/pdreplay/replay/aiperf"
	"github.com/pdreplay/pdreplay/replay/fixture"
	"github.com/pdreplay/pdreplay/replay/shrink"
)

// shrinking is what the shrink verb was asked.
type shrinking struct {
	look      look
	dir       string
	predicate string
	time      time.Duration
	jobs      int
}

func newShrink() *cobra.Command {
	var s shrinking
	c := &cobra.Command{
		Use:   "shrink PATH [ROWS...] -o DIR",
		Short: "Make a failing run as small as it can be",
		Long: `Shrink leaves out of a run whatever a failure does not need: files, series, records,
variables, the end of the window, time slices, digits. The failure is that of the adapter
that --adapter names, or of the first that fails: the same class, and the same first rule
behind it. With --predicate it is whatever COMMAND, which gets the run's directory as its
last argument, answers with exit status 0.

The run is written as its files were read, names and all: capture it to replace them.`,
		Args: needPaths,
		RunE: s.run,
	}
	s.look.flags(c)
	s.look.pathFlags(c)
	f := c.Flags()
	f.StringVarP(&s.dir, "output", "o", "", "`DIR` to write, new or empty")
	f.StringVar(&s.predicate, "predicate", "", "`COMMAND` that says what to keep, split into words like a shell")
	f.DurationVar(&s.time, "time", time.Minute, "how long to look for smaller runs")
	f.IntVar(&s.jobs, "jobs", runtime.GOMAXPROCS(0), "candidates looked at at a time")
	return c
}

func (s *shrinking) run(c *cobra.Command, args []string) (err error) {
	switch {
	case s.dir == "":
		return errors.New("no place to write to: add -o DIR")
	case s.jobs < 1 || s.time <= 0:
		return fmt.Errorf("--jobs %d, --time %s: both must be more than zero", s.jobs, s.time)
	}
	if err := fixture.Writable(s.dir); err != nil {
		return fmt.Errorf("-o %s: %w: give another one", s.dir, err)
	}
	o, chosen, err := s.look.options(c)
	defer func() { chosen.close(c, &err) }()
	if err != nil {
		return err
	}
	source, err := oneRun(c, &s.look, args)
	if err != nil {
		return err
	}
	run, err := source.Open()
	if err != nil {
		return fmt.Errorf("reading %s: %w", source.ID, err)
	}
	what, keep, err := s.predicateFor(c, run, o)
	if err != nil {
		return fmt.Errorf("shrinking %s: %w", source.ID, err)
	}
	fmt.Fprintf(c.OutOrStdout(), "keeping: %s\n", what)
	small, err := fixture.Shrink(c.Context(), run, o.Env, keep, shrink.Budget{Time: s.time, Jobs: s.jobs, Now: time.Now})
	if err != nil {
		return fmt.Errorf("shrinking %s: %w", source.ID, err)
	}
	files := fixture.Files(small.Run)
	if err := fixture.WriteDir(s.dir, files); err != nil {
		return err
	}
	return s.report(c, source.ID, small, len(files))
}

// predicateFor returns what has to stay, in words and as a question.
func (s *shrinking) predicateFor(c *cobra.Command, run *aiperf.Run, o replay.Options) (string, shrink.Predicate[*aiperf.Run], error) {
	if s.predicate != "" {
		words, err := shlex.Split(s.predicate)
		if err == nil && len(words) == 0 {
			err = errors.New("it has no word")
		}
		if err != nil {
			return "", nil, fmt.Errorf("--predicate %q: %w", s.predicate, err)
		}
		return "what " + s.predicate + " takes", fixture.Command(words, o.Timeout), nil
	}
	whole := *run
	whole.Env = aiperf.Env{}
	for _, env := range []aiperf.Env{run.Env, o.Env} {
		for key, value := range env {
			whole.Env[key] = value
		}
	}
	o.Env = nil
	failure, err := fixture.Failure(c.Context(), &whole, o)
	if err != nil {
		return "", nil, err
	}
	adapters := o.Adapters
	if adapters == nil {
		adapters = builtinFor(oracle.Detect(&whole))
	}
	return failure.String(), failure.Keep(o, adapters), nil
}

func builtinFor(engine string) []adapter.Adapter {
	for _, e := range replay.Builtin() {
		if e.Name == engine {
			return e.Adapters
		}
	}
	return nil
}

func (s *shrinking) report(c *cobra.Command, id string, small fixture.Shrunk, files int) error {
	_, err := fmt.Fprintf(c.OutOrStdout(), "shrunk %s into %s: %d files, after %d steps and %d tries\n", id, s.dir, files, small.Stats.Accepted, small.Stats.Evaluations)
	if err == nil && (small.Stats.Exhausted || c.Context().Err() != nil) {
		_, err = fmt.Fprintf(c.OutOrStdout(), "it ended before it was done: a smaller run may exist (--time)\n")
	}
	return err
}
