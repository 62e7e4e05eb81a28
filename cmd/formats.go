package cmd

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/pdreplay/pdreplay/replay"
	"github.com/pdreplay/pdreplay/replay/report"
)

// formatNames are the words of --format.
var formatNames = [...]string{"text", "json", "junit", "github", "html"}

// formats are the arguments of --format: FORMAT or FORMAT:PATH.
type formats []string

func (f *formats) flag(c *cobra.Command) {
	c.Flags().StringArrayVar((*[]string)(f), "format", []string{"text"},
		"`FORMAT` of the report: "+strings.Join(formatNames[:], ", ")+"; FORMAT:PATH writes it into a file; repeatable")
}

// outputs are the reports of one call.
type outputs struct {
	reporters []report.Reporter
	files     []*os.File
}

// A textReport is a verb's text format, colours where w shows them.
type textReport func(w io.Writer) report.Reporter

// textOf is the text of the verbs that judge.
func textOf(o report.TextOptions) textReport {
	return func(w io.Writer) report.Reporter {
		o.Colour = coloured(w)
		return report.NewText(w, o)
	}
}

// open starts the reports.
func (f formats) open(c *cobra.Command, text textReport) (*outputs, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	var out outputs
	for _, arg := range f {
		format, path, _ := strings.Cut(arg, ":")
		w := c.OutOrStdout()
		if path != "" {
			file, err := os.Create(path)
			if err != nil {
				return nil, fmt.Errorf("--format %s: %w", arg, err)
			}
			out.files = append(out.files, file)
			w = file
		}
		if err := out.add(format, w, text); err != nil {
			return nil, fmt.Errorf("--format %s: %w", arg, err)
		}
	}
	return &out, nil
}

// check refuses unknown formats, and two that would write into each other.
func (f formats) check() error {
	toStdout := ""
	toFile := map[string]string{}
	for _, arg := range f {
		format, path, colon := strings.Cut(arg, ":")
		other, taken := toFile[filepath.Clean(path)]
		switch {
		case !slices.Contains(formatNames[:], format):
			return fmt.Errorf("--format %q: want one of %s, or one of them with :PATH", arg, strings.Join(formatNames[:], ", "))
		case path != "" && taken:
			return fmt.Errorf("--format %s and --format %s both go to one file: give each its own", other, arg)
		case format == "github" && !inWorkflow(): // before any file is written
			return fmt.Errorf("--format %s: only a step of a GitHub workflow has a place for it (GITHUB_ACTIONS=true and GITHUB_STEP_SUMMARY): use text, json or junit here", arg)
		case path != "":
			toFile[filepath.Clean(path)] = arg
		case colon:
			return fmt.Errorf("--format %q: want the path of a file behind the colon", arg)
		case toStdout != "" && !commands(toStdout, format):
			return fmt.Errorf("--format %s and --format %s both go to standard output: give one a path, as in %s:FILE", toStdout, arg, arg)
		default:
			toStdout = arg
		}
	}
	return nil
}

// commands reports whether the two are text and the workflow commands that
// GitHub finds between its lines.
func commands(a, b string) bool {
	return a == "text" && b == "github" || a == "github" && b == "text"
}

func (o *outputs) add(format string, w io.Writer, text textReport) error {
	switch format {
	case "text":
		o.reporters = append(o.reporters, text(w))
	case "json":
		o.reporters = append(o.reporters, report.NewJSON(w))
	case "junit":
		o.reporters = append(o.reporters, report.NewJUnit(w, time.Now()))
	case "html":
		o.reporters = append(o.reporters, report.NewHTML(w, report.HTMLOptions{Title: "pdreplay report"}))
	case "github":
		summary, err := stepSummary()
		if err != nil {
			return err
		}
		o.files = append(o.files, summary)
		// It goes first: the last line is that of the text.
		o.reporters = slices.Insert(o.reporters, 0, report.Reporter(report.NewGitHub(w, report.GitHubOptions{Summary: summary, Locate: inWorkspace})))
	}
	return nil
}

// inWorkflow reports whether this is a step of a GitHub workflow. Elsewhere
// nobody reads the format, and nothing would say so.
func inWorkflow() bool {
	return os.Getenv("GITHUB_ACTIONS") == "true" && os.Getenv("GITHUB_STEP_SUMMARY") != ""
}

// stepSummary opens what GitHub shows as the summary of a workflow's step.
func stepSummary() (*os.File, error) {
	return os.OpenFile(os.Getenv("GITHUB_STEP_SUMMARY"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
}

// inWorkspace turns a path into one inside the repository that a workflow
// checked out, "" where it lies outside.
func inWorkspace(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		return ""
	}
	rel, err := filepath.Rel(os.Getenv("GITHUB_WORKSPACE"), abs)
	if err != nil || !filepath.IsLocal(rel) {
		return ""
	}
	return filepath.ToSlash(rel)
}

// coloured reports whether w is a terminal and nobody said NO_COLOR.
func coloured(w io.Writer) bool { return isTerminal(w) && os.Getenv("NO_COLOR") == "" }

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// eachRun takes the events of runs, nil if no report does.
func (o *outputs) eachRun(p *progress) func(replay.RunEvent) error {
	if !slices.ContainsFunc(o.reporters, func(r report.Reporter) bool {
		_, ok := r.(report.RunReporter)
		return ok
	}) {
		return nil
	}
	return func(r replay.RunEvent) error { return p.around(r.Run, func() error { return o.run(r) }) }
}

func (o *outputs) run(r replay.RunEvent) error {
	var err error
	for _, rep := range o.reporters {
		if rep, ok := rep.(report.RunReporter); ok {
			err = errors.Join(err, rep.Run(r))
		}
	}
	return wrapReport(err)
}

func (o *outputs) result(r replay.Result) error {
	var err error
	for _, rep := range o.reporters {
		err = errors.Join(err, rep.Result(r))
	}
	return wrapReport(err)
}

func (o *outputs) summary(s replay.Summary) error {
	var err error
	for _, rep := range o.reporters {
		err = errors.Join(err, rep.Summary(s))
	}
	for _, f := range o.files {
		err = errors.Join(err, f.Close())
	}
	return wrapReport(err)
}

func wrapReport(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("writing a report: %w", err)
}
