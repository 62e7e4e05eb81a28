package aiperf

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// readAs reads data as the file of that name, without its result.
func readAs(fsys fs.FS, name string) ([]Note, error) {
	var n []Note
	var err error
	switch name {
	case exportName:
		_, n, err = ReadExport(fsys, name, nil)
	case totalsName:
		_, n, err = ReadTotals(fsys, name, nil)
	case recordsName:
		_, n, err = ReadRecords(fsys, name)
	case aggregateName:
		_, n, err = ReadAggregate(fsys, name)
	case envName:
		_, err = ReadEnv(fsys, name)
	case rowName:
		_, n, err = ReadRow(fsys, name)
	default:
		panic(name)
	}
	return n, err
}

const rowName = "agg.json"

// inMetrics is an export with one family, whose object is family.
func inMetrics(family string) string { return "{\n \"metrics\": {\n  \"a:x\": " + family + "\n }\n}" }

// inSlice is an export with one counter and one slice.
func inSlice(slice string) string {
	return inMetrics(`{"type":"counter","series":[{"timeslices":[` + slice + `]}]}`)
}

// TestErrors: every kind of file that is refused, with its one message.
func TestErrors(t *testing.T) {
	for _, test := range []struct{ what, name, data, want string }{
		{"empty", exportName, "", `server_metrics_export.json:1:1: the file is empty`},
		{"empty", aggregateName, " \n", `profile_export_aiperf.json:2:1: the file is empty`},
		{"empty", totalsName, "", `server_metrics_export.csv: the file is empty`},
		{"cut short in a container", exportName, "{\n \"summary\": {", `server_metrics_export.json:2:14: the text ends where a name in quotes should be: the file is cut short (at /summary)`},
		{"cut short behind a value", exportName, "{\"metrics\": {}", `server_metrics_export.json:1:15: the text ends where "," or "}" should be: the file is cut short (at /metrics)`},
		{"cut short in a string", exportName, `{"a`, `server_metrics_export.json:1:4: the text ends where the end of a string should be: the file is cut short`},
		{"cut short in a skipped part", exportName, `{"x":[{"y":[1,2`, `server_metrics_export.json:1:16: the text ends where "," or "]" should be: the file is cut short (at /x/0/y/1)`},
		{"cut short in a word", exportName, `{"x":tru`, `server_metrics_export.json:1:9: the text ends where true should be: the file is cut short (at /x)`},
		{"cut short in an escape", exportName, `{"x":"\u00`, `server_metrics_export.json:1:11: the text ends where a hexadecimal digit should be: the file is cut short (at /x)`},
		{"trailing data", exportName, "{}\n{}", `server_metrics_export.json:2:1: found '{' after the end of the value: trailing data`},
		{"trailing data", aggregateName, "{} x", `profile_export_aiperf.json:1:4: found 'x' after the end of the value: trailing data`},
		{"root of the wrong kind", exportName, "[]", `server_metrics_export.json:1:1: found an array where an object should be`},
		{"root of the wrong kind", aggregateName, `"x"`, `profile_export_aiperf.json:1:1: found a string where an object should be`},
		{"container of the wrong kind", exportName, `{"metrics":[]}`, `server_metrics_export.json:1:12: found an array where an object should be (at /metrics)`},
		{"container of the wrong kind", exportName, inMetrics(`{"series":{}}`), `server_metrics_export.json:3:20: found an object where an array should be (at /metrics/a:x/series)`},
		{"container of the wrong kind", exportName, inMetrics(`{"series":[5]}`), `server_metrics_export.json:3:21: found a number where an object should be (at /metrics/a:x/series/0)`},
		{"container for a number", exportName, inMetrics(`{"series":[{"stats":{"total":[1]}}]}`), `server_metrics_export.json:3:39: found an array where a number should be (at /metrics/a:x/series/0/stats/total)`},
		{"container for a time", exportName, inSlice(`{"start_ns":{}}`), `server_metrics_export.json:3:65: found an object where a time in nanoseconds should be (at /metrics/a:x/series/0/timeslices/0/start_ns)`},
		{"container for a text", exportName, `{"benchmark_id":{}}`, `server_metrics_export.json:1:17: found an object where a string should be (at /benchmark_id)`},
		{"duplicate key", exportName, `{"metrics":{},"summary":{},"metrics":{}}`, `server_metrics_export.json:1:28: the name "metrics" stands twice in one object`},
		{"duplicate family", exportName, "{\"metrics\":{\"a:x\":{},\n\"a:\\u0078\":{}}}", `server_metrics_export.json:2:1: the name "a:\u0078" stands twice in one object (at /metrics)`},
		{"duplicate key of a slice", exportName, inSlice(`{"end_ns":1,"end_ns":1}`), `server_metrics_export.json:3:65: the name "end_ns" stands twice in one object (at /metrics/a:x/series/0/timeslices/0)`},
		{"time beyond int64", exportName, inSlice(`{"start_ns":9223372036854775808}`), `server_metrics_export.json:3:65: the time 9223372036854775808 does not fit into int64 nanoseconds (at /metrics/a:x/series/0/timeslices/0/start_ns)`},
		{"time beyond int64 with an exponent", exportName, inSlice(`{"start_ns":1e19}`), `server_metrics_export.json:3:65: the time 1e19 does not fit into int64 nanoseconds (at /metrics/a:x/series/0/timeslices/0/start_ns)`},
		{"broken UTF-8 in a name", exportName, "{\"metrics\":{\"a\xff\":{}}}", `server_metrics_export.json:1:15: the byte 0xff is not valid UTF-8 (at /metrics)`},
		{"broken UTF-8 in a skipped part", exportName, "{\"x\":{\"y\":\"\xc3(\"}}", `server_metrics_export.json:1:12: the byte 0xc3 is not valid UTF-8 (at /x/y)`},
		{"broken UTF-8 outside of strings", exportName, "{\xc3\xa4:1}", `server_metrics_export.json:1:2: found 'ä' where a name in quotes should be`},
		{"lone surrogate", exportName, `{"x":"\ud800"}`, `server_metrics_export.json:1:7: half of a surrogate pair inside a string (at /x)`},
		{"control character", exportName, "{\"x\":\"a\nb\"}", `server_metrics_export.json:1:8: a control character 0x0a inside a string (at /x)`},
		{"byte-order mark", exportName, "\xef\xbb\xbf{}", `server_metrics_export.json:1:1: begins with a byte-order mark: remove the first three bytes`},
		{"byte-order mark", recordsName, "\xef\xbb\xbf{}\n", `profile_export.jsonl:1:1: begins with a byte-order mark: remove the first three bytes`},
		{"byte-order mark", totalsName, "\xef\xbb\xbfEndpoint,Metric,Key,Value\n", `server_metrics_export.csv:1:1: begins with a byte-order mark: remove the first three bytes`},
		{"byte-order mark", envName, "\xef\xbb\xbfA=b\n", `run.env:1: begins with a byte-order mark: remove the first three bytes`},
		{"nested too deep", exportName, strings.Repeat(`{"x":`, 10_000), `server_metrics_export.json:1:5001: nested more than 1000 deep (at ` + strings.Repeat("/x", 100) + `...)`},
		{"nested too deep in an error", recordsName, `{"error":` + strings.Repeat("[", 10_000), `profile_export.jsonl:1:1009: nested more than 1000 deep (at /error` + strings.Repeat("/0", 97) + `...)`},
		{"leading zero", exportName, `{"x":01}`, `server_metrics_export.json:1:7: found '1' where "," or "}" should be (at /x)`},
		{"comma too much", exportName, `{"x":[1,]}`, `server_metrics_export.json:1:9: found ']' where a value should be (at /x/1)`},
		{"comma too much", exportName, `{"x":1,}`, `server_metrics_export.json:1:8: found '}' where a name in quotes should be`},
		{"brackets crossed", exportName, `{"x":[1}`, `server_metrics_export.json:1:8: found '}' where "," or "]" should be (at /x/0)`},
		{"no object on a line", recordsName, "{}\n[]\n", `profile_export.jsonl:2:1: found an array where an object should be`},
		{"two objects on a line", recordsName, "{} {}\n", `profile_export.jsonl:1:4: found '{' after the end of the value: trailing data`},
		{"line cut short", recordsName, "{}\n\n{\"metadata\":{\"benchmark_phase\"", `profile_export.jsonl:3:31: the text ends where ":" should be: the file is cut short (at /metadata)`},
		{"record over two lines", recordsName, "{\"metadata\":\n{}}\n", `profile_export.jsonl:1:13: the text ends where an object should be: the file is cut short (at /metadata)`},
		{"metadata null", recordsName, `{"metadata":null}`, `profile_export.jsonl:1:13: found null where an object should be (at /metadata)`},
		{"metrics null", recordsName, `{"metrics":null}`, `profile_export.jsonl:1:12: found null where an object should be (at /metrics)`},
		{"duplicate key of a record", recordsName, `{"error":1,"error":null}`, `profile_export.jsonl:1:12: the name "error" stands twice in one object`},
		{"record time beyond int64", recordsName, `{"metadata":{"request_start_ns":1e300}}`, `profile_export.jsonl:1:33: the time 1e300 does not fit into int64 nanoseconds (at /metadata/request_start_ns)`},
		{"row shorter than its header", totalsName, "#\nEndpoint,Type,Metric,total\nh:1,counter,a\n", `server_metrics_export.csv:3: found 3 columns where the section's header has 4`},
		{"unknown section", totalsName, "Endpoint,Type,Metric,median\n", `server_metrics_export.csv:1: found a header that is none of a gauge, counter, histogram or info section`},
		{"no header", totalsName, "# head\nh:1,counter,a\n", `server_metrics_export.csv:2: found a row before the first header, which has the columns Endpoint and Metric`},
		{"head only", totalsName, "# head\n", `server_metrics_export.csv:2: the file ends before the header of a section, which has the columns Endpoint and Metric`},
		{"column twice", totalsName, "Endpoint,Type,Metric,total,engine,engine\n", `server_metrics_export.csv:1: the column engine stands twice in the header`},
		{"open quote", totalsName, "Endpoint,Type,Metric,total\nh:1,counter,\"a,5\n", `server_metrics_export.csv:2:18: extraneous or missing " in quoted-field`},
		{"broken UTF-8", totalsName, "Endpoint,Type,Metric,total\nh:1,counter,\xff,5\n", `server_metrics_export.csv:2: column 3 is not valid UTF-8`},
		{"no assignment", envName, "A=b\n\nAGG\n", `run.env:3: want KEY=value, a comment that begins with #, or a blank line`},
		{"space in a key", envName, "A =b\n", `run.env:1: want KEY=value, without space in or around KEY`},
		{"key twice", envName, "A=b\nB=c\nA=\n", `run.env:3: the key A stands twice`},
		{"broken UTF-8", envName, "A=\xff\n", `run.env:1: not valid UTF-8`},
		{"row cut short", rowName, `{"request_metrics":{}, "server_metrics":`, `agg.json:1:41: the text ends where an object should be: the file is cut short (at /server_metrics)`},
	} {
		_, err := readAs(oneFile(test.name, []byte(test.data)), test.name)
		var syntax *SyntaxError
		switch {
		case !errors.As(err, &syntax):
			t.Errorf("%s: error %v, want a SyntaxError", test.what, err)
		case err.Error() != test.want:
			t.Errorf("%s:\n got %s\nwant %s", test.what, err, test.want)
		}
	}
}

