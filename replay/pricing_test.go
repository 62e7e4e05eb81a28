package replay

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/pdreplay/pdreplay/replay/adapter"
)

func number(x float64) *float64 { return &x }

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

// The prices are 1 - 0.9h of accounting.md section 9 and producer.md section 12.
func TestAppPrice(t *testing.T) {
	nan, yes, no := math.NaN(), true, false
	for _, tt := range []struct {
		name string
		p    Point
		want float64
	}{
		{"both parts", Point{Rates: adapter.Rates{GPU: number(0.6), External: number(0.2)}}, 0.28},
		{"external goes before cpu", Point{Rates: adapter.Rates{GPU: number(0.6), CPU: number(0.4), External: number(0.2)}}, 0.28},
		{"cpu without external", Point{Rates: adapter.Rates{GPU: number(0.6), CPU: number(0.2)}}, 0.28},
		{"one missing part is 0", Point{Rates: adapter.Rates{GPU: number(0.6)}}, 0.46},
		{"overall is never read", Point{Rates: adapter.Rates{Overall: number(0.9)}}, 1},
		{"null is 0 hits", Point{}, 1},
		{"D1 clamps 1.1", Point{Rates: adapter.Rates{GPU: number(0.6), External: number(0.5)}}, 0.1},
		{"a negative rate is hidden", Point{Rates: adapter.Rates{GPU: number(-0.5)}}, 1},
		{"NaN is 0 hits", Point{Rates: adapter.Rates{GPU: &nan}}, 1},
		{"GB300 stands in", Point{GB300: true, Theoretical: number(0.97)}, 0.127},
		{"GB300 with a rate", Point{GB300: true, Theoretical: number(0.97), Rates: adapter.Rates{GPU: number(0.6)}}, 0.46},
		{"no stand-in elsewhere", Point{Theoretical: number(0.97)}, 1},
		{"the record is not looked at", Point{Rates: adapter.Rates{GPU: number(0.6)}, Eligible: &no}, 0.46},
		{"nor an eligible one", Point{Eligible: &yes}, 1},
	} {
		if got := AppPrice(tt.p); !near(got, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}

// One null on a frontier drops the rate of the whole sweep; a NaN does not.
func TestAppSweep(t *testing.T) {
	rate := func(x float64) Point { return Point{Rates: adapter.Rates{GPU: &x}} }
	for _, tt := range []struct {
		frontier []Point
		want     []float64
	}{
		{[]Point{rate(0.6), rate(0.8)}, []float64{0.46, 0.28}},
		{[]Point{rate(0.6), {}, rate(0.8)}, []float64{1, 1, 1}},
		{[]Point{rate(0.6), rate(math.NaN())}, []float64{0.46, 1}},
		{[]Point{rate(0.6)}, []float64{0.46}},
		{nil, nil},
	} {
		got := AppSweep(tt.frontier)
		if len(got) != len(tt.want) {
			t.Fatalf("got %v, want %v", got, tt.want)
		}
		for i := range got {
			if !near(got[i], tt.want[i]) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		}
	}
}

func TestGuardedPrice(t *testing.T) {
	yes, no := true, false
	for _, tt := range []struct {
		name string
		p    Point
		want float64 // 0: unpriced
		why  string
	}{
		{"eligible", Point{Eligible: &yes, Rates: adapter.Rates{GPU: number(0.6), CPU: number(0.2), External: number(0.2)}}, 0.28, ""},
		{"a true 0", Point{Eligible: &yes, Rates: adapter.Rates{GPU: number(0), CPU: number(0)}}, 1, ""},
		{"all of it", Point{Eligible: &yes, Rates: adapter.Rates{GPU: number(0.1), External: number(0.9)}}, 0.1, ""},
		{"no record", Point{Rates: adapter.Rates{GPU: number(0.6)}}, 0, "no validity record"},
		{"refused", Point{Eligible: &no, Rates: adapter.Rates{GPU: number(0.6)}}, 0, "refuses"},
		{"eligible without a rate", Point{Eligible: &yes, Rates: adapter.Rates{Overall: number(0)}}, 0, "neither"},
		{"no stand-in", Point{Eligible: &no, GB300: true, Theoretical: number(0.97)}, 0, "refuses"},
		{"D1 is not clamped", Point{Eligible: &yes, Rates: adapter.Rates{GPU: number(0.6), External: number(0.5)}}, 0, "together are 1.1"},
		{"negative", Point{Eligible: &yes, Rates: adapter.Rates{GPU: number(-0.5)}}, 0, "gpu rate is -0.5"},
		{"NaN", Point{Eligible: &yes, Rates: adapter.Rates{GPU: number(math.NaN())}}, 0, "NaN"},
		{"infinite", Point{Eligible: &yes, Rates: adapter.Rates{GPU: number(0), CPU: number(math.Inf(1))}}, 0, "cpu rate"},
	} {
		got, err := GuardedPrice(tt.p)
		if tt.want == 0 {
			if !errors.Is(err, ErrUnpriced) || !strings.Contains(err.Error(), tt.why) {
				t.Errorf("%s: got %v, %v, want unpriced: %s", tt.name, got, err, tt.why)
			}
		} else if err != nil || !near(got, tt.want) {
			t.Errorf("%s: got %v, %v, want %v", tt.name, got, err, tt.want)
		}
	}
	sweep := GuardedSweep([]Point{{Eligible: &yes, Rates: adapter.Rates{GPU: number(0.6)}}, {}})
	if sweep[0] == nil || !near(*sweep[0], 0.46) || sweep[1] != nil {
		t.Errorf("got %v, want 0.46 and nothing", sweep)
	}
}
