package cmd

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pdreplay/pdreplay/replay"
	"github.com/pdreplay/pdreplay/replay/report"
)

func newExplain() *cobra.Command {
	var l look
	var format string
	c := &cobra.Command{
		Use:   "explain PATH [ROWS...]",
		Short: "Say what the export of one run proves, and how",
		Long: `Explain prints what the oracle makes of one run, each number with its address in the
run's files, what the run lacks and what hints at it, and ends with what is proven and
what each published price is off by. ROWS are files or directories with published rows.
With --format html:PATH the same stands on a page, with pictures.`,
		Args: needPaths,
		RunE: func(c *cobra.Command, args []string) (err error) {
			page, ok := strings.CutPrefix(format, "html:")
			if c.Flags().Changed("format") && (!ok || page == "") {
				return fmt.Errorf("--format %q: beside its text explain writes html:PATH", format)
			}
			o, chosen, err := l.options(c)
			defer func() { chosen.close(c, &err) }()
			if err != nil {
				return err
			}
			s, err := oneRun(c, &l, args)
			if err != nil {
				return err
			}
			var account strings.Builder
			err = replay.Explain(c.Context(), io.MultiWriter(c.OutOrStdout(), &account), s, o)
			if err != nil || page == "" {
				return err
			}
			return explainPage(c, &l, args, o, page, account.String())
		},
	}
	c.Flags().StringVar(&format, "format", "", "write a page with timeline and rates beside the text: `html:PATH`")
	l.flags(c)
	l.pathFlags(c)
	return c
}

// explainPage replays the run, as the verb replay would, and writes the page.
func explainPage(c *cobra.Command, l *look, paths []string, o replay.Options, name, account string) error {
	s, err := oneRun(c, l, paths) // once more: a source is opened once
	if err != nil {
		return err
	}
	if l.asShipped() {
		if o.Expect, err = replay.Historical(); err != nil {
			return err
		}
	}
	f, err := os.Create(name)
	if err != nil {
		return fmt.Errorf("--format html:%s: %w", name, err)
	}
	page := report.NewHTML(f, report.HTMLOptions{Title: s.ID, Account: account})
	o.Runs = page.Run
	summary, err := replay.Run(c.Context(), []replay.Source{s}, o, page.Result)
	return wrapReport(errors.Join(err, page.Summary(summary), f.Close()))
}

// oneRun finds the run under the paths; those behind the first may hold its row.
func oneRun(c *cobra.Command, l *look, paths []string) (replay.Source, error) {
	path := paths[0]
	sources, err := l.find(paths)
	if err != nil {
		return replay.Source{}, err
	}
	if len(sources) > 1 {
		const most = 10
		list := ""
		for _, s := range sources[:min(len(sources), most)] {
			list += "\n    " + s.Again[2] // behind "pdreplay replay"
		}
		if more := len(sources) - most; more > 0 {
			list += fmt.Sprintf("\n    and %d more", more)
		}
		return replay.Source{}, fmt.Errorf("%s holds %d runs, %s takes one:%s", path, len(sources), c.Name(), list)
	}
	return sources[0], nil
}
