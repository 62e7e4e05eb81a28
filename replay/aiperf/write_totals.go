package aiperf

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// AppendTotals appends the document as server_metrics_export.csv: profiling
// statistics only, floats with 4 decimals, LF in the head and CRLF after it.
func AppendTotals(dst []byte, d *Document) []byte {
	w := &totals{buf: dst}
	for _, line := range []string{
		"# AIPerf Server Metrics Export (CSV)",
		"# aiperf_version: " + d.AIPerfVersion,
		"# schema_version: 1.0",
		"# benchmark_id: " + d.BenchmarkID,
		"# Note: Same benchmark_id and version appear in JSON and Parquet exports",
		"#",
	} {
		w.buf = append(append(w.buf, line...), '\n')
	}
	first := true
	for _, kind := range []string{"gauge", "counter", "histogram"} {
		families := slices.DeleteFunc(slices.Clone(d.Metrics), func(f MetricFamily) bool { return f.Type != kind })
		if len(families) == 0 {
			continue
		}
		if !first {
			w.line()
		}
		first = false
		w.section(kind, families)
	}
	return w.buf
}

type totals struct {
	buf []byte
	row bool // the row has a field
}

func (w *totals) field(s string) {
	if w.row {
		w.buf = append(w.buf, ',')
	}
	w.row = true
	if strings.ContainsAny(s, ",\"\r\n") {
		s = `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
	}
	w.buf = append(w.buf, s...)
}

func (w *totals) line() {
	w.buf = append(w.buf, '\r', '\n')
	w.row = false
}

func totalsColumns(kind string) []string {
	switch kind {
	case "counter":
		return []string{"total", "rate", "rate_avg", "rate_min", "rate_max", "rate_std"}
	case "histogram":
		return []string{"count", "count_rate", "sum", "sum_rate", "avg"}
	}
	return []string{"avg", "min", "max", "std", "p1", "p5", "p10", "p25", "p50", "p75", "p90", "p95", "p99"}
}

func (w *totals) section(kind string, families []MetricFamily) {
	columns, labels := totalsColumns(kind), labelColumns(families)
	for _, name := range slices.Concat([]string{"Endpoint", "Type", "Metric", "Unit"}, columns, labels, []string{"Description"}) {
		w.field(name)
	}
	if kind == "histogram" {
		w.field("buckets")
	}
	w.line()
	for _, f := range families {
		for i := range f.Series {
			w.series(&f, &f.Series[i], columns, labels)
		}
	}
}

func (w *totals) series(f *MetricFamily, s *MetricSeries, columns, labels []string) {
	w.field(hostPort(s.Endpoint))
	w.field(f.Type)
	w.field(f.Name)
	w.field(f.Unit)
	for _, name := range columns {
		w.field(s.stat(name))
	}
	for _, name := range labels {
		w.field(s.label(name))
	}
	w.field(f.Help)
	if f.Type == "histogram" {
		var parts []string
		for _, b := range s.Buckets {
			parts = append(parts, b.Le+"="+strconv.FormatInt(b.N, 10))
		}
		w.field(strings.Join(parts, ";"))
	}
	w.line()
}

func (s *MetricSeries) stat(name string) string {
	for _, st := range s.Stats {
		f, ok := st.Value.Float()
		switch {
		case st.Name != name:
		case !ok:
			return st.Value.Text()
		case st.Whole:
			return strconv.FormatInt(int64(f), 10)
		default:
			return strconv.FormatFloat(f, 'f', 4, 64)
		}
	}
	return ""
}

func (s *MetricSeries) label(name string) string {
	for _, l := range s.Labels {
		if l.Name == name {
			return l.Value
		}
	}
	return ""
}

// labelColumns are the label names of a section, in order of appearance.
func labelColumns(families []MetricFamily) []string {
	var names []string
	for _, f := range families {
		for _, s := range f.Series {
			for _, l := range s.Labels {
				if !slices.Contains(names, l.Name) {
					names = append(names, l.Name)
				}
			}
		}
	}
	return names
}

// hostPort is what the CSV keeps of an endpoint's URL.
func hostPort(endpoint string) string {
	if u, err := url.Parse(endpoint); err == nil && u.Host != "" {
		return u.Host
	}
	return endpoint
}
