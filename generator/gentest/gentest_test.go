package gentest

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/pdreplay/pdreplay/generator"
)

// Whatever is drawn can be generated, and its truth is the sum of its
// successful profiling requests.
func TestDrawnSpecsGenerate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Draw(t, generator.Options{})
		out, err := generator.Generate(s)
		if err != nil {
			t.Fatal(err)
		}
		var want [5]int64
		for _, r := range s.Requests {
			late := s.Duration > 0 && r.At+r.Queue+r.Prefill+r.Decode > s.Duration+generator.Duration(30e9)
			if !r.Warmup && r.Outcome == "" && !late {
				for i, v := range []int64{1, r.Prompt, r.GPU, r.CPU, r.Store} {
					want[i] += v
				}
			}
		}
		tr := out.Truth
		if got := [5]int64{tr.Requests, tr.Tokens, tr.GPU, tr.CPU, tr.Store}; got != want {
			t.Fatalf("the truth is %v, want %v", got, want)
		}
	})
}

func TestDrawnMixturesGenerate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Draw(t, generator.Options{Mixture: 3})
		if _, err := generator.Generate(s); err != nil {
			t.Fatal(err)
		}
	})
}

// Every fault can be drawn alone, and a fault restricts no more than it needs:
// each is drawn from the same options.
func TestEveryFaultCanBeDrawn(t *testing.T) {
	for _, k := range generator.Kinds() {
		for run := range uint64(5) {
			s, err := generator.Draw(generator.NewSource(1, run), generator.Options{Faults: []string{k.Slug}})
			if err != nil {
				t.Errorf("%s: %v", k.Slug, err)
				continue
			}
			if _, err := generator.Generate(s); err != nil {
				t.Errorf("%s: %v", k.Slug, err)
			}
		}
	}
}

// TestFailsOnThreeHits is no test of its own: TestShrinksToOneForm runs it.
func TestFailsOnThreeHits(t *testing.T) {
	if os.Getenv("PDREPLAY_FAIL_ON_HITS") == "" {
		t.Skip("run by TestShrinksToOneForm")
	}
	rapid.Check(t, func(t *rapid.T) {
		s := Draw(t, generator.Options{})
		hits := int64(0)
		for _, r := range s.Requests {
			hits += r.GPU
		}
		if hits >= 3 {
			t.Fatalf("minimal: %s %s %s, requests %+v", s.Engine, s.Topology, s.Collector.Version, s.Requests)
		}
	})
}

// A failure that needs three hits comes back as one request with three hits of
// three tokens on the simplest run, from any seed.
func TestShrinksToOneForm(t *testing.T) {
	want := fmt.Sprintf("minimal: atom unified 1.0.12, requests %+v", []generator.Request{
		{Prefill: generator.Duration(10 * time.Millisecond), Prompt: 3, GPU: 3},
	})
	for _, seed := range []string{"3", "4"} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestFailsOnThreeHits$", "-rapid.nofailfile", "-rapid.seed="+seed)
		cmd.Env = append(os.Environ(), "PDREPLAY_FAIL_ON_HITS=1")
		out, err := cmd.CombinedOutput()
		if err == nil {
			t.Fatalf("seed %s: the property held:\n%s", seed, out)
		}
		if !strings.Contains(string(out), want) {
			t.Errorf("seed %s: want %q in\n%s", seed, want, out)
		}
	}
}
