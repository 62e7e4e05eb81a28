package aiperf

import "io/fs"

// ReadAggregate reads profile_export_aiperf.json from the file name of fsys.
// Errors and notes are as in [ReadExport].
func ReadAggregate(fsys fs.FS, name string) (*Aggregate, []Note, error) {
	a := &Aggregate{File: name}
	n := &notes{file: name}
	err := readJSON(fsys, name, n, func(s *scanner) { s.aggregate(a) })
	if err != nil {
		return nil, nil, err
	}
	return a, n.all(), nil
}

func (s *scanner) aggregate(a *Aggregate) {
	var nested Aggregate
	for name := range s.object() {
		switch name {
		case "benchmark_id":
			a.BenchmarkID = s.text()
		case "input_config":
			a.BenchmarkDuration = s.configuredDuration()
		case "warmup_metrics":
			if !s.null() {
				a.Warmup = s.aggregateWarmup()
			}
		case "records":
			// The oldest files keep all metrics one level down.
			if !s.null() {
				for metric := range s.object() {
					s.aggregateMetric(&nested, metric)
				}
			}
		default:
			s.aggregateMetric(a, name)
		}
	}
	s.merge(a, &nested)
}

// merge takes the metrics under records where there are none at the top. No
// AIPerf writes both: then those at the top are read, in whatever order they
// stand, and that is noted.
func (s *scanner) merge(a, nested *Aggregate) {
	both := false
	for _, v := range [][2]*Value{
		{&a.RequestCount, &nested.RequestCount},
		{&a.ErrorRequestCount, &nested.ErrorRequestCount},
		{&a.UsagePromptTokens, &nested.UsagePromptTokens},
		{&a.TheoreticalHits, &nested.TheoreticalHits},
		{&a.TheoreticalBlocks, &nested.TheoreticalBlocks},
	} {
		if v[0].Kind() == Absent {
			*v[0] = *v[1]
		} else {
			both = both || v[1].Kind() != Absent
		}
	}
	if both {
		s.note("metrics both at the top and under records, those at the top are read")
	}
}

func (s *scanner) aggregateMetric(a *Aggregate, name string) {
	switch name {
	case "request_count":
		a.RequestCount = s.metric().avg
	case "error_request_count":
		a.ErrorRequestCount = s.metric().avg
	case "total_usage_prompt_tokens":
		a.UsagePromptTokens = s.metric().avg
	case "theoretical_prefix_cache_hit":
		m := s.metric()
		a.TheoreticalHits, a.TheoreticalBlocks = m.sum, m.count
	default:
		s.pass()
	}
}

func (s *scanner) aggregateWarmup() *AggregateWarmup {
	w := &AggregateWarmup{}
	var tokens, total metricValues
	for name := range s.object() {
		switch name {
		case "request_count":
			w.RequestCount = s.metric().avg
		case "error_request_count":
			w.ErrorRequestCount = s.metric().avg
		case "usage_prompt_tokens":
			tokens = s.metric()
		case "total_usage_prompt_tokens":
			total = s.metric()
		default:
			s.pass()
		}
	}
	w.UsagePromptTokens = tokens.sum
	if tokens.sum.Kind() == Absent {
		w.UsagePromptTokens = total.avg
	}
	return w
}

// metricValues are the statistics of one metric block that are read.
type metricValues struct{ avg, sum, count Value }

// metric reads a metric block. Old files write null for a metric that is not
// set: every statistic of it is then null.
func (s *scanner) metric() (m metricValues) {
	if s.null() {
		return metricValues{NullValue(), NullValue(), NullValue()}
	}
	for name := range s.object() {
		switch name {
		case "avg":
			m.avg = s.value()
		case "sum":
			m.sum = s.value()
		case "count":
			m.count = s.value()
		default:
			s.pass()
		}
	}
	return m
}
