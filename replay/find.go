package replay

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
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
// one of a run's files or its aiperf_artifacts, which stand for their run, or
// another JSON, JSONL or CSV file, gzipped or not, which is taken for a run's
// only file. Archives and gzipped files are looked into wherever they lie.
//
// A link to a run is followed. One to another directory that lies outside of
// the paths, or to nothing, is an error: whether runs are missing nobody knows.
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
	var roots []string
	for _, p := range paths {
		roots = append(roots, realPath(p))
	}
	for _, p := range paths {
		here, files, err := s.under(p, roots)
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
	found = distinct(found)
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

// under lists the runs under one path, and the files that may hold rows. Roots
// are all paths that runs are looked for under, without links.
func (s Search) under(root string, roots []string) ([]located, []rowFile, error) {
	fsys, at, err := archive.Open(root, s.MaxUnpacked)
	if err != nil {
		return nil, nil, fmt.Errorf("looking for runs: %w", err)
	}
	info, err := fs.Stat(fsys, at)
	if err != nil {
		return nil, nil, fmt.Errorf("looking for runs: %w", err)
	}
	if !info.IsDir() {
		return s.file(root, fsys, at, roots)
	}
	if run := s.runOf(root); run != "" {
		return s.under(run, roots)
	}
	w := walk{root: root, fsys: fsys, at: at, roots: slices.Concat(roots, []string{realPath(root)})}
	if err := fs.WalkDir(fsys, at, w.visit); err != nil {
		return nil, nil, fmt.Errorf("looking for runs under %s: %w", root, err)
	}
	return w.found, w.rows, w.linkProblem()
}

// runOf returns the directory of the run whose artifacts lie in dir, "" when it
// is no such directory. By themselves they would be a run too, but without the
// environment and the published row that lie beside them.
func (s Search) runOf(dir string) string {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "" // only without a working directory
	}
	run, inside := filepath.Join(dir, ".."), filepath.Base(abs)
	if inside != aiperf.ArtifactsDir { // AIPerf's files may lie in a child of it
		run, inside = filepath.Join(run, ".."), path.Join(filepath.Base(filepath.Dir(abs)), inside)
	}
	if first, _, _ := strings.Cut(inside, "/"); first != aiperf.ArtifactsDir {
		return ""
	}
	fsys, at, err := archive.Open(run, s.MaxUnpacked)
	if err != nil {
		return ""
	}
	files, err := aiperf.Locate(fsys, at)
	if err != nil {
		return ""
	}
	for _, f := range []string{files.Export, files.Totals, files.Records, files.Aggregate} {
		if strings.HasPrefix(f, path.Join(at, inside)+"/") {
			return run
		}
	}
	return ""
}

// A walk looks through one path.
type walk struct {
	root  string
	fsys  *archive.FS
	at    string   // root in fsys
	roots []string // without links
	found []located
	rows  []rowFile
	links []string // what keeps links from being followed
}

func (w *walk) visit(name string, d fs.DirEntry, err error) error {
	isDir := err != nil || d.IsDir()
	if err == nil && d.Type()&fs.ModeSymlink != 0 {
		var pass bool
		if isDir, pass = w.link(name); pass {
			return nil
		}
	}
	if !isDir {
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
	if d.Type()&fs.ModeSymlink != 0 {
		return nil // SkipDir would skip what lies beside it
	}
	return fs.SkipDir
}

// link looks at a link: whether it leads to a directory, which then is a run,
// and whether to pass it over.
func (w *walk) link(name string) (isDir, pass bool) {
	given := filepath.Join(w.root, filepath.FromSlash(w.below(name)))
	info, err := fs.Stat(w.fsys, name)
	switch {
	case err != nil:
		w.links = append(w.links, fmt.Sprintf("%s is a link that leads nowhere: fetch what it stands for, or remove it", given))
		return false, true
	case !info.IsDir():
		return false, false
	}
	target := realPath(given)
	if slices.ContainsFunc(w.roots, func(root string) bool { return within(target, root) }) {
		return true, true // it is found there
	}
	if is, err := aiperf.IsRun(w.fsys, name); !is && err == nil {
		w.links = append(w.links, fmt.Sprintf("%s is a link to a directory that is no run: give it as a path too, if there are runs in it", given))
		return true, true
	}
	return true, false
}

func (w *walk) linkProblem() error {
	more := ""
	switch n := len(w.links) - 1; {
	case n < 0:
		return nil
	case n > 0:
		more = fmt.Sprintf(" (and %d more links)", n)
	}
	return fmt.Errorf("looking for runs: %s%s", w.links[0], more)
}

// realPath is the absolute path without links, or as it is where there is no
// such file, as inside of an archive.
func realPath(name string) string {
	abs, err := filepath.Abs(name)
	if err != nil {
		return name // only without a working directory
	}
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		return real
	}
	return abs
}

func within(name, dir string) bool {
	rel, err := filepath.Rel(dir, name)
	return err == nil && filepath.IsLocal(rel)
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
func (s Search) file(root string, fsys *archive.FS, at string, roots []string) ([]located, []rowFile, error) {
	as := ""
	switch name := path.Base(at); {
	case aiperf.IsRunFile(name):
		return s.under(filepath.Dir(filepath.Clean(root)), roots)
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
func distinct(all []located) []located {
	seen := map[string]bool{}
	var kept []located
	for _, l := range all {
		if real := realPath(l.dir()); !seen[real] {
			seen[real] = true
			kept = append(kept, l)
		}
	}
	return kept
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
		again := []string{"pdreplay", "replay", argument(l.dir())}
		for _, f := range rows.namedLike(l) {
			again = append(again, argument(f.path))
		}
		list = append(list, Source{ID: id, Again: again, Open: l.open(id, rows)})
	}
	return list
}

// argument is a path that no command line takes for a flag.
func argument(name string) string {
	name = filepath.ToSlash(name)
	if strings.HasPrefix(name, "-") {
		return "./" + name
	}
	return name
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
		if err := checkPublished(run.Published); err != nil {
			return nil, err
		}
		rebuildEnv(run)
		return run, nil
	}
}
