package oracle_test

import (
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/pdreplay/pdreplay/generator"
	"github.com/pdreplay/pdreplay/oracle"
)

var figures = flag.Int("figures", 0, "print the table of figures from so many small runs (make figures)")

// A grid is a spec that is varied: its seed, and the values below in turn.
type grid struct {
	example    string
	refresh    []time.Duration
	collectors []string
	topologies []string
}

var (
	refreshes = []time.Duration{0, time.Second, 5 * time.Second}
	windowed  = []string{generator.V1012, generator.V1011, generator.Upstream}
	small     = grid{"small", refreshes, windowed, []string{"unified", "1p1d", "2p1d", "unified:2"}}
	equal     = grid{"small-equal", refreshes, windowed, small.topologies}
	drained   = grid{"realistic-drained", []time.Duration{time.Second}, windowed, []string{"1p1d", "unified"}}
	cancelled = grid{"realistic", []time.Duration{time.Second}, windowed, []string{"1p1d", "unified"}}
)

// spec is run i of the grid.
func (g grid) spec(t *testing.T, i int) generator.Spec {
	t.Helper()
	s, err := generator.Example(g.example)
	if err != nil {
		t.Fatal(err)
	}
	s.Seed = uint64(i)
	s.Refresh = generator.Duration(g.refresh[i%len(g.refresh)])
	i /= len(g.refresh)
	s.Collector.Version = g.collectors[i%len(g.collectors)]
	i /= len(g.collectors)
	s.Topology = g.topologies[i%len(g.topologies)]
	return s
}

// A score counts what the contracts do with runs whose truth is known.
type score struct {
	all, known         int // known: the true rate is proven
	priced, proven     int // priced: VALID_COMPLETE under review; proven: of these
	wrong              map[string]int
	prices             map[string]int
	errors             []float64 // review: observed - true, where it differs
	violations, claims int
}

func newScore() *score { return &score{wrong: map[string]int{}, prices: map[string]int{}} }

func (c *score) add(s sample) {
	c.all++
	truth, any := s.truth.Rates()
	if !any {
		return
	}
	if s.ev.True.Proven {
		c.known++
	}
	if s.claims() {
		c.claims++
		if !s.ev.True.Rates.Overall.Contains(truth[3], 0) {
			c.violations++
		}
	}
	for _, name := range []string{"review", "4405", "ledger"} {
		v := s.ev.Verdict(contract(name))
		if !v.Eligible {
			continue
		}
		c.prices[name]++
		off := *v.Rates[3] - truth[3]
		if math.Abs(off) > 1e-9 {
			c.wrong[name]++
			if name == "review" {
				c.errors = append(c.errors, off)
			}
		}
		if name == "review" {
			c.priced++
			if s.ev.True.Proven {
				c.proven++
			}
		}
	}
}

func percent(n, of int) float64 { return 100 * float64(n) / float64(max(of, 1)) }

// run scores n runs of the grid, in all and by refresh.
func (g grid) run(t *testing.T, n int) (all *score, by map[time.Duration]*score) {
	all, by = newScore(), map[time.Duration]*score{}
	for i := range n {
		s := mustSample(t, g.spec(t, i))
		refresh := time.Duration(s.spec.Refresh)
		if by[refresh] == nil {
			by[refresh] = newScore()
		}
		all.add(s)
		by[refresh].add(s)
	}
	return all, by
}

// Not by refusing everything either: how many fault-free small runs are priced,
// and how many of these are proven.
func TestSmallGridIsPriced(t *testing.T) {
	if testing.Short() {
		t.Skip("much arithmetic and one goroutine: nothing for the race detector (make race)")
	}
	_, by := small.run(t, 720)
	for refresh, least := range map[time.Duration]float64{0: 40, time.Second: 28, 5 * time.Second: 14} {
		c := by[refresh]
		if got := percent(c.priced, c.all); got < least {
			t.Errorf("refresh %v: %.1f %% of %d runs are VALID_COMPLETE, want at least %v", refresh, got, c.all, least)
		}
		if got := percent(c.proven, c.priced); got < 85 {
			t.Errorf("refresh %v: %.1f %% of these are proven, want at least 85", refresh, got)
		}
	}
}

// TestFigures prints the table of the README.
func TestFigures(t *testing.T) {
	if *figures == 0 {
		t.Skip("make figures runs this: it takes minutes")
	}
	n := *figures
	table(os.Stdout, func(g grid, n int) (*score, map[time.Duration]*score) { return g.run(t, n) }, n)
}

func table(w io.Writer, run func(grid, int) (*score, map[time.Duration]*score), n int) {
	print := func(g grid, runs int) {
		all, by := run(g, runs)
		fmt.Fprintf(w, "%s: %d runs, %d inside the oracle's claim, %d of these outside the true interval\n", g.example, all.all, all.claims, all.violations)
		for _, refresh := range g.refresh {
			c := by[refresh]
			fmt.Fprintf(w, "  refresh %-3v VALID_COMPLETE %4.1f %%, of these proven %4.1f %%, wrong %4.1f %%\n",
				refresh, percent(c.priced, c.all), percent(c.proven, c.priced), percent(c.wrong["review"], c.priced))
		}
		fmt.Fprintf(w, "  true rate known exactly %.1f %%\n", percent(all.known, all.all))
		for _, name := range []string{"review", "4405", "ledger"} {
			fmt.Fprintf(w, "  %-7s prices %5.1f %%, of these wrong %4.1f %%\n", name, percent(all.prices[name], all.all), percent(all.wrong[name], all.prices[name]))
		}
		if len(all.errors) > 0 {
			slices.SortFunc(all.errors, func(a, b float64) int { return int(math.Copysign(1, math.Abs(a)-math.Abs(b))) })
			low := 0
			for _, e := range all.errors {
				if e < 0 {
					low++
				}
			}
			fmt.Fprintf(w, "  review's wrong prices: median error %.3f, %d of %d too low\n", math.Abs(all.errors[len(all.errors)/2]), low, len(all.errors))
		}
	}
	print(small, n)
	print(equal, n)
	print(drained, max(n/50, 6))
	print(cancelled, max(n/50, 6))
}

// Twin runs: the same files, two truths, one near each end of the true
// interval. A reader who does not say which it was is right to.
func TestTwinsSpanTheTrueInterval(t *testing.T) {
	for _, kind := range generator.TwinKinds() {
		a, b, err := generator.Twins(kind)
		if err != nil {
			t.Fatal(err)
		}
		x, y := mustSample(t, a), mustSample(t, b)
		interval := x.ev.True.Rates.Overall
		if interval != y.ev.True.Rates.Overall || x.ev.RunBasis() == oracle.Exact || y.ev.RunBasis() == oracle.Exact {
			t.Errorf("%s: the twins are told apart: %v, %v", kind, interval, y.ev.True.Rates.Overall)
		}
		low, _ := x.truth.Rates()
		high, _ := y.truth.Rates()
		const near = 0.01 // of 800 tokens; a whole prompt is never cached
		if low[3]-interval.Lo < 0 || low[3]-interval.Lo > near || interval.Hi-high[3] < 0 || interval.Hi-high[3] > near {
			t.Errorf("%s: truths %v and %v are not near the ends of %v", kind, low[3], high[3], interval)
		}
		for _, s := range []sample{x, y} {
			if v := s.ev.Verdict(contract("ledger")); v.Eligible {
				t.Errorf("%s: contract ledger prices one of the twins", kind)
			}
		}
	}
}
