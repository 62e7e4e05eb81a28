package aiperf

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
	"strings"
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
	return refInteger(string(n))
}

// refInteger is NoTime for what is no int64.
func refInteger(text string) int64 {
	// A Rat would take an exponent of any size into memory.
	if mantissa, exponent, ok := strings.Cut(strings.ToLower(text), "e"); ok && len(strings.TrimLeft(exponent, "+-0")) > 4 {
		if strings.Trim(mantissa, "-0.") == "" {
			return 0
		}
		return NoTime
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok || !r.IsInt() || !r.Num().IsInt64() {
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
	e.HasWarmup = root["warmup_metrics"] != nil
	return e, nil
}

func refDuration(root object) Value {
	config := refObject(root["input_config"])
	if loadgen := refObject(config["loadgen"]); loadgen["benchmark_duration"] != nil {
		return refValue(loadgen, "benchmark_duration")
	}
	var durations []Value
	for _, v := range refArray(config["phases"]) {
		phase := refObject(v)
		kind := refText(phase["kind"])
		if kind == "" {
			kind = refText(phase["name"])
		}
		if kind != "profiling" {
			continue
		}
		if phase["duration"] == nil {
			durations = append(durations, Value{})
		} else {
			durations = append(durations, refValue(phase, "duration"))
		}
	}
	if len(durations) == 0 {
		return Value{}
	}
	sum, ok := durations[0].Float()
	for _, d := range durations[1:] {
		next, is := d.Float()
		sum, ok = sum+next, ok && is
	}
	switch {
	case len(durations) == 1:
		return durations[0]
	case !ok:
		return Value{}
	}
	return NumberValue(sum)
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

// refAggregate reads profile_export_aiperf.json.
func refAggregate(file string, data []byte) (*Aggregate, error) {
	v, err := decode(data)
	if err != nil {
		return nil, err
	}
	root := refObject(v)
	a := &Aggregate{File: file, BenchmarkID: refText(root["benchmark_id"]), BenchmarkDuration: refDuration(root)}
	get := func(name, key string) Value {
		if v := refMetric(root, name, key); v.Kind() != Absent {
			return v
		}
		return refMetric(refObject(root["records"]), name, key)
	}
	a.RequestCount = get("request_count", "avg")
	a.ErrorRequestCount = get("error_request_count", "avg")
	a.UsagePromptTokens = get("total_usage_prompt_tokens", "avg")
	a.TheoreticalHits = get("theoretical_prefix_cache_hit", "sum")
	a.TheoreticalBlocks = get("theoretical_prefix_cache_hit", "count")
	if w := refObject(root["warmup_metrics"]); w != nil {
		a.Warmup = &AggregateWarmup{
			RequestCount:      refMetric(w, "request_count", "avg"),
			ErrorRequestCount: refMetric(w, "error_request_count", "avg"),
			UsagePromptTokens: refMetric(w, "usage_prompt_tokens", "sum"),
		}
		if a.Warmup.UsagePromptTokens.Kind() == Absent {
			a.Warmup.UsagePromptTokens = refMetric(w, "total_usage_prompt_tokens", "avg")
		}
	}
	return a, nil
}

func refMetric(m object, name, key string) Value {
	if v, ok := m[name]; ok && v == nil {
		return NullValue()
	}
	return refValue(refObject(m[name]), key)
}

// refRow reads a published row, nil when it is none.
func refRow(file string, data []byte) (*Row, error) {
	v, err := decode(data)
	if err != nil {
		return nil, err
	}
	root := refObject(v)
	_, requests := root["request_metrics"]
	_, server := root["server_metrics"]
	if !requests || !server {
		return nil, nil
	}
	metrics := refObject(root["server_metrics"])
	cache, validity := refObject(metrics["cache"]), refObject(metrics["cache_validity"])
	r := &Row{
		File: file, Adapter: refText(metrics["adapter"]), Status: refText(validity["status"]), Fields: make(map[string]string),
		GPU: refValue(cache, "gpu_cache_hit_rate"), CPU: refValue(cache, "cpu_cache_hit_rate"),
		External: refValue(cache, "external_cache_hit_rate"), Overall: refValue(cache, "overall_cache_hit_rate"),
	}
	r.Framework, _ = root["framework"].(string)
	if disagg, ok := root["disagg"].(bool); ok {
		r.Disagg = &disagg
	}
	if eligible, ok := validity["pricing_eligible"].(bool); ok {
		r.Eligible = &eligible
	}
	for name, v := range root {
		switch v.(type) {
		case object, []any:
		default:
			if name != "request_metrics" && name != "server_metrics" {
				text, _ := json.Marshal(v)
				r.Fields[name] = string(text)
			}
		}
	}
	return r, nil
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
