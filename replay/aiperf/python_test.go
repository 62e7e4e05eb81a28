package aiperf

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestErrorCategory: the wanted categories are what the producer's
// load_records_with_accounting makes of these errors; "" is no error.
func TestErrorCategory(t *testing.T) {
	for text, want := range map[string]string{
		`null`: "", `false`: "", `0`: "", `-0.0`: "", `1e-999`: "", `""`: "", `{}`: "", `[]`: "",
		`true`: "True", `NaN`: "nan", `1e999`: "inf", `-Infinity`: "-inf", `12`: "12", `1.0`: "1.0", `1e22`: "1e+22", `1e15`: "1000000000000000.0", `0.0001`: "0.0001", `0.00001`: "1e-05",
		`"Timeout: after 5 s"`: "Timeout", `"  a\nb"`: "a", `":x"`: "unknown", `" \t"`: "unknown", `"a\u2028b"`: "a",
		`{"type":"X","code":499}`: "X", `{"type":"","code":499}`: "499", `{"type":null,"code":0}`: "0", `{"code":false}`: "False", `{"status":[]}`: "[]",
		`{"class":{"a":[1,"b\u0027","c\"\u0027",null,true,1.5]}}`: `{'a': [1, "b'", 'c"\'', None, True, 1.5]}`,
		`{"message":"no route: 10.0.0.1"}`:                        "no route", `{"message":"","error":"e"}`: "e", `{"message":{"k":"v"}}`: "{'k'", `{"detail":"x"}`: "unknown",
		`["a","b"]`: "['a', 'b']", `"` + strings.Repeat("é", 130) + `"`: strings.Repeat("é", 120),
		`["\u0000\u0007\n\\\u00ad\u00a0\ud83d\ude00\u2028"]`: `['\x00\x07\n\\\xad\xa0😀\u2028']`,
	} {
		r, _, err := ReadRecords(oneFile("f", []byte(`{"error":`+text+`}`)), "f")
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		wantCounts := map[string]int{}
		if want != "" {
			wantCounts[want] = 1
		}
		if diff := cmp.Diff(wantCounts, r.Accounting.ErrorCategories); diff != "" || r.List[0].Failed != (want != "") || r.List[0].Category != want {
			t.Errorf("%s: failed %v (-want +got):\n%s", text, r.List[0].Failed, diff)
		}
	}
}

// TestAccountingParity asks the real producer for the accounting of records
// with errors of every shape.
func TestAccountingParity(t *testing.T) {
	producer := os.Getenv("PRODUCER")
	if producer == "" {
		t.Skip("PRODUCER is not set: `make parity PRODUCER=DIR` compares with the producer in DIR, a clone of InferenceX at 843c6254")
	}
	rng := rand.New(rand.NewPCG(5, 6))
	var lines strings.Builder
	for range 20_000 {
		phase := []string{``, `"benchmark_phase":"profiling"`, `"benchmark_phase":"warmup"`, `"benchmark_phase":null`, `"benchmark_phase":5`}[rng.IntN(5)]
		fmt.Fprintf(&lines, "{\"metadata\":{%s},\"metrics\":{},\"error\":%s}\n", phase, randomError(rng, 0))
	}
	file := filepath.Join(t.TempDir(), recordsName)
	if err := os.WriteFile(file, []byte(lines.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	python := exec.Command("python3", "-c", "import json, pathlib, sys\n"+
		"from utils.agentic.aggregation.request_metrics import load_records_with_accounting\n"+
		"print(json.dumps(load_records_with_accounting(pathlib.Path(sys.argv[1]))[1]))", file)
	python.Dir, python.Stderr = producer, os.Stderr
	out, err := python.Output()
	if err != nil {
		t.Fatal(err)
	}
	var want struct {
		Total      int            `json:"records_total"`
		Profiled   int            `json:"records_profiled"`
		Dropped    int            `json:"records_dropped_total"`
		Warmup     int            `json:"records_warmup_dropped"`
		Errors     int            `json:"records_error_dropped"`
		Categories map[string]int `json:"error_categories"`
	}
	if err := json.Unmarshal(out, &want); err != nil {
		t.Fatal(err)
	}
	r, _, err := ReadRecords(os.DirFS(filepath.Dir(file)), recordsName)
	if err != nil {
		t.Fatal(err)
	}
	got := r.Accounting
	got.ProfilingErrors = nil // this producer has no such key
	if diff := cmp.Diff(Accounting{want.Total, want.Profiled, want.Dropped, want.Warmup, want.Errors, nil, want.Categories}, got); diff != "" {
		t.Errorf("(-producer +ours):\n%s", diff)
	}
}

// randomError makes a JSON value. No text is of white space only: the producer
// fails there.
func randomError(rng *rand.Rand, depth int) string {
	texts := []string{`""`, `"a: b"`, `"x\ny"`, `"it's"`, `"say \"it's\""`, `"\u0001\u007f\u0085z"`, `"é\u2028ü"`, `"😀\u00ad"`, `"\\\\ \t!"`, `" lead"`, `"\u00a0nbsp\u001c"`, `"\u200b\ue000\u0378"`}
	numbers := []string{"0", "-0", "0.0", "5", "499", "1.0", "1e5", "1e16", "123456789012345678901234567890", "1.5e-7", "0.1", "-2.50", "1e999", "NaN", "Infinity", "-Infinity", "1e-400", "100000000000000000000.0"}
	switch n := rng.IntN(8); {
	case n < 2 || depth > 3:
		return texts[rng.IntN(len(texts))]
	case n == 2:
		return numbers[rng.IntN(len(numbers))]
	case n == 3:
		return []string{"null", "true", "false"}[rng.IntN(3)]
	case n == 4:
		var items []string
		for range rng.IntN(3) {
			items = append(items, randomError(rng, depth+1))
		}
		return "[" + strings.Join(items, ",") + "]"
	}
	var members []string
	for _, name := range []string{"type", "error_type", "code", "class", "status", "message", "error", "other"} {
		if rng.IntN(4) == 0 {
			members = append(members, fmt.Sprintf("%q:%s", name, randomError(rng, depth+1)))
		}
	}
	rng.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	return "{" + strings.Join(members, ",") + "}"
}
