package vllm

import (
	"context"
	"fmt"

	"github.com/pdreplay/pdreplay/replay/adapter"
	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// Engine is the engine whose runs these adapters answer for.
const Engine = "vllm"

// The families that vllm@main reads.
const (
	hits          = "vllm:prefix_cache_hits"
	queries       = "vllm:prefix_cache_queries"
	externalHits  = "vllm:external_prefix_cache_hits"
	externalQuery = "vllm:external_prefix_cache_queries"
	bySource      = "vllm:prompt_tokens_by_source"
	prompt        = "vllm:prompt_tokens"
	generation    = "vllm:generation_tokens"
)

// Selects reports whether a metric family is one that the adapters read.
func Selects(family string) bool {
	switch family {
	case hits, queries, externalHits, externalQuery, bySource, prompt, generation:
		return true
	}
	return false
}

// Adapters returns the adapters of this package, oldest first.
func Adapters() []adapter.Adapter { return []adapter.Adapter{published{}} }

// published is vllm@main, the producer's adapter of the August tree (producer.md
// sections 5 and 6).
type published struct{}

func (published) Name() string   { return Engine + "@main" }
func (published) Engine() string { return Engine }

// Derive implements [adapter.Adapter]. A run without records or with totals
// only gets its rates all the same [ours]; the reasons say so.
func (published) Derive(_ context.Context, run *aiperf.Run) (adapter.Answer, error) {
	answer := adapter.Answer{
		Accounting: adapter.OldAccounting(run.Records),
		Reasons:    adapter.MainReasons(run),
	}
	export := run.Metrics()
	if export == nil {
		return answer, nil
	}
	var err error
	if answer.Rates, answer.Counters, err = Published(export.Metrics); err != nil {
		return adapter.Answer{}, fmt.Errorf("deriving vllm@main from %s: %w", export.File, err)
	}
	return answer, nil
}

// Published returns the rates that the producer publishes from the vllm:
// families of an export, rounded, and the counters that it made them of. The
// Dynamo adapter of the producer begins with the same.
func Published(metrics []aiperf.Family) (adapter.Rates, []adapter.Counter, error) {
	sums, err := sumAll(metrics, hits, queries, externalHits, externalQuery, prompt, generation)
	if err != nil {
		return adapter.Rates{}, nil, err
	}
	for _, total := range []string{prompt, generation} {
		if err := adapter.Integral(total, sums[total]); err != nil {
			return adapter.Rates{}, nil, err
		}
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
	return adapter.Rates{
		GPU: adapter.Rounded(rates.GPU), CPU: adapter.Rounded(rates.CPU),
		External: adapter.Rounded(rates.External), Overall: adapter.Rounded(rates.Overall),
	}, used(sums, shares), nil
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
