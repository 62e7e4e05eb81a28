package aiperf

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// mutations is how many made-up inputs a reader gets in a test. go test -fuzz
// looks for new code paths, this for many inputs: both use the same checks.
var mutations = flag.Int("mutations", 3000, "number of mutated inputs a reader")

// A reader of this package with what must hold for whatever it is given.
type target struct {
	file   string // whose copies in the test data are the seeds
	seeds  []string
	tokens []string // what mutations put in
	check  func(testing.TB, []byte)
}

var jsonTokens = []string{
	"{", "}", "[", "]", ",", ":", `"`, `\`, "null", "true", "false", "NaN", "Infinity", "-Infinity", "0", "-0", "1.5", "80", `"80"`, "1e999", "-1e-7", "9223372036854775808",
	"9223372036854775807", "18e17", "0.5e1", `""`, `"é"`, "\"\xff\"", `"\ud83d\ude00"`, `"\ud800"`, `"\u0000"`, "[]", "{}", "\r\n", "\t", "\ufeff", "\x00", "[[[[", `{"a":`,
}

var targets = map[string]target{
	"export": {exportName, []string{
		`{"schema_version":"1.1","summary":{"endpoints_configured":["u"],"endpoint_info":{"u":{"first_fetch_ns":1,"last_fetch_ns":2,"median_update_interval_ms":3.5}},` +
			`"phase_time_ranges":{"profiling":{"start_ns":1,"end_ns":2},"warmup":{}}},"metrics":{"a:x":{"type":"counter","series":[{"endpoint_url":"u","labels":{"e":"0"},` +
			`"stats":{"total":1.0,"rate":2},"timeslices":[{"start_ns":1,"end_ns":2,"total":1.0}]}]},"b":{"series":[{"timeslices":[{"count":1,"sum":2,"avg":2}]}],"type":"histogram"}},` +
			`"warmup_metrics":{"a:x":{"type":"counter","series":[]}},"input_config":{"loadgen":{"benchmark_duration":9}}}`,
		`{"metrics":{"g":{"type":"gauge","series":[{"stats":{"avg":1,"max":2},"timeslices":[]}]}},"input_config":{"phases":[{"name":"profiling","duration":5},{"kind":"profiling","name":"x","duration":6}]}}`,
		`{"summary":null,"metrics":{"h":{"type":"histogram","series":[{"stats":{"count":0}}]}}}`,
	}, append([]string{`"metrics":`, `"type":`, `"series":`, `"timeslices":`, `"start_ns":`, `"end_ns":`, `"total":`, `"stats":`, `"summary":`, `"warmup_metrics":`, `"labels":`, `"counter"`, `"histogram"`}, jsonTokens...), checkExport},
	"records": {recordsName, []string{
		`{"metadata":{"request_start_ns":1,"request_ack_ns":2,"request_end_ns":3,"benchmark_phase":"profiling","was_cancelled":false},"metrics":{"usage_prompt_tokens":{"value":5,"unit":"tokens"},"time_to_first_token":7},"error":null}` + "\n",
		`{"metadata":{"benchmark_phase":"warmup"},"error":{"code":499,"type":"X","message":"a: b"}}` + "\r\n\n" + `{"error":"a\nb","metrics":{}}`,
	}, append([]string{"\n", `"metadata":`, `"metrics":`, `"error":`, `"benchmark_phase":`, `"profiling"`, `"was_cancelled":`, `"usage_prompt_tokens":`, `"value":`, `"request_start_ns":`}, jsonTokens...), checkRecords},
	"aggregate": {aggregateName, []string{
		`{"benchmark_id":"b","request_count":{"unit":"requests","avg":1.0},"error_request_count":null,"total_usage_prompt_tokens":{"avg":5},"theoretical_prefix_cache_hit":{"count":40,"sum":30},` +
			`"warmup_metrics":{"request_count":{"avg":2},"usage_prompt_tokens":{"sum":9}},"input_config":{"loadgen":{"benchmark_duration":3600.0}}}`,
		`{"records":{"request_count":{"avg":89.0}}}`,
		// What ten million mutations found: one metric in both places.
		`{"request_count":{"avg":1.0},"records":{"request_count":{"avg":2}}}`,
	}, append([]string{`"records":`, `"request_count":`, `"avg":`, `"warmup_metrics":`, `"input_config":`, `"loadgen":`}, jsonTokens...), checkAggregate},
	"row": {"agg_published.json", []string{
		`{"framework":"atom","disagg":false,"conc":4,"request_metrics":{},"server_metrics":{"adapter":"atom","cache":{"gpu_cache_hit_rate":0.5,"cpu_cache_hit_rate":null,"overall_cache_hit_rate":1},` +
			`"cache_validity":{"status":"S","pricing_eligible":true}}}`,
	}, append([]string{`"framework":`, `"cache":`, `"cache_validity":`, `"disagg":`, `"request_metrics":`, `"server_metrics":`}, jsonTokens...), checkRow},
	"totals": {totalsName, []string{
		"# aiperf_version: 0.8.0\n#\nEndpoint,Type,Metric,Unit,total,rate,engine,Description\r\nh:1,counter,a,,1.0000,2.5,0,\"x, y\"\r\n\r\nEndpoint,Type,Metric,Unit,avg,min,max,Description\r\nh:1,gauge,g,,1,2,3,d\r\n" +
			"\r\nEndpoint,Type,Metric,Unit,count,sum,avg,le,Description,buckets\r\nh:1,histogram,h,,3,4.5,1.5,,d,0.1=0;+Inf=3\r\n\r\nEndpoint,Metric,Key,Value,Description\r\nh:1,i_info,k,v,d\r\n",
	}, []string{",", "\r\n", "\n", "\"", "Endpoint", "Metric", "Type", "#", "nan", "1e5", "0x10", "-", "\xff", "a", "1_0", "total", "Key", "Value"}, checkTotals},
	"env":     {envName, []string{"A=b\n# c\n\nB=c=d\r\nC=\n"}, []string{"=", "\n", "#", " ", "A=", "\r", "\xff", "\ufeff", "\t"}, checkEnv},
	"scanner": {exportName, []string{`{"a":[1,-2.5e+3,"x\u0041é",true,null,{}],"b":{"c":[[],[{}]]}}`, `[NaN,-Infinity,"😀"]`, `0`, ` "long string of plain characters, more than eight" `}, jsonTokens, checkScanner},
}

func FuzzExport(f *testing.F)    { targets["export"].fuzz(f) }
func FuzzRecords(f *testing.F)   { targets["records"].fuzz(f) }
func FuzzAggregate(f *testing.F) { targets["aggregate"].fuzz(f) }
func FuzzRow(f *testing.F)       { targets["row"].fuzz(f) }
func FuzzTotals(f *testing.F)    { targets["totals"].fuzz(f) }
func FuzzEnv(f *testing.F)       { targets["env"].fuzz(f) }
func FuzzScanner(f *testing.F)   { targets["scanner"].fuzz(f) }

func (g target) fuzz(f *testing.F) {
	for _, data := range testFiles(f, g.file) {
		f.Add(data)
	}
	for _, seed := range g.seeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) { g.check(t, data) })
}

// TestMutations gives every reader seeds that were broken at random. The
// inputs are the same in every run of one size.
func TestMutations(t *testing.T) {
	for name, g := range targets {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(1, uint64(len(name))))
			var data []byte
			defer func() {
				if t.Failed() {
					t.Logf("the input: %q", data)
				}
			}()
			for range *mutations {
				data = g.mutant(rng)
				g.check(t, data)
			}
		})
	}
}

// mutant breaks a seed in one to four places.
func (g target) mutant(rng *rand.Rand) []byte {
	data := []byte(g.seeds[rng.IntN(len(g.seeds))])
	for range 1 + rng.IntN(4) {
		from := rng.IntN(len(data) + 1)
		to := min(from+rng.IntN(1+rng.IntN(40)), len(data))
		switch rng.IntN(8) {
		case 0:
			data = append(data[:from:from], data[to:]...)
		case 1:
			data = append(data[:to:to], data[from:]...) // twice
		case 2:
			if from < len(data) {
				data[from] ^= 1 << rng.IntN(8)
			}
		case 3:
			if rng.IntN(4) == 0 {
				data = data[:from]
			}
		case 4:
			other := g.seeds[rng.IntN(len(g.seeds))]
			at := rng.IntN(len(other))
			end := min(at+rng.IntN(60), len(other))
			data = append(data[:from:from], append([]byte(other[at:end]), data[to:]...)...)
		default:
			token := g.tokens[rng.IntN(len(g.tokens))]
			if rng.IntN(3) > 0 {
				from, to = scalarAt(data, from)
			}
			data = append(data[:from:from], append([]byte(token), data[to:]...)...)
		}
	}
	return data
}

// scalarAt returns where the scalar behind the next colon, comma or "=" begins
// and ends, so that a mutation replaces one by another.
func scalarAt(data []byte, at int) (from, to int) {
	from = at
	if i := bytes.IndexAny(data[at:], ":,=["); i >= 0 {
		from = at + i + 1
	}
	if i := bytes.IndexAny(data[from:], ",}]\r\n"); i >= 0 {
		return from, from + i
	}
	return from, len(data)
}

// checkRefusal: an error has its place, and is one that encoding/json sees too
// unless it is of a kind that only this package refuses.
func checkRefusal(t testing.TB, data []byte, name string, err error) {
	t.Helper()
	var syntax *SyntaxError
	if !errors.As(err, &syntax) || syntax.File != name || syntax.Msg == "" {
		t.Fatalf("error %v is no SyntaxError of %s", err, name)
	}
	if syntax.Line < 1 || syntax.Col < 1 || syntax.Col > len(data)+1 {
		t.Fatalf("%v: no place", err)
	}
	for _, ours := range []string{"stands twice", "found an ", "found a ", "found null", "does not fit into int64", "surrogate", "not valid UTF-8", "nested more than"} {
		if strings.Contains(syntax.Msg, ours) {
			return
		}
	}
	if json.Valid(data) {
		t.Fatalf("%v, but encoding/json accepts it", err)
	}
}

// hasBare reports whether a reader noted a bare number, which encoding/json refuses.
func hasBare(notes []Note) bool {
	for _, n := range notes {
		if strings.Contains(n.Text, "bare") || strings.HasPrefix(n.Text, "a time that is not a number") || strings.HasPrefix(n.Text, "a scalar") {
			return true
		}
	}
	return false
}

// compare holds what was read against what encoding/json makes of the data.
// Only cmp can say what differs, but it takes too long to ask it every time.
func compare[T any](t testing.TB, notes []Note, want, got T, same func(T, T) bool, err error) {
	t.Helper()
	switch {
	case err != nil && !hasBare(notes):
		t.Fatalf("accepted, but encoding/json: %v", err)
	case err == nil && !same(want, got):
		t.Fatalf("(-encoding/json +ours):\n%s", cmp.Diff(want, got, cmpopts.EquateEmpty(), cmp.Comparer(sameValue)))
	}
}

// sameValue compares values, strings by what they say.
func sameValue(v, w Value) bool {
	if v.Kind() != Other || w.Kind() != Other {
		return v.Equal(w)
	}
	var a, b any
	if json.Unmarshal([]byte(v.Text()), &a) != nil || json.Unmarshal([]byte(w.Text()), &b) != nil {
		return v.Text() == w.Text()
	}
	return a == b
}

func checkExport(t testing.TB, data []byte) {
	got, notes, err := ReadExport(oneFile("f", data), "f", nil)
	if err != nil {
		checkRefusal(t, data, "f", err)
		return
	}
	want, err := refExport("f", data)
	compare(t, notes, want, got, sameExport, err)
	if len(data)%4 > 0 {
		return // that often is enough, and it takes as long as all the rest
	}
	for _, sel := range []Selection{
		func(string) bool { return false },
		func(name string) bool { return len(name)%2 == 1 },
	} {
		some, _, err := ReadExport(oneFile("f", data), "f", sel)
		if err != nil {
			t.Fatalf("refused only with a selection: %v", err)
		}
		checkSelected(t, got, some, sel)
	}
}

// checkSelected: reading with a selection is reading everything and selecting.
func checkSelected(t testing.TB, all, some *Export, sel Selection) {
	t.Helper()
	want := *all
	want.Metrics, want.WarmupMetrics = selected(all.Metrics, sel), selected(all.WarmupMetrics, sel)
	if !sameExport(&want, some) {
		t.Fatalf("(-read and selected +read with the selection):\n%s", cmp.Diff(&want, some, cmpopts.EquateEmpty()))
	}
}

func selected(families []Family, sel Selection) []Family {
	var list []Family
	for _, f := range families {
		if sel(f.Name) {
			list = append(list, f)
		}
	}
	return list
}

func checkRecords(t testing.TB, data []byte) {
	got, notes, err := ReadRecords(oneFile("f", data), "f")
	if err != nil {
		var syntax *SyntaxError
		if !errors.As(err, &syntax) {
			t.Fatalf("error %v is no SyntaxError", err)
		}
		line := bytes.Split(data, []byte("\n"))[syntax.Line-1]
		syntax.Line = 1
		checkRefusal(t, line, "f", syntax)
		return
	}
	var want []Record
	profiled, warmup, failed, profilingErrors := 0, 0, 0, 0
	for i, line := range bytes.Split(data, []byte("\n")) {
		if len(bytes.Trim(line, " \t\r")) == 0 {
			continue
		}
		r, err := refRecord(line, i+1)
		if err != nil {
			if !hasBare(notes) && !bytes.Contains(line, []byte("N")) && !bytes.Contains(line, []byte("I")) {
				t.Fatalf("accepted, but encoding/json: %v", err)
			}
			return
		}
		want = append(want, r)
		switch {
		case r.Failed && !r.Warmup:
			failed++
			profilingErrors++
		case r.Failed:
			failed++
			warmup++
		case r.Warmup:
			warmup++
		default:
			profiled++
		}
	}
	compare(t, notes, want, got.List, func(a, b []Record) bool { return slices.EqualFunc(a, b, sameRecord) }, nil)
	a := got.Accounting
	categories := 0
	for name, n := range a.ErrorCategories {
		if categories += n; name == "" || !utf8.ValidString(name) {
			t.Fatalf("category %q", name)
		}
	}
	if a.Total != len(want) || a.Profiled != profiled || a.Dropped != len(want)-profiled || a.WarmupDropped != warmup || a.ErrorDropped != failed || *a.ProfilingErrors != profilingErrors || categories != failed {
		t.Fatalf("accounting %+v, want %d, %d profiled, %d warmup, %d failed, %d of them profiling", a, len(want), profiled, warmup, failed, profilingErrors)
	}
}

func checkAggregate(t testing.TB, data []byte) {
	got, notes, err := ReadAggregate(oneFile("f", data), "f")
	if err != nil {
		checkRefusal(t, data, "f", err)
		return
	}
	want, err := refAggregate("f", data)
	compare(t, notes, want, got, sameAggregate, err)
}

func checkRow(t testing.TB, data []byte) {
	got, notes, err := ReadRow(oneFile("f", data), "f")
	if err != nil {
		checkRefusal(t, data, "f", err)
		return
	}
	if got == nil {
		// A text that is broken before it shows a row's keys is not a row, and
		// this package finds more of them broken than encoding/json.
		if row, err := refRow("f", data); err == nil && row != nil && validStrict(data) {
			t.Fatalf("encoding/json finds a row: %+v", row)
		}
		return
	}
	want, err := refRow("f", data)
	for name, text := range got.Fields {
		if json.Valid([]byte(text)) {
			var v any
			d := json.NewDecoder(strings.NewReader(text))
			d.UseNumber()
			if d.Decode(&v) == nil {
				canonical, _ := json.Marshal(v)
				got.Fields[name] = string(canonical)
			}
		}
	}
	compare(t, notes, want, got, sameRow, err)
}

func checkTotals(t testing.TB, data []byte) {
	got, _, err := ReadTotals(oneFile("f", data), "f", nil)
	var syntax *SyntaxError
	if err != nil {
		if !errors.As(err, &syntax) || syntax.File != "f" || syntax.Line < 1 && len(data) > 0 {
			t.Fatalf("error %v", err)
		}
		return
	}
	rows := csv.NewReader(bytes.NewReader(data))
	rows.FieldsPerRecord = -1
	rows.Comment = '#'
	all, err := rows.ReadAll()
	if err != nil && !bytes.Contains(data, []byte("#")) {
		t.Fatalf("accepted, but encoding/csv: %v", err)
	}
	series := 0
	for _, f := range got.Metrics {
		series += len(f.Series)
		for _, s := range f.Series {
			for _, v := range []Value{s.Stats.Total, s.Stats.Sum, s.Stats.Count, s.Stats.Max, s.Stats.Avg, s.Stats.Rate} {
				if f, ok := v.Float(); v.Kind() == Null || ok && strconv.FormatFloat(f, 'g', -1, 64) == "NaN" {
					t.Fatalf("value %+v", v)
				}
			}
		}
	}
	if err == nil && series > len(all) {
		t.Fatalf("%d series of %d rows", series, len(all))
	}
	odd := func(name string) bool { return len(name)%2 == 1 }
	some, _, err := ReadTotals(oneFile("f", data), "f", odd)
	if err != nil {
		t.Fatalf("refused only with a selection: %v", err)
	}
	checkSelected(t, got, some, odd)
}

func checkEnv(t testing.TB, data []byte) {
	got, err := ReadEnv(oneFile("f", data), "f")
	want, lines := Env{}, strings.Split(string(data), "\n")
	for i, line := range lines {
		key, value, ok := strings.Cut(strings.TrimSuffix(line, "\r"), "=")
		trimmed := strings.TrimSpace(line)
		if trimmed == "" || trimmed[0] == '#' {
			continue
		}
		_, twice := want[key]
		if !ok || key == "" || twice || strings.ContainsAny(key, " \t\ufeff") && (strings.ContainsAny(key, " \t") || strings.HasPrefix(key, "\ufeff")) || !utf8.ValidString(line) {
			var syntax *SyntaxError
			if !errors.As(err, &syntax) || syntax.Line != i+1 {
				t.Fatalf("error %v, want one at line %d", err, i+1)
			}
			return
		}
		want[key] = value
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Fatalf("error %v (-want +got):\n%s", err, diff)
	}
}

// checkScanner: the scanner accepts exactly what jsontext accepts and texts
// with bare numbers, in a window of any size.
func checkScanner(t testing.TB, data []byte) {
	accepted, bare, deep := skipAll(bytes.NewReader(data), len(data)+1)
	padded, _, _ := skipAll(bytes.NewReader(append(data[:len(data):len(data)], bytes.Repeat([]byte(" "), 64)...)), len(data)+80)
	small, _, _ := skipAll(bytes.NewReader(data), 40)
	slow, _, _ := skipAll(oneByte{bytes.NewReader(data)}, 16)
	if accepted != padded || accepted != small || accepted != slow {
		t.Fatalf("accepted %v, padded %v, in a small window %v, byte by byte %v", accepted, padded, small, slow)
	}
	if deep {
		return
	}
	if accepted && bare {
		data = withoutBare(data)
	}
	if valid(data) != accepted {
		t.Fatalf("accepted %v, jsontext the opposite", accepted)
	}
}

// valid reports whether jsontext accepts the text.
func valid(data []byte) bool {
	d := jsontext.NewDecoder(bytes.NewReader(data), jsontext.AllowDuplicateNames(true))
	if d.SkipValue() != nil {
		return false
	}
	_, err := d.ReadToken()
	return err == io.EOF
}

// validStrict is valid without two members of one name in any object.
func validStrict(data []byte) bool {
	_, err := jsontext.NewDecoder(bytes.NewReader(data)).ReadValue()
	return err == nil && valid(data)
}

// withoutBare writes 0 for the bare numbers of a text.
func withoutBare(data []byte) []byte {
	var out []byte
	inString := false
	for _, part := range bytes.SplitAfter(data, []byte(`"`)) {
		if !inString {
			part = bytes.ReplaceAll(part, []byte("NaN"), []byte("0"))
			part = bytes.ReplaceAll(part, []byte("-Infinity"), []byte("0"))
			part = bytes.ReplaceAll(part, []byte("Infinity"), []byte("0"))
		}
		out = append(out, part...)
		body := bytes.TrimSuffix(part, []byte(`"`))
		escaped := inString && (len(body)-len(bytes.TrimRight(body, `\`)))%2 == 1
		if !escaped {
			inString = !inString
		}
	}
	return out
}

// skipAll skips a whole text.
func skipAll(r io.Reader, window int) (accepted, bare, deep bool) {
	s := newScanner(r, window, &notes{})
	s.skip()
	s.end()
	deep = s.err != nil && strings.Contains(s.err.Error(), "nested more")
	return s.err == nil, s.bare > 0, deep
}

// FuzzInteger holds the reading of times against math/big.
func FuzzInteger(f *testing.F) {
	for _, seed := range []string{"0", "-1", "1e18", "1.5e1", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "0.1e1", "100e-2", "1e-400", "12345678901234567890e-1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := scanner{buf: []byte(text), notes: &notes{}}
		if token, bare := s.number(); s.err != nil || bare || len(token) != len(text) {
			return
		}
		got, kind := integer([]byte(text))
		want := refInteger(text)
		if kind != whole {
			got = NoTime
		}
		if got != want {
			t.Fatalf("%s: %d (kind %d), math/big says %d", text, got, kind, want)
		}
	})
}
