package adapter

import (
	"fmt"
	"math"
	"testing"

	"github.com/pdreplay/pdreplay/replay/aiperf"
)

func gauge(values ...float64) []aiperf.Family {
	f := aiperf.Family{Name: "g"}
	for _, v := range values {
		f.Series = append(f.Series, aiperf.Series{Stats: aiperf.Stats{Avg: aiperf.NumberValue(v)}})
	}
	return []aiperf.Family{f}
}

// The wants are those of Python 3.11's statistics.mean.
func TestMeanGauge(t *testing.T) {
	inf := math.Inf(1)
	for _, tt := range []struct {
		values []float64
		want   string
	}{
		{[]float64{0.9, 0, 0, 0, 0, 0, 0, 0}, "0.1125"}, // D3
		{[]float64{0.1, 0.1, 0.1}, "0.1"},               // exact, not 0.10000000000000002
		{[]float64{1e308, 1e308}, "1e+308"},             // no overflow on the way
		{[]float64{1, math.NaN()}, "NaN"},
		{[]float64{1, inf}, "+Inf"},
		{[]float64{inf, -inf}, "NaN"},
		{[]float64{0, 0}, "0"},
	} {
		got, err := MeanGauge(gauge(tt.values...), "g")
		if err != nil || fmt.Sprint(*got) != tt.want {
			t.Errorf("mean of %v = %v, %v, want %s", tt.values, *got, err, tt.want)
		}
	}
	if got, err := MeanGauge(nil, "g"); got != nil || err != nil {
		t.Errorf("mean of nothing = %v, %v", got, err)
	}
}

// Percent gauges (D11): only above 1.5 is a value taken for per cent.
func TestFraction(t *testing.T) {
	for in, want := range map[float64]float64{0.5: 0.5, 1.2: 1.2, 1.5: 1.5, 1.6: 0.016, 90: 0.9, -3: -3} {
		if got := Fraction(&in); *got != want {
			t.Errorf("Fraction(%v) = %v, want %v", in, *got, want)
		}
	}
	nan := math.NaN()
	if got := Fraction(&nan); !math.IsNaN(*got) {
		t.Errorf("Fraction(NaN) = %v", *got)
	}
	if Fraction(nil) != nil {
		t.Error("Fraction(nil) is not nil")
	}
}

func TestRatio(t *testing.T) {
	f := func(x float64) *float64 { return &x }
	for _, tt := range []struct {
		n, d *float64
		want string
	}{
		{f(-50), f(100), "-0.5"}, {f(150), f(100), "1.5"}, {f(math.NaN()), f(1), "NaN"}, {f(1), f(math.NaN()), "NaN"},
		{f(1), f(0), "null"}, {f(1), f(-1), "null"}, {nil, f(1), "null"}, {f(1), nil, "null"},
	} {
		got := "null"
		if r := Ratio(tt.n, tt.d); r != nil {
			got = fmt.Sprint(*r)
		}
		if got != tt.want {
			t.Errorf("Ratio = %s, want %s", got, tt.want)
		}
	}
}

func TestSumStatTakesNamesInOrderAndTheLastOfTwo(t *testing.T) {
	family := func(name string, total float64) aiperf.Family {
		return aiperf.Family{Name: name, Series: []aiperf.Series{{Stats: aiperf.Stats{Total: aiperf.NumberValue(total)}}}}
	}
	// 1e16 + 1 - 1e16 is 0 in this order and 1 in the file's order.
	metrics := []aiperf.Family{family("a", 7), family("minus", -1e16), family("a", 1e16), family("one", 1)}
	got, err := SumStat(metrics, "a", "one", "minus")
	if err != nil || *got != 0 {
		t.Errorf("sum = %v, %v, want 0", *got, err)
	}
	if got, err := SumStat(metrics, "absent"); got != nil || err != nil {
		t.Errorf("sum of an absent counter = %v, %v, want null", got, err)
	}
}

func TestSumByLabelKeepsTheOrderOfTheFile(t *testing.T) {
	series := func(labels map[string]string, total float64) aiperf.Series {
		return aiperf.Series{Labels: labels, Stats: aiperf.Stats{Total: aiperf.NumberValue(total)}}
	}
	src := func(v string) map[string]string { return map[string]string{"source": v} }
	got, err := SumByLabel([]aiperf.Family{{Name: "c", Series: []aiperf.Series{
		series(src("z"), 1), series(src("a"), 2), series(src("z"), 3), series(nil, 50), series(src(""), 4),
	}}}, "c", "source")
	if want := "[{z 4} {a 2} { 4}]"; err != nil || fmt.Sprint(got) != want {
		t.Errorf("got %v, %v, want %s", got, err, want)
	}
	if SumShares(got) != 10 || *ShareOf(got, "a") != 2 || ShareOf(got, "b") != nil {
		t.Errorf("shares %v are read wrongly", got)
	}
}
