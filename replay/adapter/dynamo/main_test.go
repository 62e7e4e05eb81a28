package dynamo

import (
	"context"
	"strings"
	"testing"

	"github.com/pdreplay/pdreplay/replay/aiperf"
)

func runOf(totals map[string]aiperf.Value, order ...string) *aiperf.Run {
	e := &aiperf.Export{File: "server_metrics_export.json"}
	for _, name := range order {
		e.Names = append(e.Names, name)
		e.Metrics = append(e.Metrics, aiperf.Family{Name: name, Series: []aiperf.Series{{Stats: aiperf.Stats{Sum: totals[name]}}}})
	}
	return &aiperf.Run{Env: aiperf.Env{}, Export: e, Records: &aiperf.Records{}}
}

var number = aiperf.NumberValue

// D7: the front end's ratio reaches no published rate.
func TestMainLosesTheFrontEnd(t *testing.T) {
	a, err := mainAdapter().Derive(context.Background(), runOf(map[string]aiperf.Value{input: number(900), cached: number(450)}, input, cached))
	if err != nil || !a.Rates.Null() {
		t.Errorf("got %+v, %v, want four nulls", a.Rates, err)
	}
}

func TestMainReadsVLLMWorkers(t *testing.T) {
	const hits, queries = "vllm:prefix_cache_hits", "vllm:prefix_cache_queries"
	run := runOf(map[string]aiperf.Value{input: number(900), hits: number(600), queries: number(1000)}, input, hits, queries)
	a, err := mainAdapter().Derive(context.Background(), run)
	if err != nil || *a.Rates.GPU != 0.6 || *a.Rates.Overall != 0.6 || a.Rates.CPU != nil {
		t.Errorf("got %+v, %v, want 0.6/null/null/0.6", a.Rates, err)
	}
}

// The front end's total goes before the workers': only the one that is taken
// has to round.
func TestMainDies(t *testing.T) {
	const prompt = "vllm:prompt_tokens"
	nan := aiperf.OtherValue("NaN")
	_, err := mainAdapter().Derive(context.Background(), runOf(map[string]aiperf.Value{prompt: nan}, "dynamo_x", prompt))
	if err == nil || !strings.Contains(err.Error(), "cannot convert float NaN to integer") {
		t.Errorf("workers' total: got error %v", err)
	}
	if _, err := mainAdapter().Derive(context.Background(), runOf(map[string]aiperf.Value{input: number(1), prompt: nan}, input, prompt)); err != nil {
		t.Errorf("the front end's total is there, and %v", err)
	}
}
