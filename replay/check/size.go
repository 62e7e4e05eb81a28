package check

import (
	"fmt"
	"strings"

	"github.com/pdreplay/pdreplay/generator"
	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// A Size says how much there is to read in a run.
type Size struct {
	Endpoints int // in the export
	Slices    int // of the series with the most
	Requests  int
	Faults    int
}

func (s Size) String() string {
	return strings.Join([]string{plural(s.Endpoints, "endpoint"), plural(s.Slices, "slice"), plural(s.Requests, "request"), plural(s.Faults, "fault")}, ", ")
}

func plural(n int, word string) string {
	if n != 1 {
		word += "s"
	}
	return fmt.Sprintf("%d %s", n, word)
}

func sizeOf(spec generator.Spec, run *aiperf.Run) Size {
	size := Size{Requests: len(spec.Requests), Faults: len(spec.Faults)}
	metrics := run.Metrics()
	if metrics == nil {
		return size
	}
	seen := map[string]bool{}
	for _, f := range metrics.Metrics {
		for _, s := range f.Series {
			seen[s.Endpoint] = true
			size.Slices = max(size.Slices, len(s.Slices))
		}
	}
	size.Endpoints = len(seen)
	return size
}
