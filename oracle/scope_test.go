package oracle

import (
	"math"
	"testing"
)

// Counters near the largest float64 can add up to infinity.
func TestScopeInfiniteSum(t *testing.T) {
	s := scope{read: true, successful: 3, prompt: 1000}
	got := s.problems(claim{name: "REQUESTS", value: math.Inf(1)}, claim{name: "FULL", value: 1000})
	const want = "REQUESTS adds up to more than a number can hold, the client has 3 successful profiling records"
	if len(got) != 1 || got[0].Text != want {
		t.Errorf("got %+v, want %q", got, want)
	}
}
