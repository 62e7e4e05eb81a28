package scenarios

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdreplay/pdreplay/replay/aiperf"
)

const valid = "want status=VALID_COMPLETE priced=true gpu=0.6 cpu=0.2 overall=0.8\n"

// build runs a script that must be right.
func build(t *testing.T, script string) *Case {
	t.Helper()
	s, err := Parse("test", []byte("# a story\n"+script))
	if err != nil {
		t.Fatal(err)
	}
	c, err := s.Build(nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestMistakes: every mistake in a script is one error that says where it is
// and what was expected.
func TestMistakes(t *testing.T) {
	tests := []struct{ name, script, want string }{
		{"no run first", "env A=b\n" + valid, `test.txtar:2: env: a script begins with run`},
		{"two runs", "run base\nrun pd\n" + valid, `test.txtar:3: run: a script begins with run, and runs once`},
		{"unknown run", "run pds\n" + valid, `unknown run "pds", known are base dynamo files pd sglang sglang-pd trtllm trtllm-pd vllm vllm-pd`},
		{"unknown command", "run base\nslice FULL\n" + valid, `test.txtar:3: unknown command "slice"`},
		{"no want", "run base\n", `test.txtar: no want`},
		{"two wants", "run base\n" + valid + valid, `test.txtar:4: want after want`},
		{"edit after want", "run base\n" + valid + "env A=b\n", `test.txtar:4: env after want`},
		{"open quote", "run base\nenv 'A=b\n" + valid, `test.txtar:3: a single quote is not closed`},
		{"usage", "run base\ntotal FULL\n" + valid, `test.txtar:3: total: bad arguments: usage: total SERIES VALUE`},
		{"no such series", "run base\ndrop FULL@d:9\n" + valid, `no series matches FULL@d:9`},
		{"no such slice", "run base\ndrop-slices FULL 105.1s..106s\n" + valid, `no slice lies within 105.1s..106s`},
		{"slice in the way", "run base\nadd-slice FULL 105.2s..105.4s 1\n" + valid, `the slice 105000000000..106000000000 cannot give way`},
		{"open brace", "run base\ndrop FULL{a=b\n" + valid, `has no closing brace`},
		{"bad range", "run base\nadd-slice FULL 105s 1\n" + valid, `"105s" is not a range`},
		{"bad time", "run base\nshift FULL 0.1\n" + valid, `"0.1" is not a time like 100.1s`},
		{"word as target", "run base\nrename FULL CACHED\n" + valid, `CACHED is a word for any spelling`},
		{"not a pair", "run base\nenv A\n" + valid, `"A" is not KEY=VALUE`},
		{"unset what is not set", "run base\nunset A\n" + valid, `A is not set`},
		{"no such record", "run base\ndrop-record 11\n" + valid, `there is no record "11", the run has 10`},
		{"unknown field", "run base\nadd-record user=me\n" + valid, `unknown key "user", known are phase tokens error cancelled start`},
		{"bad boolean", "run base\nset-record 1 cancelled=yes\n" + valid, `cancelled must be true or false`},
		{"unknown status", "run base\nwant status=OK priced=true gpu=0.6 cpu=0.2 overall=0.8\n", `status "OK" is none of`},
		{"unknown contract", "run base\nwant contract=4406 status=VALID_COMPLETE priced=true gpu=0.6 cpu=0.2 overall=0.8\n", `unknown contract "4406"`},
		{"priced missing", "run base\nwant status=VALID_COMPLETE gpu=0.6 cpu=0.2 overall=0.8\n", `priced must be true or false`},
		{"rate missing", "run base\nwant status=VALID_COMPLETE priced=true gpu=0.6 overall=0.8\n", `cpu: "" is not a rate`},
		{"rate not finite", "run base\nwant status=VALID_COMPLETE priced=true gpu=NaN cpu=0.2 overall=0.8\n", `gpu: "NaN" is not a rate`},
		{"interval backwards", "run base\nwant status=VALID_COMPLETE priced=true gpu=0.6[1,0] cpu=0.2 overall=0.8\n", `gpu: "[1,0]" is not an interval`},
		{"file that the reader refuses", "run files\n" + valid + "-- aiperf_artifacts/server_metrics_export.json --\n{\n", `reading the run that it built`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s, err := Parse("test", []byte("# a story\n"+test.script))
			if err != nil {
				t.Fatal(err)
			}
			if _, err = s.Build(nil); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got error %v, want one with %q", err, test.want)
			}
		})
	}
	if _, err := Parse("test", []byte("run base\n")); err == nil || !strings.Contains(err.Error(), "test.txtar:1: the first line must be a comment") {
		t.Errorf("a file without a story: got %v", err)
	}
}

