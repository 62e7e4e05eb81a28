// Package etl holds the consumer's own derivation. The app no longer takes the
// rates of a producer: it derives them from server_metrics_export.csv, which
// has totals only, no slices and no window (producer.md section 11).
package etl

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pdreplay/pdreplay/replay/adapter"
	"github.com/pdreplay/pdreplay/replay/adapter/vllm"
	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// Adapters returns etl@app.
func Adapters() []adapter.Adapter { return []adapter.Adapter{app{}} }

// Selects reports whether a metric family is one that the adapter reads.
func Selects(family string) bool {
	return vllm.Selects(family) ||
		slices.Contains(slices.Concat(spellings(cached), spellings(full), spellings(loaded)), family) ||
		slices.Contains([]string{sglangPrompt, sglangCached, trtllmRate}, family)
}

// app is etl@app. It publishes no overall rate and no validity record.
type app struct{}

func (app) Name() string { return "etl@app" }

// Engine implements [adapter.Adapter]: it answers for every engine.
func (app) Engine() string { return "" }

// Derive implements [adapter.Adapter].
func (app) Derive(_ context.Context, run *aiperf.Run) (adapter.Answer, error) {
	var answer adapter.Answer
	if run.Totals == nil {
		answer.Reasons = []string{"there is no server_metrics_export.csv"}
		return answer, nil
	}
	framework := strings.ToLower(adapter.Framework(run))
	derive := byFramework(framework)
	if derive == nil {
		answer.Reasons = []string{fmt.Sprintf("the framework %q is not known", framework)}
		return answer, nil
	}
	metrics, filtered := prefillOnly(run)
	if disaggregated(run) && !filtered {
		answer.Reasons = append(answer.Reasons, "no series has a role label, so every endpoint counts, decode included")
	}
	rates, counters, err := derive(metrics)
	if err != nil {
		return adapter.Answer{}, fmt.Errorf("deriving etl@app from %s: %w", run.Totals.File, err)
	}
	rates.Overall = nil
	for _, r := range []struct {
		name string
		rate **float64
	}{{"gpu", &rates.GPU}, {"cpu", &rates.CPU}, {"external", &rates.External}} {
		if *r.rate != nil && **r.rate > 1 {
			answer.Reasons = append(answer.Reasons, fmt.Sprintf("the %s rate %v is above 1, so it is null", r.name, **r.rate))
			*r.rate = nil
		}
	}
	answer.Rates, answer.Counters = rates.Round(), counters
	return answer, nil
}

// A derivation makes the rates of the families that are left.
type derivation func([]aiperf.Family) (adapter.Rates, []adapter.Counter, error)

// byFramework is the app's table of framework names; nil for a name that it
// does not know.
func byFramework(name string) derivation {
	switch strings.TrimPrefix(name, "dynamo-") {
	case "atom":
		return atom
	case "vllm":
		return vllm.Rates
	case "sglang":
		return sglang
	case "trt", "trtllm":
		return trtllm
	}
	return nil
}

// prefillOnly keeps the series that are labelled prefill, for a disaggregated
// run of which any series has a role label; else the whole scrape.
func prefillOnly(run *aiperf.Run) ([]aiperf.Family, bool) {
	metrics := run.Totals.Metrics
	if !disaggregated(run) || !slices.ContainsFunc(metrics, hasRole) {
		return metrics, false
	}
	var kept []aiperf.Family
	for _, f := range metrics {
		f.Series = slices.DeleteFunc(slices.Clone(f.Series), func(s aiperf.Series) bool { return role(s) != "prefill" })
		kept = append(kept, f)
	}
	return kept, true
}

func hasRole(f aiperf.Family) bool {
	return slices.ContainsFunc(f.Series, func(s aiperf.Series) bool { return role(s) != "" })
}

// role is "prefill", "decode", or "" for a series that no label gives a role.
func role(s aiperf.Series) string {
	for _, label := range []string{"dynamo_component", "disaggregation_mode"} {
		switch strings.ToLower(s.Labels[label]) {
		case "prefill", "context", "ctx":
			return "prefill"
		case "backend", "decode", "generation", "gen":
			return "decode"
		}
	}
	return ""
}

// disaggregated is the row's flag, as the producer reads it of its environment.
func disaggregated(run *aiperf.Run) bool {
	if word := run.Env["DISAGG"]; word != "" {
		return slices.Contains([]string{"1", "true", "yes", "on"}, strings.ToLower(word))
	}
	return run.Published != nil && run.Published.Disagg != nil && *run.Published.Disagg
}

const (
	cached = "prefix_cache_cached_tokens"
	full   = "prefix_cache_full_tokens"
	loaded = "lmcache_loaded_tokens"

	sglangPrompt = "sglang:prompt_tokens"
	sglangCached = "sglang:cached_tokens"
	trtllmRate   = "trtllm_kv_cache_hit_rate"
)

// spellings are the four names of an ATOM counter, all of which are added.
func spellings(stem string) []string {
	return []string{"atom:" + stem, "atom_" + stem, "atom:" + stem + "_total", "atom_" + stem + "_total"}
}

// atom takes the transfer volume for the CPU tier and reads no OFFLOAD.
func atom(metrics []aiperf.Family) (adapter.Rates, []adapter.Counter, error) {
	var sums []*float64
	var counters []adapter.Counter
	for _, stem := range []string{cached, full, loaded} {
		sum, err := adapter.SumStat(metrics, spellings(stem)...)
		if err != nil {
			return adapter.Rates{}, nil, err
		}
		sums = append(sums, sum)
		if sum != nil {
			counters = append(counters, adapter.Counter{Name: stem, Value: *sum})
		}
	}
	cpu := adapter.Ratio(sums[2], sums[1])
	return adapter.Rates{GPU: adapter.Ratio(sums[0], sums[1]), CPU: cpu, External: cpu}, counters, nil
}

// sglang drops the storage tier.
func sglang(metrics []aiperf.Family) (adapter.Rates, []adapter.Counter, error) {
	prompt, err := adapter.SumStat(metrics, sglangPrompt)
	if err != nil {
		return adapter.Rates{}, nil, err
	}
	shares, err := adapter.SumByLabel(metrics, sglangCached, "cache_source")
	if err != nil {
		return adapter.Rates{}, nil, err
	}
	var counters []adapter.Counter
	if prompt != nil {
		counters = append(counters, adapter.Counter{Name: sglangPrompt, Value: *prompt})
	}
	for _, s := range shares {
		counters = append(counters, adapter.Counter{Name: fmt.Sprintf("%s{cache_source=%q}", sglangCached, s.Label), Value: s.Value})
	}
	cpu := adapter.Ratio(adapter.ShareOf(shares, "host"), prompt)
	return adapter.Rates{GPU: adapter.Ratio(adapter.ShareOf(shares, "device"), prompt), CPU: cpu, External: cpu}, counters, nil
}

// trtllm takes the mean of the gauge.
func trtllm(metrics []aiperf.Family) (adapter.Rates, []adapter.Counter, error) {
	gauge, err := adapter.MeanGauge(metrics, trtllmRate)
	if err != nil || gauge == nil {
		return adapter.Rates{}, nil, err
	}
	return adapter.Rates{GPU: adapter.Fraction(gauge)}, []adapter.Counter{{Name: trtllmRate, Value: *gauge}}, nil
}
