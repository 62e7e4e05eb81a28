package replay_test

import (
	"math"
	"testing"

	"github.com/pdreplay/pdreplay/oracle"
	"github.com/pdreplay/pdreplay/replay"
	"github.com/pdreplay/pdreplay/replay/adapter"
)

var (
	yes, no = true, false
	nan     = math.NaN()
)

// rates are gpu and cpu; external is cpu, overall their sum.
func rates(gpu, cpu float64) adapter.Rates {
	overall := gpu + cpu
	return adapter.Rates{GPU: &gpu, CPU: &cpu, External: &cpu, Overall: &overall}
}

func list(r adapter.Rates) [4]*float64 { return r.List() }

func point(x float64) oracle.Interval { return oracle.Interval{Lo: x, Hi: x} }

// observed are intervals around gpu 0.6, cpu 0.2, overall 0.8, wide on each side.
func observed(wide float64) *oracle.Evidence {
	in := func(x float64) oracle.Interval { return oracle.Interval{Lo: x - wide, Hi: x + wide} }
	return &oracle.Evidence{Engine: "atom", Observed: oracle.Rates{GPU: in(0.6), CPU: in(0.2), External: in(0.2), Overall: in(0.8)}}
}

func unknown() *oracle.Evidence {
	any := oracle.Interval{Lo: 0, Hi: 1}
	return &oracle.Evidence{Observed: oracle.Rates{GPU: any, CPU: any, External: any, Overall: any}}
}

var (
	prices  = oracle.Verdict{Contract: "review", Status: oracle.ValidComplete, Eligible: true, Rates: list(rates(0.6, 0.2))}
	reports = oracle.Verdict{Contract: "review", Status: oracle.WindowUnresolved, Rates: list(rates(0.6, 0.2))}
	nulls   = oracle.Verdict{Contract: "review", Status: oracle.InvalidCounter}
	noRoles = oracle.Verdict{Contract: "review", Status: oracle.RolesUnresolved}
	facts   = oracle.Verdict{Contract: "none", FactsOnly: true}
)

func TestJudge(t *testing.T) {
	for _, tt := range []struct {
		name   string
		ev     *oracle.Evidence
		want   oracle.Verdict
		answer adapter.Answer
		class  replay.Class
	}{
		{"as expected", observed(0), prices, adapter.Answer{Rates: rates(0.6, 0.2), Status: "VALID_COMPLETE", Eligible: &yes}, replay.Correct},
		{"refused as expected", observed(0.1), reports, adapter.Answer{Rates: rates(0.6, 0.2), Status: "WINDOW_UNRESOLVED", Eligible: &no}, replay.Correct},
		{"null as expected", unknown(), nulls, adapter.Answer{Status: "INVALID_COUNTER", Eligible: &no}, replay.Correct},

		{"eligible and outside", observed(0.1), prices, adapter.Answer{Rates: rates(0.6, 0.31), Status: "VALID_COMPLETE", Eligible: &yes}, replay.Mispriced},
		{"no record and outside", observed(0.1), nulls, adapter.Answer{Rates: rates(0.6, 0.31)}, replay.Mispriced},
		{"not a number is outside everything", unknown(), nulls, adapter.Answer{Rates: rates(nan, 0.2)}, replay.Mispriced},
		{"infinite is outside everything", unknown(), nulls, adapter.Answer{Rates: rates(math.Inf(1), 0.2)}, replay.Mispriced},
		{"above one is outside everything, clamp or not", unknown(), nulls, adapter.Answer{Rates: rates(0.9, 0.2)}, replay.Mispriced},
		// h counts the external rate where there is one: 0.6 + 0.5.
		{"external goes before cpu", observed(0.1), prices, adapter.Answer{Rates: adapter.Rates{GPU: ptr(0.6), CPU: ptr(0.2), External: ptr(0.5), Overall: ptr(0.8)}}, replay.Mispriced},
		// The consumer never reads overall, so such a row is priced at h = 0.
		{"only overall", observed(0.1), prices, adapter.Answer{Rates: adapter.Rates{Overall: ptr(0.8)}, Status: "VALID_COMPLETE", Eligible: &yes}, replay.Mispriced},

		{"a tier outside, h inside", observed(0.1), reports, adapter.Answer{Rates: rates(0.75, 0.05)}, replay.WrongRate},
		{"refused, outside", observed(0.1), reports, adapter.Answer{Rates: rates(0.4, 0.2), Status: "WINDOW_UNRESOLVED", Eligible: &no}, replay.WrongRate},
		{"refused, inside, not the contract's", observed(0.1), reports, adapter.Answer{Rates: rates(0.61, 0.2), Status: "WINDOW_UNRESOLVED", Eligible: &no}, replay.WrongRate},
		{"eligible, inside, not the contract's", observed(0.1), prices, adapter.Answer{Rates: rates(0.61, 0.2), Status: "VALID_COMPLETE", Eligible: &yes}, replay.Correct},

		{"eligible without proof", observed(0.1), reports, adapter.Answer{Rates: rates(0.6, 0.2), Status: "VALID_COMPLETE", Eligible: &yes}, replay.UnprovenPrice},
		{"eligible and null where nothing is known", unknown(), nulls, adapter.Answer{Status: "VALID_COMPLETE", Eligible: &yes}, replay.UnprovenPrice},
		{"refused without need", observed(0), prices, adapter.Answer{Rates: rates(0.6, 0.2), Status: "WINDOW_UNRESOLVED", Eligible: &no}, replay.NeedlessRefusal},
		{"refused without need, and null", observed(0), prices, adapter.Answer{Status: "WINDOW_UNRESOLVED", Eligible: &no}, replay.NeedlessRefusal},
		{"null where a rate is reported", observed(0.1), reports, adapter.Answer{Status: "WINDOW_UNRESOLVED", Eligible: &no}, replay.LostRate},
		{"null without a record", observed(0), prices, adapter.Answer{}, replay.LostRate},
		{"shown where it is nulled", unknown(), nulls, adapter.Answer{Rates: rates(0.6, 0.2), Status: "INVALID_COUNTER", Eligible: &no}, replay.ShownRefusal},
		{"another word", observed(0.1), reports, adapter.Answer{Rates: rates(0.6, 0.2), Status: "REQUEST_SCOPE_UNRESOLVED", Eligible: &no}, replay.WrongStatus},
		{"another word where the word is ours", unknown(), noRoles, adapter.Answer{Status: "WINDOW_UNRESOLVED", Eligible: &no}, replay.Correct},
		{"complete where the word is ours", unknown(), noRoles, adapter.Answer{Status: "VALID_COMPLETE", Eligible: &no}, replay.WrongStatus},

		{"no record, in an interval", observed(0.1), reports, adapter.Answer{Rates: rates(0.6, 0.2)}, replay.Undecided},
		{"no record, proven", observed(0), reports, adapter.Answer{Rates: rates(0.6, 0.2)}, replay.Correct},
		{"no record, null where it is nulled", unknown(), nulls, adapter.Answer{Status: "INVALID_COUNTER"}, replay.Correct},

		{"facts only: outside", observed(0), facts, adapter.Answer{Rates: rates(0.6, 0.3), Status: "VALID_COMPLETE", Eligible: &yes}, replay.Mispriced},
		{"facts only: status, shape and eligibility are free", observed(0), facts, adapter.Answer{Status: "ANY", Eligible: &no}, replay.Correct},
		{"facts only: a record proves nothing", observed(0.1), facts, adapter.Answer{Rates: rates(0.6, 0.2), Status: "VALID_COMPLETE", Eligible: &yes}, replay.Undecided},
	} {
		got := replay.Judge(tt.ev, tt.want, tt.answer)
		if got.Class != tt.class {
			t.Errorf("%s: %s (%s), want %s", tt.name, got.Class, got.Difference, tt.class)
		}
		if (got.Difference == "") != (got.Class == replay.Correct) {
			t.Errorf("%s: %s says %q", tt.name, got.Class, got.Difference)
		}
	}
}

