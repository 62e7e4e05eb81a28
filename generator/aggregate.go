package generator

import (
	"math"
	"slices"

	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// summary makes the aggregate file of the records, warmup_metrics included
// where the collector has it.
func summary(d *aiperf.Document, h shape, rows []row) *aiperf.Summary {
	s := &aiperf.Summary{
		SchemaVersion: "1.2", AIPerfVersion: d.AIPerfVersion, BenchmarkID: d.BenchmarkID,
		Config: d.Config, Start: d.Start, End: d.End,
	}
	var profiled, warm []row
	for _, r := range rows {
		if r.Phase == "warmup" {
			warm = append(warm, r)
		} else {
			profiled = append(profiled, r)
		}
	}
	s.Metrics, s.Errors = summarize(profiled)
	if h.version != V10 && h.phases.warm() {
		s.Warmup, _ = summarize(warm)
	}
	s.After = theoretical(profiled)
	return s
}

// recordUnits are the record metrics that the aggregate has, in its order.
var recordUnits = [...]struct{ name, unit string }{
	{"request_latency", "ms"}, {"time_to_first_token", "ms"}, {"inter_token_latency", "ms"},
	{"output_sequence_length", "tokens"}, {"input_sequence_length", "tokens"},
	{"usage_prompt_tokens", "tokens"}, {"usage_completion_tokens", "tokens"}, {"usage_prompt_cache_read_tokens", "tokens"},
}

func single(name, unit string, v float64) aiperf.SummaryMetric {
	return aiperf.SummaryMetric{Name: name, Unit: unit, Stats: []aiperf.Stat{number("avg", v)}}
}

// summarize makes the metric blocks of the rows and counts their errors.
func summarize(rows []row) ([]aiperf.SummaryMetric, []aiperf.ErrorCount) {
	var good []row
	var errors []aiperf.ErrorCount
	failed := 0
	for _, r := range rows {
		if r.Error == nil {
			good = append(good, r)
			continue
		}
		failed++
		i := slices.IndexFunc(errors, func(e aiperf.ErrorCount) bool { return e.Error == *r.Error })
		if i < 0 {
			i = len(errors)
			errors = append(errors, aiperf.ErrorCount{Error: *r.Error})
		}
		errors[i].Count++
	}
	out := []aiperf.SummaryMetric{single("request_count", "requests", float64(len(good)))}
	totals := map[string]float64{}
	for _, u := range recordUnits {
		values := make([]float64, 0, len(good))
		for i := range good {
			if m := good[i].metric(u.name); m != nil {
				if f, ok := m.Value.Float(); ok {
					values = append(values, f)
					totals[u.name] += f
				}
			}
		}
		if len(values) > 0 {
			out = append(out, aiperf.SummaryMetric{Name: u.name, Unit: u.unit, Stats: distribution(values)})
		}
	}
	out = append(out,
		single("total_isl", "tokens", totals["input_sequence_length"]),
		single("total_osl", "tokens", totals["output_sequence_length"]),
		single("total_usage_prompt_tokens", "tokens", totals["usage_prompt_tokens"]))
	if failed > 0 {
		out = append(out, single("error_request_count", "requests", float64(failed)))
	}
	return out, errors
}

// distribution is AIPerf's statistics of one metric: percentiles linear
// between order statistics as in numpy, population standard deviation.
func distribution(values []float64) []aiperf.Stat {
	n, sum := len(values), 0.0
	for _, v := range values {
		sum += v
	}
	avg, squares := sum/float64(n), 0.0
	for _, v := range values {
		d := v - avg
		squares += float64(d * d)
	}
	sorted := slices.Sorted(slices.Values(values))
	out := append([]aiperf.Stat{number("avg", avg)}, percentileStats(sorted)...)
	return append(out, number("min", sorted[0]), number("max", sorted[n-1]), number("std", math.Sqrt(squares/float64(n))),
		aiperf.Stat{Name: "count", Value: aiperf.NumberValue(float64(n)), Whole: true}, number("sum", sum))
}

func percentileStats(sorted []float64) []aiperf.Stat {
	var out []aiperf.Stat
	for _, p := range [...]struct {
		name string
		p    int
	}{{"p1", 1}, {"p5", 5}, {"p10", 10}, {"p25", 25}, {"p50", 50}, {"p75", 75}, {"p90", 90}, {"p95", 95}, {"p99", 99}} {
		out = append(out, number(p.name, percentile(sorted, p.p)))
	}
	return out
}

func percentile(sorted []float64, p int) float64 {
	i, rest := p*(len(sorted)-1)/100, p*(len(sorted)-1)%100
	if rest == 0 {
		return sorted[i]
	}
	step := float64((sorted[i+1] - sorted[i]) * (float64(rest) / 100))
	return sorted[i] + step
}

// theoretical is the bound of an infinite cache. The generator gives every
// prompt whole, in blocks of 64 tokens: what was hit must not show here, since
// AIPerf works the bound out from the data set alone.
func theoretical(rows []row) []aiperf.SummaryMetric {
	const block = 64
	total := int64(0)
	for _, r := range rows {
		if r.Error == nil && r.request != nil {
			total += (r.request.prompt + block - 1) / block
		}
	}
	if total == 0 {
		return nil
	}
	count := aiperf.NumberValue(float64(total))
	return []aiperf.SummaryMetric{{Name: "theoretical_prefix_cache_hit", Unit: "%", Stats: []aiperf.Stat{
		number("avg", 100), {Name: "count", Value: count, Whole: true}, {Name: "sum", Value: count, Whole: true},
	}}}
}
