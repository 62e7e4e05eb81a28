package aiperf

// A Summary is a profile_export_aiperf.json, for writing: the members that a
// generated run has.
type Summary struct {
	SchemaVersion, AIPerfVersion, BenchmarkID string

	Metrics    []SummaryMetric // of the successful profiling records, in emission order
	Config     Config
	Errors     []ErrorCount
	Start, End int64 // profiling phase, ns

	Warmup []SummaryMetric // warmup_metrics is left out when nil
	After  []SummaryMetric // metrics that AIPerf writes behind warmup_metrics
}

// A SummaryMetric is one metric block: unit and statistics in emission order.
type SummaryMetric struct {
	Name, Unit string
	Stats      []Stat
}

// An ErrorCount is one entry of error_summary.
type ErrorCount struct {
	Error RecordError
	Count int
}

// AppendSummary appends the aggregate file as AIPerf writes it.
func AppendSummary(dst []byte, s *Summary) []byte {
	p := &printer{buf: dst}
	p.open('{')
	p.text("schema_version", s.SchemaVersion)
	p.text("aiperf_version", s.AIPerfVersion)
	p.text("benchmark_id", s.BenchmarkID)
	printSummaryMetrics(p, s.Metrics)
	p.key("input_config")
	s.Config.print(p)
	p.key("was_cancelled")
	p.bool(false)
	p.key("error_summary")
	p.open('[')
	for _, e := range s.Errors {
		p.element()
		p.open('{')
		p.key("error_details")
		e.Error.print(p)
		p.integer("count", int64(e.Count))
		p.close('}')
	}
	p.close(']')
	p.text("start_time", localTime(s.Start))
	p.text("end_time", localTime(s.End))
	if s.Warmup != nil {
		p.key("warmup_metrics")
		p.open('{')
		printSummaryMetrics(p, s.Warmup)
		p.close('}')
	}
	printSummaryMetrics(p, s.After)
	p.close('}')
	return p.buf
}

func printSummaryMetrics(p *printer, metrics []SummaryMetric) {
	for _, m := range metrics {
		p.key(m.Name)
		p.open('{')
		p.text("unit", m.Unit)
		for _, st := range m.Stats {
			st.print(p)
		}
		p.close('}')
	}
}
