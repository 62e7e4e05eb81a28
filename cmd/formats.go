package cmd

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/pdreplay/pdreplay/replay"
	"github.com/pdreplay/pdreplay/replay/report"
)

// outputs are the reports of one call.
type outputs struct {
	reporters []report.Reporter
	files     []*os.File
}

// open starts the reports of --format.
func (j *judging) open(c *cobra.Command) (*outputs, error) {
	var out outputs
	toStdout := ""
	for _, f := range j.formats {
		format, path, _ := strings.Cut(f, ":")
		w := c.OutOrStdout()
		switch {
		case format != "text" && format != "json":
			return nil, fmt.Errorf("--format %q: want text, json, or one of them with :PATH", f)
		case path == "" && toStdout != "":
			return nil, fmt.Errorf("--format %s and --format %s both go to standard output: give one a path, as in %s:FILE", toStdout, f, f)
		case path == "":
			toStdout = f
		default:
			file, err := os.Create(path)
			if err != nil {
				return nil, fmt.Errorf("--format %s: %w", f, err)
			}
			out.files = append(out.files, file)
			w = file
		}
		out.reporters = append(out.reporters, j.reporter(format, w))
	}
	return &out, nil
}

func (j *judging) reporter(format string, w io.Writer) report.Reporter {
	if format == "json" {
		return report.NewJSON(w)
	}
	return report.NewText(w, report.TextOptions{Colour: coloured(w), Against: j.look.against})
}

// coloured reports whether w is a terminal and nobody said NO_COLOR.
func coloured(w io.Writer) bool { return isTerminal(w) && os.Getenv("NO_COLOR") == "" }

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
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
