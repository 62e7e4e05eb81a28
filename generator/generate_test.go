package generator

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
)

// demo is a run of a few requests with both tiers, a warmup and time to drain.
func demo(engine, topology, version string) Spec {
	return Spec{
		Version: FormatVersion, Seed: 7, Engine: engine, Topology: topology, Offload: true,
		Collector: Collector{Version: version},
		Warmup:    &Load{Requests: 4, Concurrency: 2, Prompt: Dist{800, 1200}, Prefill: Dist{200, 400}, Decode: Dist{1000}},
		Profiling: &Load{Requests: 20, Concurrency: 2, Prompt: Dist{500, 2000}, Output: Dist{5, 20}, GPU: Dist{300, 700}, CPU: Dist{0, 500},
			Prefill: Dist{100, 500}, Decode: Dist{1200, 2000}, First: Dist{500}},
	}
}

func generate(t *testing.T, s Spec) *Output {
	t.Helper()
	out, err := Generate(s)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// totals adds up stats.total of a counter, or of its series with one value of
// the label source, over all endpoints.
func totals(t *testing.T, out *Output, name, source string) float64 {
	t.Helper()
	var doc struct {
		Metrics map[string]struct {
			Series []struct {
				Labels map[string]string
				Stats  map[string]float64
			}
		}
	}
	if err := json.Unmarshal(out.file("aiperf_artifacts/server_metrics_export.json"), &doc); err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for _, s := range doc.Metrics[name].Series {
		if source == "" || s.Labels["source"] == source {
			sum += s.Stats["total"]
		}
	}
	return sum
}

// The naive sum over prefill and decode endpoints halves ATOM B, leaves ATOM A
// right and reads (1+h)/2 on vLLM (engines.md, "The naive reading").
func TestNaiveSumOverRoles(t *testing.T) {
	for _, version := range []string{V1012, Upstream} {
		for _, topology := range []string{"1p1d", "2p3d"} {
			t.Run(version+"/"+topology, func(t *testing.T) {
				s := demo(ATOM, topology, version)
				out := generate(t, s)
				n, hits := float64(out.Truth.Tokens), float64(out.Truth.GPU+out.Truth.CPU)
				if hits == 0 || out.Truth.CPU == 0 {
					t.Fatal("the run has no hits in both tiers")
				}
				cached := totals(t, out, "atom:prefix_cache_cached_tokens", "") + totals(t, out, "atom:prefix_cache_offload_tokens", "")
				if full := totals(t, out, "atom:prefix_cache_full_tokens", ""); full != 2*n || cached != hits {
					t.Errorf("ATOM B shows %v of %v, want %v of %v", cached, full, hits, 2*n)
				}
				s.Generation = GenA
				out = generate(t, s)
				cached = totals(t, out, "atom:prefix_cache_cached_tokens", "")
				if full := totals(t, out, "atom:prefix_cache_full_tokens", ""); full != n || cached != hits {
					t.Errorf("ATOM A shows %v of %v, want %v of %v", cached, full, hits, n)
				}
				if prompt := totals(t, out, "atom:prompt_tokens", ""); prompt != 2*n {
					t.Errorf("atom:prompt_tokens is %v, want %v", prompt, 2*n)
				}
				out = generate(t, demo(VLLM, topology, version))
				const by = "vllm:prompt_tokens_by_source"
				cached = totals(t, out, by, "local_cache_hit") + totals(t, out, by, "external_kv_transfer")
				if full := totals(t, out, by, ""); full != 2*n || cached != n+hits {
					t.Errorf("vLLM shows %v of %v, want %v of %v", cached, full, n+hits, 2*n)
				}
			})
		}
	}
}

// A unified run whose edges are quiet shows its truth in the totals.
func TestUnifiedTotalsAreTheTruth(t *testing.T) {
	for _, version := range []string{V1012, Upstream} {
		for _, ranks := range []string{RanksLabels, RanksEndpoints, RanksSummed} {
			s := demo(ATOM, "unified:3", version)
			s.Ranks, s.RanksAs = 2, ranks
			out := generate(t, s)
			full := totals(t, out, "atom:prefix_cache_full_tokens", "")
			cached := totals(t, out, "atom:prefix_cache_cached_tokens", "")
			offload := totals(t, out, "atom:prefix_cache_offload_tokens", "")
			want := out.Truth
			if int64(full) != want.Tokens || int64(cached) != want.GPU || int64(offload) != want.CPU {
				t.Errorf("%s, ranks as %s: the totals are %v %v %v, the truth is %+v", version, ranks, full, cached, offload, want)
			}
		}
	}
}

func TestSameSpecSameBytes(t *testing.T) {
	a, b := generate(t, demo(ATOM, "1p1d", V1012)), generate(t, demo(ATOM, "1p1d", V1012))
	if !a.LooksLike(b) {
		t.Error("two runs of one spec differ")
	}
	s := demo(ATOM, "1p1d", V1012)
	s.Seed++
	if a.LooksLike(generate(t, s)) {
		t.Error("another seed gives the same bytes")
	}
}

func TestMemFS(t *testing.T) {
	out := generate(t, demo(ATOM, "unified", V1012))
	err := fstest.TestFS(out.FS(), "run.env", "truth.json", "aiperf_artifacts/profile_export.jsonl",
		"aiperf_artifacts/profile_export_aiperf.json", "aiperf_artifacts/server_metrics_export.json", "aiperf_artifacts/server_metrics_export.csv")
	if err != nil {
		t.Error(err)
	}
}

func TestWrite(t *testing.T) {
	out := generate(t, demo(ATOM, "unified", V1012))
	dir := filepath.Join(t.TempDir(), "a", "run")
	if err := out.Write(dir, false); err != nil {
		t.Fatal(err)
	}
	for _, f := range out.Files {
		got, err := os.ReadFile(filepath.Join(dir, f.Path))
		if err != nil || !bytes.Equal(got, f.Data) {
			t.Errorf("%s differs on disk: %v", f.Path, err)
		}
	}
	if err := out.Write(dir, false); !errors.Is(err, ErrNotEmpty) {
		t.Errorf("a second write gives %v, want ErrNotEmpty", err)
	}
	stray := filepath.Join(dir, "stray")
	if err := os.WriteFile(stray, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := out.Write(dir, true); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(stray); err == nil {
		t.Error("a forced write left an old file")
	}
	left, err := os.ReadDir(filepath.Dir(dir))
	if err != nil || len(left) != 1 {
		t.Errorf("beside the run stand %v (%v)", left, err)
	}
}

// A spec that was read back gives the same run.
func TestSpecRoundTrip(t *testing.T) {
	for _, s := range []Spec{demo(ATOM, "2p3d", V1011), demo(VLLM, "unified:2", Upstream)} {
		out := generate(t, s)
		text, err := Format(out.Spec)
		if err != nil {
			t.Fatal(err)
		}
		back, err := Parse("spec.yaml", text)
		if err != nil {
			t.Fatal(err)
		}
		if !out.LooksLike(generate(t, back)) {
			t.Error("the run of the spec that was read back differs")
		}
	}
}

// A write that fails half-way leaves the old directory as it was and nothing
// beside it.
func TestFailedWriteLeavesNothing(t *testing.T) {
	out := generate(t, demo(ATOM, "unified", V1012))
	dir := filepath.Join(t.TempDir(), "run")
	if err := out.Write(dir, false); err != nil {
		t.Fatal(err)
	}
	broken := *out
	broken.Files = append(broken.Files[:len(broken.Files):len(broken.Files)], File{"run.env/no-directory", nil})
	if err := broken.Write(dir, true); err == nil {
		t.Fatal("a file was written below a file")
	}
	if got, err := os.ReadFile(filepath.Join(dir, "truth.json")); err != nil || !bytes.Equal(got, out.file("truth.json")) {
		t.Errorf("the old run is gone: %v", err)
	}
	if left, err := os.ReadDir(filepath.Dir(dir)); err != nil || len(left) != 1 {
		t.Errorf("beside the run stand %v (%v)", left, err)
	}
}
