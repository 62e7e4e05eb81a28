package aiperf

import (
	"cmp"
	"slices"
	"strings"
)

// A Document is a server_metrics_export.json in full, for writing: everything
// AIPerf writes, where [Export] is only what a reader kept.
type Document struct {
	SchemaVersion string // "1.0" or "1.1"
	AIPerfVersion string
	BenchmarkID   string

	Configured, Successful []string // endpoint URLs
	Start, End             int64    // profiling phase, ns, for start_time and end_time
	Endpoints              []EndpointSummary

	Ranges            bool   // whether phase_time_ranges and metrics_phase are written (schema 1.1)
	Profiling, Warmup *Range // a nil one is left out of phase_time_ranges

	Metrics       []MetricFamily
	WarmupMetrics []MetricFamily // warmup_metrics is left out when empty
	Config        Config
}

// An EndpointSummary is one entry of summary.endpoint_info.
type EndpointSummary struct {
	URL                     string
	Fetches                 int
	FirstFetch, LastFetch   int64   // ns
	Latency                 float64 // avg_fetch_latency_ms
	Updates                 int     // unique_updates
	FirstUpdate, LastUpdate int64   // ns, 0 without updates
	Seconds, AvgUpdate      float64 // duration_seconds, avg_update_interval_ms
	MedianUpdate            Value   // median_update_interval_ms
}

// A MetricFamily is one family of metrics or warmup_metrics.
type MetricFamily struct {
	Name, Type, Help string
	Unit             string // "" is left out
	Series           []MetricSeries
}

// A MetricSeries is one series with its statistics.
type MetricSeries struct {
	Endpoint string // full URL
	Labels   []Label
	Stats    []Stat  // in emission order
	Buckets  []Count // histograms
	Sliced   bool    // whether the key timeslices is written (it may be empty)
	Slices   []Timeslice
}

// A Label is one label of a series.
type Label struct{ Name, Value string }

// A Stat is one member of stats. Whole marks those that are JSON ints
// (histogram counts).
type Stat struct {
	Name  string
	Value Value
	Whole bool
}

// A Count is one bucket of a histogram, by its le.
type Count struct {
	Le string
	N  int64
}

// A Timeslice is one entry of timeslices. The values are those of the family's
// type: total, rate (counter); avg, min, max (gauge); count, sum, avg
// (histogram).
type Timeslice struct {
	Start, End int64 // ns
	Partial    bool  // is_complete is written, as false
	Values     [3]Value
	Buckets    []Count
}

// Config is the part of input_config that generated runs have, in the shape of
// AIPerf's v1 config. Zero members are left out.
type Config struct {
	Model       string
	URLs        []string
	Slice       float64 // output.slice_duration, seconds
	Duration    float64 // loadgen.benchmark_duration, seconds
	Requests    int     // loadgen.request_count
	Concurrency int     // loadgen.concurrency
}

// AppendExport appends the document as AIPerf writes it: two-space indent, no
// newline at the end, families and series in AIPerf's order.
func AppendExport(dst []byte, d *Document) []byte {
	p := &printer{buf: dst}
	p.open('{')
	p.text("schema_version", d.SchemaVersion)
	p.text("aiperf_version", d.AIPerfVersion)
	p.text("benchmark_id", d.BenchmarkID)
	p.key("summary")
	d.printSummary(p)
	if d.Ranges {
		p.text("metrics_phase", "profiling")
	}
	p.key("metrics")
	printFamilies(p, d.Metrics)
	if len(d.WarmupMetrics) > 0 {
		p.key("warmup_metrics")
		printFamilies(p, d.WarmupMetrics)
	}
	p.key("input_config")
	d.Config.print(p)
	p.close('}')
	return p.buf
}

func (d *Document) printSummary(p *printer) {
	p.open('{')
	p.strings("endpoints_configured", d.Configured)
	p.strings("endpoints_successful", d.Successful)
	p.text("start_time", localTime(d.Start))
	p.text("end_time", localTime(d.End))
	if len(d.Endpoints) > 0 {
		p.key("endpoint_info")
		p.open('{')
		for _, e := range d.Endpoints {
			p.key(e.URL)
			e.print(p)
		}
		p.close('}')
	}
	if d.Ranges {
		p.key("phase_time_ranges")
		p.open('{')
		d.Profiling.print(p, "profiling")
		d.Warmup.print(p, "warmup")
		p.close('}')
	}
	p.close('}')
}

func (r *Range) print(p *printer, name string) {
	if r == nil {
		return
	}
	p.key(name)
	p.open('{')
	p.integer("start_ns", r.Start)
	p.integer("end_ns", r.End)
	p.close('}')
}

func (e *EndpointSummary) print(p *printer) {
	p.open('{')
	p.integer("total_fetches", int64(e.Fetches))
	p.integer("first_fetch_ns", e.FirstFetch)
	p.integer("last_fetch_ns", e.LastFetch)
	p.number("avg_fetch_latency_ms", e.Latency)
	p.integer("unique_updates", int64(e.Updates))
	p.integer("first_update_ns", e.FirstUpdate)
	p.integer("last_update_ns", e.LastUpdate)
	p.number("duration_seconds", e.Seconds)
	p.number("avg_update_interval_ms", e.AvgUpdate)
	p.value("median_update_interval_ms", e.MedianUpdate)
	p.close('}')
}

