package replay_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pdreplay/pdreplay/generator"
	"github.com/pdreplay/pdreplay/oracle"
	"github.com/pdreplay/pdreplay/replay"
	"github.com/pdreplay/pdreplay/replay/adapter"
	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// publishedPoint synthesizes a run of ATOM on one endpoint, scraped by the old collector,
// and returns what the workflow publishes of it: the raw files in one zip, and
// the row that atom@main made in another. Neither holds environment or roles.
func publishedPoint(t *testing.T, conc int, faults ...string) (raw, published []byte) {
	t.Helper()
	spec, err := generator.Draw(generator.NewSource(36734492117, 3), generator.Options{
		Engines: []string{generator.ATOM}, Topologies: []string{"unified"}, Collectors: []string{generator.V1011}, Faults: faults,
	})
	if err != nil {
		t.Fatal(err)
	}
	// One worker, counters as of September 2026, renewed at once.
	spec.Generation, spec.Offload, spec.Mesh, spec.Ranks, spec.Refresh = generator.GenB, true, false, 0, 0
	spec.Seed += uint64(conc)
	out, err := generator.Generate(spec)
	if err != nil {
		t.Fatal(err)
	}
	run, err := aiperf.Open(out.FS(), ".", replay.Selects)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, f := range out.Files {
		if strings.HasPrefix(f.Path, "aiperf_artifacts/") {
			files[f.Path] = f.Data
		}
	}
	var main adapter.Answer
	for _, a := range replay.BuiltinAdapters() {
		if a.Name() == "atom@main" {
			if main, err = a.Derive(t.Context(), run); err != nil {
				t.Fatal(err)
			}
		}
	}
	cell := func(x *float64) string {
		if x == nil {
			return "null"
		}
		return fmt.Sprint(*x)
	}
	r := main.Rates
	row := fmt.Sprintf(`{"conc":%d,"framework":"atom","disagg":false,"is_multinode":false,"kv_offloading":"dram","kv_offload_backend":"lmcache",`+
		`"request_metrics":{},"server_metrics":{"adapter":"atom","cache":{"gpu_cache_hit_rate":%s,"cpu_cache_hit_rate":%s,"external_cache_hit_rate":%s,"overall_cache_hit_rate":%s}}}`,
		conc, cell(r.GPU), cell(r.CPU), cell(r.External), cell(r.Overall))
	return pack(t, files), pack(t, map[string][]byte{fmt.Sprintf("kimik3_fp4_atom_conc%d.json", conc): []byte(row)})
}

// TestFivePoints lays out run 36734492117 of the public thread as a download:
// five concurrencies, each a zip of raw files and a zip with its row. Both
// versions of the pull request come to the five statuses that its thread names,
// in order (accounting.md section 8); the published rows are atom@main's.
func TestFivePoints(t *testing.T) {
	files := map[string][]byte{}
	for _, p := range []struct {
		conc   int
		faults []string
	}{
		{10, nil},
		{11, nil},
		{12, []string{"no-warmup-metrics"}},
		{14, []string{"lost-record"}},
		{16, []string{"abort-after-admission"}},
	} {
		raw, published := publishedPoint(t, p.conc, p.faults...)
		name := fmt.Sprintf("kimik3_fp4_atom_conc%d.zip", p.conc)
		files["36734492117/agentic_"+name], files["36734492117/bmk_agentic_"+name] = raw, published
	}
	download(t, files)
	sources, err := replay.Find([]string{"36734492117"})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]string{}
	summary, err := replay.Run(t.Context(), sources, replay.Options{Contract: oracle.Contracts()[0], Jobs: 2, Timeout: time.Minute, Now: time.Now}, func(r replay.Result) error {
		got[string(r.Adapter)] = append(got[string(r.Adapter)], string(r.Status))
		if p := r.Published; p == nil || r.Adapter == "atom@main" && !p.Holds() || len(p.Fields) != 4 {
			t.Errorf("%s: %s does not reproduce the row in four fields: %+v", r.Run, r.Adapter, p)
		}
		return nil
	})
	if err != nil || summary.ParityHeld != 5 {
		t.Errorf("%d rows reproduced, %v", summary.ParityHeld, err)
	}
	want := []string{"VALID_COMPLETE", "VALID_COMPLETE", "WINDOW_UNRESOLVED", "REQUEST_SCOPE_UNRESOLVED", "REQUEST_SCOPE_UNRESOLVED"}
	for _, name := range []string{"atom@2db01926", "atom@0842d829", "atom@review"} {
		if diff := cmp.Diff(want, got[name]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
