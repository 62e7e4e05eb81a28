package vllm

import (
	"fmt"

	"github.com/pdreplay/pdreplay/replay/adapter"
	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// The families that vllm@main reads. Prompt and Generation are totals of a row,
// no part of a rate.
const (
	hits          = "vllm:prefix_cache_hits"
	queries       = "vllm:prefix_cache_queries"
	externalHits  = "vllm:external_prefix_cache_hits"
	externalQuery = "vllm:external_prefix_cache_queries"
	bySource      = "vllm:prompt_tokens_by_source"

	Prompt     = "vllm:prompt_tokens"
	Generation = "vllm:generation_tokens"
)

// mainAdapter is vllm@main, the producer's adapter of the August tree (producer.md
// sections 5 and 6). Its Dynamo adapter makes the same rates of the same
// families.
func mainAdapter() adapter.Main {
	return adapter.Main{EngineName: Engine, Picks: []string{adapter.PickVLLM, adapter.PickDynamo}, Published: published}
}

func published(metrics []aiperf.Family) (adapter.Rates, []adapter.Counter, error) {
	for _, total := range []string{Prompt, Generation} {
		sum, err := adapter.SumStat(metrics, total)
		if err != nil {
			return adapter.Rates{}, nil, err
		}
		if err := adapter.Integral(total, sum); err != nil {
			return adapter.Rates{}, nil, err
		}
	}
	return Rates(metrics)
}

// Rates returns the rates that the producer publishes from the vllm: families
// of an export, rounded, and the counters that it made them of. Its Dynamo
// adapter publishes the same.
func Rates(metrics []aiperf.Family) (adapter.Rates, []adapter.Counter, error) {
	sums, err := sumAll(metrics, hits, queries, externalHits, externalQuery)
	if err != nil {
		return adapter.Rates{}, nil, err
	}
	shares, err := adapter.SumByLabel(metrics, bySource, "source")
	if err != nil {
		return adapter.Rates{}, nil, err
	}
	rates := adapter.Rates{
		GPU: adapter.Ratio(sums[hits], sums[queries]),
		CPU: adapter.Ratio(sums[externalHits], sums[externalQuery]),
	}
	rates.External = rates.CPU
	if len(shares) > 0 {
		rates = bySources(rates, shares)
	} else {
		rates.Overall = rates.GPU
	}
	return rates.Round(), used(sums, shares), nil
}

// bySources replaces the rates that the sources give. A source that is missing
// leaves its rate as hits/queries had it, while overall takes it as 0; sources
// that sum to nothing (or to NaN) leave overall null.
func bySources(rates adapter.Rates, shares []adapter.Share) adapter.Rates {
	total := adapter.SumShares(shares)
	if !(total > 0) {
		return rates
	}
	var cached float64
	if local := adapter.ShareOf(shares, "local_cache_hit"); local != nil {
		rates.GPU = adapter.Ratio(local, &total)
		cached += *local
	}
	if external := adapter.ShareOf(shares, "external_kv_transfer"); external != nil {
		rates.CPU = adapter.Ratio(external, &total)
		rates.External = rates.CPU
		cached += *external
	}
	rates.Overall = adapter.Ratio(&cached, &total)
	return rates
}

func sumAll(metrics []aiperf.Family, names ...string) (map[string]*float64, error) {
	sums := map[string]*float64{}
	for _, name := range names {
		sum, err := adapter.SumStat(metrics, name)
		if err != nil {
			return nil, err
		}
		sums[name] = sum
	}
	return sums, nil
}

func used(sums map[string]*float64, shares []adapter.Share) []adapter.Counter {
	var list []adapter.Counter
	for _, name := range []string{hits, queries, externalHits, externalQuery} {
		if sums[name] != nil {
			list = append(list, adapter.Counter{Name: name, Value: *sums[name]})
		}
	}
	for _, s := range shares {
		list = append(list, adapter.Counter{Name: fmt.Sprintf("%s{source=%q}", bySource, s.Label), Value: s.Value})
	}
	return list
}
