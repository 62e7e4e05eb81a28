package scenarios

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestGoldenThread holds testdata/thread against the scenarios that it is made from:
// c2 and c4 as run directories, for the README and for people to look into.
func TestGoldenThread(t *testing.T) {
	for _, s := range All() {
		dir, ok := map[string]string{"thread-c2": "c2", "thread-c4": "c4"}[s.Name]
		if !ok {
			continue
		}
		c, err := s.Build(nil)
		if err != nil {
			t.Fatal(err)
		}
		root := filepath.Join("..", "testdata", "thread", dir)
		if *update {
			if err := os.RemoveAll(root); err != nil {
				t.Fatal(err)
			}
			if err := os.CopyFS(root, c.Files); err != nil {
				t.Fatal(err)
			}
		}
		want, got := readAll(t, c.Files), readAll(t, os.DirFS(root))
		for name := range want {
			if got[name] != want[name] {
				t.Errorf("%s/%s is stale: run make golden", root, name)
			}
		}
		for name := range got {
			if _, ok := want[name]; !ok {
				t.Errorf("%s/%s is not a file of scenario %s", root, name, s.Name)
			}
		}
	}
}

func readAll(t *testing.T, fsys fs.FS) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(fsys, name)
		all[name] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestWrite: a written run reads back as the same run, with its want beside it.
func TestWrite(t *testing.T) {
	c := build(t, "run base\nwant status=WINDOW_UNRESOLVED priced=false gpu=0.6[0.25,0.6] cpu=null overall=[0,1]\n")
	dir := filepath.Join(t.TempDir(), "runs", "test")
	if err := c.Write(dir); err != nil {
		t.Fatal(err)
	}
	got := readAll(t, os.DirFS(dir))
	for name, want := range readAll(t, c.Files) {
		if got[name] != want {
			t.Errorf("%s differs from what the case holds", name)
		}
	}
	wantJSON := `{
  "contract": "review",
  "status": "WINDOW_UNRESOLVED",
  "pricing_eligible": false,
  "rates": {
    "gpu": 0.6,
    "cpu": null,
    "external": null,
    "overall": null
  },
  "proven": {
    "gpu": [
      0.25,
      0.6
    ],
    "overall": [
      0,
      1
    ]
  }
}
`
	if got["want.json"] != wantJSON {
		t.Errorf("want.json:\n%s", got["want.json"])
	}
	if got["story.txt"] != "a story\n" {
		t.Errorf("story.txt: %q", got["story.txt"])
	}
	if err := c.Write(dir); err == nil {
		t.Error("writing over a directory that is there: no error")
	}
}
