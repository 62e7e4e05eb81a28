package replay

import (
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/pdreplay/pdreplay/replay/aiperf"
	"github.com/pdreplay/pdreplay/replay/archive"
)

// maxRowFile is the largest file that is searched for rows; the rows of a whole
// sweep take some hundred kilobytes.
const maxRowFile = 16 << 20

// A rowFile is a JSON file outside of the runs, which may hold published rows.
type rowFile struct {
	path  string // as a command would name it
	fsys  fs.FS
	at    string
	given bool // the path that was given holds rows only, so they are for any run
}

// isFor reports whether the file lies where rows of the run lie: above it, or in
// an artifact of its own (results_bmk, bmk_*) that does.
func (f rowFile) isFor(l located) bool {
	dir := path.Dir(filepath.ToSlash(filepath.Clean(f.path)))
	if name := path.Base(dir); strings.HasPrefix(name, "results_bmk") || strings.HasPrefix(name, "bmk_") {
		dir = path.Dir(dir)
	}
	return f.given || dir == "." || shared(l.dir(), dir) == strings.Count(dir, "/")+1
}

// read returns the file's rows, none when it is a file of something else.
func (f rowFile) read() ([]*aiperf.Row, error) {
	body, err := f.fsys.Open(f.at)
	if err != nil {
		return nil, fmt.Errorf("reading published rows: %w", err)
	}
	defer body.Close()
	// Of a gzipped file nobody knows the size, so it is read to know it.
	data, err := io.ReadAll(io.LimitReader(body, maxRowFile+1))
	if err != nil || len(data) > maxRowFile {
		return nil, err
	}
	name := path.Base(f.at)
	alone, err := archive.Memory([]archive.File{{Path: name, Data: data}})
	if err != nil {
		return nil, fmt.Errorf("reading published rows: %w", err)
	}
	rows, _, err := aiperf.ReadRows(alone, name)
	if err != nil {
		return nil, fmt.Errorf("reading published rows of %s: %w", f.path, err)
	}
	for _, r := range rows {
		_, pointer, inArray := strings.Cut(r.File, "#")
		if r.File = filepath.ToSlash(f.path); inArray {
			r.File += "#" + pointer
		}
	}
	return rows, nil
}

// stem is RESULT_FILENAME, which the producer names its row by.
func (f rowFile) stem() string { return strings.TrimSuffix(path.Base(f.at), ".json") }

// Rows are the published rows beside the runs. They are read when the first
// run without one of its own is opened.
type rows struct {
	files []rowFile

	runs []located // every run that was found

	once     sync.Once
	list     []foundRow
	counts   map[string]counts // of runs, by their directories
	problems []aiperf.Note     // files that could not be read
}

type foundRow struct {
	rowFile
	*aiperf.Row
}

// any reports whether there is a row in any of the files.
func (*rows) any(files []rowFile) bool {
	for _, f := range files {
		if rows, err := f.read(); len(rows) > 0 || err != nil {
			return true
		}
	}
	return false
}

func (r *rows) read() {
	for _, f := range r.files {
		list, err := f.read()
		if err != nil {
			r.problems = append(r.problems, aiperf.Note{File: f.path, Text: err.Error()})
		}
		for _, row := range list {
			r.list = append(r.list, foundRow{f, row})
		}
	}
	r.counts = map[string]counts{}
	if len(r.list) > 0 {
		for _, l := range r.runs {
			r.counts[l.dir()] = countsOf(l)
		}
	}
}

// Counts are what a run and its row both say: requests, as the row writes them,
// and the concurrency that a directory is named after; "" where the run is mute.
type counts struct{ total, successful, conc string }

func countsOf(l located) counts {
	c := counts{conc: concurrency(l.places())}
	if l.err != nil {
		return c
	}
	files, err := aiperf.Locate(l.fsys, ".")
	switch {
	case err != nil: // opening the run says so
	case files.Records != "":
		if r, _, err := aiperf.ReadRecords(l.fsys, files.Records); err == nil {
			c.total, c.successful = strconv.Itoa(r.Accounting.Total), strconv.Itoa(r.Accounting.Profiled)
		}
	case files.Aggregate != "":
		if a, _, err := aiperf.ReadAggregate(l.fsys, files.Aggregate); err == nil {
			if n, ok := a.RequestCount.Float(); ok {
				c.successful = strconv.FormatFloat(n, 'f', -1, 64)
			}
		}
	}
	return c
}

// namedLike returns the files whose name says that they hold the run's row, or
// else those that hold many.
func (r *rows) namedLike(l located) []rowFile {
	var named, arrays []rowFile
	for _, f := range r.files {
		switch {
		case !f.isFor(l):
		case f.namesRun(l):
			named = append(named, f)
		case f.stem() == "agg_bmk":
			arrays = append(arrays, f)
		}
	}
	if len(named) > 0 {
		return named
	}
	return arrays
}

// namesRun reports whether the file is named after the run: agentic_NAME holds
// the raw files of NAME.json, or of NAME_concN.json where there are several
// concurrencies (producer.md section 13).
func (f rowFile) namesRun(l located) bool {
	stem, conc := f.stem(), concurrency(l.places())
	for _, place := range l.places() {
		name := strings.TrimPrefix(place, "agentic_")
		if name == stem || conc != "" && name+"_conc"+conc == stem {
			return true
		}
		if of, ok := strings.CutPrefix(stem, name+"_conc"); ok && conc == "" && isNumber(of) {
			return true
		}
	}
	return false
}

