package aiperf

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// The files of AIPerf that a run is made of, and what stands beside them.
const (
	exportName    = "server_metrics_export.json"
	totalsName    = "server_metrics_export.csv"
	recordsName   = "profile_export.jsonl"
	aggregateName = "profile_export_aiperf.json"

	envName = "run.env"
)

// ArtifactsDir is the directory of a run that AIPerf writes into.
const ArtifactsDir = "aiperf_artifacts"

// IsRunFile reports whether a file of that name is one that makes a run.
func IsRunFile(name string) bool {
	return name == exportName || name == totalsName || name == recordsName || name == aggregateName
}

// ErrNoRun says that a directory holds none of AIPerf's files.
var ErrNoRun = errors.New("no run: none of " + strings.Join([]string{exportName, totalsName, recordsName, aggregateName}, ", ") +
	" in " + ArtifactsDir + "/, in a child of it, or in the directory itself")

// IsRun reports whether dir holds a run: one of AIPerf's files in one of the
// places where [Open] looks. It opens no file.
func IsRun(fsys fs.FS, dir string) (bool, error) {
	_, err := artifacts(fsys, dir)
	if errors.Is(err, ErrNoRun) {
		return false, nil
	}
	return err == nil, err
}

// Open reads the run in dir: AIPerf's files in dir/aiperf_artifacts, in the
// first child of that which has them, or in dir itself, as the producer looks
// for them; run.env and the published row in dir. Run.ID is dir. A file that is
// not there leaves its part nil. Memory is bounded by what sel selects, see
// [Selection].
//
// The error is [ErrNoRun] when there is none of AIPerf's files, and a
// [*SyntaxError] when one of them cannot be trusted.
func Open(fsys fs.FS, dir string, sel Selection) (*Run, error) {
	files, err := Locate(fsys, dir)
	if err != nil {
		return nil, err
	}
	o := opener{Run: &Run{ID: dir, FS: fsys, Dir: dir, Env: Env{}, Files: files}}
	o.export(sel)
	o.totals(sel)
	o.records()
	o.aggregate()
	o.env()
	o.published()
	if o.err != nil {
		return nil, o.err
	}
	return o.Run, nil
}

// Locate returns the paths of the files of the run in dir, but for the published
// row, which [Open] tells by its content. It opens none. The error is [ErrNoRun]
// when there is none of AIPerf's files.
func Locate(fsys fs.FS, dir string) (Files, error) {
	base, err := artifacts(fsys, dir)
	if err != nil {
		return Files{}, err
	}
	var f Files
	for _, file := range []struct {
		path      *string
		dir, name string
	}{
		{&f.Export, base, exportName}, {&f.Totals, base, totalsName}, {&f.Records, base, recordsName},
		{&f.Aggregate, base, aggregateName}, {&f.Env, dir, envName},
	} {
		p := path.Join(file.dir, file.name)
		switch ok, err := exists(fsys, p); {
		case err != nil:
			return Files{}, err
		case ok:
			*file.path = p
		}
	}
	return f, nil
}

// artifacts returns the directory of AIPerf's files. The producer prefers a
// child with records to a base without them, so that comes first.
func artifacts(fsys fs.FS, dir string) (string, error) {
	base := path.Join(dir, ArtifactsDir)
	dirs := []string{base}
	entries, err := fs.ReadDir(fsys, base)
	if errors.Is(err, fs.ErrNotExist) {
		err = dangling(fsys, base)
	}
	if err != nil {
		return "", fmt.Errorf("look for a run in %s: %w", base, withoutPath(err))
	}
	for _, e := range entries {
		child := path.Join(base, e.Name())
		// A link to a directory is one, as the producer has it.
		if info, err := fs.Stat(fsys, child); err == nil && info.IsDir() {
			dirs = append(dirs, child)
		}
	}
	for _, names := range [][]string{{recordsName}, {exportName, totalsName, aggregateName}} {
		for _, d := range dirs {
			if ok, err := hasAny(fsys, d, names); ok || err != nil {
				return d, err
			}
		}
	}
	ok, err := hasAny(fsys, dir, []string{exportName, totalsName, recordsName, aggregateName})
	if err == nil && !ok {
		err = fmt.Errorf("open %s: %w", dir, ErrNoRun)
	}
	return dir, err
}

func hasAny(fsys fs.FS, dir string, names []string) (bool, error) {
	for _, name := range names {
		switch ok, err := exists(fsys, path.Join(dir, name)); {
		case err != nil:
			return false, err
		case ok:
			return true, nil
		}
	}
	return false, nil
}

// exists reports whether there is something of that name. A directory counts:
// reading it then says what is wrong. A link to nothing is an error.
func exists(fsys fs.FS, name string) (bool, error) {
	_, err := fs.Stat(fsys, name)
	if errors.Is(err, fs.ErrNotExist) {
		if err = dangling(fsys, name); err == nil {
			return false, nil
		}
	}
	if err != nil {
		return false, fmt.Errorf("look for %s: %w", name, withoutPath(err))
	}
	return true, nil
}

// An opener fills a Run part by part, until the first error.
type opener struct {
	*Run
	err error
}

func (o *opener) done(n []Note, err error) {
	o.err = err
	o.Notes = append(o.Notes, n...)
}

func (o *opener) export(sel Selection) {
	if o.err == nil && o.Files.Export != "" {
		var n []Note
		var err error
		o.Export, n, err = ReadExport(o.FS, o.Files.Export, sel)
		o.done(n, err)
	}
}

func (o *opener) totals(sel Selection) {
	if o.err == nil && o.Files.Totals != "" {
		var n []Note
		var err error
		o.Totals, n, err = ReadTotals(o.FS, o.Files.Totals, sel)
		o.done(n, err)
	}
}

func (o *opener) records() {
	if o.err == nil && o.Files.Records != "" {
		var n []Note
		var err error
		o.Records, n, err = ReadRecords(o.FS, o.Files.Records)
		o.done(n, err)
	}
}

func (o *opener) aggregate() {
	if o.err == nil && o.Files.Aggregate != "" {
		var n []Note
		var err error
		o.Aggregate, n, err = ReadAggregate(o.FS, o.Files.Aggregate)
		o.done(n, err)
	}
}

func (o *opener) env() {
	if o.err == nil && o.Files.Env != "" {
		o.Env, o.err = ReadEnv(o.FS, o.Files.Env)
	}
}

// published looks for the row among the JSON files of the run's directory.
func (o *opener) published() {
	if o.err != nil {
		return
	}
	entries, err := fs.ReadDir(o.FS, o.Dir)
	if err != nil {
		o.err = fmt.Errorf("look for a published row in %s: %w", o.Dir, withoutPath(err))
		return
	}
	for _, e := range entries {
		if e.IsDir() || !mayBeRow(e.Name()) {
			continue
		}
		name := path.Join(o.Dir, e.Name())
		row, n, err := ReadRow(o.FS, name)
		switch {
		case err != nil:
			o.err = err
			return
		case row == nil:
		case o.Published != nil:
			o.err = fmt.Errorf("two published rows in one run, %s and %s: remove one", o.Published.File, name)
			return
		default:
			o.Published, o.Files.Published = row, name
			o.Notes = append(o.Notes, n...)
		}
	}
}

// mayBeRow keeps the files out that are known not to be the row, one of which
// can be huge.
func mayBeRow(name string) bool {
	switch name {
	case exportName, aggregateName, "expected.json", "want.json", "truth.json":
		return false
	}
	return path.Ext(name) == ".json"
}
