package aiperf

import (
	"maps"
	"math"
	"slices"
)

// This file writes what a reader kept of a run's files, and nothing else:
// reading it again gives the same. [AppendExport] and its like write whole files
// as AIPerf has them.

// AppendKept appends the export as server_metrics_export.json, a series
// and a time slice a line. A family of Names that was not selected is written without series.
func (e *Export) AppendKept(dst []byte) []byte {
	p := &printer{buf: dst}
	p.open('{')
	p.said("schema_version", e.SchemaVersion)
	p.said("aiperf_version", e.AIPerfVersion)
	p.said("benchmark_id", e.BenchmarkID)
	p.key("summary")
	e.printKeptSummary(p)
	p.key("metrics")
	printKept(p, e.Metrics, e.Names)
	if e.HasWarmup {
		p.key("warmup_metrics")
		printKept(p, e.WarmupMetrics, nil)
	}
	printDuration(p, e.BenchmarkDuration)
	p.close('}')
	return append(p.buf, '\n')
}

// said writes a text unless it is empty.
func (p *printer) said(name, text string) {
	if text != "" {
		p.text(name, text)
	}
}

// ns writes a time unless it is NoTime.
func (p *printer) ns(name string, t int64) {
	if t != NoTime {
		p.integer(name, t)
	}
}

func (e *Export) printKeptSummary(p *printer) {
	p.open('{')
	if e.EndpointsConfigured != nil {
		p.strings("endpoints_configured", e.EndpointsConfigured)
	}
	if len(e.EndpointInfo) > 0 {
		p.key("endpoint_info")
		p.open('{')
		for _, i := range e.EndpointInfo {
			p.key(i.URL)
			p.open('{')
			p.ns("first_fetch_ns", i.FirstFetch)
			p.ns("last_fetch_ns", i.LastFetch)
			p.value("median_update_interval_ms", i.MedianUpdateIntervalMS)
			p.close('}')
		}
		p.close('}')
	}
	if e.Profiling != nil || e.Warmup != nil {
		p.key("phase_time_ranges")
		p.open('{')
		printKeptRange(p, "profiling", e.Profiling)
		printKeptRange(p, "warmup", e.Warmup)
		p.close('}')
	}
	p.close('}')
}

func printKeptRange(p *printer, name string, r *Range) {
	if r == nil {
		return
	}
	p.key(name)
	p.open('{')
	p.ns("start_ns", r.Start)
	p.ns("end_ns", r.End)
	p.close('}')
}

// printKept writes families in the order of names, or their own without names.
func printKept(p *printer, families []Family, names []string) {
	p.open('{')
	left := families
	for _, name := range names {
		if len(left) > 0 && left[0].Name == name {
			printKeptFamily(p, &left[0])
			left = left[1:]
			continue
		}
		p.key(name)
		p.open('{')
		p.close('}')
	}
	for i := range left {
		printKeptFamily(p, &left[i])
	}
	p.close('}')
}

func printKeptFamily(p *printer, f *Family) {
	p.key(f.Name)
	p.line(func() {
		p.open('{')
		p.said("type", f.Type)
		p.key("series")
		p.open('[')
		for i := range f.Series {
			p.below("\n  ")
			printKeptSeries(p, &f.Series[i], f.Type)
		}
		p.close(']')
		p.close('}')
	})
}

// below starts the next element of an array on a line of its own.
func (p *printer) below(indent string) {
	p.element()
	p.buf = append(p.buf, indent...)
}

func printKeptSeries(p *printer, s *Series, kind string) {
	p.open('{')
	p.said("endpoint_url", s.Endpoint)
	if len(s.Labels) > 0 {
		p.key("labels")
		p.open('{')
		for _, name := range slices.Sorted(maps.Keys(s.Labels)) {
			p.text(name, s.Labels[name])
		}
		p.close('}')
	}
	p.key("stats")
	p.open('{')
	p.value("total", s.Stats.Total)
	p.count("count", s.Stats.Count)
	p.value("sum", s.Stats.Sum)
	p.value("avg", s.Stats.Avg)
	p.value("max", s.Stats.Max)
	p.value("rate", s.Stats.Rate)
	p.close('}')
	if s.HasSlices {
		p.key("timeslices")
		p.open('[')
		for i := range s.Slices {
			p.below("\n    ")
			printKeptSlice(p, s, i, kind)
		}
		p.close(']')
	}
	p.close('}')
}

func printKeptSlice(p *printer, s *Series, i int, kind string) {
	p.open('{')
	p.ns("start_ns", s.Slices[i].Start)
	p.ns("end_ns", s.Slices[i].End)
	switch kind {
	case "counter":
		p.value("total", s.Slices[i].Value)
	case "histogram":
		if i < len(s.Counts) {
			p.count("count", s.Counts[i])
		}
		p.value("sum", s.Slices[i].Value)
	default:
		p.value("avg", s.Slices[i].Value)
	}
	p.close('}')
}

// line writes a value on one line.
func (p *printer) line(write func()) {
	before := p.compact
	p.compact = true
	write()
	p.compact = before
}

// count writes a count, which AIPerf has as a JSON int.
func (p *printer) count(name string, v Value) {
	f, ok := v.Float()
	Stat{Name: name, Value: v, Whole: ok && f == math.Trunc(f) && math.Abs(f) < 1<<53}.print(p)
}

func printDuration(p *printer, seconds Value) {
	if seconds.Kind() == Absent {
		return
	}
	p.key("input_config")
	p.open('{')
	p.key("loadgen")
	p.open('{')
	p.value("benchmark_duration", seconds)
	p.close('}')
	p.close('}')
}

