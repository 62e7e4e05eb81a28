package oracle_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdreplay/pdreplay/oracle"
	"github.com/pdreplay/pdreplay/replay/aiperf"
)

const matrix = "../testdata/matrix"

func examine(t *testing.T, dir string) *oracle.Evidence {
	t.Helper()
	run, err := aiperf.Open(os.DirFS(filepath.Dir(dir)), filepath.Base(dir), oracle.Selects)
	if err != nil {
		t.Fatal(err)
	}
	return oracle.Examine(run, oracle.Options{})
}

func fixtures(t *testing.T) []string {
	t.Helper()
	dirs, err := filepath.Glob(matrix + "/*")
	if err != nil || len(dirs) != 31 {
		t.Fatalf("%d fixtures in %s (%v), want 31", len(dirs), matrix, err)
	}
	return dirs
}

type expected struct {
	Status            *string
	Eligible          *bool `json:"pricing_eligible"`
	GPU, CPU, Overall *float64
}

// The contracts must expect exactly what the versions that they are named
// after are known to answer. expected.json has the words of accounting.md.
func TestContractsOnMatrix(t *testing.T) {
	for _, dir := range fixtures(t) {
		name := filepath.Base(dir)
		ev := examine(t, dir)
		raw, err := os.ReadFile(dir + "/expected.json")
		if err != nil {
			t.Fatal(err)
		}
		var want map[string]expected
		if err := json.Unmarshal(raw, &want); err != nil {
			t.Fatal(err)
		}
		for _, version := range []string{"review", "4405"} {
			contract, err := oracle.ContractNamed(version)
			if err != nil {
				t.Fatal(err)
			}
			v := ev.Verdict(contract)
			w := want[version]
			if string(v.Status) != *w.Status || v.Eligible != *w.Eligible {
				t.Errorf("%s %s: %s priced=%v, want %s priced=%v: %v", name, version, v.Status, v.Eligible, *w.Status, *w.Eligible, v.Reasons)
			}
			got := [4]*float64{}
			for i, r := range v.Rates {
				if r != nil {
					x := oracle.Round(*r)
					got[i] = &x
				}
			}
			if diff := cmp.Diff([4]*float64{w.GPU, w.CPU, w.CPU, w.Overall}, got); diff != "" {
				t.Errorf("%s %s: rates (-want +got):\n%s", name, version, diff)
			}
		}
	}
}

// The basis of each fixture as oracle.md lists it.
func TestBasisOnMatrix(t *testing.T) {
	want := map[oracle.Basis]string{
		oracle.Conserved: " 01 02 04 05 08 12 15 16 17 20 ",
		oracle.Unknown:   " 03 22 24 28 29 ",
	}
	for _, dir := range fixtures(t) {
		number := filepath.Base(dir)[:2]
		basis := oracle.Bounded
		for b, list := range want {
			if strings.Contains(list, " "+number+" ") {
				basis = b
			}
		}
		if got := examine(t, dir).RunBasis(); got != basis {
			t.Errorf("%s: basis %s, want %s", filepath.Base(dir), got, basis)
		}
	}
}

// Observed intervals by hand. Each slice holds FULL 100, CACHED 60, OFFLOAD
// 20; what is missing or straddling holds the same.
func TestObservedOnMatrix(t *testing.T) {
	point := func(x float64) oracle.Interval { return oracle.Interval{Lo: x, Hi: x} }
	for _, tt := range []struct {
		fixture           string
		gpu, cpu, overall oracle.Interval
	}{
		{"01", point(0.6), point(0.2), point(0.8)},
		{"02", point(0.6), point(0.2), point(0.8)},
		{"03", oracle.Interval{Hi: 1}, oracle.Interval{Hi: 1}, oracle.Interval{Hi: 1}},
		{"05", point(0.6), point(0.2), point(0.8)}, // proven straddler
		// Straddler FULL 1000, CACHED 200, OFFLOAD 100 over a warmup of 500, 100, 50:
		// 500, 100, 50 more at most.
		{"06", oracle.Interval{Lo: 600. / 1400, Hi: 700. / 1100}, oracle.Interval{Lo: 200. / 1450, Hi: 250. / 1050}, oracle.Interval{Lo: 800. / 1350, Hi: 950. / 1150}},
		// No warmup_metrics: straddler FULL 500, CACHED 100, OFFLOAD 50.
		{"07", oracle.Interval{Lo: 600. / 1400, Hi: 700. / 1100}, oracle.Interval{Lo: 200. / 1450, Hi: 250. / 1050}, oracle.Interval{Lo: 800. / 1350, Hi: 950. / 1150}},
		{"08", point(0.6), point(0.2), point(0.8)}, // nothing moved in the gap
		{"09", oracle.Interval{Lo: 594. / 994, Hi: 600. / 996}, oracle.Interval{Lo: 198. / 998, Hi: 200. / 992}, oracle.Interval{Lo: 792. / 992, Hi: 800. / 998}},
		{"10", oracle.Interval{Lo: 540. / 940, Hi: 600. / 960}, oracle.Interval{Lo: 180. / 980, Hi: 200. / 920}, oracle.Interval{Lo: 720. / 920, Hi: 800. / 980}},
		{"13", point(0.6), point(0.2), point(0.8)}, // REQUESTS does not enter a rate
		// FULL under two spellings: each read alone gives the same.
		{"14", point(0.6), point(0.2), point(0.8)},
		{"16", point(0.6), point(0.2), point(0.8)},
		{"20", point(0.6), point(0), point(0.6)},
		// OFFLOAD unknown, LOADED 350: rule 12.
		{"21", oracle.Interval{Lo: 0.25, Hi: 0.6}, oracle.Interval{Hi: 0.35}, point(0.6)},
		{"22", oracle.Interval{Hi: 1}, oracle.Interval{Hi: 1}, oracle.Interval{Hi: 1}},
		// One slice of CACHED is NaN: the others hold 540 of stats.total's 600.
		{"23", oracle.Interval{Lo: 0.54, Hi: 0.6}, point(0.2), oracle.Interval{Lo: 0.74, Hi: 0.8}},
		{"30", point(0.6), point(0), point(0.6)},
		{"32", oracle.Interval{Lo: 600. / 1040, Hi: 660. / 1060}, oracle.Interval{Lo: 200. / 1080, Hi: 220. / 1020}, oracle.Interval{Lo: 800. / 1020, Hi: 880. / 1080}},
	} {
		dirs, err := filepath.Glob(matrix + "/" + tt.fixture + "-*")
		if err != nil || len(dirs) != 1 {
			t.Fatalf("fixture %s: %v %v", tt.fixture, dirs, err)
		}
		got := examine(t, dirs[0]).Observed.List()
		for i, want := range []oracle.Interval{tt.gpu, tt.cpu, tt.cpu, tt.overall} {
			if math.Abs(got[i].Lo-want.Lo) > 1e-12 || math.Abs(got[i].Hi-want.Hi) > 1e-12 {
				t.Errorf("%s %s: %v, want %v", filepath.Base(dirs[0]), oracle.RateNames[i], got[i], want)
			}
		}
	}
}