// series finds one series of the run that a case built, as the reader sees it.
func find(t *testing.T, families []aiperf.Family, name, endpoint string) aiperf.Series {
	t.Helper()
	var found []aiperf.Series
	for _, f := range families {
		for _, s := range f.Series {
			if f.Name == name && s.Endpoint == endpoint {
				found = append(found, s)
			}
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d series of %s at %s, want 1", len(found), name, endpoint)
	}
	return found[0]
}

const fullName, prefill = "atom:prefix_cache_full_tokens", "http://p:9/metrics"

// slicesOf are START-END=TOTAL in seconds, as the reader sees them.
func slicesOf(t *testing.T, c *Case) []aiperf.Slice {
	t.Helper()
	return find(t, c.Run.Export.Metrics, fullName, prefill).Slices
}

func at(start, end int64, total float64) aiperf.Slice {
	return aiperf.Slice{Start: start, End: end, Value: aiperf.NumberValue(total)}
}

// TestBase reads the base run back: ten slices of one second with 100 tokens.
func TestBase(t *testing.T) {
	c := build(t, "run base\n"+valid)
	var want []aiperf.Slice
	for i := int64(100); i < 110; i++ {
		want = append(want, at(i*1e9, (i+1)*1e9, 100))
	}
	if diff := cmp.Diff(want, slicesOf(t, c)); diff != "" {
		t.Error(diff)
	}
	if got, want := c.Run.Export.Profiling, (&aiperf.Range{Start: 100e9, End: 110e9}); *got != *want {
		t.Errorf("window %v, want %v", *got, *want)
	}
	if n := len(c.Run.Records.List); n != 10 {
		t.Errorf("%d records, want 10", n)
	}
	if len(c.Run.Notes) != 0 {
		t.Errorf("the reader has notes on a base run: %v", c.Run.Notes)
	}
}

// TestSliceEdits checks what each edit leaves of FULL, of which the slices
// before 108 s are cut away to keep the expectations short.
func TestSliceEdits(t *testing.T) {
	two := "drop-slices FULL 100s..108s\n"
	tests := []struct {
		name, script string
		want         []aiperf.Slice
		total        float64 // stats.total, 1000 in the base run
	}{
		{"drop", "", []aiperf.Slice{at(108e9, 109e9, 100), at(109e9, 110e9, 100)}, 1000},
		{"drop all", "drop-slices FULL all", nil, 1000},
		{"add before", "add-slice FULL 107s..108s 5", []aiperf.Slice{at(107e9, 108e9, 5), at(108e9, 109e9, 100), at(109e9, 110e9, 100)}, 1005},
		{"add over the front", "add-slice FULL 107s..108.4s 5", []aiperf.Slice{at(107e9, 108.4e9, 5), at(108.4e9, 109e9, 100), at(109e9, 110e9, 100)}, 1005},
		{"add over the back", "add-slice FULL 109.5s..111s 5", []aiperf.Slice{at(108e9, 109e9, 100), at(109e9, 109.5e9, 100), at(109.5e9, 111e9, 5)}, 1005},
		{"add no number", "add-slice FULL 107s..108s NaN", []aiperf.Slice{{Start: 107e9, End: 108e9, Value: aiperf.OtherValue("NaN")}, at(108e9, 109e9, 100), at(109e9, 110e9, 100)}, 1000},
		{"set total", `set-slices FULL 108s..109s total="7"`, []aiperf.Slice{{Start: 108e9, End: 109e9, Value: aiperf.OtherValue(`"7"`)}, at(109e9, 110e9, 100)}, 1000},
		{"set ends", "set-slices FULL 108s..109s start=absent end=108.5s", []aiperf.Slice{{Start: aiperf.NoTime, End: 108.5e9, Value: aiperf.NumberValue(100)}, at(109e9, 110e9, 100)}, 1000},
		{"set all", "set-slices FULL 108s..110s total=absent", []aiperf.Slice{{Start: 108e9, End: 109e9}, {Start: 109e9, End: 110e9}}, 1000},
		{"shift", "shift FULL 0.1s", []aiperf.Slice{at(108.1e9, 109.1e9, 100), at(109.1e9, 110e9, 100)}, 1000},
		{"reverse", "reverse FULL", []aiperf.Slice{at(109e9, 110e9, 100), at(108e9, 109e9, 100)}, 1000},
		{"count each", "count FULL each=17.5", []aiperf.Slice{at(108e9, 109e9, 17.5), at(109e9, 110e9, 17.5)}, 35},
		{"count sum", "count FULL sum=7", []aiperf.Slice{at(108e9, 109e9, 3), at(109e9, 110e9, 4)}, 7},
		{"total", "total FULL 3", []aiperf.Slice{at(108e9, 109e9, 100), at(109e9, 110e9, 100)}, 3},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := build(t, "run base\n"+two+test.script+"\n"+valid)
			if diff := cmp.Diff(test.want, slicesOf(t, c)); diff != "" {
				t.Error(diff)
			}
			if total, _ := find(t, c.Run.Export.Metrics, fullName, prefill).Stats.Total.Float(); total != test.total {
				t.Errorf("stats.total %v, want %v", total, test.total)
			}
		})
	}
	if s := find(t, build(t, "run base\ndrop-slices FULL key\n"+valid).Run.Export.Metrics, fullName, prefill); s.HasSlices {
		t.Error("drop-slices key: the key timeslices still stands")
	}
}

