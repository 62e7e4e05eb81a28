package generator

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

const ms = 1_000_000

// scrapeLog is the worked example of export.md 2.6: offsets in ms from S.
func scrapeLog(s int64) samples {
	offsets := []int64{-4000, -2000, -1200, -100, 100, 600, 1100, 1600, 2100, 2600}
	out := samples{
		tag: []phase{untagged, warmup, warmup, warmup, profiling, profiling, profiling, profiling, profiling, profiling},
		v:   []int64{0, 300, 600, 800, 850, 900, 1400, 1400, 1900, 2000},
	}
	for _, o := range offsets {
		out.ts = append(out.ts, s+o*ms)
	}
	return out
}

// brief prints statistics as the table of export.md does.
func brief(st counterStats, s int64) string {
	var parts []string
	sum := 0.0
	for _, c := range st.slices {
		total, _ := c.Values[0].Float()
		sum += total
		mark := ""
		if c.Partial {
			mark = " (partial)"
		}
		parts = append(parts, fmt.Sprintf("%d..%d%s: %g", (c.Start-s)/ms, (c.End-s)/ms, mark, total))
	}
	return fmt.Sprintf("%s | %g | %g | %.1f", strings.Join(parts, "; "), sum, st.total, st.rate)
}

func TestOneScrapeLogFourExports(t *testing.T) {
	const s = 1800000010000000000
	ph := phases{w0: s - 3000*ms, w1: s - 150*ms, s: s, e: s + 2500*ms}
	log, update := scrapeLog(s), int64(s+2600*ms)
	h := func(version string) shape {
		return shape{version: version, phases: ph, slice: 1000 * ms, straddle: s - 300*ms, byTag: true}
	}
	for _, tt := range []struct{ name, version, profiling, warmup string }{
		{"G1", V10, "0..1000: 100; 1000..2000: 500; 2000..2600 (partial): 600 | 1200 | 1200 | 444.4", ""},
		{"G2", Upstream, "0..1000: 100; 1000..2000: 500; 2000..2600 (partial): 600 | 1200 | 1200 | 444.4",
			"-3000..-2000: 300; -2000..-1000: 300; -1000..-150 (partial): 0 | 600 | 600 | 214.3"},
		{"G3", V1012, "100..1100: 550; 1100..2100: 500; 2100..2600 (partial): 100 | 1150 | 1200 | 444.4",
			"-2000..-1000: 300; -1000..-100 (partial): 200 | 500 | 800 | 205.1"},
		{"STRADDLE", V1011, "-300..700: 900; 700..1700: 500; 1700..2600 (partial): 600 | 2000 | 2000 | 303.0",
			"-3000..-2000: 300; -2000..-1000: 300; -1000..-100 (partial): 200 | 800 | 800 | 205.1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			st, ok := counterOf(h(tt.version).profiling(log, update))
			if got := brief(st, s); !ok || got != tt.profiling {
				t.Errorf("profiling:\n got %s\nwant %s", got, tt.profiling)
			}
			st, ok = counterOf(h(tt.version).warmup(log, s-100*ms))
			if ok != (tt.warmup != "") {
				t.Fatalf("warmup present: %v", ok)
			}
			if got := brief(st, s); ok && got != tt.warmup {
				t.Errorf("warmup:\n got %s\nwant %s", got, tt.warmup)
			}
		})
	}
}

// The sample of export.md 1.6 gives the rate statistics of the same log.
func TestRateStatistics(t *testing.T) {
	const s = 1800000010000000000
	st, _ := counter(scrapeLog(s), window{s, s + 2600*ms, 1000 * ms})
	got := []float64{st.rate, st.rateAvg, st.rateMin, st.rateMax, st.rateStd}
	want := []float64{444.4444444444444, 300, 100, 500, 282.842712474619}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("statistic %d is %v, want %v", i, got[i], want[i])
		}
	}
	if rate := st.sliceRate(2); rate != 1000 {
		t.Errorf("rate of the partial slice is %v, want 1000", rate)
	}
}

