package aiperf

import (
	"maps"
	"slices"
)

// Whether two readers read the same, nil and empty being one: cmp.Equal takes
// longer than reading, and these are asked ten million times.

func sameExport(a, b *Export) bool {
	return a.File == b.File && a.SchemaVersion == b.SchemaVersion && a.AIPerfVersion == b.AIPerfVersion && a.BenchmarkID == b.BenchmarkID &&
		slices.Equal(a.EndpointsConfigured, b.EndpointsConfigured) && slices.EqualFunc(a.EndpointInfo, b.EndpointInfo, sameInfo) &&
		same(a.Profiling, b.Profiling) && same(a.Warmup, b.Warmup) && sameValue(a.BenchmarkDuration, b.BenchmarkDuration) &&
		slices.Equal(a.Names, b.Names) && a.HasWarmup == b.HasWarmup &&
		slices.EqualFunc(a.Metrics, b.Metrics, sameFamily) && slices.EqualFunc(a.WarmupMetrics, b.WarmupMetrics, sameFamily)
}

// same compares what two pointers point to.
func same[T comparable](a, b *T) bool {
	return a == b || a != nil && b != nil && *a == *b
}

func sameInfo(a, b EndpointInfo) bool {
	return a.URL == b.URL && a.FirstFetch == b.FirstFetch && a.LastFetch == b.LastFetch && sameValue(a.MedianUpdateIntervalMS, b.MedianUpdateIntervalMS)
}

func sameFamily(a, b Family) bool {
	return a.Name == b.Name && a.Type == b.Type && slices.EqualFunc(a.Series, b.Series, sameSeries)
}

func sameSeries(a, b Series) bool {
	return a.Endpoint == b.Endpoint && maps.Equal(a.Labels, b.Labels) && a.HasSlices == b.HasSlices && a.At == b.At &&
		sameStats(a.Stats, b.Stats) && slices.EqualFunc(a.Slices, b.Slices, sameSlice) && slices.EqualFunc(a.Counts, b.Counts, sameValue)
}

func sameStats(a, b Stats) bool {
	return sameValue(a.Total, b.Total) && sameValue(a.Sum, b.Sum) && sameValue(a.Count, b.Count) &&
		sameValue(a.Max, b.Max) && sameValue(a.Avg, b.Avg) && sameValue(a.Rate, b.Rate)
}

func sameSlice(a, b Slice) bool {
	return a.Start == b.Start && a.End == b.End && sameValue(a.Value, b.Value)
}

func sameRecord(a, b Record) bool {
	return a.Line == b.Line && a.Phase == b.Phase && a.Warmup == b.Warmup && a.Failed == b.Failed && a.Cancelled == b.Cancelled &&
		a.Start == b.Start && a.Ack == b.Ack && a.End == b.End && sameValue(a.TTFT, b.TTFT) && sameValue(a.InputLength, b.InputLength) &&
		sameValue(a.OutputLength, b.OutputLength) && sameValue(a.PromptTokens, b.PromptTokens) && sameValue(a.CacheReadTokens, b.CacheReadTokens)
}

func sameAggregate(a, b *Aggregate) bool {
	if (a.Warmup == nil) != (b.Warmup == nil) {
		return false
	}
	if a.Warmup != nil && !(sameValue(a.Warmup.RequestCount, b.Warmup.RequestCount) && sameValue(a.Warmup.ErrorRequestCount, b.Warmup.ErrorRequestCount) &&
		sameValue(a.Warmup.UsagePromptTokens, b.Warmup.UsagePromptTokens)) {
		return false
	}
	return a.File == b.File && a.BenchmarkID == b.BenchmarkID && sameValue(a.RequestCount, b.RequestCount) && sameValue(a.ErrorRequestCount, b.ErrorRequestCount) &&
		sameValue(a.UsagePromptTokens, b.UsagePromptTokens) && sameValue(a.BenchmarkDuration, b.BenchmarkDuration) &&
		sameValue(a.TheoreticalHits, b.TheoreticalHits) && sameValue(a.TheoreticalBlocks, b.TheoreticalBlocks)
}

func sameRow(a, b *Row) bool {
	return a.File == b.File && a.Framework == b.Framework && same(a.Disagg, b.Disagg) && a.Adapter == b.Adapter && sameValue(a.GPU, b.GPU) &&
		sameValue(a.CPU, b.CPU) && sameValue(a.External, b.External) && sameValue(a.Overall, b.Overall) &&
		a.Status == b.Status && same(a.Eligible, b.Eligible) && maps.Equal(a.Fields, b.Fields)
}
