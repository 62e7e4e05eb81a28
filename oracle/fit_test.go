package oracle

import "testing"

func requests(tokens ...float64) []request {
	var out []request
	for _, t := range tokens {
		out = append(out, request{tokens: t})
	}
	return out
}

func TestFit(t *testing.T) {
	unlimited := newSide(nil, nil)
	unlimited.open = true
	leaked := side{fixed: sum{1, 100}, subsets: map[sum]bool{{}: true}}
	for _, tt := range []struct {
		name             string
		missing, foreign side
		surplus          sum
		counts           bool
		swap             float64
		fits             bool
	}{
		{"both closed, equal sums", newSide(nil, nil), newSide(nil, nil), sum{}, true, 0, true},
		{"both closed, one request too many", newSide(nil, nil), newSide(nil, nil), sum{1, 100}, true, 0, false},
		{"nothing foreign, equal sums: nothing is missing", newSide(requests(100, 70), nil), newSide(nil, nil), sum{}, true, 0, true},
		{"one missing of two", newSide(requests(100, 70), nil), newSide(nil, nil), sum{-1, -70}, true, 70, true},
		{"the count does not fit the tokens", newSide(requests(100, 70), nil), newSide(nil, nil), sum{-2, -70}, true, 0, false},
		{"the count is ignored", newSide(requests(100, 70), nil), newSide(nil, nil), sum{-2, -70}, false, 70, true},
		{"a swap of equal lengths", newSide(requests(100), nil), newSide(requests(100), nil), sum{}, true, 100, true},
		{"no swap of unequal lengths", newSide(requests(100), nil), newSide(requests(90), nil), sum{}, true, 0, true},
		{"two for one of the same sum is no swap when counted", newSide(requests(100), nil), newSide(requests(60, 40), nil), sum{}, true, 0, true},
		{"two for one is a swap when counts are ignored", newSide(requests(100), nil), newSide(requests(60, 40), nil), sum{}, false, 100, true},
		{"unrecorded requests swap with anything", newSide(requests(100, 70), nil), unlimited, sum{}, true, 170, true},
		{"unrecorded requests need a prompt each", newSide(nil, nil), unlimited, sum{1, 0}, true, 0, false},
		{"unrecorded surplus alone", newSide(nil, nil), unlimited, sum{2, 50}, true, 0, true},
		{"a known leak is not a swap", newSide(nil, nil), leaked, sum{1, 100}, true, 0, true},
		{"a known leak that is not there", newSide(nil, nil), leaked, sum{}, true, 0, false},
		{"the cap forbids the swap", newSide(requests(100), nil), newSide(requests(100), &sum{0, 0}), sum{}, true, 0, true},
	} {
		swap, fits := fit(tt.missing, tt.foreign, tt.surplus, tt.counts)
		if fits != tt.fits || swap != tt.swap {
			t.Errorf("%s: swap %v, fits %v; want %v, %v", tt.name, swap, fits, tt.swap, tt.fits)
		}
	}
}

// Beyond maxSums only totals limit a side; the answer may widen, never narrow.
func TestFitBeyondMaxSums(t *testing.T) {
	var many []float64
	for i := range 13 { // 2^13 > maxSums different sums
		many = append(many, float64(int(1)<<i))
	}
	big := newSide(requests(many...), nil)
	if big.subsets != nil {
		t.Fatalf("%d sums were formed, want none beyond %d", len(big.subsets), maxSums)
	}
	if swap, fits := fit(big, newSide(requests(100), nil), sum{}, true); !fits || swap != 100 {
		t.Errorf("swap %v, fits %v; want 100, true", swap, fits)
	}
	if swap, fits := fit(newSide(requests(100), nil), big, sum{}, true); !fits || swap != 100 {
		t.Errorf("foreign side: swap %v, fits %v; want 100, true", swap, fits)
	}
	if swap, fits := fit(big, big, sum{5, 91}, true); !fits || swap != 8191-91 {
		t.Errorf("both sides: swap %v, fits %v; want %v, true", swap, fits, 8191-91)
	}
}
