package cmd

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pdreplay/pdreplay/replay"
)

func newExplain() *cobra.Command {
	var l look
	c := &cobra.Command{
		Use:   "explain PATH [ROWS...]",
		Short: "Say what the export of one run proves, and how",
		Long: `Explain prints what the oracle makes of one run, each number with its address in the
run's files, what the run lacks and what hints at it, and ends with what is proven and
what each published price is off by. ROWS are files or directories with published rows.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) (err error) {
			o, chosen, err := l.options(c)
			defer func() { err = errors.Join(err, chosen.Close()) }()
			if err != nil {
				return err
			}
			s, err := oneRun(c, &l, args)
			if err != nil {
				return err
			}
			return replay.Explain(c.Context(), c.OutOrStdout(), s, o)
		},
	}
	l.flags(c)
	l.pathFlags(c)
	return c
}

// oneRun finds the run under the paths; those behind the first may hold its row.
func oneRun(c *cobra.Command, l *look, paths []string) (replay.Source, error) {
	path := paths[0]
	sources, err := l.find(paths)
	if err != nil {
		return replay.Source{}, err
	}
	if len(sources) > 1 {
		var runs []string
		for _, s := range sources {
			runs = append(runs, s.Again[2]) // behind "pdreplay replay"
		}
		return replay.Source{}, fmt.Errorf("%s holds %d runs, %s takes one: %s", path, len(runs), c.Name(), strings.Join(runs, ", "))
	}
	return sources[0], nil
}
