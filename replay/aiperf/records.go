package aiperf

// Records is profile_export.jsonl, read in one pass.
type Records struct {
	File       string
	Accounting Accounting
	List       []Record // every line that is not blank, in file order
}

// A Record is one request as the client saw it. Times are nanoseconds since
// the Unix epoch, NoTime when the record has none.
type Record struct {
	Line      int
	Phase     string // benchmark_phase as text; "" when absent or null
	Warmup    bool   // a phase is given and is not "profiling" (accounting.md rule 16)
	Failed    bool   // the error is truthy, as the producer's Python has it
	Category  string // of the error, as the producer names it; "" unless failed
	Cancelled bool   // was_cancelled is true

	Start, Ack, End int64
	TTFT            Value // time_to_first_token, ms

	InputLength     Value // input_sequence_length, tokens
	OutputLength    Value // output_sequence_length, tokens
	PromptTokens    Value // usage_prompt_tokens
	CacheReadTokens Value // usage_prompt_cache_read_tokens
}

// Successful reports whether the record counts for the request scope: a
// profiling record without an error.
func (r Record) Successful() bool { return !r.Warmup && !r.Failed }

// Accounting is the producer's request_accounting.
type Accounting struct {
	Total           int  // records_total
	Profiled        int  // records_profiled
	Dropped         int  // records_dropped_total
	WarmupDropped   int  // records_warmup_dropped
	ErrorDropped    int  // records_error_dropped: every phase
	ProfilingErrors *int // records_profiling_error_dropped; nil in accountings without the split

	ErrorCategories map[string]int // error_categories
}

// BlockingErrors returns the errors that refuse a price: those outside warmup,
// or all of them where the accounting has no split (accounting.md rule 15).
func (a Accounting) BlockingErrors() int {
	if a.ProfilingErrors != nil {
		return *a.ProfilingErrors
	}
	return a.ErrorDropped
}
