package replay_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdreplay/pdreplay/replay"
)

// tree makes runs (copies of fixture 01) in a new working directory.
func tree(t *testing.T, dirs ...string) {
	t.Helper()
	fixture, err := filepath.Abs("../testdata/matrix/01-unified-clean")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for _, dir := range dirs {
		if err := os.CopyFS(dir, os.DirFS(fixture)); err != nil {
			t.Fatal(err)
		}
	}
}

func found(t *testing.T, paths ...string) [][2]string {
	t.Helper()
	sources, err := replay.Find(paths)
	if err != nil {
		t.Fatal(err)
	}
	var got [][2]string
	for _, s := range sources {
		run, err := s.Open()
		if err != nil {
			t.Fatal(err)
		}
		if run.ID != s.ID {
			t.Errorf("source %s opens run %s", s.ID, run.ID)
		}
		got = append(got, [2]string{s.ID, strings.Join(s.Again, " ")})
	}
	return got
}

func TestFind(t *testing.T) {
	tree(t, "testdata/matrix/02", "testdata/matrix/01", "testdata/real/deep/er", "one")
	for _, tt := range []struct {
		paths []string
		want  [][2]string // id, command
	}{
		{[]string{"testdata/matrix"}, [][2]string{{"matrix/01", "pdreplay replay testdata/matrix/01"}, {"matrix/02", "pdreplay replay testdata/matrix/02"}}},
		{[]string{"testdata/matrix/02"}, [][2]string{{"matrix/02", "pdreplay replay testdata/matrix/02"}}},
		{[]string{"testdata/real", "testdata/matrix/01"}, [][2]string{{"real/deep/er", "pdreplay replay testdata/real/deep/er"}, {"matrix/01", "pdreplay replay testdata/matrix/01"}}},
		{[]string{"testdata/matrix/02", "testdata/matrix"}, [][2]string{{"matrix/02", "pdreplay replay testdata/matrix/02"}, {"matrix/01", "pdreplay replay testdata/matrix/01"}}},
		{[]string{"testdata/matrix/"}, [][2]string{{"matrix/01", "pdreplay replay testdata/matrix/01"}, {"matrix/02", "pdreplay replay testdata/matrix/02"}}},
	} {
		if diff := cmp.Diff(tt.want, found(t, tt.paths...)); diff != "" {
			t.Errorf("%v (-want +got):\n%s", tt.paths, diff)
		}
	}
	t.Chdir("testdata/matrix")
	if diff := cmp.Diff([][2]string{{"matrix/01", "pdreplay replay 01"}, {"matrix/02", "pdreplay replay 02"}}, found(t, ".")); diff != "" {
		t.Errorf("the working directory (-want +got):\n%s", diff)
	}
}

func TestFindTwoOfOneName(t *testing.T) {
	tree(t, "a/runs/01", "b/runs/01", "b/runs/02")
	want := [][2]string{
		{"a/runs/01", "pdreplay replay a/runs/01"},
		{"b/runs/01", "pdreplay replay b/runs/01"},
		{"runs/02", "pdreplay replay b/runs/02"},
	}
	if diff := cmp.Diff(want, found(t, "a/runs", "b/runs")); diff != "" {
		t.Error(diff)
	}
}

func TestFindNothing(t *testing.T) {
	tree(t, "runs/01")
	if err := os.Mkdir("empty", 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("file", nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for path, says := range map[string]string{
		"empty":  "no run under empty: a run is a directory with",
		"file":   "looking for runs: file is a file",
		"absent": "looking for runs: stat absent",
	} {
		sources, err := replay.Find([]string{path, "runs"})
		if err == nil || !strings.HasPrefix(err.Error(), says) {
			t.Errorf("%s: %v, want %s", path, err, says)
		}
		if len(sources) != 1 {
			t.Errorf("%s: %d runs beside it, want 1", path, len(sources))
		}
	}
}

// A run that cannot be read is found, and says why when it is opened.
func TestFindBroken(t *testing.T) {
	tree(t, "runs/01", "runs/02")
	if err := os.WriteFile("runs/01/aiperf_artifacts/server_metrics_export.json", []byte(`{"metrics": {`), 0o666); err != nil {
		t.Fatal(err)
	}
	sources, err := replay.Find([]string{"runs"})
	if err != nil || len(sources) != 2 {
		t.Fatal(sources, err)
	}
	if _, err := sources[0].Open(); err == nil || !strings.Contains(err.Error(), "server_metrics_export.json:1:14") {
		t.Errorf("broken run: %v", err)
	}
	if _, err := sources[1].Open(); err != nil {
		t.Error(err)
	}
}
