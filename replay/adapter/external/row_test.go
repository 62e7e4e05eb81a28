package external

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdreplay/pdreplay/replay/adapter"
	"github.com/pdreplay/pdreplay/replay/aiperf"
)

func pointer[T any](v T) *T { return &v }

// rowWith is a row of the producer with gpu as given and more server metrics.
func rowWith(gpu, more string) string {
	return `{"server_metrics":{"cache":{"gpu_cache_hit_rate":` + gpu +
		`,"cpu_cache_hit_rate":null,"external_cache_hit_rate":null,"overall_cache_hit_rate":null}` + more + `}}`
}

func TestParseRow(t *testing.T) {
	gpu := func(f float64) adapter.Rates { return adapter.Rates{GPU: &f} }
	for _, test := range []struct {
		name, row string
		where     Output
		want      adapter.Answer
	}{
		{name: "no record", row: rowWith("0.5", ""), want: adapter.Answer{Rates: gpu(0.5)}},
		{name: "all null", row: rowWith("null", ""), want: adapter.Answer{}},
		{name: "no bounds", row: rowWith("-1.5", ""), want: adapter.Answer{Rates: gpu(-1.5)}},
		{name: "not rounded yet", row: rowWith("0.123456", ""), want: adapter.Answer{Rates: gpu(0.12346)}},
		{name: "a tie to even", row: rowWith("0.015625", ""), want: adapter.Answer{Rates: gpu(0.01562)}},
		{
			name: "a validity record",
			row:  rowWith("0.5", `,"cache_validity":{"status":"VALID_COMPLETE","pricing_eligible":true,"reasons":["a",{"b":1}]}`),
			want: adapter.Answer{Rates: gpu(0.5), Status: "VALID_COMPLETE", Eligible: pointer(true), Reasons: []string{"a", `{"b":1}`}},
		},
		{
			name: "a null record is none", row: rowWith("0.5", `,"cache_validity":null`),
			want: adapter.Answer{Rates: gpu(0.5)},
		},
		{
			name: "elsewhere",
			row:  `{"rates":[0.5,null,0.25,0.75],"ok":false,"word":"NO","why/":["x"],"n":{"records_total":3,"records_profiled":2,"records_dropped_total":1,"records_warmup_dropped":1,"records_error_dropped":0,"error_categories":{}}}`,
			where: Output{
				GPU: "/rates/0", CPU: "/rates/1", External: "/rates/2", Overall: "/rates/3",
				Status: "/word", PricingEligible: "/ok", Reasons: "/why~1", RequestAccounting: "/n",
			},
			want: adapter.Answer{
				Rates:  adapter.Rates{GPU: pointer(0.5), External: pointer(0.25), Overall: pointer(0.75)},
				Status: "NO", Eligible: pointer(false), Reasons: []string{"x"},
				Accounting: &aiperf.Accounting{Total: 3, Profiled: 2, Dropped: 1, WarmupDropped: 1, ErrorCategories: map[string]int{}},
			},
		},
	} {
		got, err := parseRow([]byte(test.row), test.where)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
		} else if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
	}
}

// Nothing is guessed: what is not as it should be is refused with its address.
func TestParseRowRefuses(t *testing.T) {
	accounting := `{"request_accounting":{"records_total":1.5},` + rowWith("null", "")[1:]
	for _, test := range []struct{ row, want string }{
		{`{}`, "there is no /server_metrics/cache/gpu_cache_hit_rate, neither a number nor null"},
		{`[]`, "there is no /server_metrics/cache/gpu_cache_hit_rate"},
		{`null`, "there is no /server_metrics/cache/gpu_cache_hit_rate"},
		{`{"server_metrics":{"cache":{"gpu_cache_hit_rate":1}}}`, "there is no /server_metrics/cache/cpu_cache_hit_rate"},
		{rowWith(`"0.5"`, ""), `/server_metrics/cache/gpu_cache_hit_rate is "0.5", want a number or null`},
		{rowWith("true", ""), "is true, want a number or null"},
		{rowWith("1e999", ""), "1e999"},
		{rowWith("NaN", ""), "line 1, column 50: bare NaN at /server_metrics/cache/gpu_cache_hit_rate"},
		{rowWith("-Infinity", ""), "bare -Infinity at "},
		{rowWith("0.5", `,"cache":{}`), `duplicate object member name "cache"`},
		{rowWith("0.5", ",\"a\":\"\xff\""), "invalid UTF-8"},
		{"\uFEFF" + rowWith("0.5", ""), "line 1, column 1"},
		{rowWith("0.5", `,"cache_validity":{"status":"OK"}`), "/server_metrics/cache_validity/pricing_eligible is null, want true or false"},
		{rowWith("0.5", `,"cache_validity":{"status":"OK","pricing_eligible":"true"}`), `pricing_eligible is "true", want true or false`},
		{rowWith("0.5", `,"cache_validity":{"status":"OK","pricing_eligible":1}`), `pricing_eligible is 1, want true or false`},
		{rowWith("0.5", `,"cache_validity":{"pricing_eligible":true}`), "/server_metrics/cache_validity/status is null, want a word"},
		{rowWith("0.5", `,"cache_validity":{"status":"","pricing_eligible":true}`), `status is "", want a word`},
		{rowWith("0.5", `,"cache_validity":{"status":"OK","pricing_eligible":true,"reasons":"r"}`), `reasons is "r", want a list`},
		{accounting, "/request_accounting/records_total is 1.5, want a whole number"},
	} {
		got, err := parseRow([]byte(test.row), Output{})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s:\ngot  %+v, %v\nwant %s", test.row, got, err, test.want)
		}
	}
}

// A tail keeps what was last written, whatever the pieces it came in.
func TestTail(t *testing.T) {
	text := strings.Repeat("0123456789\n", 1000) + "the last"
	for _, size := range []int{1, 7, tailBytes - 1, tailBytes, tailBytes + 1, len(text)} {
		var got tail
		for rest := text; rest != ""; {
			n := min(size, len(rest))
			if written, err := got.Write([]byte(rest[:n])); written != n || err != nil {
				t.Fatal(written, err)
			}
			rest = rest[n:]
		}
		lines := got.lines()
		if len(lines) != tailLines || lines[tailLines-1] != "the last" || lines[0] != "... 0123456789" {
			t.Errorf("pieces of %d: %q", size, lines)
		}
		if len(got.kept) != tailBytes {
			t.Errorf("pieces of %d: %d bytes are kept", size, len(got.kept))
		}
	}
	var empty tail
	if lines := empty.lines(); lines != nil {
		t.Errorf("nothing written: %q", lines)
	}
}

func TestRowsMayHoldAnyFiniteRate(t *testing.T) {
	got, err := parseRow([]byte(rowWith("1e308", "")), Output{})
	if err != nil || *got.Rates.GPU != 1e308 || math.IsInf(*got.Rates.GPU, 0) {
		t.Errorf("got %+v, %v", got, err)
	}
}
