package replay

import (
	"bufio"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Unedited is the why of a line that --fix wrote: somebody has to say why, and
// until then the deviation fails.
const Unedited = "why?"

// An Entry is one line of an expectation list: an adapter, a run, and the
// deviation that is known there.
//
//	atom@main  matrix/07-straddler-no-warmup-metrics  wrong-rate  # why
//
// The run is an id, or its last elements, or a pattern of path.Match for one.
type Entry struct {
	Adapter string
	Run     string
	Class   Class
	Why     string
	File    string
	Line    int
	Builtin bool // of a list of [Historical]
}

// At is the entry's address.
func (e Entry) At() string { return fmt.Sprintf("%s:%d", e.File, e.Line) }

func (e Entry) pattern() bool { return strings.ContainsAny(e.Run, `*?[\`) }

// matchesRun compares whole path elements from the end, so that a list holds
// wherever the runs lie.
func (e Entry) matchesRun(id string) bool {
	have, want := strings.Split(id, "/"), strings.Split(e.Run, "/")
	if len(want) > len(have) {
		return false
	}
	ok, err := path.Match(e.Run, strings.Join(have[len(have)-len(want):], "/"))
	return err == nil && ok // the pattern was checked when it was read
}

// Expectations are the entries of all lists, in the order they were given.
type Expectations []Entry

//go:embed expect/*.txt
var historical embed.FS

// Historical are the lists of the built-in adapter versions: where they
// deviate on the shipped runs, and why.
func Historical() (Expectations, error) {
	names, err := fs.Glob(historical, "expect/*.txt")
	if err != nil {
		return nil, err
	}
	var all Expectations
	for _, name := range names {
		f, err := historical.Open(name)
		if err != nil {
			return nil, err
		}
		list, err := ReadExpectations(f, "replay/"+name)
		if err != nil {
			return nil, err
		}
		for i := range list {
			list[i].Builtin = true
		}
		all = append(all, list...)
	}
	return all, nil
}

// ReadExpectations reads one list. Blank lines and lines that begin with # say
// nothing. Errors name file and line.
func ReadExpectations(r io.Reader, file string) (Expectations, error) {
	var list Expectations
	var errs []error
	sc := bufio.NewScanner(r)
	for n := 1; sc.Scan(); n++ {
		line := strings.TrimSpace(sc.Text())
		if n == 1 && strings.HasPrefix(line, "\ufeff") {
			errs = append(errs, fmt.Errorf("%s:1: begins with a byte-order mark: remove the first three bytes", file))
			continue
		}
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		e, err := parseEntry(line)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s:%d: %w", file, n, err))
			continue
		}
		e.File, e.Line = file, n
		list = append(list, e)
	}
	if err := sc.Err(); err != nil {
		errs = append(errs, fmt.Errorf("reading expectation list %s: %w", file, err))
	}
	return list, errors.Join(errs...)
}

func parseEntry(line string) (Entry, error) {
	left, why, ok := strings.Cut(line, "#")
	words := strings.Fields(left)
	why = strings.TrimSpace(why)
	if len(words) != 3 {
		return Entry{}, fmt.Errorf("want adapter, run, class and # why, have %q", line)
	}
	e := Entry{Adapter: words[0], Run: words[1], Class: Class(words[2]), Why: why}
	switch {
	case !ok || why == "":
		return Entry{}, fmt.Errorf("no reason: say after # why %s deviates on %s", e.Adapter, e.Run)
	case !e.Class.known() || e.Class == Correct:
		return Entry{}, fmt.Errorf("%q is no deviation: want one of %s", e.Class, deviations())
	case strings.ContainsAny(e.Adapter, `*?[\`):
		return Entry{}, fmt.Errorf("adapter %q: a deviation belongs to one adapter, name it", e.Adapter)
	case strings.Trim(e.Run, "*?/") == "":
		return Entry{}, fmt.Errorf("pattern %q matches every run: name the runs that deviate", e.Run)
	}
	if _, err := path.Match(e.Run, ""); err != nil {
		return Entry{}, fmt.Errorf("run pattern %q: %w", e.Run, err)
	}
	return e, nil
}

func deviations() string {
	var names []string
	for _, c := range Classes() {
		if c != Correct {
			names = append(names, string(c))
		}
	}
	return strings.Join(names, ", ")
}

// CheckPatterns refuses a pattern that matches every one of several runs: it
// would excuse whatever is added to them.
func (x Expectations) CheckPatterns(ids []string) error {
	var errs []error
	for _, e := range x {
		if e.pattern() && len(ids) > 1 && !slices.ContainsFunc(ids, func(id string) bool { return !e.matchesRun(id) }) {
			errs = append(errs, fmt.Errorf("%s: pattern %q matches every run of this replay: name the runs that deviate", e.At(), e.Run))
		}
	}
	return errors.Join(errs...)
}

// CheckContradictions refuses a line that another one about the same adapter and
// run keeps from ever counting, because it names another class. Lines may go
// before those of the built-in lists.
func (x Expectations) CheckContradictions() error {
	var errs []error
	for i, e := range x {
		for _, later := range x[i+1:] {
			if e.Adapter == later.Adapter && e.Class != later.Class && e.Builtin == later.Builtin && e.sameRun(later) {
				errs = append(errs, fmt.Errorf("%s lists %s for %s on %s, but %s lists %s: remove one of the lines",
					later.At(), later.Class, later.Adapter, later.Run, e.At(), e.Class))
			}
		}
	}
	return errors.Join(errs...)
}

// sameRun reports whether two entries name the same run, one of them perhaps
// with more of its path, or are the same pattern.
func (e Entry) sameRun(other Entry) bool {
	if e.pattern() || other.pattern() {
		return e.Run == other.Run
	}
	return e.matchesRun(other.Run) || other.matchesRun(e.Run)
}

// find returns the entry about an adapter and a run: an id before a pattern,
// an earlier line before a later one.
func (x Expectations) find(adapter, run string) (Entry, bool) {
	var found Entry
	ok := false
	for _, e := range x {
		if e.Adapter != adapter || !e.matchesRun(run) {
			continue
		}
		if !e.pattern() {
			return e, true
		}
		if !ok {
			found, ok = e, true
		}
	}
	return found, ok
}

// Listed returns the first entry that lists a class of deviation for an adapter
// and a run. Unlike in a replay, an entry of generated runs names those that may
// deviate, not that each of them does.
func (x Expectations) Listed(adapter, run string, class Class) (Entry, bool) {
	for _, e := range x {
		if e.Adapter == adapter && e.Class == class && e.matchesRun(run) {
			return e, true
		}
	}
	return Entry{}, false
}
