package oracle_test

import (
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pdreplay/pdreplay/generator"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Not by being vague: how wide the oracle's intervals get, fault by fault. The
// file may be rewritten (make golden) when they are narrower; a line that grew
// has to be changed by hand, with a reason in the commit.
func TestWidthsGolden(t *testing.T) {
	if testing.Short() {
		t.Skip("much arithmetic and one goroutine: nothing for the race detector (make race)")
	}
	const file, runsEach = "testdata/widths.golden", 12
	old := readWidths(t, file)
	var text strings.Builder
	fmt.Fprintf(&text, "# mean width of overall's observed and true interval over %d runs a fault\n", runsEach)
	for _, slug := range append([]string{"none"}, slugs()...) {
		observed, truth := widths(t, slug, runsEach)
		line := fmt.Sprintf("%-28s %.4f %.4f\n", slug, observed, truth)
		was, listed := old[slug]
		if listed && (observed > was[0]+1e-4 || truth > was[1]+1e-4) {
			t.Errorf("%s grew: observed %.4f, true %.4f; want at most %.4f and %.4f", slug, observed, truth, was[0], was[1])
			line = fmt.Sprintf("%-28s %.4f %.4f\n", slug, was[0], was[1])
		}
		text.WriteString(line)
	}
	if *update {
		if err := os.WriteFile(file, []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if have, err := os.ReadFile(file); err != nil || string(have) != text.String() {
		t.Errorf("%s is stale (%v): run make golden", file, err)
	}
}

func slugs() []string {
	var list []string
	for _, k := range generator.Kinds() {
		list = append(list, k.Slug)
	}
	return list
}

// widthEngines are the engines of a fault's runs.
func widthEngines(slug string) []string {
	k, ok := generator.KindOf(slug)
	both := []string{generator.ATOM, generator.VLLM}
	if !ok || k.Engines == nil || slices.ContainsFunc(both, func(e string) bool { return slices.Contains(k.Engines, e) }) {
		return both
	}
	return k.Engines
}

// widths are the mean widths over n runs with the fault.
func widths(t *testing.T, slug string, n int) (observed, truth float64) {
	// upstream-1.0 gives no window, so it would only water the means down.
	// The first two engines, whose lines may not grow with every engine that is added.
	o := generator.Options{Engines: widthEngines(slug), Collectors: []string{generator.V1012, generator.V1011, generator.Upstream}}
	if slug != "none" {
		o.Faults = []string{slug}
	}
	for i, drawn := 0, 0; drawn < n; i++ {
		spec, err := generator.Draw(generator.NewSource(3, uint64(i)), o)
		if err != nil { // not every draw can have the fault
			if i > 20*n {
				t.Fatalf("%s: %v", slug, err)
			}
			continue
		}
		drawn++
		s := mustSample(t, spec)
		observed += s.ev.Observed.Overall.Hi - s.ev.Observed.Overall.Lo
		truth += s.ev.True.Rates.Overall.Hi - s.ev.True.Rates.Overall.Lo
	}
	round := func(x float64) float64 { return math.Round(x/float64(n)*1e4) / 1e4 }
	return round(observed), round(truth)
}

func readWidths(t *testing.T, file string) map[string][2]float64 {
	text, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	old := map[string][2]float64{}
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if len(f) != 3 {
			continue
		}
		a, err1 := strconv.ParseFloat(f[1], 64)
		b, err2 := strconv.ParseFloat(f[2], 64)
		if err1 != nil || err2 != nil {
			t.Fatalf("%s: %q is no line of widths", file, line)
		}
		old[f[0]] = [2]float64{a, b}
	}
	return old
}
