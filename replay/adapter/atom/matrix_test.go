package atom

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/pdreplay/pdreplay/replay/adapter"
	"github.com/pdreplay/pdreplay/replay/aiperf"
)

const matrixDir = "../../../testdata/matrix"

type matrixRow struct {
	Status            *string `json:"status"`
	Eligible          *bool   `json:"pricing_eligible"`
	GPU, CPU, Overall *float64
}

// Every fixture of the accounting matrix, version by version, through the
// reader.
func TestMatrix(t *testing.T) {
	dirs, err := filepath.Glob(matrixDir + "/*/expected.json")
	if err != nil || len(dirs) != 31 {
		t.Fatalf("%d fixtures, %v, want 31", len(dirs), err)
	}
	for _, path := range dirs {
		dir := filepath.Base(filepath.Dir(path))
		t.Run(dir, func(t *testing.T) {
			var want map[string]matrixRow
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(text, &want); err != nil {
				t.Fatal(err)
			}
			run, err := aiperf.Open(os.DirFS(matrixDir), dir, Selects)
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range Versions() {
				row, ok := want[v.Name]
				if !ok {
					t.Fatalf("expected.json has no %s", v.Name)
				}
				got, err := v.Derive(run)
				if err != nil {
					t.Fatalf("%s: %v", v.Name, err)
				}
				compareRow(t, v.Name, got, row)
			}
		})
	}
}

func compareRow(t *testing.T, name string, got adapter.Answer, want matrixRow) {
	t.Helper()
	if status := cmpOr(got.Status, "<nil>"); status != orNull(want.Status) {
		t.Errorf("%s: status %s, want %s; reasons %q", name, status, orNull(want.Status), got.Reasons)
	}
	if orNull(got.Eligible) != orNull(want.Eligible) {
		t.Errorf("%s: eligible %s, want %s", name, orNull(got.Eligible), orNull(want.Eligible))
	}
	if orNull(got.Rates.GPU) != orNull(want.GPU) || orNull(got.Rates.CPU) != orNull(want.CPU) ||
		orNull(got.Rates.External) != orNull(want.CPU) || orNull(got.Rates.Overall) != orNull(want.Overall) {
		t.Errorf("%s: got %s, want %s/%s/%s", name, show(got), orNull(want.GPU), orNull(want.CPU), orNull(want.Overall))
	}
}

func orNull[T any](p *T) string {
	if p == nil {
		return "<nil>"
	}
	text, _ := json.Marshal(*p)
	var s string
	if json.Unmarshal(text, &s) == nil {
		return s
	}
	return string(text)
}
