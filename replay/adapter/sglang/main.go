package sglang

import (
	"fmt"

	"github.com/pdreplay/pdreplay/replay/adapter"
	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// The families that sglang@main reads, in the one spelling that it knows.
const (
	prompt     = "sglang:prompt_tokens"
	generation = "sglang:generation_tokens"
	cached     = "sglang:cached_tokens"
	maxTotal   = "sglang:max_total_num_tokens"
	hitRate    = "sglang:cache_hit_rate"
)

// mainAdapter is sglang@main, the producer's adapter of the August tree
// (producer.md section 6).
func mainAdapter() adapter.Main {
	return adapter.Main{EngineName: Engine, Picks: []string{adapter.PickSGLang}, Published: published}
}

// published adds every endpoint, decode copies included. Storage counts in
// overall only, and external is the host tier again. Without an overall of
// counters the mean of a gauge stands in that covers one batch a scrape.
func published(metrics []aiperf.Family) (adapter.Rates, []adapter.Counter, error) {
	tokens, err := adapter.SumStat(metrics, prompt)
	if err != nil {
		return adapter.Rates{}, nil, err
	}
	if err := rounds(metrics, tokens); err != nil {
		return adapter.Rates{}, nil, err
	}
	shares, err := adapter.SumByLabel(metrics, cached, "cache_source")
	if err != nil {
		return adapter.Rates{}, nil, err
	}
	gauge, err := adapter.MeanGauge(metrics, hitRate)
	if err != nil {
		return adapter.Rates{}, nil, err
	}
	rates := adapter.Rates{
		GPU: adapter.Ratio(adapter.ShareOf(shares, "device"), tokens),
		CPU: adapter.Ratio(adapter.ShareOf(shares, "host"), tokens),
	}
	rates.External = rates.CPU
	if len(shares) > 0 {
		all := adapter.SumShares(shares)
		rates.Overall = adapter.Ratio(&all, tokens)
	}
	if rates.Overall == nil {
		rates.Overall = adapter.Fraction(gauge)
	}
	return rates.Round(), used(tokens, shares, gauge), nil
}

// rounds refuses the totals that the producer cannot round to integers.
func rounds(metrics []aiperf.Family, tokens *float64) error {
	generated, err := adapter.SumStat(metrics, generation)
	if err != nil {
		return err
	}
	capacity, err := adapter.SumGauge(metrics, maxTotal)
	if err != nil {
		return err
	}
	for _, total := range []struct {
		name string
		sum  *float64
	}{{prompt, tokens}, {generation, generated}, {maxTotal, capacity}} {
		if err := adapter.Integral(total.name, total.sum); err != nil {
			return err
		}
	}
	return nil
}

func used(tokens *float64, shares []adapter.Share, gauge *float64) []adapter.Counter {
	var list []adapter.Counter
	if tokens != nil {
		list = append(list, adapter.Counter{Name: prompt, Value: *tokens})
	}
	for _, s := range shares {
		list = append(list, adapter.Counter{Name: fmt.Sprintf("%s{cache_source=%q}", cached, s.Label), Value: s.Value})
	}
	if gauge != nil {
		list = append(list, adapter.Counter{Name: hitRate, Value: *gauge})
	}
	return list
}
