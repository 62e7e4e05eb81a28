package external_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/pdreplay/pdreplay/generator"
	"github.com/pdreplay/pdreplay/oracle"
	"github.com/pdreplay/pdreplay/replay"
	"github.com/pdreplay/pdreplay/replay/adapter"
	"github.com/pdreplay/pdreplay/replay/adapter/atom"
	"github.com/pdreplay/pdreplay/replay/adapter/dynamo"
	"github.com/pdreplay/pdreplay/replay/adapter/external"
	"github.com/pdreplay/pdreplay/replay/adapter/sglang"
	"github.com/pdreplay/pdreplay/replay/adapter/trtllm"
	"github.com/pdreplay/pdreplay/replay/adapter/vllm"
	"github.com/pdreplay/pdreplay/replay/aiperf"
	"github.com/pdreplay/pdreplay/scenarios"
)

const (
	producerModule = "utils.agentic.aggregation.process_agentic_result"
	workerScript   = "../../../testdata/workers/python_producer.py"
	matrixDir      = "../../../testdata/matrix"
)

// producerDir is the real producer: a clone of InferenceX at 843c6254.
func producerDir(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("PRODUCER")
	if dir == "" {
		t.Skip("PRODUCER is not set: `make parity PRODUCER=DIR` compares with the producer in DIR, a clone of InferenceX at 843c6254")
	}
	module := filepath.Join(dir, strings.ReplaceAll(producerModule, ".", "/")+".py")
	if _, err := os.Stat(module); err != nil {
		t.Fatalf("PRODUCER=%s is no clone of InferenceX at 843c6254: %v", dir, err)
	}
	return dir
}

// start returns the Python program in dir as an adapter.
func start(t testing.TB, kind external.Kind, dir, module string, env external.Environment) *external.Adapter {
	t.Helper()
	// A launcher such as pyenv's takes longer than Python itself.
	out, err := exec.Command("python3", "-c", "import sys; print(sys.executable)").Output()
	if err != nil {
		t.Skipf("there is no python3 here, so no producer can run: %v", err)
	}
	python := strings.TrimSpace(string(out))
	args := []string{python, "-m", module}
	if kind == external.Worker {
		script, err := filepath.Abs(workerScript)
		if err != nil {
			t.Fatal(err)
		}
		args = []string{python, script, module}
	}
	// Under the race detector a supervisor would end a second late.
	set := map[string]string{"GORACE": "atexit_sleep_ms=0"}
	maps.Copy(set, env.Set)
	env.Set = set
	a, err := external.New(external.Host{Environ: os.Environ(), TempDir: t.TempDir()},
		external.Spec{Name: "producer-" + string(kind), Kind: kind, Args: args, Dir: dir, Env: env})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return a
}

// The real producer, one process a run and as a worker, says what the adapters
// in this process say, field by field, on every matrix fixture: as it is for
// ATOM, with the families renamed for vLLM.
func TestParityMatrix(t *testing.T) {
	dir := producerDir(t)
	asCommand := start(t, external.Command, dir, producerModule, external.Environment{})
	asWorker := start(t, external.Worker, dir, producerModule, external.Environment{})
	fixtures, err := os.ReadDir(matrixDir)
	if err != nil || len(fixtures) < 31 {
		t.Fatalf("%d fixtures, %v; want 31", len(fixtures), err)
	}
	for _, fixture := range fixtures {
		if !fixture.IsDir() {
			continue
		}
		t.Run(fixture.Name(), func(t *testing.T) {
			onDisk := os.DirFS(matrixDir)
			for _, theirs := range []*external.Adapter{asCommand, asWorker} {
				compare(t, theirs, main(t, atom.Adapters()), atom.Selects, onDisk, fixture.Name())
				compare(t, theirs, main(t, vllm.Adapters()), vllm.Selects, asVLLM(t, onDisk, fixture.Name()), "run")
			}
		})
	}
}

// main returns the version of the August tree.
func main(t *testing.T, versions []adapter.Adapter) adapter.Adapter {
	t.Helper()
	for _, a := range versions {
		if strings.HasSuffix(a.Name(), "@main") {
			return a
		}
	}
	t.Fatal("there is no version main")
	return nil
}

// compare fails where the producer and the adapter in this process differ.
func compare(t *testing.T, theirs *external.Adapter, ours adapter.Adapter, sel aiperf.Selection, fsys fs.FS, dir string) {
	t.Helper()
	run, err := aiperf.Open(fsys, dir, sel)
	if err != nil {
		t.Fatalf("%s: opening the run: %v", ours.Name(), err)
	}
	compareRun(t, theirs, ours, run)
}

