package trtllm

import (
	"context"
	"fmt"

	"github.com/pdreplay/pdreplay/replay/adapter"
	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// hitRate is a gauge over the blocks of a server's lifetime.
const hitRate = "trtllm_kv_cache_hit_rate"

// published is trtllm@main, the adapter of the later tree of #2625; the August
// tree has none (its detection gives dynamo-trt to dynamo-vllm and stops at
// trtllm_ metrics alone), so it is outside parity. Its one rate is the
// unweighted mean of the gauge over all endpoints, and the ratio of the token
// counters only where no endpoint has the gauge (accounting.md D3, D11). It
// tells no tiers apart.
type published struct{}

func (published) Name() string   { return Engine + "@main" }
func (published) Engine() string { return Engine }

// Derive implements [adapter.Adapter].
func (published) Derive(_ context.Context, run *aiperf.Run) (adapter.Answer, error) {
	answer := adapter.Answer{Accounting: adapter.OldAccounting(run.Records), Reasons: adapter.MainReasons(run)}
	export := run.Metrics()
	if export == nil {
		return answer, nil
	}
	rate, counters, err := rateOf(export.Metrics)
	if err != nil {
		return adapter.Answer{}, fmt.Errorf("deriving %s@main from %s: %w", Engine, export.File, err)
	}
	answer.Rates = adapter.Rates{GPU: rate, Overall: rate}.Round()
	answer.Counters = counters
	return answer, nil
}

func rateOf(metrics []aiperf.Family) (*float64, []adapter.Counter, error) {
	gauge, err := adapter.MeanGauge(metrics, hitRate)
	if err != nil {
		return nil, nil, err
	}
	if gauge != nil {
		return adapter.Fraction(gauge), []adapter.Counter{{Name: hitRate, Value: *gauge}}, nil
	}
	cached, err := adapter.SumStat(metrics, names("prompt_cached_tokens")...)
	if err != nil {
		return nil, nil, err
	}
	prompt, err := adapter.SumStat(metrics, names("prompt_tokens")...)
	if err != nil {
		return nil, nil, err
	}
	var counters []adapter.Counter
	if cached != nil {
		counters = append(counters, adapter.Counter{Name: names("prompt_cached_tokens")[0], Value: *cached})
	}
	if prompt != nil {
		counters = append(counters, adapter.Counter{Name: names("prompt_tokens")[0], Value: *prompt})
	}
	return adapter.Ratio(cached, prompt), counters, nil
}

// names are the spellings of a counter: AIPerf strips _total of what is typed
// as a counter.
func names(stem string) []string { return []string{"trtllm_" + stem, "trtllm_" + stem + "_total"} }