// odd is one line of export.md 2.7: 100 units/s until 10 s, then 10 units/s
// for 10 s; scrapes every 0.333 s from 0.05 s; values in millionths of a unit.
type odd struct {
	name       string
	shown      func(t int64) (int64, bool)
	version    string
	total, sum float64
	start      float64 // s, of the first slice
	first      [3]float64
}

func TestOddSituations(t *testing.T) {
	const second = 1000 * ms
	work := func(t int64) int64 { return min(t, 10*second)/10 + min(max(t-10*second, 0), 10*second)/100 }
	fresh := func(t int64) (int64, bool) { return work(t), true }
	refreshed := func(offset int64) func(int64) (int64, bool) {
		return func(t int64) (int64, bool) { return work(refresh{period: 5 * second, offset: offset}.shown(t)), true }
	}
	gap := func(t int64) (int64, bool) { return work(t), t < 5*second || t > 12*second }
	reset := func(t int64) (int64, bool) {
		if t >= 15*second {
			return work(t) - work(15*second), true
		}
		return work(t), true
	}
	late := func(t int64) (int64, bool) { return work(t), t >= 13*second }
	for _, tt := range []odd{
		{"fresh", fresh, Upstream, 129.3, 129.3, 10, [3]float64{36.4, 10, 10}},
		{"fresh", fresh, V1012, 129.3, 99.6, 10.040, [3]float64{10, 10, 10}},
		{"refresh at 10 s", refreshed(0), Upstream, 600, 600, 10, [3]float64{500, 0, 0}},
		{"refresh at 10 s", refreshed(0), V1012, 600, 100, 10.040, [3]float64{0, 0, 0}},
		{"refresh at 12 s", refreshed(2 * second), Upstream, 370, 370, 10, [3]float64{0, 0, 320}},
		{"refresh at 12 s", refreshed(2 * second), V1012, 370, 370, 10.040, [3]float64{0, 320, 0}},
		{"scrape gap", gap, Upstream, 628.8, 628.8, 10, [3]float64{0, 0, 555.8}},
		{"scrape gap", gap, V1012, 628.8, 79.6, 12.038, [3]float64{10, 10, 10}},
		{"reset", reset, Upstream, 0, 119.3, 10, [3]float64{36.4, 10, 10}},
		{"reset", reset, V1012, 0, 89.6, 10.040, [3]float64{10, 10, 10}},
		{"late series", late, Upstream, 69.6, 69.6, 10, [3]float64{0, 0, 0}},
		{"late series", late, V1012, 69.6, 69.6, 13.037, [3]float64{10, 10, 10}},
	} {
		t.Run(tt.name+"/"+tt.version, func(t *testing.T) {
			var s samples
			for ts := int64(50 * ms); ts < 20*second+200*ms; ts += 333 * ms {
				v, ok := tt.shown(ts)
				if !ok {
					continue
				}
				tag := warmup
				if ts >= 10*second {
					tag = profiling
				}
				s.ts, s.tag, s.v = append(s.ts, ts), append(s.tag, tag), append(s.v, v)
			}
			h := shape{version: tt.version, phases: phases{0, 10 * second, 10 * second, 20 * second}, slice: second, byTag: true}
			st, _ := counterOf(h.profiling(s, s.ts[s.len()-1]))
			near(t, "total", st.total/1e6, tt.total)
			sum := 0.0
			for i, c := range st.slices {
				v, _ := c.Values[0].Float()
				sum += v / 1e6
				if i < 3 {
					near(t, fmt.Sprintf("slice %d", i), v/1e6, tt.first[i])
				}
			}
			near(t, "sum", sum, tt.sum)
			if got := float64(st.slices[0].Start) / 1e9; math.Abs(got-tt.start) > 0.0011 {
				t.Errorf("first slice starts at %v, want %v", got, tt.start)
			}
		})
	}
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 0.051 {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// counterOf makes a counter's statistics of what a shape hands on.
func counterOf(s samples, w window, ok bool) (counterStats, bool) {
	if !ok {
		return counterStats{}, false
	}
	return counter(s, w)
}
