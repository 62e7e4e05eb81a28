package scenarios

import (
	"fmt"
	"strconv"
	"time"
)

// run is a run under construction. What stands in a file as a number is kept as
// its JSON text, so that an edit can put anything there (NaN, "80", null), and
// "" leaves the key out.
type run struct {
	profiling, warmup *span // summary.phase_time_ranges

	metrics       []*series // in the order of the file; series of one name stand together when written
	warmupMetrics []*series // totals only
	env           []pair
	records       []*record
	noRecords     bool // profile_export.jsonl is not there
	noExport      bool // server_metrics_export.json is not there
	row           []pair

	files map[string][]byte // written as they are, beside the rest
}

type pair struct{ key, value string }

// span is a time range in nanoseconds since the Unix epoch, half-open.
type span struct{ start, end int64 }

type series struct {
	name     string
	endpoint string // full URL
	labels   []pair // sorted by key
	total    string // stats.total; a histogram's stats.sum
	kind     string // gauge, histogram, or "" for a counter
	count    string // a histogram's stats.count
	gauge    []pair // a gauge's stats
	slices   []slice
	noSlices bool // the key timeslices is not there
}

// count is a histogram's number of observations.
type slice struct{ start, end, total, count string }

type record struct {
	start, end int64
	phase      string // "" leaves the key out
	tokens     string // usage_prompt_tokens
	err        string // error type; "" is a success
	cancelled  bool
}

// url maps host:port as the launcher does (accounting.md rule 1).
func url(hostPort string) string { return "http://" + hostPort + "/metrics" }

// bounds returns the ends of a slice, false where one is not an integer.
func (s slice) bounds() (span, bool) {
	start, err1 := strconv.ParseInt(s.start, 10, 64)
	end, err2 := strconv.ParseInt(s.end, 10, 64)
	return span{start, end}, err1 == nil && err2 == nil
}

func ns(t int64) string { return strconv.FormatInt(t, 10) }

// float writes a number the way AIPerf does: integral values keep ".0".
func float(x float64) string {
	text := strconv.FormatFloat(x, 'f', -1, 64)
	if x == float64(int64(x)) {
		text += ".0"
	}
	return text
}

// parseTime reads a time since the epoch, written as a duration: 100.1s.
func parseTime(text string) (int64, error) {
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0, fmt.Errorf("%w: %q is not a time like 100.1s", errUsage, text)
	}
	return d.Nanoseconds(), nil
}

func (r *run) setEnv(key, value string) {
	for i := range r.env {
		if r.env[i].key == key {
			r.env[i].value = value
			return
		}
	}
	r.env = append(r.env, pair{key, value})
}
