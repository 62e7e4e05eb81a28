package aiperf

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"testing"
)

// Python's repr: the shortest text that reads back, ".0" on whole numbers, an
// exponent below 1e-4 and from 1e16 on (the values are from a Python prompt).
func TestFloatsAsPythonWritesThem(t *testing.T) {
	for text, f := range map[string]float64{
		"0.0": 0, "-0.0": math.Copysign(0, -1), "1.0": 1, "-3.0": -3, "19000.0": 19000, "0.1": 0.1, "444.4444444444444": 444.4444444444444,
		"0.0001": 0.0001, "1e-05": 0.00001, "1.5e-07": 1.5e-7, "123456789012345.0": 123456789012345,
		"9999999999999998.0": 9999999999999998, "1e+16": 1e16, "1.7835926118422774e+18": 1.7835926118422774e18,
		"1.2345678901234568e+17": 123456789012345678, "1e+22": 1e22, "5e-324": 5e-324, "NaN": math.NaN(), "Infinity": math.Inf(1), "-Infinity": math.Inf(-1),
	} {
		if got := string(appendFloat(nil, f)); got != text {
			t.Errorf("%v is written %s, want %s", f, got, text)
		}
	}
}

func TestStringsAsOrjsonWritesThem(t *testing.T) {
	for text, s := range map[string]string{
		`"a\"b\\c"`: `a"b\c`, `"\b\t\n\f\r\u0001\u001f"`: "\b\t\n\f\r\x01\x1f", `"Gr\u00fc\u00df"`: "Grüß",
	} {
		got := string(appendString(nil, s))
		var back string
		if err := json.Unmarshal([]byte(got), &back); err != nil || back != s {
			t.Errorf("%q is written %s, which reads as %q (%v)", s, got, back, err)
		}
		if want := text; !bytes.Contains([]byte(want), []byte("u00f")) && got != want {
			t.Errorf("%q is written %s, want %s", s, got, want)
		}
	}
	if got := string(appendString(nil, "Grüß")); got != `"Grüß"` {
		t.Errorf("UTF-8 is written %s", got)
	}
}

// Phase bounds are naive times without the microseconds when they are zero
// (export.md 1.6 and real exports).
func TestLocalTime(t *testing.T) {
	for want, ns := range map[string]int64{
		"2027-01-15T08:00:10":        1800000010000000000,
		"2027-01-15T08:00:12.500000": 1800000012500000000,
		"2026-07-09T10:23:29.033942": 1783592609033942000,
	} {
		if got := localTime(ns); got != want {
			t.Errorf("%d is %s, want %s", ns, got, want)
		}
	}
}

