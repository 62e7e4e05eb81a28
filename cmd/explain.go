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
		Use:   "explain PATH",
		Short: "Say what the export of one run proves, and how",
		Long: `Explain prints what the oracle makes of one run, each number with its address in the
run's files, and ends with what is proven and what each published price is off by.`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) (err error) {
			o, chosen, err := l.options(c)
			defer func() { err = errors.Join(err, chosen.Close()) }()
			if err != nil {
				return err
			}
			s, err := oneRun(args[0])
			if err != nil {
				return err
			}
			return replay.Explain(c.Context(), c.OutOrStdout(), s, o)
		},
	}
	l.flags(c)
	return c
}

func oneRun(path string) (replay.Source, error) {
	sources, err := replay.Find([]string{path})
	if err != nil {
		return replay.Source{}, err
	}
	if len(sources) > 1 {
		var runs []string
		for _, s := range sources {
			runs = append(runs, s.Again[len(s.Again)-1])
		}
		return replay.Source{}, fmt.Errorf("%s holds %d runs, explain takes one: %s", path, len(runs), strings.Join(runs, ", "))
	}
	return sources[0], nil
}