// TestErrorsFarIntoTheFile: line, column and pointer are right behind many windows.
func TestErrorsFarIntoTheFile(t *testing.T) {
	var b strings.Builder
	b.WriteString("{\"metrics\": {\"a:x\": {\"type\": \"counter\", \"series\": [{\"timeslices\": [\n")
	const n = 50_000
	for i := range n {
		fmt.Fprintf(&b, "{\"start_ns\": %d, \"end_ns\": %d, \"total\": 1.0},\n", i, i+1)
	}
	if b.Len() < 10*windowSize {
		t.Fatalf("only %d bytes", b.Len())
	}
	b.WriteString("{\"start_ns\": 0, \"total\": [}")
	for _, sel := range []Selection{nil, func(string) bool { return false }} {
		_, _, err := ReadExport(oneFile("f", []byte(b.String())), "f", sel)
		col := "26: found an array where a number should be"
		if sel != nil {
			col = "27: found '}' where a value should be"
		}
		want := fmt.Sprintf("f:%d:%s (at /metrics/a:x/series/0/timeslices/%d/total", n+2, col, n)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

// TestNotes: every kind of value that is kept although AIPerf does not write it.
func TestNotes(t *testing.T) {
	at := func(key string) string { return "/metrics/a:x/series/0/timeslices/0" + key }
	for _, test := range []struct {
		what, name, data string
		want             []Note
	}{
		{"string", exportName, inSlice(`{"start_ns":1,"end_ns":2,"total":"80"}`), []Note{{exportName, at("/total"), "a string where a number should be"}}},
		{"boolean", exportName, inSlice(`{"start_ns":1,"end_ns":2,"total":true}`), []Note{{exportName, at("/total"), "a boolean where a number should be"}}},
		{"null", exportName, inSlice(`{"start_ns":1,"end_ns":2,"total":null}`), []Note{{exportName, at("/total"), "null where a number should be"}}},
		{"beyond float64", exportName, inSlice(`{"start_ns":1,"end_ns":2,"total":1e999}`), []Note{{exportName, at("/total"), "a number that float64 cannot hold"}}},
		{"bare", exportName, inSlice(`{"start_ns":1,"end_ns":2,"total":-Infinity}`), []Note{{exportName, at("/total"), "a bare -Infinity, which is not JSON"}}},
		{"bare in a skipped part", exportName, `{"x":{"y":[NaN,Infinity]}}`, []Note{{exportName, "/x", "bare NaN or Infinity, which is not JSON, in a part that was not read"}}},
		{"no end", exportName, inSlice(`{"start_ns":1,"total":5}`), []Note{{exportName, at(""), "a time slice without start_ns or end_ns"}}},
		{"fraction of a nanosecond", exportName, inSlice(`{"start_ns":1.5,"end_ns":2,"total":5}`), []Note{{exportName, at("/start_ns"), "a time that is not a whole number of nanoseconds"}}},
		{"time in quotes", exportName, inSlice(`{"start_ns":"1","end_ns":null,"total":5}`), []Note{{exportName, at("/start_ns"), "a time that is not a number (2 times, here first)"}}},
		{"null container", exportName, `{"summary":null}`, []Note{{exportName, "/summary", "null where an object or array should be, read as absent"}}},
		{"metrics twice", aggregateName, `{"records":{"request_count":{"avg":1}},"request_count":{"avg":2}}`, []Note{{aggregateName, "", "metrics both at the top and under records, those at the top are read"}}},
		{"no string", exportName, `{"schema_version":1.1}`, []Note{{exportName, "/schema_version", "a scalar that is not a string where a string should be"}}},
		{"no records", recordsName, "", []Note{{recordsName, "", "no records"}}},
		{"blank records", recordsName, " \r\n\n\t", []Note{{recordsName, "", "no records"}}},
		{"string in a record", recordsName, "{}\n{\"metrics\":{\"usage_prompt_tokens\":{\"value\":\"5\"}}}\n", []Note{{recordsName, "line 2", "a string where a number should be"}}},
		{"was_cancelled", recordsName, `{"metadata":{"was_cancelled":1}}`, []Note{{recordsName, "line 1", "was_cancelled is not a boolean, read by its truth in Python"}}},
		{"text in the CSV", totalsName, "Endpoint,Type,Metric,total\nh:1,counter,a,nan\n", []Note{{totalsName, "line 2", "text where a number should be"}}},
		{"CSV without a last line end", totalsName, "Endpoint,Type,Metric,total\nh:1,counter,a,5", []Note{{totalsName, "line 2", "the last line has no end: the file may be cut short"}}},
	} {
		notes, err := readAs(oneFile(test.name, []byte(test.data)), test.name)
		if err != nil {
			t.Errorf("%s: %v", test.what, err)
			continue
		}
		if diff := cmp.Diff(test.want, notes); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.what, diff)
		}
	}
}

