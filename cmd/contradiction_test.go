package cmd

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/pdreplay/pdreplay/oracle"
	"github.com/pdreplay/pdreplay/replay"
	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// No shipped scenario contradicts the oracle, so this command line has a verb
// whose only source does. Exit 3 goes before the failure that the adapter has.
func TestExitContradiction(t *testing.T) {
	clean := replay.Source{ID: "clean", Open: func() (*aiperf.Run, error) {
		return aiperf.Open(os.DirFS("../testdata/matrix/01-unified-clean"), ".", nil)
	}}
	wrong := clean
	wrong.ID = "wrong"
	wrong.Check = func(*oracle.Evidence, oracle.Verdict) error {
		return errors.New("want WINDOW_UNRESOLVED, the oracle says VALID_COMPLETE")
	}
	var j judging
	verb := &cobra.Command{Use: "contradict", RunE: func(c *cobra.Command, _ []string) error {
		s, err := j.judge(c, []replay.Source{wrong, clean}, "", nil)
		return errors.Join(err, exitWith(s.Exit()))
	}}
	j.flags(verb)
	root := newRoot()
	root.AddCommand(verb)
	var out, errs strings.Builder
	got := run(t.Context(), root, []string{"contradict", "--adapter", "atom@main"}, nil, &out, &errs)
	if got != replay.ExitOracle {
		t.Errorf("exit %d: %s", got, errs.String())
	}
	want := "ORACLE wrong: want WINDOW_UNRESOLVED, the oracle says VALID_COMPLETE\n     the oracle is wrong here, not an adapter: please report this run\n\n0 undecided, 0 errors\n0 passed, 1 failed, 0 skipped\n"
	if !strings.HasSuffix(out.String(), want) {
		t.Errorf("%s\nwant at its end\n%s", out.String(), want)
	}
}
