package oracle_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"maps"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/pdreplay/pdreplay/generator"
	"github.com/pdreplay/pdreplay/oracle"
	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// metamorphic calls f with some hundred runs, faults included.
func metamorphic(t *testing.T, f func(t *testing.T, i int, spec generator.Spec)) {
	t.Helper()
	if testing.Short() {
		t.Skip("much arithmetic and one goroutine: nothing for the race detector (make race)")
	}
	kinds := generator.Kinds()
	n := 0
	for i := range 150 {
		if spec, ok := balanced(i, kinds); ok {
			f(t, i, spec)
			n++
		}
	}
	if n < 120 {
		t.Fatalf("only %d runs could be drawn", n)
	}
}

// A view is what must not change.
type view struct {
	Observed, True oracle.Rates
	Proven         bool
	Basis          [4]oracle.Basis
	Status         oracle.Status
	Rates          [4]*float64
}

func look(ev *oracle.Evidence) view {
	v := ev.Verdict(contract("review"))
	return view{ev.Observed, ev.True.Rates, ev.True.Proven, ev.Basis, v.Status, v.Rates}
}

func mustSample(t *testing.T, spec generator.Spec) sample {
	t.Helper()
	s, err := sampled(spec)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func same(t *testing.T, i int, what string, want, got view) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("run %d: %s changed the evidence (-before +after):\n%s", i, what, diff)
	}
}

func TestShiftedClocksChangeNothing(t *testing.T) {
	metamorphic(t, func(t *testing.T, i int, spec generator.Spec) {
		before := mustSample(t, spec)
		spec = before.spec            // with its defaults, so that only the start differs
		spec.Start += 600_000_000_000 // whole periods of every refresh: engines refresh by the clock
		same(t, i, "shifting all clocks", look(before.ev), look(mustSample(t, spec).ev))
	})
}

func TestConstantsInCountersChangeNothing(t *testing.T) {
	metamorphic(t, func(t *testing.T, i int, spec generator.Spec) {
		kind, ok := generator.KindOf("dead-worker-files")
		if !ok {
			t.Fatal("no fault dead-worker-files")
		}
		// A reset takes the dead worker's files away, a late series never had them.
		resets := func(f generator.Fault) bool {
			return slices.Contains([]string{"restart", "dead-worker-files", "late-rank", "zero-before-snapshot", "vanished-series", "late-series"}, f.Slug)
		}
		if kind.Fits(spec) != "" || slices.ContainsFunc(spec.Faults, resets) {
			return
		}
		before := mustSample(t, spec)
		spec.Faults = append(slices.Clone(spec.Faults), generator.Fault{Slug: kind.Slug})
		same(t, i, "adding a constant to the raw counters", look(before.ev), look(mustSample(t, spec).ev))
	})
}

// Keys in another order, and metrics that no engine has.
func TestOtherKeysChangeNothing(t *testing.T) {
	metamorphic(t, func(t *testing.T, i int, spec generator.Spec) {
		out, err := generator.Generate(spec)
		if err != nil {
			t.Fatal(err)
		}
		before, after := open(t, out.FS()), open(t, reordered(t, out))
		same(t, i, "reordering keys and adding metrics", look(oracle.Examine(before, oracle.Options{})), look(oracle.Examine(after, oracle.Options{})))
	})
}

func open(t *testing.T, fsys fs.FS) *aiperf.Run {
	t.Helper()
	run, err := aiperf.Open(fsys, ".", oracle.Selects)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// reordered rewrites the export through a map, which sorts its keys, with two
// more families.
func reordered(t *testing.T, out *generator.Output) fs.FS {
	files := fstest.MapFS{}
	for _, f := range out.Files {
		data := f.Data
		if bytes.Contains([]byte(f.Path), []byte("server_metrics_export.json")) && json.Valid(data) {
			var doc map[string]any
			d := json.NewDecoder(bytes.NewReader(data))
			d.UseNumber()
			if err := d.Decode(&doc); err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"aaa:prefix_cache_full_tokens", "python_gc_objects"} {
				doc["metrics"].(map[string]any)[name] = map[string]any{"type": "counter", "series": []any{map[string]any{
					"endpoint_url": "http://elsewhere:1/metrics", "stats": map[string]any{"total": 5},
				}}}
			}
			var err error
			if data, err = json.Marshal(doc); err != nil {
				t.Fatal(err)
			}
		}
		files[f.Path] = &fstest.MapFile{Data: data}
	}
	return files
}

