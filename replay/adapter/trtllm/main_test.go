package trtllm

import (
	"context"
	"testing"

	"github.com/pdreplay/pdreplay/replay/aiperf"
)

func runOf(family string, values ...float64) *aiperf.Run {
	f := aiperf.Family{Name: family}
	for _, v := range values {
		stats := aiperf.Stats{Total: aiperf.NumberValue(v)}
		if family == hitRate {
			stats = aiperf.Stats{Avg: aiperf.NumberValue(v)}
		}
		f.Series = append(f.Series, aiperf.Series{Stats: stats})
	}
	return &aiperf.Run{Env: aiperf.Env{}, Export: &aiperf.Export{Names: []string{family}, Metrics: []aiperf.Family{f}}, Records: &aiperf.Records{}}
}

func derive(t *testing.T, run *aiperf.Run) *float64 {
	t.Helper()
	a, err := published{}.Derive(context.Background(), run)
	if err != nil {
		t.Fatal(err)
	}
	if a.Rates.CPU != nil || a.Rates.External != nil || a.Rates.GPU != nil && *a.Rates.GPU != *a.Rates.Overall || a.Eligible != nil {
		t.Errorf("got %+v, want gpu = overall and no tier", a)
	}
	return a.Rates.GPU
}

// D3: one context server at 0.9 and seven generation servers at 0 are averaged
// without weights, also where the token counters say better.
func TestMainAveragesGauges(t *testing.T) {
	run := runOf(hitRate, 0.9, 0, 0, 0, 0, 0, 0, 0)
	for name, total := range map[string]float64{"trtllm_prompt_tokens": 1000, "trtllm_prompt_cached_tokens": 900} {
		run.Export.Metrics = append(run.Export.Metrics, runOf(name, total).Export.Metrics...)
	}
	if got := derive(t, run); got == nil || *got != 0.1125 {
		t.Errorf("got %v, want 0.1125", got)
	}
}

func TestMainPercent(t *testing.T) {
	for in, want := range map[float64]float64{1.2: 1.2, 90: 0.9} { // D11
		if got := derive(t, runOf(hitRate, in)); got == nil || *got != want {
			t.Errorf("gauge %v: got %v, want %v", in, got, want)
		}
	}
}

func TestMainTokenRatio(t *testing.T) {
	run := runOf("trtllm_prompt_cached_tokens", 600, 100)
	run.Export.Metrics = append(run.Export.Metrics, runOf("trtllm_prompt_tokens_total", 1000).Export.Metrics...)
	if got := derive(t, run); got == nil || *got != 0.7 {
		t.Errorf("got %v, want 0.7", got)
	}
	if got := derive(t, runOf("trtllm_prompt_tokens", 1000)); got != nil {
		t.Errorf("without cached tokens: got %v, want null", *got)
	}
}
