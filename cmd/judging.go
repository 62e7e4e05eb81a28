package cmd

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pdreplay/pdreplay/oracle"
	"github.com/pdreplay/pdreplay/replay"
	"github.com/pdreplay/pdreplay/replay/adapter"
)

// judging is what the verbs that judge share.
type judging struct {
	look    look
	against string
	formats []string
	expect  []string
	fix     bool

	jobs     int
	timeout  time.Duration
	failFast bool
}

func (j *judging) flags(c *cobra.Command) {
	f := c.Flags()
	j.look.flags(c)
	f.StringVar(&j.against, "against", "", "show only where adapters differ from adapter `NAME`, and who is right")
	f.StringArrayVar(&j.formats, "format", []string{"text"}, "report as `FORMAT[:PATH]`: text or json; repeatable")
	f.StringArrayVar(&j.expect, "expect", nil, "list of known deviations, `FILE`, or none for not even the built-in ones, which stand for contract review and no --env; repeatable")
	f.BoolVar(&j.fix, "fix", false, "bring the --expect lists up to date; new lines fail until their why is written")
	f.IntVar(&j.jobs, "jobs", runtime.GOMAXPROCS(0), "runs judged at a time")
	f.DurationVar(&j.timeout, "timeout", time.Minute, "time limit of one adapter for one run")
	f.BoolVar(&j.failFast, "fail-fast", false, "stop after the first failure")
}

// judge replays the sources and reports. The filters are what narrowed the
// sources down, for --fix.
func (j *judging) judge(c *cobra.Command, sources []replay.Source, filters []string) (replay.Summary, error) {
	o, err := j.options(c)
	if err != nil {
		return replay.Summary{}, err
	}
	if err := j.refuseFix(filters); err != nil {
		return replay.Summary{}, err
	}
	ids := make([]string, len(sources))
	for i, s := range sources {
		ids[i] = s.ID
	}
	if err := o.Expect.CheckPatterns(ids); err != nil {
		return replay.Summary{}, err
	}
	out, err := j.open(c)
	if err != nil {
		return replay.Summary{}, err
	}
	p := newProgress(c.ErrOrStderr(), len(sources))
	var results []replay.Result
	summary, err := replay.Run(c.Context(), sources, o, func(r replay.Result) error {
		if j.fix {
			results = append(results, r)
		}
		return p.around(r, out.result)
	})
	p.done()
	err = errors.Join(err, out.summary(summary))
	if err == nil && j.fix {
		err = j.rewrite(c, summary, results)
	}
	if err == nil && summary.Nothing() && summary.Errors == 0 && !summary.Interrupted {
		fmt.Fprintln(c.ErrOrStderr(), "pdreplay:", replay.ErrNothing)
	}
	return summary, err
}

func (j *judging) options(c *cobra.Command) (replay.Options, error) {
	o, err := j.look.options()
	if err != nil {
		return o, err
	}
	if o.Adapters, err = j.adapters(o.Adapters); err != nil {
		return o, err
	}
	if o.Expect, err = j.expectations(); err != nil {
		return o, err
	}
	if j.jobs < 1 || j.timeout <= 0 {
		return o, fmt.Errorf("--jobs %d, --timeout %s: both must be more than zero", j.jobs, j.timeout)
	}
	for _, e := range j.expect {
		o.Flags = append(o.Flags, "--expect", e)
	}
	o.Jobs, o.Timeout, o.FailFast, o.Now = j.jobs, j.timeout, j.failFast, time.Now
	return o, nil
}

// adapters adds the adapter of --against to the chosen ones.
func (j *judging) adapters(chosen []adapter.Adapter) ([]adapter.Adapter, error) {
	if j.against == "" || chosen == nil {
		_, err := chooseAgainst(j.against)
		return chosen, err
	}
	base, err := chooseAgainst(j.against)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(chosen, func(a adapter.Adapter) bool { return a.Name() == j.against }) {
		return chosen, nil
	}
	return append(chosen, base...), nil
}

func chooseAgainst(name string) ([]adapter.Adapter, error) {
	if name == "" {
		return nil, nil
	}
	found, err := chooseAdapters([]string{name})
	if err == nil && len(found) != 1 {
		err = fmt.Errorf("--against %s: name one adapter", name)
	}
	return found, err
}

func (j *judging) expectations() (replay.Expectations, error) {
	if slices.Contains(j.expect, "none") {
		if len(j.expect) > 1 {
			return nil, errors.New("--expect none stands alone: it turns every list off")
		}
		return nil, nil
	}
	var all replay.Expectations // the first line about a run counts: ours before the built-in ones
	for _, file := range j.expect {
		f, err := os.Open(file)
		if j.fix && errors.Is(err, os.ErrNotExist) {
			continue // --fix writes it
		}
		if err != nil {
			return nil, fmt.Errorf("reading expectation list: %w", err)
		}
		list, err := replay.ReadExpectations(f, file)
		f.Close()
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	if !j.look.asShipped() {
		return all, nil
	}
	builtin, err := replay.Historical()
	return append(all, builtin...), err
}

// refuseFix refuses to rewrite lists from less than everything: a line about
// what was not replayed would be lost or missing without a word.
func (j *judging) refuseFix(filters []string) error {
	if !j.fix {
		return nil
	}
	if j.look.engine != "" {
		filters = append(filters, "--engine")
	}
	if j.failFast {
		filters = append(filters, "--fail-fast")
	}
	switch {
	case len(filters) > 0:
		return fmt.Errorf("--fix needs a whole replay: drop %s", strings.Join(filters, ", "))
	case len(j.expect) == 0 || slices.Contains(j.expect, "none"):
		return errors.New("--fix needs the list to write: add --expect FILE")
	}
	return nil
}

func (j *judging) rewrite(c *cobra.Command, s replay.Summary, results []replay.Result) error {
	if s.Interrupted || s.Errors > 0 {
		fmt.Fprintln(c.ErrOrStderr(), "pdreplay: --fix wrote nothing: the replay was not whole")
		return nil
	}
	for i, file := range j.expect {
		text, err := os.ReadFile(file)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("fixing expectation list: %w", err)
		}
		last := i == len(j.expect)-1 // new lines go to the end of the last list
		if err := writeFile(file, replay.Fix(file, text, results, last)); err != nil {
			return fmt.Errorf("fixing expectation list: %w", err)
		}
	}
	return nil
}

// writeFile replaces a file at once: nobody finds half of it.
func writeFile(name string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// contracts lists the words of --contract.
func contracts() string {
	var names []string
	for _, c := range oracle.Contracts() {
		names = append(names, c.Name)
	}
	return strings.Join(names, ", ")
}
