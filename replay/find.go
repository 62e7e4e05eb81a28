package replay

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// Find lists the runs under paths, each path in its turn and the runs of a path
// in the order of their names. A run is not looked into for more runs. A run
// that stands under two paths is listed once.
//
// The id of a run is its path from the last element of the path that it was
// found under ("matrix/05-x" under testdata/matrix; a run that is itself the
// path keeps its parent's name). Where that would name two runs alike, ids are
// the paths as they were given.
//
// A directory that cannot be read becomes a Source whose Open says so. A path
// that cannot be looked at, or holds no run, is an error beside the runs of the
// others.
func Find(paths []string) ([]Source, error) {
	var found []located
	var errs []error
	for _, p := range paths {
		here, err := findUnder(p)
		if err != nil {
			errs = append(errs, err)
		}
		found = append(found, here...)
	}
	found, err := distinct(found)
	if err != nil {
		errs = append(errs, err)
	}
	return sources(found), errors.Join(errs...)
}

// A located is a directory with a run in it, or with what keeps it from being
// read.
type located struct {
	root, below string // the path as given, and slash-separated from there
	err         error
}

func (l located) dir() string { return filepath.Join(l.root, filepath.FromSlash(l.below)) }

func (l located) id() string {
	abs, err := filepath.Abs(l.root)
	if err != nil {
		abs = l.root // only without a working directory
	}
	base := path.Base(filepath.ToSlash(abs))
	if l.below != "." {
		return path.Join(base, l.below)
	}
	if parent := path.Base(path.Dir(filepath.ToSlash(abs))); parent != "/" && parent != "." {
		return path.Join(parent, base)
	}
	return base
}

func findUnder(root string) ([]located, error) {
	info, err := os.Stat(root)
	if err != nil {
		return nil, fmt.Errorf("looking for runs: %w", err)
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("looking for runs: %s is a file: give the directory of a run, or one above it", root)
	}
	var found []located
	fsys := os.DirFS(root)
	err = fs.WalkDir(fsys, ".", func(dir string, d fs.DirEntry, err error) error {
		if err != nil {
			found = append(found, located{root, dir, err})
			return fs.SkipDir
		}
		if !d.IsDir() {
			return nil
		}
		is, err := aiperf.IsRun(fsys, dir)
		if is || err != nil {
			found = append(found, located{root, dir, err})
			return fs.SkipDir
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("looking for runs under %s: %w", root, err)
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("no run under %s: a run is a directory with server_metrics_export.json or .csv, profile_export.jsonl or profile_export_aiperf.json in it or in its aiperf_artifacts", root)
	}
	return found, nil
}

// distinct drops what was found before under another path.
func distinct(all []located) ([]located, error) {
	seen := map[string]bool{}
	var kept []located
	for _, l := range all {
		abs, err := filepath.Abs(l.dir())
		if err != nil {
			return all, fmt.Errorf("finding out whether %s was given twice: %w", l.dir(), err)
		}
		if !seen[abs] {
			seen[abs] = true
			kept = append(kept, l)
		}
	}
	return kept, nil
}

func sources(found []located) []Source {
	count := map[string]int{}
	for _, l := range found {
		count[l.id()]++
	}
	list := make([]Source, 0, len(found))
	for _, l := range found {
		id := l.id()
		if count[id] > 1 {
			id = path.Clean(filepath.ToSlash(l.dir()))
		}
		list = append(list, Source{ID: id, Again: []string{"pdreplay", "replay", filepath.ToSlash(l.dir())}, Open: l.open(id)})
	}
	return list
}

func (l located) open(id string) func() (*aiperf.Run, error) {
	return func() (*aiperf.Run, error) {
		if l.err != nil {
			return nil, l.err
		}
		run, err := aiperf.Open(os.DirFS(l.dir()), ".", Selects)
		if err != nil {
			return nil, err
		}
		run.ID = id
		return run, nil
	}
}