// TestKeptValues: what a value keeps of the text, and a time of a number.
func TestKeptValues(t *testing.T) {
	for text, want := range map[string]Value{
		"80": NumberValue(80), "80.0": NumberValue(80), "8e1": NumberValue(80), "-0.0": NumberValue(0), "0.1": NumberValue(0.1), "1E+2": NumberValue(100),
		"1.7835926118422774e+18": NumberValue(1783592611842277400), "5e-324": NumberValue(5e-324), "1e-999": NumberValue(0),
		"null": NullValue(), `"80"`: OtherValue(`"80"`), `"\u0038"`: OtherValue(`"\u0038"`), "true": OtherValue("true"), "false": OtherValue("false"),
		"NaN": OtherValue("NaN"), "Infinity": OtherValue("Infinity"), "-Infinity": OtherValue("-Infinity"), "1e999": OtherValue("1e999"),
	} {
		e, _, err := ReadExport(oneFile("f", []byte(inSlice(`{"total":`+text+`,"start_ns":1,"end_ns":2}`))), "f", nil)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := e.Metrics[0].Series[0].Slices[0].Value; !got.Equal(want) {
			t.Errorf("%s: kind %d, text %q, want kind %d, text %q", text, got.Kind(), got.Text(), want.Kind(), want.Text())
		}
	}
	for text, want := range map[string]int64{
		"1800000010000000001": 1800000010000000001, "1800000010000000001.000": 1800000010000000001, "18000000100000000010e-1": 1800000010000000001,
		"9223372036854775807": 9223372036854775807, "-9223372036854775807": -9223372036854775807, "922337203685477580.7e1": 9223372036854775807,
		"1e18": 1e18, "1.7835926118422774e+18": 1783592611842277400, "0e99999999999999999999": 0, "-0": 0, "0.000": 0,
		"1.5": NoTime, "1e-1": NoTime, "15e-99999999999999999999": NoTime, "null": NoTime, `"1"`: NoTime, "NaN": NoTime, "false": NoTime,
	} {
		e, _, err := ReadExport(oneFile("f", []byte(inSlice(`{"total":1,"start_ns":`+text+`,"end_ns":2}`))), "f", nil)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := e.Metrics[0].Series[0].Slices[0].Start; got != want {
			t.Errorf("%s: time %d, want %d", text, got, want)
		}
	}
}

