package oracle_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdreplay/pdreplay/oracle"
	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// sglangRun is a unified run of one request of 1000 tokens in a window of one
// slice. Each entry is a family, a label and its value, and tokens.
func sglangRun(series ...sglangSeries) *aiperf.Run {
	export := &aiperf.Export{File: "export.json", Profiling: &aiperf.Range{Start: 0, End: 10}}
	for _, s := range append(series, sglangSeries{"sglang:num_requests", nil, 1}) {
		export.Names = append(export.Names, s.family)
		export.Metrics = append(export.Metrics, aiperf.Family{Name: s.family, Type: "counter", Series: []aiperf.Series{{
			Endpoint: "http://u:1/metrics", Labels: s.labels, HasSlices: true,
			Stats:  aiperf.Stats{Total: aiperf.NumberValue(s.tokens)},
			Slices: []aiperf.Slice{{Start: 0, End: 10, Value: aiperf.NumberValue(s.tokens)}},
		}}})
	}
	return &aiperf.Run{
		Env: aiperf.Env{"SRT_AGG_ENDPOINTS": "u:1"}, Export: export,
		Records: &aiperf.Records{List: []aiperf.Record{{Line: 1, PromptTokens: aiperf.NumberValue(1000)}}, Accounting: aiperf.Accounting{ProfilingErrors: new(int)}},
	}
}

type sglangSeries struct {
	family string
	labels map[string]string
	tokens float64
}

func cached(source string, tokens float64) sglangSeries {
	return sglangSeries{"sglang:cached_tokens", map[string]string{"cache_source": source}, tokens}
}

func TestSGLangTiers(t *testing.T) {
	prompt := sglangSeries{"sglang:prompt_tokens", nil, 1000}
	rank := func(r string, tokens float64) sglangSeries {
		return sglangSeries{"sglang:prompt_tokens", map[string]string{"tp_rank": r}, tokens}
	}
	f := func(x float64) *float64 { return &x }
	for _, tt := range []struct {
		name   string
		run    *aiperf.Run
		status oracle.Status
		rates  [4]*float64
	}{
		{"D4: all tiers, external is host and storage", sglangRun(prompt, cached("device", 400), cached("host", 100), cached("storage_file", 200)),
			oracle.ValidComplete, [4]*float64{f(0.4), f(0.1), f(0.3), f(0.7)}},
		{"a tier that was never born is null, and 0 in overall", sglangRun(prompt, cached("device", 400)),
			oracle.ValidComplete, [4]*float64{f(0.4), nil, nil, f(0.4)}},
		{"no tier was ever born", sglangRun(prompt), oracle.ValidComplete, [4]*float64{nil, nil, nil, f(0)}},
		{"the fallback tells no tier", sglangRun(prompt, cached("total", 500)), oracle.CPUUnresolved, [4]*float64{nil, nil, nil, f(0.5)}},
		{"copies of other ranks count once", sglangRun(rank("0", 1000), rank("1", 1000), rank("2", 1000), cached("device", 400)),
			oracle.ValidComplete, [4]*float64{f(0.4), nil, nil, f(0.4)}},
		{"copies that disagree are worth nothing", sglangRun(rank("0", 1000), rank("1", 900), cached("device", 400)),
			oracle.WindowUnresolved, [4]*float64{}},
	} {
		v := oracle.Examine(tt.run, oracle.Options{}).Verdict(contract("review"))
		if diff := cmp.Diff(tt.rates, v.Rates); v.Status != tt.status || diff != "" {
			t.Errorf("%s: %s, want %s; rates (-want +got):\n%s%v", tt.name, v.Status, tt.status, diff, v.Reasons)
		}
	}
}