// AppendKeptTotals appends the export as server_metrics_export.csv. Names that
// were not selected have no place there.
func (e *Export) AppendKeptTotals(dst []byte) []byte {
	d := &Document{AIPerfVersion: e.AIPerfVersion, BenchmarkID: e.BenchmarkID}
	for _, f := range e.Metrics {
		d.Metrics = append(d.Metrics, documentFamily(f))
	}
	return AppendTotals(dst, d)
}

func documentFamily(f Family) MetricFamily {
	m := MetricFamily{Name: f.Name, Type: f.Type}
	for _, s := range f.Series {
		series := MetricSeries{Endpoint: s.Endpoint}
		for _, name := range slices.Sorted(maps.Keys(s.Labels)) {
			series.Labels = append(series.Labels, Label{name, s.Labels[name]})
		}
		for _, st := range []Stat{
			{"total", s.Stats.Total, false}, {"rate", s.Stats.Rate, false}, {"sum", s.Stats.Sum, false},
			{"count", s.Stats.Count, true}, {"avg", s.Stats.Avg, false}, {"max", s.Stats.Max, false},
		} {
			if st.Value.Kind() != Absent {
				series.Stats = append(series.Stats, st)
			}
		}
		m.Series = append(m.Series, series)
	}
	return m
}

// AppendKept appends the records as profile_export.jsonl.
func (r *Records) AppendKept(dst []byte) []byte {
	p := &printer{buf: dst, compact: true}
	for i := range r.List {
		r.List[i].printKept(p)
		p.buf = append(p.buf, '\n')
		p.fresh = true // a line is a text of its own
	}
	return p.buf
}

func (r *Record) printKept(p *printer) {
	p.open('{')
	p.key("metadata")
	p.open('{')
	p.ns("request_start_ns", r.Start)
	p.ns("request_ack_ns", r.Ack)
	p.ns("request_end_ns", r.End)
	if r.Phase != "" || r.Warmup {
		p.text("benchmark_phase", r.Phase)
	}
	if r.Cancelled {
		p.key("was_cancelled")
		p.bool(true)
	}
	p.close('}')
	p.key("metrics")
	p.open('{')
	p.measure("time_to_first_token", "ms", r.TTFT)
	p.measure("input_sequence_length", "tokens", r.InputLength)
	p.measure("output_sequence_length", "tokens", r.OutputLength)
	p.measure("usage_prompt_tokens", "tokens", r.PromptTokens)
	p.measure("usage_prompt_cache_read_tokens", "tokens", r.CacheReadTokens)
	p.close('}')
	if r.Failed {
		p.key("error")
		p.open('{')
		p.text("type", r.Category)
		p.close('}')
	}
	p.close('}')
}

// measure writes a metric of a record unless it is absent.
func (p *printer) measure(name, unit string, v Value) {
	if v.Kind() == Absent {
		return
	}
	p.key(name)
	p.open('{')
	if unit == "tokens" {
		p.count("value", v)
	} else {
		p.value("value", v)
	}
	p.text("unit", unit)
	p.close('}')
}

// AppendKept appends the aggregate as profile_export_aiperf.json.
func (a *Aggregate) AppendKept(dst []byte) []byte {
	p := &printer{buf: dst}
	p.open('{')
	p.said("benchmark_id", a.BenchmarkID)
	p.metric("request_count", "avg", a.RequestCount)
	p.metric("error_request_count", "avg", a.ErrorRequestCount)
	p.metric("total_usage_prompt_tokens", "avg", a.UsagePromptTokens)
	printDuration(p, a.BenchmarkDuration)
	if w := a.Warmup; w != nil {
		p.key("warmup_metrics")
		p.open('{')
		p.metric("request_count", "avg", w.RequestCount)
		p.metric("error_request_count", "avg", w.ErrorRequestCount)
		p.metric("usage_prompt_tokens", "sum", w.UsagePromptTokens)
		p.close('}')
	}
	if a.TheoreticalHits.Kind() != Absent || a.TheoreticalBlocks.Kind() != Absent {
		p.key("theoretical_prefix_cache_hit")
		p.line(func() {
			p.open('{')
			p.count("count", a.TheoreticalBlocks)
			p.count("sum", a.TheoreticalHits)
			p.close('}')
		})
	}
	p.close('}')
	return append(p.buf, '\n')
}

// metric writes one statistic of a metric block unless it is absent.
func (p *printer) metric(name, stat string, v Value) {
	if v.Kind() == Absent {
		return
	}
	p.key(name)
	p.line(func() {
		p.open('{')
		p.value(stat, v)
		p.close('}')
	})
}

// AppendKept appends the row as the producer writes one: its scalars, then the
// cache rates and the validity record.
func (r *Row) AppendKept(dst []byte) []byte {
	p := &printer{buf: dst}
	p.open('{')
	for _, name := range slices.Sorted(maps.Keys(r.Fields)) {
		p.key(name)
		p.buf = append(p.buf, r.Fields[name]...)
	}
	p.key("request_metrics")
	p.open('{')
	p.close('}')
	p.key("server_metrics")
	p.open('{')
	p.said("adapter", r.Adapter)
	p.key("cache")
	p.open('{')
	p.value("gpu_cache_hit_rate", r.GPU)
	p.value("cpu_cache_hit_rate", r.CPU)
	p.value("external_cache_hit_rate", r.External)
	p.value("overall_cache_hit_rate", r.Overall)
	p.close('}')
	if r.Status != "" || r.Eligible != nil {
		p.key("cache_validity")
		p.open('{')
		p.said("status", r.Status)
		if r.Eligible != nil {
			p.key("pricing_eligible")
			p.bool(*r.Eligible)
		}
		p.close('}')
	}
	p.close('}')
	p.close('}')
	return append(p.buf, '\n')
}
