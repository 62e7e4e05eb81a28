package cmd

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/pdreplay/pdreplay/replay"
	"github.com/pdreplay/pdreplay/replay/report"
)

func newReport() *cobra.Command {
	var f formats
	c := &cobra.Command{
		Use:   "report FILE...",
		Short: "Render saved events again, and merge those of several replays",
		Long: `Report reads what --format json wrote and renders it in any format. Several files are
added up: the parts of test --shard, or replays of several adapters. What does not add up
is refused: other versions, corpora, seeds or contracts, results that stand twice, shards
that are missing, files that were cut off. The exit code is the one that the whole replay would have had.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("no file: give what --format json:FILE wrote")
			}
			return nil
		},
		RunE: func(c *cobra.Command, files []string) error {
			events, err := readEvents(files)
			if err != nil {
				return err
			}
			out, err := f.open(c, textOf(report.TextOptions{Trouble: events.Summary.Corpus != ""}))
			if err != nil {
				return err
			}
			if err := events.Each(out.run, out.result); err != nil {
				return err
			}
			if err := out.summary(events.Summary); err != nil {
				return err
			}
			sayNothing(c, events.Summary)
			return exitWith(events.Summary.Exit())
		},
	}
	f.flag(c)
	return c
}

// readEvents reads and merges the events of the files.
func readEvents(files []string) (report.Events, error) {
	var all []report.Events
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			return report.Events{}, fmt.Errorf("reading events: %w", err)
		}
		parts, err := report.Read(f, name)
		f.Close()
		if err != nil {
			return report.Events{}, err
		}
		all = append(all, parts...)
	}
	return report.Merge(all)
}

// sayNothing says that nothing was judged, where no error has said why.
func sayNothing(c *cobra.Command, s replay.Summary) {
	if s.Nothing() && s.Errors == 0 && !s.Interrupted {
		fmt.Fprintln(c.ErrOrStderr(), "pdreplay:", replay.ErrNothing)
	}
}
