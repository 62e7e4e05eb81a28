package cmd

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pdreplay/pdreplay/oracle"
	"github.com/pdreplay/pdreplay/replay"
	"github.com/pdreplay/pdreplay/replay/report"
)

// judging is what the verbs that judge share.
type judging struct {
	look    look
	formats formats
	expect  []string
	fix     bool
	shard   string // I/N, when what is judged is only a part

	jobs     int
	failFast bool
	price    bool
}

func (j *judging) flags(c *cobra.Command) {
	f := c.Flags()
	j.look.flags(c)
	f.StringVar(&j.look.against, "against", "", "show only where adapters differ from adapter `NAME`, and who is right")
	j.formats.flag(c)
	f.StringArrayVar(&j.expect, "expect", nil, "`FILE` of known deviations; repeatable. The built-in lists hold for contract review without --env; none turns them off")
	f.BoolVar(&j.fix, "fix", false, "bring the --expect lists up to date; new lines fail until their why is written")
	f.IntVar(&j.jobs, "jobs", runtime.GOMAXPROCS(0), "runs judged at a time")
	f.BoolVar(&j.failFast, "fail-fast", false, "stop after the first failure")
}

// judge replays the sources and reports. Corpus is the id of the corpus that
// they are of, if any; filters are the flags that narrowed them down, for --fix.
func (j *judging) judge(c *cobra.Command, sources []replay.Source, corpus string, filters []string) (summary replay.Summary, err error) {
	o, chosen, err := j.options(c)
	defer func() { chosen.close(c, &err) }()
	if err != nil {
		return replay.Summary{}, err
	}
	o.Corpus, o.Shard = corpus, j.shard
	if err := j.refuseFix(filters); err != nil {
		return replay.Summary{}, err
	}
	ids := make([]string, len(sources))
	for i, s := range sources {
		ids[i] = s.ID
	}
	if err := errors.Join(o.Expect.CheckPatterns(ids), o.Expect.CheckContradictions()); err != nil {
		return replay.Summary{}, err
	}
	// A corpus is hundreds of runs that nobody chose to look at.
	out, err := j.formats.open(c, textOf(report.TextOptions{Against: j.look.against, Trouble: corpus != ""}))
	if err != nil {
		return replay.Summary{}, err
	}
	p := newProgress(c.ErrOrStderr(), len(sources))
	o.Runs = out.eachRun(p)
	var results []replay.Result
	summary, err = replay.Run(c.Context(), sources, o, func(r replay.Result) error {
		if j.fix {
			results = append(results, r)
		}
		return p.around(r.Run, func() error { return out.result(r) })
	})
	p.done()
	err = errors.Join(err, out.summary(summary))
	if err == nil && j.fix {
		err = j.rewrite(c, summary, results)
	}
	if err == nil {
		sayNothing(c, summary)
	}
	return summary, err
}

func (j *judging) options(c *cobra.Command) (replay.Options, choice, error) {
	o, chosen, err := j.look.options(c)
	if err != nil {
		return o, chosen, err
	}
	if o.Expect, err = j.expectations(); err != nil {
		return o, chosen, err
	}
	if j.jobs < 1 {
		return o, chosen, fmt.Errorf("--jobs %d: want 1 or more", j.jobs)
	}
	for _, e := range j.expect {
		o.Flags = append(o.Flags, "--expect", e)
	}
	o.Jobs, o.FailFast, o.Price = j.jobs, j.failFast, j.price
	return o, chosen, nil
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