// sample is the run of export.md 1.6, less the histogram's percentiles, which
// the document leaves out too.
func sample() *Document {
	const url, s = "http://localhost:9000/metrics", int64(1800000010000000000)
	const ms = 1000000
	num := NumberValue
	stats := func(names []string, values ...float64) (out []Stat) {
		for i, v := range values {
			out = append(out, Stat{Name: names[i], Value: num(v)})
		}
		return out
	}
	gauge := []string{"avg", "min", "max", "std", "p1", "p5", "p10", "p25", "p50", "p75", "p90", "p95", "p99"}
	counter := []string{"total", "rate", "rate_avg", "rate_min", "rate_max", "rate_std"}
	cut := func(from, to int64, partial bool, v ...float64) Timeslice {
		t := Timeslice{Start: s + from*ms, End: s + to*ms, Partial: partial}
		for i := range v {
			t.Values[i] = num(v[i])
		}
		return t
	}
	buckets := func(a, b, c int64) []Count { return []Count{{"100.0", a}, {"1000.0", b}, {"+Inf", c}} }
	with := func(t Timeslice, b []Count) Timeslice {
		t.Buckets = b
		return t
	}
	labels := []Label{{"engine", "0"}}
	hist := stats([]string{"count", "sum", "avg", "count_rate", "sum_rate"}, 5, 2000, 400, 1.8518518518518516, 740.7407407407406)
	hist[0].Whole = true
	return &Document{
		SchemaVersion: "1.1", AIPerfVersion: "0.12.0", BenchmarkID: "0a1b2c3d4e5f",
		Configured: []string{url}, Successful: []string{url}, Start: s, End: s + 2500*ms,
		Endpoints: []EndpointSummary{{URL: url, Fetches: 10, FirstFetch: s - 4000*ms, LastFetch: s + 2600*ms, Latency: 3.5, Updates: 9,
			FirstUpdate: s - 4000*ms, LastUpdate: s + 2600*ms, Seconds: 6.6, AvgUpdate: 825, MedianUpdate: num(650)}},
		Ranges: true, Profiling: &Range{s, s + 2500*ms}, Warmup: &Range{s - 3000*ms, s - 150*ms},
		Metrics: []MetricFamily{
			{Name: "demo:request_size_tokens", Type: "histogram", Help: "Prompt tokens per request.", Unit: "tokens", Series: []MetricSeries{{
				Endpoint: url, Labels: labels, Stats: hist, Buckets: buckets(1, 4, 5), Sliced: true, Slices: []Timeslice{
					with(cut(0, 1000, false, 1, 200, 200), buckets(0, 1, 1)), with(cut(1000, 2000, false, 2, 800, 400), buckets(0, 2, 2)),
					with(cut(2000, 2600, true, 2, 1000, 500), buckets(1, 1, 2))}}}},
			{Name: "demo:prompt_tokens", Type: "counter", Help: "Prompt tokens.", Unit: "tokens", Series: []MetricSeries{{
				Endpoint: url, Labels: labels, Stats: stats(counter, 1200, 444.4444444444444, 300, 100, 500, 282.842712474619), Sliced: true,
				Slices: []Timeslice{cut(0, 1000, false, 100, 100), cut(1000, 2000, false, 500, 500), cut(2000, 2600, true, 600, 1000)}}}},
			{Name: "demo:kv_usage_ratio", Type: "gauge", Help: "Share of KV cache in use.", Unit: "ratio", Series: []MetricSeries{{
				Endpoint: url, Labels: labels, Sliced: true,
				Stats:  stats(gauge, 0.4166666666666667, 0.2, 0.6, 0.14719601443879743, 0.205, 0.225, 0.25, 0.325, 0.45, 0.5, 0.55, 0.575, 0.595),
				Slices: []Timeslice{cut(0, 1000, false, 0.25, 0.2, 0.3), cut(1000, 2000, false, 0.5, 0.5, 0.5), cut(2000, 2600, true, 0.5, 0.4, 0.6)}}}},
		},
		WarmupMetrics: []MetricFamily{{Name: "demo:prompt_tokens", Type: "counter", Help: "Prompt tokens.", Unit: "tokens", Series: []MetricSeries{{
			Endpoint: url, Labels: labels, Stats: stats(counter, 600, 214.2857142857143, 300, 300, 300, 0), Sliced: true,
			Slices: []Timeslice{cut(-3000, -2000, false, 300, 300), cut(-2000, -1000, false, 300, 300), cut(-1000, -150, true, 0, 0)}}}}},
		Config: Config{URLs: []string{"http://localhost:9000"}, Slice: 1},
	}
}

// The sample has the tokens of the document in its order, number for number as
// text, and Python's indentation: json.dumps(x, indent=2) of what it reads.
func TestExportSample(t *testing.T) {
	d := sample()
	SortFamilies(d.Metrics)
	got := AppendExport(nil, d)
	var compact bytes.Buffer
	if err := json.Compact(&compact, got); err != nil {
		t.Fatal(err)
	}
	want := sampleFile(t)
	var wantCompact bytes.Buffer
	if err := json.Compact(&wantCompact, want); err != nil {
		t.Fatal(err)
	}
	if compact.String() != wantCompact.String() {
		t.Errorf("got  %s\nwant %s", compact.Bytes(), wantCompact.Bytes())
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, got, "", "  "); err != nil || !bytes.Equal(indented.Bytes(), got) {
		t.Error("the indentation is not two spaces throughout")
	}
}

