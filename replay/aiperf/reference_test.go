package aiperf

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
	"testing"
)

// The reference reader: the same files through encoding/json, all in memory,
// with none of the scanner's code. It knows only what AIPerf writes.

type object = map[string]any

// decode reads one JSON text with encoding/json, numbers as text.
func decode(data []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err == nil {
		return nil, fmt.Errorf("trailing data")
	}
	return v, nil
}

// memberOrder returns the names of the object at path in file order.
func memberOrder(data []byte, path ...string) []string {
	d := json.NewDecoder(bytes.NewReader(data))
	if _, err := d.Token(); err != nil {
		return nil
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil
		}
		var raw json.RawMessage
		if d.Decode(&raw) != nil {
			return nil
		}
		if len(path) > 0 && name == path[0] {
			return memberOrder(raw, path[1:]...)
		}
	}
	if len(path) > 0 {
		return nil
	}
	var names []string
	d = json.NewDecoder(bytes.NewReader(data))
	d.Token()
	for d.More() {
		name, _ := d.Token()
		names = append(names, fmt.Sprint(name))
		var raw json.RawMessage
		d.Decode(&raw)
	}
	return names
}

func refValue(m object, key string) Value {
	switch v := m[key].(type) {
	case nil:
		if _, ok := m[key]; ok {
			return NullValue()
		}
		return Value{}
	case json.Number:
		f, err := strconv.ParseFloat(string(v), 64)
		if err != nil {
			return OtherValue(string(v))
		}
		return NumberValue(f)
	case string:
		text, _ := json.Marshal(v)
		return OtherValue(string(text))
	case bool:
		return OtherValue(strconv.FormatBool(v))
	default:
		return Value{}
	}
}

func refTime(m object, key string) int64 {
	n, ok := m[key].(json.Number)
	if !ok {
		return NoTime
	}
	r, ok := new(big.Rat).SetString(string(n))
	if !ok || !r.IsInt() {
		return NoTime
	}
	return r.Num().Int64()
}

func refText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case nil:
		return ""
	case json.Number:
		return string(v)
	default:
		return fmt.Sprint(v)
	}
}

func refObject(v any) object { m, _ := v.(object); return m }
func refArray(v any) []any   { a, _ := v.([]any); return a }

func refRange(v any) *Range {
	if v == nil {
		return nil
	}
	m := refObject(v)
	return &Range{refTime(m, "start_ns"), refTime(m, "end_ns")}
}

// refExport reads an export of which everything is selected.
func refExport(file string, data []byte) (*Export, error) {
	v, err := decode(data)
	if err != nil {
		return nil, err
	}
	root := refObject(v)
	summary := refObject(root["summary"])
	e := &Export{
		File:              file,
		SchemaVersion:     refText(root["schema_version"]),
		AIPerfVersion:     refText(root["aiperf_version"]),
		BenchmarkID:       refText(root["benchmark_id"]),
		BenchmarkDuration: refDuration(root),
		Names:             memberOrder(data, "metrics"),
	}
	for _, url := range refArray(summary["endpoints_configured"]) {
		e.EndpointsConfigured = append(e.EndpointsConfigured, refText(url))
	}
	for _, url := range memberOrder(data, "summary", "endpoint_info") {
		info := refObject(refObject(summary["endpoint_info"])[url])
		e.EndpointInfo = append(e.EndpointInfo, EndpointInfo{url, refTime(info, "first_fetch_ns"), refTime(info, "last_fetch_ns"), refValue(info, "median_update_interval_ms")})
	}
	phases := refObject(summary["phase_time_ranges"])
	e.Profiling, e.Warmup = refRange(phases["profiling"]), refRange(phases["warmup"])
	e.Metrics = refFamilies(data, root, "metrics", true)
	e.WarmupMetrics = refFamilies(data, root, "warmup_metrics", false)
	_, e.HasWarmup = root["warmup_metrics"]
	return e, nil
}