// TestSilentlyAccepted: what other writers do, and what says the same.
func TestSilentlyAccepted(t *testing.T) {
	plain := inMetrics(`{"type":"counter","series":[{"endpoint_url":"http://h:1/metrics","stats":{"total":5.0},"timeslices":[{"start_ns":1,"end_ns":2,"total":5.0}]}]}`)
	want, _, err := ReadExport(oneFile("f", []byte(plain)), "f", nil)
	if err != nil {
		t.Fatal(err)
	}
	for what, data := range map[string]string{
		"CRLF":                   strings.ReplaceAll(plain, "\n", "\r\n"),
		"unknown keys":           strings.ReplaceAll(plain, `{"start_ns"`, `{"new":[{"a":1,"a":2}],"start_ns"`),
		"integers as floats":     strings.ReplaceAll(plain, `"end_ns":2`, `"end_ns":2.0`),
		"exponents":              strings.ReplaceAll(strings.ReplaceAll(plain, "5.0", "50e-1"), `"end_ns":2`, `"end_ns":0.2E1`),
		"the type behind":        inMetrics(`{"series":[{"timeslices":[{"total":5,"end_ns":2,"start_ns":1}],"stats":{"total":5},"endpoint_url":"http://h:1/metrics"}],"type":"counter"}`),
		"escapes":                strings.ReplaceAll(plain, "http://h:1/metrics", `http:\/\/\u0068:1\/metrics`),
		"a trailing newline":     plain + "\n",
		"another schema version": strings.ReplaceAll(plain, `{"start_ns"`, `{"is_complete":false,"start_ns"`),
	} {
		got, notes, err := ReadExport(oneFile("f", []byte(data)), "f", nil)
		if err != nil || len(notes) > 0 {
			t.Errorf("%s: notes %v, error %v", what, notes, err)
			continue
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
}

func TestDirectoryInAFilesPlace(t *testing.T) {
	for _, name := range []string{exportName, totalsName, recordsName, aggregateName, envName} {
		dir := t.TempDir()
		if err := os.Mkdir(dir+"/"+name, 0o777); err != nil {
			t.Fatal(err)
		}
		if name == envName {
			if err := os.WriteFile(dir+"/"+recordsName, []byte("{}"), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		_, err := Open(os.DirFS(dir), ".", nil)
		want := "open " + name + ": is a directory, not a file"
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
}

// A brokenFile fails after some bytes.
type brokenFile struct {
	fs.File
	io.Reader
}

func (f brokenFile) Read(p []byte) (int, error) { return f.Reader.Read(p) }

type brokenFS struct{ data string }

var errBroken = errors.New("device on fire")

func (b brokenFS) Open(name string) (fs.File, error) {
	f, err := fstest.MapFS{name: &fstest.MapFile{}}.Open(name)
	return brokenFile{f, io.MultiReader(strings.NewReader(b.data), failingReader{})}, err
}

type failingReader struct{}

func (failingReader) Read([]byte) (int, error) { return 0, errBroken }

// TestReadError: a device error is no syntax error and stays recognizable.
func TestReadError(t *testing.T) {
	for name, data := range map[string]string{
		exportName: `{"metrics"`, aggregateName: `{`, recordsName: "{}\n{", envName: "A=b\nC", rowName: `{"a":`,
		totalsName: "# head\nEndpoint,Type,Metric,total\nh:1,counter,a,5\n",
	} {
		_, err := readAs(brokenFS{data}, name)
		var syntax *SyntaxError
		if !errors.Is(err, errBroken) || errors.As(err, &syntax) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A hugeFS has files of one long string, made while they are read.
type hugeFS struct {
	head string
	size int64
}

func (h hugeFS) Open(name string) (fs.File, error) {
	f, err := fstest.MapFS{name: &fstest.MapFile{}}.Open(name)
	return brokenFile{f, io.MultiReader(strings.NewReader(h.head), io.LimitReader(letters{}, h.size))}, err
}

type letters struct{}

func (letters) Read(p []byte) (int, error) {
	copy(p, bytes.Repeat([]byte("x"), len(p)))
	return len(p), nil
}

// TestHugeString: a string of 200 MB is refused early and with little memory,
// wherever it stands.
func TestHugeString(t *testing.T) {
	for _, test := range []struct{ name, head, want string }{
		{exportName, `{"benchmark_id":"`, "server_metrics_export.json:1:17: a string or number longer than 4 MiB (at /benchmark_id)"},
		{exportName, `{"x":["`, "server_metrics_export.json:1:7: a string or number longer than 4 MiB (at /x/0)"},
		{exportName, `{"`, "server_metrics_export.json:1:2: a string or number longer than 4 MiB"},
		{aggregateName, `{"a":"`, "profile_export_aiperf.json:1:6: a string or number longer than 4 MiB (at /a)"},
		{recordsName, "{}\n{\"a\":\"", "profile_export.jsonl:2: the line is longer than 16 MiB"},
		{totalsName, "Endpoint,Type,Metric,total\nh:1,counter,\"", "server_metrics_export.csv:2: a row is longer than 4 MiB"},
		{totalsName, "# ", "server_metrics_export.csv:1: a row is longer than 4 MiB"},
		{envName, "A=", "run.env:1: the line is longer than 16 MiB"},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := readAs(hugeFS{test.head, 200e6}, test.name)
		runtime.ReadMemStats(&after)
		if err == nil || err.Error() != test.want {
			t.Errorf("%s: %v, want %s", test.name, err, test.want)
		}
		// All that was ever allocated, not only what was held at once.
		if used := after.TotalAlloc - before.TotalAlloc; used > 80<<20 {
			t.Errorf("%s: allocated %d MB", test.name, used>>20)
		}
	}
}

// TestManyNotes: a file of broken values makes few notes.
func TestManyNotes(t *testing.T) {
	slices := strings.TrimSuffix(strings.Repeat(`{"start_ns":1,"end_ns":2,"total":NaN},`, 1000), ",")
	_, notes, err := ReadExport(oneFile("f", []byte(inSlice(slices))), "f", nil)
	want := []Note{{"f", "/metrics/a:x/series/0/timeslices/0/total", "a bare NaN, which is not JSON (1000 times, here first)"}}
	if diff := cmp.Diff(want, notes); diff != "" || err != nil {
		t.Errorf("error %v (-want +got):\n%s", err, diff)
	}
}

// oneByte gives its text a byte a time, so that every token lies at the edge
// of the window once.
type oneByte struct{ io.Reader }

func (o oneByte) Read(p []byte) (int, error) { return o.Reader.Read(p[:min(1, len(p))]) }

type oneByteFS struct{ data string }

func (o oneByteFS) Open(name string) (fs.File, error) {
	f, err := fstest.MapFS{name: &fstest.MapFile{ModTime: time.Time{}}}.Open(name)
	return brokenFile{f, oneByte{strings.NewReader(o.data)}}, err
}

// TestByteByByte reads every file of the test data a byte at a time.
func TestByteByByte(t *testing.T) {
	for _, name := range []string{exportName, totalsName, recordsName, aggregateName} {
		for p, data := range testFiles(t, name) {
			got, err := anyReader(oneByteFS{string(data)}, name)
			want, wantErr := anyReader(oneFile(name, data), name)
			if err != nil || wantErr != nil {
				t.Errorf("%s: %v, %v", p, err, wantErr)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-at once +byte by byte):\n%s", p, diff)
			}
		}
	}
}

func anyReader(fsys fs.FS, name string) (v any, err error) {
	switch name {
	case exportName:
		v, _, err = ReadExport(fsys, name, nil)
	case totalsName:
		v, _, err = ReadTotals(fsys, name, nil)
	case recordsName:
		v, _, err = ReadRecords(fsys, name)
	case aggregateName:
		v, _, err = ReadAggregate(fsys, name)
	}
	return v, err
}