func compareRun(t *testing.T, theirs *external.Adapter, ours adapter.Adapter, run *aiperf.Run) {
	t.Helper()
	want, wantErr := theirs.Derive(t.Context(), run)
	got, gotErr := ours.Derive(t.Context(), run)
	if errors.Is(wantErr, context.DeadlineExceeded) {
		t.Fatal(wantErr)
	}
	switch {
	case wantErr != nil && strings.Contains(wantErr.Error(), "bare "):
		// Its row is no JSON, and nothing behind that place can be compared. A
		// rate or a counter that is NaN or infinite must be so here as well.
		if rateOrCounter.MatchString(wantErr.Error()) && gotErr == nil && !unreal(got) {
			t.Errorf("%s of %s shows finite rates %s, but: %v", ours.Name(), run.ID, rates(got), wantErr)
		}
	case (wantErr == nil) != (gotErr == nil):
		t.Errorf("%s of %s:\n%s %v\n%s: %v", ours.Name(), run.ID, theirs.Name(), wantErr, ours.Name(), gotErr)
	case wantErr == nil:
		ignored := cmpopts.IgnoreFields(adapter.Answer{}, "Counters", "Reasons") // no part of a row
		if diff := cmp.Diff(want, got, ignored, cmpopts.EquateNaNs(), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s of %s (- producer, + ours): %s", ours.Name(), run.ID, diff)
		}
	}
}

var rateOrCounter = regexp.MustCompile(`/server_metrics/cache/(gpu|cpu|external|overall|prefix|cached_tokens)_`)

// unreal reports whether the adapter used or shows what JSON cannot say.
func unreal(a adapter.Answer) bool {
	for _, r := range a.Rates.List() {
		if r != nil && (math.IsNaN(*r) || math.IsInf(*r, 0)) {
			return true
		}
	}
	for _, c := range a.Counters {
		if math.IsNaN(c.Value) || math.IsInf(c.Value, 0) {
			return true
		}
	}
	return false
}

