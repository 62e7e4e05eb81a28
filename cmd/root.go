package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/pdreplay/pdreplay/replay"
)

// Main runs one command line, without the program's name, and returns the exit
// code: those of [replay.Summary.Exit] for the verbs that judge, else 0, or 2
// with a message on stderr.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	// CI systems and timeout(1) end a program by SIGTERM: adapters and their
	// files go then too.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once
	return run(ctx, newRoot(), args, stdin, stdout, stderr)
}

func run(ctx context.Context, root *cobra.Command, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	var code exit
	switch {
	case err == nil:
		return replay.ExitOK
	case errors.As(err, &code):
		return int(code)
	}
	complain(stderr, err)
	return replay.ExitUnusable
}

// complain writes an error, which may name a stranger's file or hold its text.
func complain(stderr io.Writer, err error) {
	for line := range strings.SplitSeq("pdreplay: "+err.Error(), "\n") {
		fmt.Fprintln(stderr, replay.Printable(line))
	}
}

// An exit ends the program with its code when all has been said.
type exit int

func (e exit) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// atLeast is err with an exit code: the greater of two goes first. An error that
// has something to say keeps its own.
func atLeast(err error, code int) error {
	var said exit
	switch {
	case err == nil:
		return exitWith(code)
	case errors.As(err, &said):
		return exit(max(int(said), code))
	}
	return err
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "pdreplay",
		Short: "Replay benchmark runs through cache-rate adapters and judge the rates they publish",
		Long: `Pdreplay replays benchmark runs through cache-rate adapters: programs that turn one
AIPerf export into prefix-cache hit rates, which are then priced. Each answer is judged
against what the export proves, by an oracle that shares no rule with any adapter.

Exit codes, the first that applies: 130 interrupted, 3 the oracle contradicts itself,
2 usage, unreadable input, adapter errors or nothing judged, 1 a verdict failed or no
adapter reproduces a published row, 0.`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			c.SetOut(c.ErrOrStderr())
			if err := c.Help(); err != nil {
				return err
			}
			return exit(replay.ExitUnusable) // nothing was asked, so nothing is green
		},
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.AddCommand(newReplay(), newExplain(), newCapture(), newShrink(), newTest(), newCheck(), newGenerate(), newReport(), newAdapters(), newVersion())
	return root
}