// Three times the tokens in every counter and record: the same rates.
func TestScaledTokensChangeNoRate(t *testing.T) {
	metamorphic(t, func(t *testing.T, i int, spec generator.Spec) {
		s := mustSample(t, spec)
		before := look(s.ev)
		scale(s.run, 3)
		after := look(oracle.Examine(s.run, oracle.Options{}))
		if d := cmp.Diff(before, after, cmp.Comparer(func(a, b float64) bool { return a-b < 1e-12 && b-a < 1e-12 })); d != "" {
			t.Fatalf("run %d: scaling all tokens changed the evidence (-before +after):\n%s", i, d)
		}
	})
}

func scale(run *aiperf.Run, factor float64) {
	times := func(v *aiperf.Value) {
		if f, ok := v.Float(); ok {
			*v = aiperf.NumberValue(f * factor)
		}
	}
	for _, export := range []*aiperf.Export{run.Export, run.Totals} {
		if export == nil {
			continue
		}
		for _, families := range [][]aiperf.Family{export.Metrics, export.WarmupMetrics} {
			for _, f := range families {
				if countsRequests(f.Name) {
					continue
				}
				for j := range f.Series {
					times(&f.Series[j].Stats.Total)
					times(&f.Series[j].Stats.Sum) // a histogram's
					for k := range f.Series[j].Slices {
						times(&f.Series[j].Slices[k].Value)
					}
				}
			}
		}
	}
	if run.Records != nil {
		for j := range run.Records.List {
			times(&run.Records.List[j].PromptTokens)
			times(&run.Records.List[j].CacheReadTokens)
		}
	}
	if run.Aggregate != nil && run.Aggregate.Warmup != nil {
		times(&run.Aggregate.Warmup.UsagePromptTokens)
	}
}

func countsRequests(family string) bool {
	for _, stem := range []string{"prefix_cache_requests", "request_success", "preemptions", "num_requests"} {
		if bytes.Contains([]byte(family), []byte(stem)) {
			return true
		}
	}
	return false
}

// The window cut in two at a slice edge: what is inside adds up.
func TestSplitWindowRecombines(t *testing.T) {
	split := 0
	metamorphic(t, func(t *testing.T, i int, spec generator.Spec) {
		s := mustSample(t, spec)
		if s.run.Export == nil || s.run.Export.Profiling == nil || s.ev.Spelled() {
			return
		}
		window := *s.run.Export.Profiling
		edge, ok := commonEdge(s.run.Export, window)
		if !ok {
			return
		}
		part := func(from, to int64) []float64 {
			run, export := *s.run, *s.run.Export
			export.Profiling = &aiperf.Range{Start: from, End: to}
			run.Export = &export
			return oracle.Examine(&run, oracle.Options{}).Inside()
		}
		whole, left, right := s.ev.Inside(), part(window.Start, edge), part(edge, window.End)
		for k := range whole {
			if whole[k] != left[k]+right[k] {
				t.Fatalf("run %d: counter %d holds %v inside, %v and %v in the halves", i, k, whole[k], left[k], right[k])
			}
		}
		split++
	})
	if split < 25 {
		t.Errorf("only %d windows had an edge to be cut at", split)
	}
}

// commonEdge finds an instant inside the window at which every series has an edge.
func commonEdge(export *aiperf.Export, window aiperf.Range) (int64, bool) {
	count, series := map[int64]int{}, 0
	for _, f := range export.Metrics {
		for _, s := range f.Series {
			series++
			for _, slice := range s.Slices {
				if slice.End > window.Start && slice.End < window.End {
					count[slice.End]++
				}
			}
		}
	}
	for _, edge := range slices.Sorted(maps.Keys(count)) {
		if count[edge] == series {
			return edge, true
		}
	}
	return 0, false
}