func printFamilies(p *printer, families []MetricFamily) {
	p.open('{')
	for i := range families {
		f := &families[i]
		p.key(f.Name)
		p.open('{')
		p.text("type", f.Type)
		p.text("description", f.Help)
		if f.Unit != "" {
			p.text("unit", f.Unit)
		}
		p.key("series")
		p.open('[')
		for j := range f.Series {
			p.element()
			f.Series[j].print(p, f.Type)
		}
		p.close(']')
		p.close('}')
	}
	p.close('}')
}

func (s *MetricSeries) print(p *printer, kind string) {
	p.open('{')
	p.text("endpoint_url", s.Endpoint)
	if len(s.Labels) > 0 {
		p.key("labels")
		p.open('{')
		for _, l := range s.Labels {
			p.text(l.Name, l.Value)
		}
		p.close('}')
	}
	p.key("stats")
	p.open('{')
	for _, st := range s.Stats {
		st.print(p)
	}
	p.close('}')
	printBuckets(p, s.Buckets)
	if s.Sliced {
		p.key("timeslices")
		p.open('[')
		names := sliceNames(kind)
		for i := range s.Slices {
			p.element()
			s.Slices[i].print(p, names, kind == "histogram")
		}
		p.close(']')
	}
	p.close('}')
}

func (st Stat) print(p *printer) {
	if f, ok := st.Value.Float(); ok && st.Whole {
		p.integer(st.Name, int64(f))
		return
	}
	p.value(st.Name, st.Value)
}

func sliceNames(kind string) []string {
	switch kind {
	case "counter":
		return []string{"total", "rate"}
	case "histogram":
		return []string{"count", "sum", "avg"}
	}
	return []string{"avg", "min", "max"}
}

func (t *Timeslice) print(p *printer, names []string, histogram bool) {
	p.open('{')
	if t.Start != NoTime {
		p.integer("start_ns", t.Start)
	}
	if t.End != NoTime {
		p.integer("end_ns", t.End)
	}
	if t.Partial {
		p.key("is_complete")
		p.bool(false)
	}
	for i, name := range names {
		Stat{name, t.Values[i], histogram && i == 0}.print(p)
	}
	printBuckets(p, t.Buckets)
	p.close('}')
}

func printBuckets(p *printer, buckets []Count) {
	if len(buckets) == 0 {
		return
	}
	p.key("buckets")
	p.open('{')
	for _, b := range buckets {
		p.integer(b.Le, b.N)
	}
	p.close('}')
}

func (c *Config) print(p *printer) {
	p.open('{')
	p.key("endpoint")
	p.open('{')
	if c.Model != "" {
		p.strings("model_names", []string{c.Model})
	}
	p.strings("urls", c.URLs)
	p.close('}')
	p.key("output")
	p.open('{')
	if c.Slice > 0 {
		p.number("slice_duration", c.Slice)
	}
	p.close('}')
	if c.Duration > 0 || c.Requests > 0 || c.Concurrency > 0 {
		p.key("loadgen")
		c.printLoad(p)
	}
	p.close('}')
}

func (c *Config) printLoad(p *printer) {
	p.open('{')
	if c.Duration > 0 {
		p.number("benchmark_duration", c.Duration)
	}
	if c.Requests > 0 {
		p.integer("request_count", int64(c.Requests))
	}
	if c.Concurrency > 0 {
		p.integer("concurrency", int64(c.Concurrency))
	}
	p.close('}')
}

// SortFamilies puts families and their series into AIPerf's order: families by
// code point, series by endpoint and by the text of their labels in Python.
func SortFamilies(families []MetricFamily) {
	slices.SortStableFunc(families, func(a, b MetricFamily) int { return strings.Compare(a.Name, b.Name) })
	for _, f := range families {
		slices.SortStableFunc(f.Series, func(a, b MetricSeries) int {
			if a.Endpoint != b.Endpoint {
				return strings.Compare(a.Endpoint, b.Endpoint)
			}
			return cmp.Compare(pythonDict(a.Labels), pythonDict(b.Labels))
		})
	}
}

// pythonDict is str() of a dictionary of strings, AIPerf's sort key of labels.
func pythonDict(labels []Label) string {
	var b strings.Builder
	b.WriteByte('{')
	for i, l := range labels {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(pythonString(l.Name))
		b.WriteString(": ")
		b.WriteString(pythonString(l.Value))
	}
	b.WriteByte('}')
	return b.String()
}

func pythonString(s string) string {
	quote := "'"
	if strings.Contains(s, "'") {
		if !strings.Contains(s, `"`) {
			quote = `"`
		} else {
			s = strings.ReplaceAll(s, "'", `\'`)
		}
	}
	return quote + s + quote
}