// sampleFile is the export of export.md 1.6.
func sampleFile(t *testing.T) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/sample/aiperf_artifacts/server_metrics_export.json")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// The gauge and counter sections of the CSV are those of export.md 4, line
// ends included.
func TestTotalsSample(t *testing.T) {
	d := sample()
	SortFamilies(d.Metrics)
	got := AppendTotals(nil, d)
	for _, line := range []string{
		"# AIPerf Server Metrics Export (CSV)\n# aiperf_version: 0.12.0\n# schema_version: 1.0\n# benchmark_id: 0a1b2c3d4e5f\n",
		"#\nEndpoint,Type,Metric,Unit,avg,min,max,std,p1,p5,p10,p25,p50,p75,p90,p95,p99,engine,Description\r\n",
		"localhost:9000,gauge,demo:kv_usage_ratio,ratio,0.4167,0.2000,0.6000,0.1472,0.2050,0.2250,0.2500,0.3250,0.4500,0.5000,0.5500,0.5750,0.5950,0,Share of KV cache in use.\r\n",
		"\r\n\r\nEndpoint,Type,Metric,Unit,total,rate,rate_avg,rate_min,rate_max,rate_std,engine,Description\r\n",
		"localhost:9000,counter,demo:prompt_tokens,tokens,1200.0000,444.4444,300.0000,100.0000,500.0000,282.8427,0,Prompt tokens.\r\n",
		",100.0=1;1000.0=4;+Inf=5\r\n",
	} {
		if !bytes.Contains(got, []byte(line)) {
			t.Errorf("want %q in\n%s", line, got)
		}
	}
	if !bytes.HasSuffix(got, []byte("\r\n")) {
		t.Error("the file does not end with CRLF")
	}
}

// The records of export.md 5.4, less the fields that generated runs do not have.
func TestRecordSample(t *testing.T) {
	for want, r := range map[string]*RecordRow{
		`{"metadata":{"session_num":0,"x_request_id":"r","x_correlation_id":"c","conversation_id":"c-01","turn_index":0,"credit_issued_ns":1800000007100000000,"request_start_ns":1800000007104000000,"request_ack_ns":1800000007200000000,"request_end_ns":1800000008104000000,"worker_id":"worker_1a2b3c4d","record_processor_id":"record_processor_5e6f7a8b","benchmark_phase":"warmup","was_cancelled":false},"metrics":{"output_sequence_length":{"value":1,"unit":"tokens"},"request_latency":{"value":1000.0,"unit":"ms"},"usage_prompt_tokens":{"value":300,"unit":"tokens"}}}` + "\n": {
			RequestID: "r", CorrelationID: "c", Conversation: "c-01", Issued: 1800000007100000000, Start: 1800000007104000000, Ack: 1800000007200000000,
			End: 1800000008104000000, Worker: "worker_1a2b3c4d", Processor: "record_processor_5e6f7a8b", Phase: "warmup",
			Metrics: []RecordMetric{{"output_sequence_length", NumberValue(1), true, "tokens"}, {"request_latency", NumberValue(1000), false, "ms"}, {"usage_prompt_tokens", NumberValue(300), true, "tokens"}},
		},
		`{"metadata":{"session_num":6,"x_request_id":"r","x_correlation_id":"c","turn_index":0,"request_start_ns":1800000010600000000,"request_end_ns":1800000010650000000,"worker_id":"w","record_processor_id":"p","benchmark_phase":"profiling","was_cancelled":true,"cancellation_time_ns":1800000010650000000},"metrics":{"error_isl":{"value":400,"unit":"tokens"}},"error":{"code":499,"type":"RequestCancellationError","message":"cancelled after 0.050 seconds"}}` + "\n": {
			Session: 6, RequestID: "r", CorrelationID: "c", Start: 1800000010600000000, End: 1800000010650000000, Worker: "w", Processor: "p",
			Phase: "profiling", Cancelled: true, CancelledAt: 1800000010650000000, Metrics: []RecordMetric{{"error_isl", NumberValue(400), true, "tokens"}},
			Error: &RecordError{499, "RequestCancellationError", "cancelled after 0.050 seconds"},
		},
	} {
		if got := string(AppendRecord(nil, r)); got != want {
			t.Errorf("got  %swant %s", got, want)
		}
	}
}
