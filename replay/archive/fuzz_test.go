package archive_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/pdreplay/pdreplay/replay/archive"
)

// FuzzArchive: whatever bytes an archive is made of, it is refused or it is a
// tree of valid names from which no more than the limit comes.
func FuzzArchive(f *testing.F) {
	members := []member{{name: "a/b.json", body: "{}"}, {name: "c.json.gz", body: "no gzip"}, {name: "d/"}}
	t := &testing.T{}
	f.Add(zipped(t, members...), true)
	f.Add(zipped(t, member{name: "in.zip", body: string(zipped(t, members...))}), true)
	f.Add(tarred(t, members[:2]...), false)
	f.Add(tarred(t, member{name: "x.json", body: string(make([]byte, 4000))}), false)
	f.Fuzz(func(t *testing.T, data []byte, zip bool) {
		const limit = 10_000
		dir, name := t.TempDir(), "a.tgz"
		if zip {
			name = "a.zip"
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
		fsys, _, err := archive.Open(dir, limit)
		if err != nil {
			t.Fatal(err)
		}
		read := 0
		err = fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
			if !fs.ValidPath(name) {
				t.Errorf("a member is called %q", name)
			}
			if err != nil || d.IsDir() {
				return nil // refused, or to be looked into
			}
			body, err := fs.ReadFile(fsys, name)
			if err == nil && filepath.Ext(name) != ".json" { // gzipped files have a limit of their own
				read += len(body)
			}
			return nil
		})
		if err != nil || read > limit {
			t.Errorf("%d bytes came out, at most %d may: %v", read, limit, err)
		}
	})
}
