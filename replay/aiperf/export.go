package aiperf

import "math"

// An Export is what a reader kept of server_metrics_export.json (or .csv).
type Export struct {
	File string // path inside the run's FS, for addresses

	SchemaVersion string
	AIPerfVersion string
	BenchmarkID   string

	EndpointsConfigured []string
	EndpointInfo        []EndpointInfo // in file order
	Profiling           *Range         // summary.phase_time_ranges.profiling, nil when absent
	Warmup              *Range         // summary.phase_time_ranges.warmup, nil when absent
	BenchmarkDuration   Value          // input_config: configured seconds, Absent when none was set

	Names         []string // every family of metrics, selected or not, in file order
	Metrics       []Family // the selected families of metrics, in file order
	WarmupMetrics []Family // the selected families of warmup_metrics: Stats only, no Slices
	HasWarmup     bool     // warmup_metrics stands in the file
}

// NoTime stands for a time that the file does not give as an integer.
const NoTime int64 = math.MinInt64

// A Range is a phase, in nanoseconds since the Unix epoch, half-open. An end
// that the file does not give as an integer is NoTime.
type Range struct{ Start, End int64 }

// EndpointInfo is one entry of summary.endpoint_info.
type EndpointInfo struct {
	URL                    string
	FirstFetch, LastFetch  int64 // ns, NoTime when absent
	MedianUpdateIntervalMS Value
}

// A Family is one metric name with its series.
type Family struct {
	Name   string
	Type   string // counter, gauge, histogram, unknown, or what the file says
	Series []Series
}

// A Series is one family on one endpoint with one set of labels.
type Series struct {
	Endpoint string            // endpoint_url: a full URL in the JSON, host:port in the CSV
	Labels   map[string]string // nil when there are none
	Stats    Stats

	HasSlices bool    // the key timeslices is there (it may be empty)
	Slices    []Slice // in file order
	Counts    []Value // histograms: count of each slice, parallel to Slices

	At string // address in the file: JSON pointer, or "line N" of the CSV
}

// Stats are the statistics of one series over the profiling phase.
type Stats struct {
	Total Value // counters
	Sum   Value // histograms
	Count Value // histograms
	Max   Value
	Avg   Value
	Rate  Value // counters: total per second from reference to last scrape
}

// A Slice is one entry of timeslices.
type Slice struct {
	Start, End int64 // ns; NoTime where the file gives no integer (noted on the run)
	Value      Value // counter: total; histogram: sum; gauge: avg
}
