package cmd

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pdreplay/pdreplay/replay"
	"github.com/pdreplay/pdreplay/scenarios"
)

// corpus is which scenarios the test verb takes.
type corpus struct {
	run   string // regular expression for names
	shard string // I/N
	list  bool
	write string // directory
}

func newTest() *cobra.Command {
	var j judging
	var k corpus
	c := &cobra.Command{
		Use:   "test",
		Short: "Judge adapters by the scenario corpus",
		Long: `Test puts adapters under the scenario corpus: small runs, each with one expectation
that follows from a numbered rule. Judged are the scenarios whose expectation is stated
under the contract, or all of them, by facts only, with --contract none. The text shows
the scenarios in which something went wrong.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			chosen, err := k.choose(j.look.contract)
			if err != nil {
				return err
			}
			switch {
			case k.list:
				return printScenarios(c, chosen)
			case k.write != "":
				return writeScenarios(c, chosen, k.write)
			}
			var sources []replay.Source
			for _, s := range chosen {
				sources = append(sources, s.Source())
			}
			j.shard = k.shard
			summary, err := j.judge(c, sources, scenarios.ID(), k.filters())
			return atLeast(err, summary.Exit())
		},
	}
	j.flags(c)
	f := c.Flags()
	f.StringVar(&k.run, "run", "", "only scenarios whose name matches `REGEXP`")
	f.StringVar(&k.shard, "shard", "", "only the `I/N`-th part of the scenarios, I from 1 to N")
	f.BoolVar(&k.list, "list", false, "list the scenarios and their stories instead of judging")
	f.StringVar(&k.write, "write", "", "write the scenarios as run directories with want.json under `DIR` instead of judging")
	c.MarkFlagsMutuallyExclusive("list", "write")
	return c
}

// filters are the flags that leave scenarios out.
func (k corpus) filters() []string {
	var f []string
	if k.run != "" {
		f = append(f, "--run")
	}
	if k.shard != "" {
		f = append(f, "--shard")
	}
	return f
}

// choose returns the scenarios that the flags ask for; that there is none is an
// error.
func (k corpus) choose(contract string) ([]scenarios.Scenario, error) {
	name, err := regexp.Compile(k.run)
	if err != nil {
		return nil, fmt.Errorf("--run: %w", err)
	}
	part, parts, err := parseShard(k.shard)
	if err != nil {
		return nil, err
	}
	all := scenarios.Under(contract)
	if len(all) == 0 {
		return nil, fmt.Errorf("no scenario states what contract %s expects: --contract none judges all %d by facts only", contract, len(scenarios.All()))
	}
	var chosen []scenarios.Scenario
	for i, s := range all {
		if name.MatchString(s.Name) && i%parts == part {
			chosen = append(chosen, s)
		}
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("no scenario left of %d under contract %s by %s: pdreplay test --list shows their names",
			len(all), contract, strings.Join(k.filters(), " and "))
	}
	return chosen, nil
}

// parseShard returns which part of how many; the empty text is the whole.
func parseShard(text string) (part, parts int, err error) {
	if text == "" {
		return 0, 1, nil
	}
	i, n, _ := strings.Cut(text, "/")
	part, err1 := strconv.Atoi(i)
	parts, err2 := strconv.Atoi(n)
	if err1 != nil || err2 != nil || part < 1 || part > parts {
		return 0, 0, fmt.Errorf("--shard %q: want I/N with I from 1 to N, as in 2/4", text)
	}
	return part - 1, parts, nil
}

func printScenarios(c *cobra.Command, chosen []scenarios.Scenario) error {
	width := 0
	for _, s := range chosen {
		width = max(width, len(s.Name))
	}
	for _, s := range chosen {
		if _, err := fmt.Fprintf(c.OutOrStdout(), "%-*s  %s\n", width, s.Name, s.Story); err != nil {
			return err
		}
	}
	return nil
}

func writeScenarios(c *cobra.Command, chosen []scenarios.Scenario, dir string) error {
	for _, s := range chosen {
		built, err := s.Build(replay.Selects)
		if err != nil {
			return err
		}
		if err := built.Write(filepath.Join(dir, s.Name)); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(c.OutOrStdout(), "%d scenarios of corpus %s written to %s\n", len(chosen), scenarios.ID(), dir)
	return err
}