func refDuration(root object) Value {
	loadgen := refObject(refObject(root["input_config"])["loadgen"])
	if loadgen["benchmark_duration"] == nil {
		return Value{}
	}
	return refValue(loadgen, "benchmark_duration")
}

func refFamilies(data []byte, root object, member string, slices bool) []Family {
	var list []Family
	for _, name := range memberOrder(data, member) {
		family := refObject(refObject(root[member])[name])
		f := Family{Name: name, Type: refText(family["type"])}
		for i, v := range refArray(family["series"]) {
			at := fmt.Sprintf("/%s/%s/series/%d", member, escapePointer(name), i)
			f.Series = append(f.Series, refSeries(refObject(v), f.Type, at, slices))
		}
		list = append(list, f)
	}
	return list
}

func refSeries(m object, kind, at string, slices bool) Series {
	stats := refObject(m["stats"])
	s := Series{Endpoint: refText(m["endpoint_url"]), At: at, Stats: Stats{
		refValue(stats, "total"), refValue(stats, "sum"), refValue(stats, "count"),
		refValue(stats, "max"), refValue(stats, "avg"), refValue(stats, "rate"),
	}}
	for name, v := range refObject(m["labels"]) {
		if s.Labels == nil {
			s.Labels = make(map[string]string)
		}
		s.Labels[name] = refText(v)
	}
	if !slices || m["timeslices"] == nil {
		return s
	}
	s.HasSlices = true
	key := map[string]string{"counter": "total", "histogram": "sum"}[kind]
	if key == "" {
		key = "avg"
	}
	for _, v := range refArray(m["timeslices"]) {
		slice := refObject(v)
		s.Slices = append(s.Slices, Slice{refTime(slice, "start_ns"), refTime(slice, "end_ns"), refValue(slice, key)})
		if kind == "histogram" {
			s.Counts = append(s.Counts, refValue(slice, "count"))
		}
	}
	return s
}

// refRecord reads one line of the jsonl.
func refRecord(line []byte, number int) (Record, error) {
	v, err := decode(line)
	if err != nil {
		return Record{}, err
	}
	root := refObject(v)
	metadata, metrics := refObject(root["metadata"]), refObject(root["metrics"])
	r := Record{
		Line:  number,
		Phase: refText(metadata["benchmark_phase"]),
		Start: refTime(metadata, "request_start_ns"),
		Ack:   refTime(metadata, "request_ack_ns"),
		End:   refTime(metadata, "request_end_ns"),
	}
	r.Warmup = metadata["benchmark_phase"] != nil && metadata["benchmark_phase"] != "profiling"
	r.Cancelled = refTruth(metadata["was_cancelled"])
	r.Failed = refTruth(root["error"])
	for key, to := range map[string]*Value{
		"time_to_first_token": &r.TTFT, "input_sequence_length": &r.InputLength, "output_sequence_length": &r.OutputLength,
		"usage_prompt_tokens": &r.PromptTokens, "usage_prompt_cache_read_tokens": &r.CacheReadTokens,
	} {
		if m, ok := metrics[key].(object); ok {
			*to = refValue(m, "value")
		} else {
			*to = refValue(metrics, key)
		}
	}
	return r, nil
}

// refTruth is Python's bool() of a decoded value.
func refTruth(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v
	case string:
		return v != ""
	case json.Number:
		f, err := v.Float64()
		return f != 0 || err != nil && f != 0
	case object:
		return len(v) > 0
	case []any:
		return len(v) > 0
	}
	panic(fmt.Sprintf("no JSON value: %T", v))
}

// testFiles returns the contents of all files of that name under the test data.
func testFiles(t testing.TB, name string) map[string][]byte {
	t.Helper()
	files := make(map[string][]byte)
	for _, root := range []string{"../../testdata", "testdata"} {
		walkFiles(t, root, name, files)
	}
	if len(files) == 0 {
		t.Fatalf("no %s under the test data", name)
	}
	return files
}
