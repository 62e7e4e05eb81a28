package scenarios

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/pdreplay/pdreplay/oracle"
	"github.com/pdreplay/pdreplay/replay"
	"github.com/pdreplay/pdreplay/replay/fixture"
)

// TestCapturedScenario: what capture writes as scenario.txtar is a scenario that
// this package takes, and its want holds.
func TestCapturedScenario(t *testing.T) {
	for _, contract := range []string{"review", "4405"} {
		for _, dir := range []string{"matrix/05-straddler-warmup-metrics", "matrix/23-nan-slice-in-cached", "thread/c4", "real/vllm-kimi-k2.7-mi355x-conc16"} {
			sources, err := replay.Find([]string{filepath.Join("..", "testdata", dir)})
			if err != nil {
				t.Fatal(err)
			}
			run, err := sources[0].Open()
			if err != nil {
				t.Fatal(err)
			}
			o := replay.Options{Timeout: time.Minute, Now: time.Now}
			if o.Contract, err = oracle.ContractNamed(contract); err != nil {
				t.Fatal(err)
			}
			captured, err := fixture.Capture(t.Context(), run, o)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range captured.Files {
				if f.Path != "scenario.txtar" {
					continue
				}
				s, err := Parse("captured", f.Data)
				if err != nil {
					t.Fatalf("%s: %v", dir, err)
				}
				c, err := s.Build(replay.Selects)
				if err != nil {
					t.Fatalf("%s: %v", dir, err)
				}
				if err := c.Want.Check(oracle.Examine(c.Run, oracle.Options{})); err != nil {
					t.Errorf("%s: %v", dir, err)
				}
				if d := captured.Answers.Differs(ask(t, c, o)); d != "" {
					t.Errorf("%s: the scenario answers otherwise: %s", dir, d)
				}
			}
		}
	}
}

func ask(t *testing.T, c *Case, o replay.Options) *fixture.Answers {
	t.Helper()
	a, err := fixture.Ask(t.Context(), c.Run, o)
	if err != nil {
		t.Fatal(err)
	}
	return a
}