func rates(a adapter.Answer) string {
	text, err := json.Marshal(a.Rates)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// asVLLM returns a fixture with vLLM's names for ATOM's counters.
func asVLLM(t *testing.T, fsys fs.FS, name string) fs.FS {
	t.Helper()
	names := strings.NewReplacer(
		"atom:prefix_cache_full_tokens", "vllm:prefix_cache_queries", "atom_prefix_cache_full_tokens", "vllm:prompt_tokens",
		"atom:prefix_cache_cached_tokens", "vllm:prefix_cache_hits", "atom:prefix_cache_offload_tokens", "vllm:external_prefix_cache_queries",
		"atom:lmcache_loaded_tokens", "vllm:external_prefix_cache_hits", "atom_lmcache_loaded_tokens", "vllm:generation_tokens",
		"atom:", "vllm:", "atom_", "vllm:", "FRAMEWORK=atom", "FRAMEWORK=vllm")
	copied := fstest.MapFS{}
	for _, file := range []string{
		"aiperf_artifacts/server_metrics_export.json", "aiperf_artifacts/profile_export.jsonl", "run.env",
	} {
		data, err := fs.ReadFile(fsys, path.Join(name, file))
		if err != nil {
			t.Fatal(err)
		}
		copied["run/"+file] = &fstest.MapFile{Data: []byte(names.Replace(string(data)))}
	}
	return copied
}

// The real producer says what the adapters in this process say on every
// scenario that has records (without them it stops) and a JSON export (it does
// not read the CSV; ours does, and says so: adapter.CSVOnly).
func TestParityScenarios(t *testing.T) {
	theirs := start(t, external.Worker, producerDir(t), producerModule, external.Environment{})
	versions := map[string]adapter.Adapter{}
	for _, a := range replay.BuiltinAdapters() {
		if strings.HasSuffix(a.Name(), "@main") && a.Engine() != trtllm.Engine { // that one models a later tree
			versions[a.Engine()] = a
		}
	}
	compared := 0
	for _, s := range scenarios.All() {
		t.Run(s.Name, func(t *testing.T) {
			c, err := s.Build(replay.Selects)
			if err != nil {
				t.Fatal(err)
			}
			ours := versions[oracle.Examine(c.Run, oracle.Options{}).Engine]
			if c.Run.Records == nil || c.Run.Export == nil || ours == nil {
				t.Skip("it has no records, no JSON export, or no engine that the producer knows")
			}
			compareRun(t, theirs, ours, c.Run)
			compared++
		})
	}
	if all := len(scenarios.All()); compared < all*9/10 {
		t.Errorf("%d of %d scenarios were compared", compared, all)
	}
}

// The real producer says what the adapters in this process say on generated
// runs of every engine that it knows, with every fault in turn and mixtures of
// them. (trtllm@main models a later tree.)
func TestParityGenerated(t *testing.T) {
	theirs := start(t, external.Worker, producerDir(t), producerModule, external.Environment{})
	kinds := generator.Kinds()
	for _, engine := range []struct {
		ours    adapter.Adapter
		selects aiperf.Selection
		runs    int
	}{
		{main(t, atom.Adapters()), atom.Selects, 600},
		{main(t, vllm.Adapters()), vllm.Selects, 600},
		{main(t, sglang.Adapters()), sglang.Selects, 300},
		{main(t, dynamo.Adapters()), dynamo.Selects, 200},
	} {
		compared := 0
		for i := range engine.runs {
			o := generator.Options{Engines: []string{engine.ours.Engine()}, Mixture: 2}
			if i%2 == 0 {
				o.Faults, o.Mixture = []string{kinds[i/2%len(kinds)].Slug}, 0
			}
			spec, err := generator.Draw(generator.NewSource(3, uint64(i)), o)
			if err != nil {
				continue // this engine cannot have the fault
			}
			t.Run(fmt.Sprintf("%s/%d", engine.ours.Engine(), i), func(t *testing.T) {
				out, err := generator.Generate(spec)
				if err != nil {
					t.Fatal(err)
				}
				run, err := aiperf.Open(out.FS(), ".", engine.selects)
				if err != nil {
					t.Fatal(err)
				}
				if run.Export == nil {
					t.Skip("it has no JSON export, which is all that the producer reads")
				}
				compareRun(t, theirs, engine.ours, run)
				compared++
				if text, err := generator.Format(out.Spec); t.Failed() && err == nil {
					t.Logf("%s", text)
				}
			})
		}
		if compared < engine.runs/2 {
			t.Errorf("%s: %d of %d runs were compared", engine.ours.Name(), compared, engine.runs)
		}
		t.Logf("%s: %d runs", engine.ours.Name(), compared)
	}
}

// Series with odd statistics: every family in several spellings, numbers as
// text, true, null, NaN, missing. One worker answers all of them.
func TestParityOddStatistics(t *testing.T) {
	theirs := start(t, external.Worker, producerDir(t), producerModule, external.Environment{})
	for _, engine := range []struct {
		ours     adapter.Adapter
		selects  aiperf.Selection
		families []string
		labels   []string // objects
	}{
		{main(t, atom.Adapters()), atom.Selects, atomFamilies(), []string{`{"engine":"0"}`}},
		{main(t, vllm.Adapters()), vllm.Selects, vllmFamilies(), sources("source", "local_cache_hit", "external_kv_transfer", "local_compute")},
		{main(t, sglang.Adapters()), sglang.Selects, []string{
			"sglang:prompt_tokens", "sglang:prompt_tokens_total", "sglang:generation_tokens", "sglang:cached_tokens", "sglang:cache_hit_rate",
		}, sources("cache_source", "device", "host", "storage")},
		{main(t, dynamo.Adapters()), dynamo.Selects, append(vllmFamilies(),
			"dynamo_frontend_input_sequence_tokens", "dynamo_frontend_output_tokens", "dynamo_frontend_cached_tokens",
		), sources("source", "local_cache_hit", "external_kv_transfer", "local_compute")},
	} {
		for seed := range uint64(150) {
			r := rand.New(rand.NewPCG(seed, 7))
			export := oddExport(r, engine.families, engine.labels)
			t.Run(fmt.Sprintf("%s/%d", engine.ours.Engine(), seed), func(t *testing.T) {
				run := fstest.MapFS{
					"run/aiperf_artifacts/server_metrics_export.json": {Data: []byte(export)},
					"run/aiperf_artifacts/profile_export.jsonl":       {Data: []byte(`{"metadata":{},"metrics":{}}` + "\n")},
					"run/run.env": {Data: []byte("KV_OFFLOADING=none\nFRAMEWORK=" + engine.ours.Engine() + "\n")},
				}
				compare(t, theirs, engine.ours, engine.selects, run, "run")
				if t.Failed() {
					t.Log(export)
				}
			})
		}
	}
}

// Records with odd phases and errors: the accounting must be the same.
func TestParityOddRecords(t *testing.T) {
	theirs := start(t, external.Worker, producerDir(t), producerModule, external.Environment{})
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 11))
		var lines []string
		for range r.IntN(8) {
			lines = append(lines, oddRecord(r))
		}
		run := fstest.MapFS{
			"run/aiperf_artifacts/server_metrics_export.json": {Data: []byte(`{"metrics":{"atom:prefix_cache_full_tokens":{"series":[]}}}`)},
			"run/aiperf_artifacts/profile_export.jsonl":       {Data: []byte(strings.Join(lines, "\n") + "\n")},
			"run/run.env": {Data: []byte("KV_OFFLOADING=none\n")},
		}
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			compare(t, theirs, main(t, atom.Adapters()), atom.Selects, run, "run")
			if t.Failed() {
				t.Log(strings.Join(lines, "\n"))
			}
		})
	}
}

