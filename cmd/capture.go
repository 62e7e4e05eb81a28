package cmd

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/pdreplay/pdreplay/replay/fixture"
)

func newCapture() *cobra.Command {
	var l look
	var dir string
	c := &cobra.Command{
		Use:   "capture PATH [ROWS...] -o DIR",
		Short: "Make a small, anonymous fixture of one run",
		Long: `Capture writes a fixture of one run: only the metrics that adapters and the oracle read,
time slices merged where nothing happens, of each record what the request scope needs, and
hosts, models, ids and other text replaced, the same everywhere. What --env supplies
becomes part of it. Every adapter and the oracle say of the fixture what they say of the
run, or nothing is written; nor is it if something personal may be left.

Beside the run's files stand want.json and scenario.txtar, a scenario for the corpus. Its
want is what the oracle says: hold it against the rules before you commit it.`,
		Args: needPaths,
		RunE: func(c *cobra.Command, args []string) (err error) {
			if dir == "" {
				return errors.New("no place to write to: add -o DIR")
			}
			if err := fixture.Writable(dir); err != nil {
				return fmt.Errorf("-o %s: %w: give another one", dir, err)
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
			run, err := s.Open()
			if err != nil {
				return fmt.Errorf("reading %s: %w", s.ID, err)
			}
			captured, err := fixture.Capture(c.Context(), run, o)
			if err != nil {
				return fmt.Errorf("capturing %s: %w", s.ID, err)
			}
			if err := fixture.WriteDir(dir, captured.Files); err != nil {
				return err
			}
			fmt.Fprintf(c.OutOrStdout(), "captured %s in %s\n", s.ID, dir)
			for _, line := range captured.Report() {
				fmt.Fprintf(c.OutOrStdout(), "  %s\n", line)
			}
			return nil
		},
	}
	l.flags(c)
	l.pathFlags(c)
	c.Flags().StringVarP(&dir, "output", "o", "", "`DIR` to write, new or empty")
	return c
}
