package check

import (
	"slices"

	"github.com/pdreplay/pdreplay/generator"
	"github.com/pdreplay/pdreplay/replay"
	"github.com/pdreplay/pdreplay/replay/adapter"
)

// Rows of a scorecard that are no single fault.
const (
	rowNone    = "none"
	rowPair    = "two at an edge"
	rowMixture = "mixture"
)

// A Scorecard counts classes by fault and adapter.
type Scorecard struct {
	Adapters []string // the columns
	Against  string   // of these, the one that the others are compared with, or ""

	rows map[string]*row
	run  string // the run whose results come in
	bad  map[string]bool
}

// A row is what every adapter made of the runs with one fault.
type row struct {
	runs  int
	cells []Cell // parallel to Scorecard.Adapters
}

// A Cell is what one adapter made of the runs with one fault.
type Cell struct {
	Judged int            // runs that it was asked about
	Counts map[string]int // by class, and by error, timeout and flaky
	Listed int            // failures that an expectation list excuses
	Price  float64        // the largest price error, per cent
	Fixed  int            // runs that Against gets wrong and it does not
	New    int            // runs that it gets wrong and Against does not
}

// Worst is the class that comes first of those that fail, "" when none does.
func (c Cell) Worst() string {
	for _, class := range failing() {
		if c.Counts[class] > 0 {
			return class
		}
	}
	return ""
}

// failing are the classes that fail, the worst first.
func failing() []string {
	words := []string{classError, classTimeout, classFlaky}
	for _, class := range replay.Classes() {
		if class != replay.Correct && class != replay.Undecided {
			words = append(words, string(class))
		}
	}
	return words
}

func newScorecard(list []adapter.Adapter, against string) *Scorecard {
	s := &Scorecard{Against: against, rows: map[string]*row{}}
	for _, a := range list {
		s.Adapters = append(s.Adapters, a.Name())
	}
	return s
}

// Rows are the rows that have a run: no fault, each fault alone, pairs,
// mixtures.
func (s *Scorecard) Rows() []string {
	names := append(append([]string{rowNone}, slugs()...), rowPair, rowMixture)
	return slices.DeleteFunc(names, func(n string) bool { return s.rows[n] == nil })
}

// Cell returns what an adapter made of a row.
func (s *Scorecard) Cell(rowName, adapter string) Cell {
	return s.rows[rowName].cells[slices.Index(s.Adapters, adapter)]
}

// Runs is the number of runs of a row.
func (s *Scorecard) Runs(rowName string) int { return s.rows[rowName].runs }

func rowOf(spec generator.Spec) string {
	switch f := spec.Faults; {
	case len(f) == 0:
		return rowNone
	case len(f) == 1:
		return f[0].Slug
	case len(f) == 2 && meet(f[0].Slug, f[1].Slug):
		return rowPair
	}
	return rowMixture
}

// add counts one result. The results of a run come one after the other.
func (s *Scorecard) add(g *generated, r replay.Result) {
	i := slices.Index(s.Adapters, string(r.Adapter))
	if i < 0 || r.Outcome == replay.Skipped {
		return // an error of the run itself, or not the adapter's engine
	}
	name := rowOf(g.spec)
	if s.rows[name] == nil {
		s.rows[name] = &row{cells: make([]Cell, len(s.Adapters))}
	}
	if r.Run != s.run {
		s.run, s.bad = r.Run, map[string]bool{}
		s.rows[name].runs++
	}
	cell := &s.rows[name].cells[i]
	cell.add(r)
	s.bad[s.Adapters[i]] = slices.Contains(failing(), bugOf(r).Class)
	s.compare(s.rows[name], i)
}

func (c *Cell) add(r replay.Result) {
	if c.Counts == nil {
		c.Counts = map[string]int{}
	}
	c.Judged++
	c.Counts[bugOf(r).Class]++
	if r.Listed != nil && r.Expected && r.Listed.At != onlyCompared {
		c.Listed++
	}
	if e := r.PriceError; e != nil && abs(*e) > abs(c.Price) {
		c.Price = *e
	}
}

// compare counts a run as fixed or new once the adapter and the one that it is
// compared with have both answered.
func (s *Scorecard) compare(of *row, latest int) {
	base, known := s.bad[s.Against]
	if !known {
		return
	}
	for i, name := range s.Adapters {
		bad, answered := s.bad[name]
		// The latest answer is compared now; that of Against settles all before it.
		if !answered || name == s.Against || i != latest && s.Adapters[latest] != s.Against {
			continue
		}
		switch {
		case bad && !base:
			of.cells[i].New++
		case base && !bad:
			of.cells[i].Fixed++
		}
	}
}
