package report

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdreplay/pdreplay/oracle"
)

// The window is 800-2-120-70 wide where something lies on both sides of it; what
// is thinner than can be seen is widened, inside the picture.
func TestDraw(t *testing.T) {
	tl := &oracle.Timeline{E: 10e9, Warmup: &[2]int64{-60e9, -1e9}, Counters: []oracle.Lane{{Counter: "FULL", Worker: "p:9", At: "f#/x", Spans: []oracle.Span{
		{From: -60e9, To: 1, Kind: oracle.Straddling, Slices: 1, Total: 1234567},
		{From: 1, To: 10e9 - 1, Kind: oracle.Inside, Slices: 9, Total: 900},
		{From: 10e9 - 1, To: 10e9, Kind: oracle.Gap},
		{From: 10e9, To: 12e9, Kind: oracle.After, Slices: 2, Total: 2},
	}}}}
	d := draw(tl, false)
	type place struct{ Class, X, W, Title string }
	var got []place
	for _, b := range append(d.Phases, d.Lanes[0].Spans...) {
		got = append(got, place{b.Class, b.X.String(), b.W.String(), b.Label + b.Title})
	}
	want := []place{
		{"warmup", "160", "118", "warmup"}, // 59 of 60 s over 120
		{"window", "280", "608", "profiling, 10s"},
		{"straddling", "160", "120", "straddling [-1m0s, 1ns): 1,234,567"},
		{"inside", "280", "608", "inside [1ns, 9.999999999s): 900 in 9 slices"},
		{"gap", "888", "1.5", "gap [9.999999999s, 10s)"},
		{"after", "888", "70", "after [10s, 12s): 2 in 2 slices"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	// Nothing around the window: it has all the width.
	if b := draw(&oracle.Timeline{E: 1e9}, false).Phases[0]; b.X != plotLeft || b.W != plotWidth {
		t.Errorf("a window alone from %s, %s wide", b.X, b.W)
	}
}

// Series that were cut and taken alike are one bar with the sum of their tokens;
// one that differs in a slice stays apart.
func TestDrawAlike(t *testing.T) {
	lane := func(labels string, total float64, kind oracle.Kind) oracle.Lane {
		return oracle.Lane{Counter: "FULL", Worker: "p:9", Family: "f", Labels: labels, Spans: []oracle.Span{
			{From: 0, To: 1e9, Kind: kind, Slices: 1, Total: total}, {From: 1e9, To: 2e9, Kind: oracle.Inside, Slices: 1, Total: total}}}
	}
	tl := &oracle.Timeline{E: 2e9, Counters: []oracle.Lane{lane("0", 10, oracle.Inside), lane("1", 5, oracle.Inside), lane("2", 1, oracle.Broken)}}
	d := draw(tl, true)
	if len(d.Lanes) != 2 || d.Lanes[0].Label != "FULL p:9 ×2" || len(d.Lanes[0].Spans) != 1 || d.Lanes[0].Spans[0].Title != "inside [0s, 2s): 30 in 2 slices" || len(d.Lanes[1].Spans) != 2 {
		t.Errorf("%+v", d.Lanes)
	}
	if d := draw(tl, false); len(d.Lanes[0].Spans) != 2 || d.Lanes[0].Spans[0].Title != "inside [0s, 1s): 15" {
		t.Errorf("%+v", d.Lanes[0])
	}
}

func TestThousands(t *testing.T) {
	for x, want := range map[float64]string{0: "0", 999: "999", 1000: "1,000", 4797952: "4,797,952", -1234: "-1,234", -123: "-123", 1234.5: "1,234.5"} {
		if got := thousands(x); got != want {
			t.Errorf("%v: %s, want %s", x, got, want)
		}
	}
}

func TestStacked(t *testing.T) {
	marks := []mark{{X: 50, Label: "b"}, {X: 10, Label: "a"}, {X: 15, Label: "c"}, {X: 16, Label: "d"}}
	levels := stacked(marks, func(mark) float64 { return 20 })
	got := map[string]string{}
	for _, m := range marks {
		got[m.Label] = m.Y.String()
	}
	if want := map[string]string{"a": "0", "c": "1", "d": "2", "b": "0"}; levels != 3 || !cmp.Equal(got, want) {
		t.Errorf("%d levels, %v", levels, got)
	}
}
