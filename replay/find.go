package replay

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/pdreplay/pdreplay/replay/aiperf"
	"github.com/pdreplay/pdreplay/replay/archive"
)

// A Search says how runs are looked for.
type Search struct {
	MaxUnpacked int64 // bytes that may come out of one archive
}

// Find is [Search.Find] with archive.DefaultLimit.
func Find(paths []string) ([]Source, error) {
	return Search{MaxUnpacked: archive.DefaultLimit}.Find(paths)
}

// Find lists the runs under paths, each path in its turn and the runs of a path
// in the order of their names. A run is not looked into for more runs. A run
// that stands under two paths is listed once.
//
// A path is a directory, an archive (.zip, .tar.gz, .tgz) or something in one,
// one of a run's files, which stands for its run, or another JSON, JSONL or CSV
// file, gzipped or not, which is taken for a run's only file. Archives and
// gzipped files are looked into wherever they lie.
//
// Published rows that lie outside of the runs, also in arrays, are paired with
// the runs when those are opened: see rows.
//
// The id of a run is its path from the last element of the path that it was
// found under ("matrix/05-x" under testdata/matrix; a run that is itself the
// path keeps its parent's name). Where that would name two runs alike, ids are
// the paths as they were given.
//
// A directory or archive that cannot be read becomes a Source whose Open says
// so. A path that cannot be looked at, or holds neither run nor row, is an error
// beside the runs of the others.
func (s Search) Find(paths []string) ([]Source, error) {
	var found []located
	var rows rows
	var errs []error
	for _, p := range paths {
		here, files, err := s.under(p)
		if err == nil && len(here) == 0 && !(len(files) > 0 && rows.any(files)) {
			err = fmt.Errorf("no run under %s: a run is a directory with server_metrics_export.json or .csv, profile_export.jsonl or profile_export_aiperf.json in it or in its aiperf_artifacts", p)
		}
		if err != nil {
			errs = append(errs, err)
		}
		for i := range files {
			files[i].given = len(here) == 0
		}
		found = append(found, here...)
		rows.files = append(rows.files, files...)
	}
	if len(found) == 0 && len(errs) == 0 {
		errs = append(errs, fmt.Errorf("no run under %s, only published rows: give the raw results too (agentic_*)", strings.Join(paths, ", ")))
	}
	found, err := distinct(found)
	if err != nil {
		errs = append(errs, err)
	}
	rows.runs = found
	return sources(found, &rows), errors.Join(errs...)
}

// A located is a directory with a run in it, or with what keeps it from being
// read.
type located struct {
	root, below string // the path as given, and slash-separated from there
	fsys        fs.FS  // the run's directory is its root
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

// under lists the runs under one path, and the files that may hold rows.
func (s Search) under(root string) ([]located, []rowFile, error) {
	fsys, at, err := archive.Open(root, s.MaxUnpacked)
	if err != nil {
		return nil, nil, fmt.Errorf("looking for runs: %w", err)
	}
	info, err := fs.Stat(fsys, at)
	if err != nil {
		return nil, nil, fmt.Errorf("looking for runs: %w", err)
	}
	if !info.IsDir() {
		return s.file(root, fsys, at)
	}
	w := walk{root: root, fsys: fsys, at: at}
	if err := fs.WalkDir(fsys, at, w.visit); err != nil {
		return nil, nil, fmt.Errorf("looking for runs under %s: %w", root, err)
	}
	return w.found, w.rows, nil
}

// A walk looks through one path.
type walk struct {
	root  string
	fsys  *archive.FS
	at    string // root in fsys
	found []located
	rows  []rowFile
}

func (w *walk) visit(name string, d fs.DirEntry, err error) error {
	if err == nil && !d.IsDir() {
		if path.Ext(name) == ".json" {
			w.rows = append(w.rows, rowFile{path: filepath.Join(w.root, filepath.FromSlash(w.below(name))), fsys: w.fsys, at: name})
		}
		return nil
	}
	is := false
	if err == nil {
		is, err = aiperf.IsRun(w.fsys, name)
	}
	if !is && err == nil {
		return nil
	}
	l := located{root: w.root, below: w.below(name), err: err}
	if err == nil {
		l.fsys, l.err = w.fsys.Sub(name)
	}
	w.found = append(w.found, l)
	return fs.SkipDir
}

// below is the path of name from root.
func (w *walk) below(name string) string {
	if name == w.at {
		return "."
	}
	if w.at == "." {
		return name
	}
	return strings.TrimPrefix(name, w.at+"/")
}

// file takes a path that is a file.
func (s Search) file(root string, fsys *archive.FS, at string) ([]located, []rowFile, error) {
	as := ""
	switch name := path.Base(at); {
	case aiperf.IsRunFile(name):
		dir := filepath.Dir(filepath.Clean(root))
		if filepath.Base(dir) == aiperf.ArtifactsDir {
			dir = filepath.Dir(dir)
		}
		return s.under(dir)
	case path.Ext(name) == ".json":
		file := rowFile{path: root, fsys: fsys, at: at}
		if rows, _ := file.read(); len(rows) > 0 {
			return nil, []rowFile{file}, nil
		}
		as = "server_metrics_export.json"
	case path.Ext(name) == ".jsonl":
		as = "profile_export.jsonl"
	case path.Ext(name) == ".csv":
		as = "server_metrics_export.csv"
	default:
		return nil, nil, fmt.Errorf("looking for runs: %s is a file: give the directory of a run, or one above it, an archive, or a JSON, JSONL or CSV file", root)
	}
	alone, err := archive.Alone(fsys, at, as)
	if err != nil {
		return nil, nil, fmt.Errorf("looking for runs: %w", err)
	}
	return []located{{root: root, below: ".", fsys: alone}}, nil, nil
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

func sources(found []located, rows *rows) []Source {
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
		again := []string{"pdreplay", "replay", filepath.ToSlash(l.dir())}
		for _, f := range rows.namedLike(l) {
			again = append(again, filepath.ToSlash(f.path))
		}
		list = append(list, Source{ID: id, Again: again, Open: l.open(id, rows)})
	}
	return list
}

func (l located) open(id string, rows *rows) func() (*aiperf.Run, error) {
	return func() (*aiperf.Run, error) {
		if l.err != nil {
			return nil, l.err
		}
		run, err := aiperf.Open(l.fsys, ".", Selects)
		if err != nil {
			return nil, err
		}
		run.ID = id
		if run.Published == nil {
			rows.pair(l, run)
		}
		rebuildEnv(run)
		return run, nil
	}
}
