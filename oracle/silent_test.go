package oracle_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/pdreplay/pdreplay/generator"
	"github.com/pdreplay/pdreplay/oracle"
)

// The table of silent faults: what no reader of an export can know. It shows,
// for the first run of some dozens in which the fault misleads, the truth beside
// what is shown; rewritten by make golden.
func TestSilentGolden(t *testing.T) {
	if testing.Short() {
		t.Skip("much arithmetic and one goroutine: nothing for the race detector (make race)")
	}
	const file = "../docs/silent.md"
	var b strings.Builder
	b.WriteString(`# What no reader of this export can know

Faults that make counters false though complete. For each, one synthesized run in which it misleads: the true overall rate, what
the window shows, where the oracle says that the truth must lie, and what it says that this is worth. Nothing in these exports
tells them from honest ones; the client's cached tokens, where they are reported, are the only second witness. Made by ` + "`make golden`" + `.

| fault | | true | shown | said of the truth | worth |
|---|---|---|---|---|---|
`)
	for _, k := range generator.Kinds() {
		if k.Tag != generator.Silent {
			continue
		}
		s, misled := misleading(t, k.Slug)
		if !misled {
			fmt.Fprintf(&b, "| `%s` | %s | | misled no run of %d | | |\n", k.Slug, k.Doc, tries)
			continue
		}
		truth, _ := s.truth.Rates()
		fmt.Fprintf(&b, "| `%s` | %s | %.4f | %s | %s | %s |\n", k.Slug, k.Doc, truth[3], s.ev.Observed.Overall, s.ev.True.Rates.Overall, s.ev.RunBasis())
	}
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if have, err := os.ReadFile(file); err != nil || string(have) != b.String() {
		t.Errorf("%s is stale (%v): run make golden", file, err)
	}
}

// tries is how many runs a silent fault has to mislead one.
const tries = 60

// misleading returns the first run in which a fault moves the truth out of what
// is said of it, or else out of what is shown.
func misleading(t *testing.T, slug string) (sample, bool) {
	var shown *sample
	for i := range tries {
		spec, err := generator.Draw(generator.NewSource(9, uint64(i)), generator.Options{
			Faults: []string{slug}, Collectors: []string{generator.V1012, generator.V1011, generator.Upstream},
		})
		if err != nil {
			continue // not every draw can have the fault
		}
		s := mustSample(t, spec)
		truth, any := s.truth.Rates()
		if !any {
			continue
		}
		said, seen := s.ev.True.Rates, s.ev.Observed
		for k := range truth {
			if !said.List()[k].Contains(truth[k], 0) {
				return s, true
			}
		}
		if shown == nil && s.ev.RunBasis() != oracle.Unknown && !seen.Overall.Contains(truth[3], 0) {
			shown = &s
		}
	}
	if shown == nil {
		return sample{}, false
	}
	return *shown, true
}
