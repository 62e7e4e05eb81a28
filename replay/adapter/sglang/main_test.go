package sglang

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pdreplay/pdreplay/replay/adapter"
	"github.com/pdreplay/pdreplay/replay/aiperf"
)

type counterOf struct {
	name, source string
	value        any // int, or the JSON text of something else
}

func runOf(framework string, counters ...counterOf) *aiperf.Run {
	e := &aiperf.Export{File: "server_metrics_export.json"}
	for _, c := range counters {
		s := aiperf.Series{Endpoint: "http://p:9/metrics"}
		switch x := c.value.(type) {
		case int:
			s.Stats.Total = aiperf.NumberValue(float64(x))
		case float64: // a gauge
			s.Stats.Avg = aiperf.NumberValue(x)
		case string:
			s.Stats.Total = aiperf.OtherValue(x)
		}
		if c.source != "" {
			s.Labels = map[string]string{"cache_source": c.source}
		}
		at := slices.Index(e.Names, c.name)
		if at < 0 {
			at = len(e.Names)
			e.Names = append(e.Names, c.name)
			e.Metrics = append(e.Metrics, aiperf.Family{Name: c.name})
		}
		e.Metrics[at].Series = append(e.Metrics[at].Series, s)
	}
	return &aiperf.Run{Env: aiperf.Env{"FRAMEWORK": framework}, Export: e, Records: &aiperf.Records{}}
}

func show(r adapter.Rates) string {
	var parts []string
	for _, x := range r.List() {
		if x == nil {
			parts = append(parts, "null")
		} else {
			parts = append(parts, fmt.Sprint(*x))
		}
	}
	return strings.Join(parts, "/")
}

// The quirks of producer.md sections 6 and 8 and the rows D4, D8, D10 and D11
// of accounting.md section 8.
func TestMainQuirks(t *testing.T) {
	p := func(v any) counterOf { return counterOf{name: prompt, value: v} }
	src := func(source string, v any) counterOf { return counterOf{cached, source, v} }
	g := func(v any) counterOf { return counterOf{name: hitRate, value: v} }
	for _, tt := range []struct {
		name string
		run  *aiperf.Run
		want string
	}{
		{"D4 storage in overall only", runOf("", p(1000), src("device", 400), src("host", 100), src("storage_x", 200)), "0.4/0.1/0.1/0.7"},
		{"D8 given to dynamo-vllm", runOf("dynamo-sglang", p(1000), src("device", 400)), "null/null/null/null"},
		{"a dynamo family too", runOf("sglang", p(1000), src("device", 400), counterOf{name: "dynamo_frontend_requests", value: 1}), "null/null/null/null"},
		{"D10 negative", runOf("", p(100), src("device", -50)), "-0.5/null/null/-0.5"},
		{"D10 NaN", runOf("", p(100), src("device", "NaN")), "NaN/null/null/NaN"},
		{"decode copies keep the ratio", runOf("", p(1000), p(1000), src("device", 400), src("device", 400)), "0.4/null/null/0.4"},
		{"no source: gauge", runOf("", p(1000), g(0.25), g(0.75)), "null/null/null/0.5"},
		{"no prompt tokens: gauge", runOf("", src("device", 400), g(0.5)), "null/null/null/0.5"},
		{"prompt tokens 0: gauge", runOf("", p(0), src("device", 400), g(90.0)), "null/null/null/0.9"},
		{"D11 gauge of 1.2 per cent", runOf("", g(1.2)), "null/null/null/1.2"},
		{"a true 0 is no reason for the gauge", runOf("", p(1000), src("device", 0), g(0.5)), "0/null/null/0"},
		{"total is a source like any", runOf("", p(1000), src("total", 400)), "null/null/null/0.4"},
		{"_total is not read", runOf("", counterOf{name: prompt + "_total", value: 1000}, src("device", 400)), "null/null/null/null"},
	} {
		a, err := mainAdapter().Derive(context.Background(), tt.run)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if got := show(a.Rates); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

// Every total that the producer rounds to an integer costs the row where it is
// not finite, the capacity of the ranks included.
func TestMainDies(t *testing.T) {
	for _, name := range []string{prompt, generation, maxTotal} {
		_, err := mainAdapter().Derive(context.Background(), runOf("", counterOf{name: name, value: "NaN"}))
		if err == nil || !strings.Contains(err.Error(), "cannot convert float NaN to integer") {
			t.Errorf("%s: got error %v", name, err)
		}
	}
}

// The producer knows one spelling: families of the other alone are a backend
// that it does not support, and the row is lost.
func TestMainKnowsOneSpelling(t *testing.T) {
	_, err := mainAdapter().Derive(context.Background(), runOf("SGLang", counterOf{name: "sglang_prompt_tokens", value: 1}))
	want := "ValueError: Unsupported agentic server metrics backend; framework='sglang', metric_names=[sglang_prompt_tokens]"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got error %v, want %s", err, want)
	}
}

func TestNames(t *testing.T) {
	var names []string
	for _, a := range Adapters() {
		names = append(names, a.Name()+" of "+a.Engine())
	}
	if got := strings.Join(names, ", "); got != "sglang@main of sglang, sglang@corrected of sglang" {
		t.Errorf("got %s", got)
	}
	for _, family := range []string{prompt, "sglang_cached_tokens_total", "sglang:num_requests", hitRate} {
		if !Selects(family) {
			t.Errorf("%s is not selected", family)
		}
	}
	if Selects("sglang:token_usage") {
		t.Error("a family that no rate needs is selected")
	}
}