func oddRecord(r *rand.Rand) string {
	phases := []string{"", "", `"benchmark_phase":"profiling",`, `"benchmark_phase":"warmup",`, `"benchmark_phase":"cooldown",`,
		`"benchmark_phase":null,`, `"benchmark_phase":"",`, `"benchmark_phase":"Profiling",`}
	failures := []string{"", `,"error":null`, `,"error":""`, `,"error":"boom: at 5"`, `,"error":" b"`, `,"error":{}`, `,"error":{"type":"T"}`,
		`,"error":{"message":"a: b"}`, `,"error":{"type":"","code":500,"message":"m"}`, `,"error":{"code":0,"status":"S"}`, `,"error":{"error":"inner"}`,
		`,"error":{"type":null,"message":"\u00e9t\u00e9\nsecond: x"}`, `,"error":0`, `,"error":1`, `,"error":[]`, `,"error":[1,"a"]`, `,"error":true`,
		`,"error":false`, `,"error":{"x":1.5}`, `,"error":{"message":":x"}`, `,"error":"` + strings.Repeat("long ", 50) + `"`, `,"error":1.5`}
	if r.IntN(9) == 0 {
		return " \t"
	}
	return fmt.Sprintf(`{"metadata":{%s"was_cancelled":%t},"metrics":{}%s}`, phases[r.IntN(len(phases))], r.IntN(2) == 0, failures[r.IntN(len(failures))])
}

func atomFamilies() []string {
	var names []string
	for _, stem := range []string{"prefix_cache_cached_tokens", "prefix_cache_full_tokens", "lmcache_loaded_tokens", "prompt_tokens", "generation_tokens"} {
		names = append(names, "atom:"+stem, "atom_"+stem, "atom:"+stem+"_total", "atom_"+stem+"_total")
	}
	return names
}

func vllmFamilies() []string {
	return []string{
		"vllm:prefix_cache_hits", "vllm:prefix_cache_queries", "vllm:external_prefix_cache_hits", "vllm:external_prefix_cache_queries",
		"vllm:prompt_tokens_by_source", "vllm:prompt_tokens", "vllm:generation_tokens",
	}
}

// sources are labels that tell the tiers apart, and one that does not.
func sources(key string, values ...string) []string {
	labels := []string{fmt.Sprintf(`{%q:""}`, key)}
	for _, value := range values {
		labels = append(labels, fmt.Sprintf(`{"engine":"0",%q:%q}`, key, value))
	}
	return labels
}

// oddExport writes an export by hand: encoding/json writes no NaN.
func oddExport(r *rand.Rand, families, labels []string) string {
	var list []string
	for _, name := range families {
		if r.IntN(3) == 0 {
			continue
		}
		var series []string
		for range 1 + r.IntN(3) {
			series = append(series, oddSeries(r, labels))
		}
		list = append(list, fmt.Sprintf(`%q:{"type":"counter","series":[%s]}`, name, strings.Join(series, ",")))
	}
	return `{"schema_version":"1.0","summary":{},"metrics":{` + strings.Join(list, ",") + `}}`
}

func oddSeries(r *rand.Rand, labels []string) string {
	fields := []string{`"endpoint_url":"http://p:9/metrics"`}
	if r.IntN(4) > 0 {
		fields = append(fields, `"labels":`+labels[r.IntN(len(labels))])
	}
	var stats []string
	for _, key := range []string{"total", "sum", "max", "avg"} {
		if r.IntN(2) == 0 {
			stats = append(stats, fmt.Sprintf("%q:%s", key, oddValue(r)))
		}
	}
	fields = append(fields, `"stats":{`+strings.Join(stats, ",")+"}")
	return "{" + strings.Join(fields, ",") + "}"
}

// oddValue is a plain number three times in four. Lists and objects are left
// out: the reader refuses them with their address, the producer skips them.
func oddValue(r *rand.Rand) string {
	if r.IntN(4) > 0 {
		return fmt.Sprint(float64(r.IntN(100000)) / []float64{1, 10, 64}[r.IntN(3)])
	}
	odd := []string{
		"0", "-3", "-0.0", "null", `"80"`, `" 80\n"`, `"1_000"`, `"1__0"`, `"0x10"`, `"abc"`, `""`, "true", "false", "NaN", "Infinity", "-Infinity",
		`"nan"`, `"-inf"`, `"infinity"`, "1e308", "1e-320", "12345678901234567890", "1E5", `"1e5"`, `".5"`, `"5."`, `"\u0661"`, `"+7"`,
	}
	return odd[r.IntN(len(odd))]
}