// Rates are published with 5 decimals and compared with 5; h is the sum of two
// of them, so it may be one step off.
func TestJudgeRounding(t *testing.T) {
	third := 1. / 3
	ev := &oracle.Evidence{Observed: oracle.Rates{GPU: point(third), CPU: point(third), External: point(third), Overall: point(2 * third)}}
	gpu, overall := 0.33333, 0.66667
	h := func(cpu float64) replay.Class {
		a := adapter.Answer{Rates: adapter.Rates{GPU: &gpu, CPU: &cpu, External: &cpu, Overall: &overall}}
		return replay.Judge(ev, oracle.Verdict{Rates: [4]*float64{&third, &third, &third, ptr(2 * third)}}, a).Class
	}
	if got := h(0.33333); got != replay.Correct { // h 0.66666 against 0.66667
		t.Errorf("one step off: %s", got)
	}
	if got := h(0.33332); got != replay.Mispriced { // h 0.66665
		t.Errorf("two steps off: %s", got)
	}
	overall = 0.66666
	if got := h(0.33333); got != replay.WrongRate { // overall itself has no slack
		t.Errorf("overall one step off: %s", got)
	}
}

func TestPriceError(t *testing.T) {
	in := oracle.Interval{Lo: 0.6, Hi: 0.8}
	for _, tt := range []struct {
		rates adapter.Rates
		want  float64
	}{
		{rates(0.5, 0.2), 0},
		{rates(0.6, 0.2), 0},
		{rates(0.2, 0.2), 100 * ((1-0.9*0.4)/(1-0.9*0.6) - 1)},   // too low: too dear
		{rates(0.8, 0.15), 100 * ((1-0.9*0.95)/(1-0.9*0.8) - 1)}, // too high: too cheap
		{adapter.Rates{}, 100 * (1/(1-0.9*0.6) - 1)},             // null is priced as no hit
		{rates(nan, 0.2), 100 * (1/(1-0.9*0.6) - 1)},             // so is what is not a number
		{rates(0.9, 0.6), 100 * ((1-0.9)/(1-0.9*0.8) - 1)},       // the consumer clamps to 1
		{rates(-0.9, 0), 100 * (1/(1-0.9*0.6) - 1)},              // and to 0
	} {
		if got := replay.PriceError(tt.rates, in); math.Abs(got-tt.want) > 1e-9 {
			h, _ := tt.rates.Hit()
			t.Errorf("h %g: %g %%, want %g %%", h, got, tt.want)
		}
	}
}

func ptr(x float64) *float64 { return &x }
