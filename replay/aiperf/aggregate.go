package aiperf

// An Aggregate is what is read of profile_export_aiperf.json.
type Aggregate struct {
	File              string
	BenchmarkID       string
	RequestCount      Value // request_count.avg: successful profiling requests
	ErrorRequestCount Value // error_request_count.avg, Absent when zero
	UsagePromptTokens Value // total_usage_prompt_tokens.avg
	BenchmarkDuration Value // input_config: configured seconds, Absent when none was set
	TheoreticalHits   Value // theoretical_prefix_cache_hit.sum, blocks
	TheoreticalBlocks Value // theoretical_prefix_cache_hit.count, blocks
	Warmup            *AggregateWarmup
}

// AggregateWarmup is warmup_metrics of profile_export_aiperf.json.
type AggregateWarmup struct {
	RequestCount      Value // request_count.avg
	ErrorRequestCount Value // error_request_count.avg, Absent when zero
	UsagePromptTokens Value // usage_prompt_tokens.sum, else total_usage_prompt_tokens.avg
}

// A Row is one published aggregate row.
type Row struct {
	File      string
	Framework string
	Disagg    *bool  // nil when the row does not say
	Adapter   string // server_metrics.adapter

	GPU, CPU, External, Overall Value // server_metrics.cache.*_cache_hit_rate

	Status   string // server_metrics.cache_validity.status
	Eligible *bool  // server_metrics.cache_validity.pricing_eligible; nil without a validity record

	// Fields are top-level scalars as JSON text, and kv_offload_backend and
	// router where they are objects: for rebuilding the producer's environment.
	Fields map[string]string
}
