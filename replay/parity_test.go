package replay

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdreplay/pdreplay/replay/adapter"
	"github.com/pdreplay/pdreplay/replay/aiperf"
)

func TestParity(t *testing.T) {
	yes, no := true, false
	x, y, nan := 0.6, 0.2, math.NaN()
	number, null := aiperf.NumberValue, aiperf.NullValue()
	answer := adapter.Answer{Rates: adapter.Rates{GPU: &x, CPU: &y, External: &y}, Status: "VALID_COMPLETE", Eligible: &yes}
	for _, tt := range []struct {
		name    string
		row     aiperf.Row
		answer  adapter.Answer
		fields  []string
		differs []string
	}{
		{"the same", aiperf.Row{GPU: number(0.6), CPU: number(0.2), External: number(0.2), Overall: null}, answer, []string{"gpu", "cpu", "external", "overall"}, nil},
		{"what the row does not mention", aiperf.Row{GPU: number(0.6)}, answer, []string{"gpu"}, nil},
		{"another value, and a null", aiperf.Row{GPU: number(0.60001), CPU: null}, answer, []string{"gpu", "cpu"}, []string{"gpu", "cpu"}},
		{"more decimals than are published", aiperf.Row{GPU: number(0.6000001)}, answer, []string{"gpu"}, nil},
		{"the record", aiperf.Row{GPU: number(0.6), Status: "WINDOW_UNRESOLVED", Eligible: &no}, answer, []string{"gpu", "status", "pricing_eligible"}, []string{"status", "pricing_eligible"}},
		{"no number", aiperf.Row{GPU: aiperf.OtherValue("NaN")}, adapter.Answer{Rates: adapter.Rates{GPU: &nan}}, []string{"gpu"}, nil},
		{"a number against no number", aiperf.Row{GPU: aiperf.OtherValue("NaN")}, answer, []string{"gpu"}, []string{"gpu"}},
		{"infinite", aiperf.Row{GPU: aiperf.OtherValue("-Infinity")}, adapter.Answer{Rates: adapter.Rates{GPU: ptrInf(-1)}}, []string{"gpu"}, nil},
	} {
		got := parityOf(&tt.row, tt.answer)
		if got == nil {
			t.Errorf("%s: no parity", tt.name)
			continue
		}
		if diff := cmp.Diff(append([]string{}, tt.fields...), got.Fields); diff != "" {
			t.Errorf("%s: fields:\n%s", tt.name, diff)
		}
		if diff := cmp.Diff(append([]string{}, tt.differs...), got.Differs); diff != "" {
			t.Errorf("%s: differs:\n%s", tt.name, diff)
		}
	}
	if parityOf(nil, answer) != nil || parityOf(&aiperf.Row{Status: "VALID_COMPLETE"}, answer) != nil {
		t.Error("parity without a row, or with a row that has no cache rate")
	}
}

func ptrInf(sign int) *float64 { x := math.Inf(sign); return &x }
