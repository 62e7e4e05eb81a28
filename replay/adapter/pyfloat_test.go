package adapter

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// Each want was printed by Python 3.11: json.loads of the text, then float().
func TestPyFloat(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, tt := range []struct {
		text string
		want float64
		ok   bool
	}{
		{`"80"`, 80, true},
		{`" 1_0 "`, 10, true},
		{`"1__0"`, 0, false},
		{`"_1"`, 0, false},
		{`"1_"`, 0, false},
		{`"1_.5"`, 0, false},
		{`"1e1_0"`, 1e10, true},
		{`"+.5"`, 0.5, true},
		{`"5."`, 5, true},
		{`"."`, 0, false},
		{`""`, 0, false},
		{`" "`, 0, false},
		{`"0x10"`, 0, false},
		{`"1p3"`, 0, false},
		{`"1,5"`, 0, false},
		{`"nan"`, nan, true},
		{`"-NaN"`, nan, true},
		{`"+inf"`, inf, true},
		{`"-Infinity"`, -inf, true},
		{`"infin"`, 0, false},
		{`"1e400"`, inf, true},
		{`"\u00a07\u2028"`, 7, true},
		{`"\u001c7"`, 0, false},
		{`"--nan"`, 0, false},
		{`"\u0661\u0662"`, 12, true},
		{`"\ud835\udfd9"`, 1, true},
		{`"\u00b2"`, 0, false},
		{`"1\n"`, 1, true},
		{`"1 2"`, 0, false},
		{`true`, 1, true},
		{`false`, 0, true},
		{`NaN`, nan, true},
		{`Infinity`, inf, true},
		{`-Infinity`, -inf, true},
		{`1e400`, inf, true},
		{`-1e400`, -inf, true},
		{`[1]`, 0, false},
		{`{}`, 0, false},
	} {
		got, ok, err := PyFloat(aiperf.OtherValue(tt.text))
		same := got == tt.want || math.IsNaN(got) && math.IsNaN(tt.want)
		if !same || ok != tt.ok || err != nil {
			t.Errorf("PyFloat(%s) = %v, %v, %v, want %v, %v", tt.text, got, ok, err, tt.want, tt.ok)
		}
	}
}

func TestPyFloatPlain(t *testing.T) {
	if got, ok, err := PyFloat(aiperf.NumberValue(-2.5)); got != -2.5 || !ok || err != nil {
		t.Errorf("a number gave %v, %v, %v", got, ok, err)
	}
	for _, v := range []aiperf.Value{{}, aiperf.NullValue()} {
		if _, ok, err := PyFloat(v); ok || err != nil {
			t.Errorf("kind %v gave a number or %v", v.Kind(), err)
		}
	}
}

// Python's int has no limit, its float has: float(10**400) raises.
func TestPyFloatIntegerBeyondFloat(t *testing.T) {
	_, _, err := PyFloat(aiperf.OtherValue("1" + strings.Repeat("0", 400)))
	if !errors.Is(err, ErrOverflow) {
		t.Errorf("got error %v, want %v", err, ErrOverflow)
	}
}
