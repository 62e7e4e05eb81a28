//go:build unix

package aiperf

import (
	"os"
	"testing"
)

// A file that was not fetched (git-annex) is a link to nothing. It must not pass
// for a file that the run never had.
func TestDanglingLinkInAFilesPlace(t *testing.T) {
	for _, name := range []string{exportName, totalsName, recordsName, aggregateName, envName} {
		dir := t.TempDir()
		if name != aggregateName { // something that makes a run
			if err := os.WriteFile(dir+"/"+aggregateName, []byte("{}"), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Symlink("../objects/x", dir+"/"+name); err != nil {
			t.Fatal(err)
		}
		_, err := Open(os.DirFS(dir), ".", nil)
		want := "look for " + name + ": a dangling link, to ../objects/x: fetch what it stands for, or remove it"
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
	// The published row is looked for by its content.
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/"+aggregateName, []byte("{}"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("gone", dir+"/row.json"); err != nil {
		t.Fatal(err)
	}
	_, err := Open(os.DirFS(dir), ".", nil)
	if want := "open row.json: a dangling link, to gone: fetch what it stands for, or remove it"; err == nil || err.Error() != want {
		t.Errorf("row: %v, want %s", err, want)
	}
}
