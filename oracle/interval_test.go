package oracle

import (
	"math"
	"testing"
)

func TestRatio(t *testing.T) {
	inf := math.Inf(1)
	for _, tt := range []struct {
		name       string
		hits, full count
		paired     bool
		want       Interval
	}{
		{"nothing missing", count{600, 0}, count{1000, 0}, true, Interval{0.6, 0.6}},
		// 100 tokens with 60 hits may be in: 40 misses alone, or 60 hits alone.
		{"a straddler cut alike", count{600, 60}, count{1000, 100}, true, Interval{600. / 1040, 660. / 1060}},
		{"cut differently", count{600, 60}, count{1000, 100}, false, Interval{600. / 1100, 660. / 1000}},
		{"more hits open than full", count{600, 60}, count{1000, 10}, true, Interval{600. / 1010, 660. / 1000}},
		{"hits without limit", count{600, inf}, count{1000, 0}, true, Interval{0.6, 1}},
		{"full without limit", count{600, 0}, count{1000, inf}, true, Interval{0, 0.6}},
		{"both without limit", count{600, inf}, count{1000, inf}, true, Interval{0, 1}},
		{"cut to 1", count{900, 200}, count{1000, 0}, false, Interval{0.9, 1}},
		{"no full inside", count{0, 0}, count{0, 100}, true, Interval{0, 1}},
	} {
		if got := ratio(tt.hits, tt.full, tt.paired); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestIntervalContains(t *testing.T) {
	point := Interval{1. / 3, 1. / 3}
	for _, tt := range []struct {
		x, slack float64
		want     bool
	}{
		{0.33333, 0, true}, {0.33334, 0, false}, {0.33334, 1e-5, true}, {0.33335, 1e-5, false},
		{math.NaN(), 1, false}, {math.Inf(1), 1, false},
	} {
		if got := point.Contains(tt.x, tt.slack); got != tt.want {
			t.Errorf("[1/3, 1/3] contains %v with slack %v: %v, want %v", tt.x, tt.slack, got, tt.want)
		}
	}
}

func TestModernHarness(t *testing.T) {
	for version, want := range map[string]bool{
		"": false, "1.0.11": false, "1.0.12": true, "1.0.13": true, "1.1": true, "1.1.0": true, "2": true,
		"0.9.99": false, "1.0": false, "1.0.9": false, "1.0.12-rc1": false, "main": false,
	} {
		if got := modernHarness(version); got != want {
			t.Errorf("modernHarness(%q) = %v, want %v", version, got, want)
		}
	}
}
