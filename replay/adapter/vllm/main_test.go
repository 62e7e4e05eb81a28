package vllm

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/pdreplay/pdreplay/replay/adapter"
	"github.com/pdreplay/pdreplay/replay/aiperf"
)

const realDir = "../../../testdata/real"

// The three public vLLM runs have totals only. Every cache field of the
// published row comes out of them.
func TestMainReproducesPublishedRows(t *testing.T) {
	for _, dir := range []string{"vllm-kimi-k2.7-mi355x-conc4", "vllm-kimi-k2.7-mi355x-conc8", "vllm-kimi-k2.7-mi355x-conc16"} {
		text, err := os.ReadFile(realDir + "/" + dir + "/agg_published.json")
		if err != nil {
			t.Fatal(err)
		}
		var row struct {
			ServerMetrics struct {
				Cache map[string]any
			} `json:"server_metrics"`
		}
		if err := json.Unmarshal(text, &row); err != nil {
			t.Fatal(err)
		}
		run, err := aiperf.Open(os.DirFS(realDir), dir, Selects)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := mainAdapter().Derive(context.Background(), run)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]any{}
		for i, key := range []string{"gpu_cache_hit_rate", "cpu_cache_hit_rate", "external_cache_hit_rate", "overall_cache_hit_rate"} {
			got[key] = *answer.Rates.List()[i]
		}
		for _, c := range answer.Counters {
			got[strings.TrimPrefix(c.Name, "vllm:")] = c.Value
		}
		compared := 0
		for key, want := range row.ServerMetrics.Cache {
			number, ok := want.(float64)
			if !ok {
				continue // null or the empty map: fields of other engines
			}
			compared++
			if got[key] != number {
				t.Errorf("%s: %s is %v, published %v", dir, key, got[key], number)
			}
		}
		if compared != 8 {
			t.Errorf("%s: the published row has %d numbers in cache, want 8", dir, compared)
		}
		if answer.Eligible != nil || answer.Status != "" {
			t.Errorf("%s: main has no validity record, got %q", dir, answer.Status)
		}
	}
}

type counterOf struct {
	name     string
	source   string
	endpoint string
	value    any
}

func runOf(counters ...counterOf) *aiperf.Run {
	e := &aiperf.Export{File: "server_metrics_export.json"}
	for _, c := range counters {
		s := aiperf.Series{Endpoint: "http://" + c.endpoint + "/metrics"}
		switch x := c.value.(type) {
		case int:
			s.Stats.Total = aiperf.NumberValue(float64(x))
		case string:
			s.Stats.Total = aiperf.OtherValue(x)
		}
		if c.source != "" {
			s.Labels = map[string]string{"source": c.source}
		}
		if n := len(e.Metrics); n > 0 && e.Metrics[n-1].Name == c.name {
			e.Metrics[n-1].Series = append(e.Metrics[n-1].Series, s)
			continue
		}
		e.Metrics = append(e.Metrics, aiperf.Family{Name: c.name, Series: []aiperf.Series{s}})
		e.Names = append(e.Names, c.name)
	}
	return &aiperf.Run{Env: aiperf.Env{}, Export: e, Records: &aiperf.Records{}}
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

// The quirks of producer.md sections 6 and 8 and the rows D1, D2 and D10 of
// accounting.md section 8.
func TestMainQuirks(t *testing.T) {
	h := func(v any) counterOf { return counterOf{name: hits, value: v} }
	q := func(v any) counterOf { return counterOf{name: queries, value: v} }
	eh := func(v any) counterOf { return counterOf{name: externalHits, value: v} }
	eq := func(v any) counterOf { return counterOf{name: externalQuery, value: v} }
	src := func(source string, v any) counterOf { return counterOf{name: bySource, source: source, value: v} }
	for _, tt := range []struct {
		name string
		run  *aiperf.Run
		want string
	}{
		{"D1 conditional external rate", runOf(h(600), q(1000), eh(200), eq(400)), "0.6/0.5/0.5/0.6"},
		{"D2 P/D", runOf(
			counterOf{bySource, "local_cache_hit", "p:9", 600}, counterOf{bySource, "local_compute", "p:9", 400},
			counterOf{bySource, "external_kv_transfer", "d:9", 1000}), "0.3/0.5/0.5/0.8"},
		{"D10 negative", runOf(h(-50), q(100)), "-0.5/null/null/-0.5"},
		{"D10 above", runOf(h(150), q(100)), "1.5/null/null/1.5"},
		{"D10 NaN", runOf(h("NaN"), q(100)), "NaN/null/null/NaN"},
		{"queries 0", runOf(h(5), q(0)), "null/null/null/null"},
		{"sources before hits", runOf(h(600), q(1000), src("local_cache_hit", 1), src("external_kv_transfer", 1), src("local_compute", 2)), "0.25/0.25/0.25/0.5"},
		{"local missing keeps hits/queries", runOf(h(600), q(1000), src("external_kv_transfer", 1), src("local_compute", 3)), "0.6/0.25/0.25/0.25"},
		{"external missing keeps hits/queries", runOf(h(600), q(1000), eh(200), eq(400), src("local_cache_hit", 1), src("local_compute", 3)), "0.25/0.5/0.5/0.25"},
		{"sources sum to 0: overall null", runOf(h(600), q(1000), src("local_cache_hit", 0), src("local_compute", 0)), "0.6/null/null/null"},
		{"sources sum to NaN: overall null", runOf(h(600), q(1000), src("local_cache_hit", "NaN"), src("local_compute", 4)), "0.6/null/null/null"},
		{"no label source: as if there were none", runOf(h(600), q(1000), src("", 7)), "0.6/null/null/0.6"},
		{"unusable source: as if there were none", runOf(h(600), q(1000), src("local_cache_hit", `"x"`)), "0.6/null/null/0.6"},
		{"unknown source counts in the sum", runOf(src("local_cache_hit", 1), src("elsewhere", 3)), "0.25/null/null/0.25"},
		{"negative source", runOf(src("local_cache_hit", -1), src("local_compute", 5)), "-0.25/null/null/-0.25"},
		{"text", runOf(h(`"80"`), q(100)), "0.8/null/null/0.8"},
		{"nothing", runOf(), "null/null/null/null"},
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

func TestMainDies(t *testing.T) {
	for _, name := range []string{Prompt, Generation} {
		_, err := mainAdapter().Derive(context.Background(), runOf(counterOf{name: name, value: "NaN"}))
		if err == nil || !strings.Contains(err.Error(), "cannot convert float NaN to integer") {
			t.Errorf("%s: got error %v", name, err)
		}
	}
}

func TestSelects(t *testing.T) {
	for name, want := range map[string]bool{hits: true, bySource: true, Prompt: true, "vllm:kv_cache_usage_perc": false, "atom:prompt_tokens": false} {
		if Selects(name) != want {
			t.Errorf("Selects(%q) = %v", name, !want)
		}
	}
}