// places are the names of the directories and archives on the way to the run.
func (l located) places() []string {
	abs, err := filepath.Abs(l.dir())
	if err != nil {
		abs = l.dir()
	}
	places := strings.Split(filepath.ToSlash(abs), "/")
	for i, p := range places {
		for _, suffix := range []string{".zip", ".tgz", ".tar.gz"} {
			p = strings.TrimSuffix(p, suffix)
		}
		places[i] = p
	}
	return places
}

var concPattern = regexp.MustCompile(`(?:^|[^a-z])conc(?:urrency)?[-_]?([0-9]+)$`)

// concurrency is what the innermost directory that names one says, "" for none.
func concurrency(places []string) string {
	for i := len(places) - 1; i >= 0; i-- {
		if m := concPattern.FindStringSubmatch(places[i]); m != nil {
			return m[1]
		}
	}
	return ""
}

func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// pair gives the run its published row: the one that is named after it, else
// the one whose request counts are those of its records, if no other row and no
// other run has them. It notes which, and why there is none although there are
// rows.
func (r *rows) pair(l located, run *aiperf.Run) {
	r.once.Do(r.read)
	run.Notes = append(run.Notes, r.problems...)
	own := r.counts[l.dir()]
	var near, named, fitting []foundRow
	for _, row := range r.list {
		if !row.isFor(l) {
			continue
		}
		near = append(near, row)
		if row.namesRun(l) {
			named = append(named, row)
		}
		if fits, proven := row.fits(own); fits && proven {
			fitting = append(fitting, row)
		}
	}
	by, candidates := "by its file's name", nearest(named, l)
	switch {
	case len(candidates) == 0:
		by, candidates = "by its request counts", nearest(fitting, l)
		if len(candidates) == 1 && r.claims(candidates[0]) > 1 {
			candidates = append(candidates, candidates[0]) // which of the runs it is nobody knows
		}
	case len(candidates) > 1:
		by = "by its file's name and request counts"
		candidates = slices.DeleteFunc(candidates, func(row foundRow) bool { fits, _ := row.fits(own); return !fits })
	}
	note := func(row, text string) {
		file, pointer, _ := strings.Cut(row, "#")
		run.Notes = append(run.Notes, aiperf.Note{File: file, At: pointer, Text: text})
	}
	switch {
	case len(candidates) == 1:
		run.Published = candidates[0].Row
		note(run.Published.File, "published row, paired "+by)
		if fits, _ := candidates[0].fits(own); !fits {
			note(run.Published.File, "its request counts are not those of the run's records")
		}
	case len(candidates) > 1:
		note(candidates[0].File, "no published row: this one has the run's request counts, but so has another row, or another run; copy the right one into the run's directory")
	case len(near) > 0:
		note(near[0].path, fmt.Sprintf("no published row: none of %d is named after this run or has its request counts; copy the right one into the run's directory", len(near)))
	}
}

// claims counts the runs that a row may belong to by its request counts.
func (r *rows) claims(row foundRow) (n int) {
	for _, l := range r.runs {
		if fits, proven := row.fits(r.counts[l.dir()]); fits && proven && row.isFor(l) {
			n++
		}
	}
	return n
}

// fits reports whether nothing that the row says contradicts the counts, and
// whether one of requests is the same.
func (f foundRow) fits(c counts) (fits, proven bool) {
	for _, fact := range []struct{ key, value string }{{"conc", c.conc}, {"num_requests_total", c.total}, {"num_requests_successful", c.successful}} {
		said := f.Fields[fact.key]
		if fact.value == "" || said == "" || said == "null" {
			continue
		}
		if said != fact.value {
			return false, false
		}
		proven = proven || fact.key != "conc"
	}
	return true, proven
}

// nearest keeps the rows that share the most directories with the run: two
// downloads side by side must not take each other's rows. Rows that say the
// same count once.
func nearest(all []foundRow, l located) []foundRow {
	var best []foundRow
	most := -1
	for _, row := range all {
		n := shared(l.dir(), row.path)
		switch {
		case n > most:
			best, most = []foundRow{row}, n
		case n == most && !slices.ContainsFunc(best, func(b foundRow) bool { return sameRow(b.Row, row.Row) }):
			best = append(best, row)
		}
	}
	return best
}

// shared counts the directories that two paths begin with.
func shared(a, b string) int {
	x, y := strings.Split(filepath.ToSlash(filepath.Clean(a)), "/"), strings.Split(filepath.ToSlash(filepath.Clean(b)), "/")
	n := 0
	for n < len(x) && n < len(y) && x[n] == y[n] {
		n++
	}
	return n
}

func sameRow(a, b *aiperf.Row) bool {
	rates := func(r *aiperf.Row) []aiperf.Value { return []aiperf.Value{r.GPU, r.CPU, r.External, r.Overall} }
	return maps.Equal(a.Fields, b.Fields) && a.Status == b.Status && slices.EqualFunc(rates(a), rates(b), aiperf.Value.Equal)
}