// TestSeriesEdits checks names, endpoints and labels after copy, rename, drop
// and warmup.
func TestSeriesEdits(t *testing.T) {
	c := build(t, `run pd
drop LOADED,REQUESTS,OFFLOAD
copy FULL@p:9 atom_*_total@q:9
rename CACHED@p:9 {dp_rank=0}
warmup FULL@p:9 500 atom_*
phase warmup 90s..99s
phase profiling none
row disagg=false
env A=b 'C=d e'
unset DISAGG
records 2 sum=7
add-record phase=warmup error=TimeoutError
set-record 1 phase=absent cancelled=true tokens=absent start=101s
`+valid)
	var got []string
	for _, f := range c.Run.Export.Metrics {
		for _, s := range f.Series {
			got = append(got, f.Name+" "+s.Endpoint+" "+s.Labels["dp_rank"])
		}
	}
	want := []string{
		"atom:prefix_cache_cached_tokens http://p:9/metrics 0", "atom:prefix_cache_cached_tokens http://d:9/metrics ",
		"atom:prefix_cache_full_tokens http://p:9/metrics ", "atom:prefix_cache_full_tokens http://d:9/metrics ",
		"atom_prefix_cache_full_tokens_total http://q:9/metrics ",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if total, _ := find(t, c.Run.Export.WarmupMetrics, "atom_prefix_cache_full_tokens", prefill).Stats.Total.Float(); total != 500 {
		t.Errorf("warmup total %v, want 500", total)
	}
	if e := c.Run.Export; e.Profiling != nil || e.Warmup == nil || e.Warmup.End != 99e9 {
		t.Errorf("phases: profiling %v, warmup %v", e.Profiling, e.Warmup)
	}
	if r := c.Run.Published; r == nil || r.Disagg == nil || *r.Disagg {
		t.Errorf("published row: %+v", r)
	}
	if e := c.Run.Env; e["A"] != "b" || e["C"] != "d e" || e["SRT_PREFILL_ENDPOINTS"] != "p:9" {
		t.Errorf("environment: %v", e)
	}
	if _, ok := c.Run.Env["DISAGG"]; ok {
		t.Error("DISAGG is still set")
	}
	records := c.Run.Records.List
	if len(records) != 3 {
		t.Fatalf("%d records, want 3", len(records))
	}
	first, second, third := records[0], records[1], records[2]
	if first.Phase != "" || !first.Cancelled || first.PromptTokens.Kind() != aiperf.Absent || first.Start != 101e9 || first.End != 101.4e9 {
		t.Errorf("first record: %+v", first)
	}
	if n, _ := second.PromptTokens.Float(); n != 4 || !second.Successful() { // 7 over two: 3 and 4
		t.Errorf("second record: %+v", second)
	}
	if !third.Warmup || !third.Failed || third.PromptTokens.Kind() != aiperf.Absent || third.Start != 95e9 {
		t.Errorf("third record: %+v", third)
	}
}

// TestFiles: sections behind the script become files as they stand.
func TestFiles(t *testing.T) {
	c := build(t, "run base\n"+valid+"-- aiperf_artifacts/extra.txt --\nas it stands\n")
	got, err := fs.ReadFile(c.Files, "aiperf_artifacts/extra.txt")
	if err != nil || string(got) != "as it stands\n" {
		t.Errorf("got %q, %v", got, err)
	}
}
