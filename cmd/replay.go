package cmd

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/pdreplay/pdreplay/replay"
)

func newReplay() *cobra.Command {
	var j judging
	c := &cobra.Command{
		Use:   "replay PATH...",
		Short: "Judge what adapters make of every run under the paths",
		Long: `Replay finds every run under the paths and asks each adapter for its cache rates: by
default all built-in versions of the run's engine. Each answer is held against what the
export proves and what a contract expects; the table shows both, and each failure comes
with its reason and the command that repeats it.

A run is a directory with AIPerf's files in it or in its aiperf_artifacts; run.env beside
them gives the environment that its producer ran with. Directories, .zip, .tar.gz and
.json.gz are looked into as they were downloaded. Published rows that lie elsewhere
(bmk_agentic_*, agg_bmk.json) are paired with the runs, by name or by their request
counts, and tell as much of the environment as they hold.`,
		Args: needPaths,
		RunE: func(c *cobra.Command, paths []string) error {
			sources, err := j.look.find(paths)
			if err != nil {
				// What was found is judged all the same.
				complain(c.ErrOrStderr(), err)
			}
			if len(sources) == 0 {
				return exit(replay.ExitUnusable)
			}
			summary, runErr := j.judge(c, sources, "", nil)
			if err != nil {
				runErr = atLeast(runErr, replay.ExitUnusable)
			}
			return atLeast(runErr, summary.Exit())
		},
	}
	j.flags(c)
	c.Flags().BoolVar(&j.price, "price", false, "show what each answer asks of the consumer: the app's price and a guard's, by run and for all of them as one sweep")
	j.look.pathFlags(c)
	return c
}

func needPaths(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("no path: give the directory of a run, or one above it")
	}
	return nil
}

func exitWith(code int) error {
	if code == replay.ExitOK {
		return nil
	}
	return exit(code)
}
