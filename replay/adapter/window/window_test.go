package window

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// lay lays slices of 10 ns, written as start, end, total.
func lay(numbers ...int64) Fit {
	var s []aiperf.Slice
	for i := 0; i < len(numbers); i += 3 {
		s = append(s, aiperf.Slice{Start: numbers[i], End: numbers[i+1], Value: aiperf.NumberValue(float64(numbers[i+2]))})
	}
	return Lay(s, aiperf.Range{Start: 100, End: 130})
}

func TestLay(t *testing.T) {
	for _, tt := range []struct {
		name      string
		fit       Fit
		inside    float64
		bad       string
		leading   int64
		straddler string
		over      float64
	}{
		{"tiles", lay(100, 110, 1, 110, 120, 2, 120, 130, 4), 7, "", 0, "", 0},
		{"unsorted", lay(120, 130, 4, 100, 110, 1, 110, 120, 2), 7, "", 0, "", 0},
		{"touching slices lie outside", lay(90, 100, 8, 100, 130, 1, 130, 140, 16), 1, "", 0, "", 0},
		{"one slice", lay(100, 130, 5), 5, "", 0, "", 0},
		{"leading gap of 1", lay(101, 130, 5), 5, "", 1, "", 0},
		{"straddler", lay(99, 110, 8, 110, 130, 1), 1, "", 0, "[99,110)", 0},
		{"over", lay(100, 120, 1, 120, 131, 8), 1, "", 0, "", 8},
		{"one slice over both ends", lay(90, 140, 8), 0, "", 0, "[90,140)", 8},
		{"interior gap", lay(100, 110, 1, 111, 130, 2), 0, "interior gap [110, 111)", 0, "", 0},
		{"trailing gap", lay(100, 129, 1), 0, "trailing gap [129, 130)", 0, "", 0},
		{"missing", lay(80, 100, 1), 0, "missing", 0, "", 0},
		{"gap before the window does not matter", lay(80, 90, 1, 95, 130, 2), 0, "", 0, "[95,130)", 0},
		{"no slices", lay(), 0, "no slices", 0, "", 0},
		{"overlap outside the window", lay(100, 130, 1, 140, 150, 1, 149, 160, 1), 0, "overlap", 0, "", 0},
		{"empty slice", lay(100, 130, 1, 140, 140, 0), 0, "starts at 140", 0, "", 0},
	} {
		straddler := ""
		if s := tt.fit.Straddler; s != nil {
			straddler = fmt.Sprintf("[%d,%d)", s.Start, s.End)
		}
		if tt.bad == "" != (tt.fit.Bad == "") || !strings.Contains(tt.fit.Bad, tt.bad) || tt.fit.Leading != tt.leading ||
			straddler != tt.straddler || tt.fit.Overrun() != tt.over || tt.fit.Bad == "" && tt.fit.Inside != tt.inside {
			t.Errorf("%s: got %+v", tt.name, tt.fit)
		}
	}
}

func TestStatusOrder(t *testing.T) {
	words := []Refusal{
		{Status: RolesUnresolved, Null: true}, {Status: InvalidCounter, Null: true}, {Status: WindowUnresolved, Null: true},
		{Status: CounterMissing, Null: true}, {Status: WindowUnresolved}, {Status: CPUUnresolved}, {Status: ScopeUnresolved}, {Status: IntervalTelemetry},
	}
	// With every refusal from i on, in reverse, the status is that of i.
	for i := range words {
		rs := Refusals(slices.Clone(words[i:]))
		slices.Reverse(rs)
		if got := rs.Status(); got != words[i].Status {
			t.Errorf("from %d on: %s, want %s", i, got, words[i].Status)
		}
		if got, want := rs.Null(), i < 4; got != want {
			t.Errorf("from %d on: null %v, want %v", i, got, want)
		}
	}
	if got := (Refusals{}).Status(); got != ValidComplete {
		t.Errorf("no refusal: %s", got)
	}
}

func TestBounds(t *testing.T) {
	f := func(x float64) *float64 { return &x }
	for _, tt := range []struct {
		whole, a, b *float64
		want        string
	}{
		{f(10), f(6), f(4), ""},
		{f(10), f(6), f(5), "A + B together 11 is above W 10"},
		{f(10), f(11), f(0), "A 11 is above W 10"},
		{f(10), f(-1), f(0), "A is -1"},
		{f(0), f(0), f(0), "W is 0"},
		{f(-1), nil, nil, "W is -1"},
		{nil, f(5), f(6), ""},
		{f(10), nil, f(3), ""},
	} {
		got := strings.Join(broken(tt.whole, []Part{{"A", tt.a}, {"B", tt.b}}, "W"), ", ")
		if !strings.HasPrefix(got, tt.want) || tt.want == "" && got != "" {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}

func TestKey(t *testing.T) {
	for in, want := range map[string]string{
		"http://p:9/metrics":            "p:9",
		"p:9":                           "p:9",
		"https://p:9/metrics":           "https://p:9/metrics",
		"http://p:9/prometheus/metrics": "http://p:9/prometheus/metrics",
		"http://p:9":                    "http://p:9",
	} {
		if got := Key(in); got != want {
			t.Errorf("Key(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestAddress(t *testing.T) {
	for _, tt := range []struct{ file, at, want string }{
		{"run/aiperf_artifacts/server_metrics_export.json", "/metrics/x/series/0", "server_metrics_export.json#/metrics/x/series/0"},
		{"server_metrics_export.csv", "line 12", "server_metrics_export.csv, line 12"},
		{"server_metrics_export.json", "", "server_metrics_export.json"},
	} {
		if got := address(&aiperf.Export{File: tt.file}, &aiperf.Series{At: tt.at}); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}

// A histogram's slices are its sums or its observations.
func TestCountOfAHistogram(t *testing.T) {
	s := aiperf.Series{
		Slices: []aiperf.Slice{{Start: 100, End: 115, Value: aiperf.NumberValue(50)}, {Start: 115, End: 130, Value: aiperf.NumberValue(70)}},
		Counts: []aiperf.Value{aiperf.NumberValue(2), aiperf.NumberValue(3)},
		Stats:  aiperf.Stats{Sum: aiperf.NumberValue(120), Count: aiperf.NumberValue(5)},
	}
	w := aiperf.Range{Start: 100, End: 130}
	for _, tt := range []struct {
		count bool
		want  float64
	}{{false, 120}, {true, 5}} {
		c := Counter{Count: tt.count}
		if got := Lay(c.slices(&s), w).Inside; got != tt.want {
			t.Errorf("count %v: inside is %v, want %v", tt.count, got, tt.want)
		}
		if got := FromTotals(c, &s).Inside; got != tt.want {
			t.Errorf("count %v: total is %v, want %v", tt.count, got, tt.want)
		}
	}
	s.Counts = s.Counts[:1]
	if fit := Lay(Counter{Count: true}.slices(&s), w); fit.Bad == "" {
		t.Error("a slice without a count has a sum")
	}
}
