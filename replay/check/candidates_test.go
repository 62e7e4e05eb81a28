package check

import (
	"context"
	"testing"

	"github.com/pdreplay/pdreplay/generator"
	"github.com/pdreplay/pdreplay/replay/shrink"
)

func smallest(t *testing.T, seed uint64, keep func(generator.Spec) bool) generator.Spec {
	t.Helper()
	s, err := generator.Draw(generator.NewSource(seed, 1), generator.Options{Mixture: mixed})
	if err != nil {
		t.Fatal(err)
	}
	got, stats, err := shrink.Shrink(t.Context(), s, passes(), func(_ context.Context, s generator.Spec) (bool, error) {
		return s.Check() == nil && keep(s), nil
	}, shrink.Budget{Evaluations: evaluations})
	if err != nil || stats.Exhausted {
		t.Fatalf("seed %d: %+v %v", seed, stats, err)
	}
	return got
}

// Whatever is drawn comes down to the same smallest run: one request that asks
// for one token.
func TestEverySpecComesDown(t *testing.T) {
	for seed := range uint64(60) {
		s := smallest(t, seed, func(generator.Spec) bool { return true })
		if s.Topology != "unified" || len(s.Faults) != 0 || len(s.Requests) != 1 || s.Collector.Version != generator.V1012 || s.Refresh != 0 || s.Ranks > 1 || s.Offload || s.Mesh {
			t.Fatalf("seed %d: %+v", seed, s)
		}
		if r := s.Requests[0]; !r.Warmup && (r.At != 0 || r.Prompt != 1 || r.GPU != 0 || r.Queue+r.Decode != 0) {
			t.Errorf("seed %d: %+v", seed, r)
		}
	}
}

// What a predicate needs stays, and nothing else.
func TestWhatMattersStays(t *testing.T) {
	for seed := range uint64(40) {
		s := smallest(t, seed, func(s generator.Spec) bool {
			hits := int64(0)
			for _, r := range s.Requests {
				hits += r.GPU
			}
			return hits >= 7 || len(s.Requests) == 0
		})
		switch {
		case len(s.Requests) == 0: // only a spec with a series could; none is drawn
			t.Errorf("seed %d: no request is left", seed)
		case s.Requests[0].GPU > 7 && len(s.Requests) == 1:
			t.Errorf("seed %d: %+v", seed, s.Requests)
		}
	}
}
