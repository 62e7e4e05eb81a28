package report

import (
	"slices"

	"github.com/pdreplay/pdreplay/replay"
)

// A collection keeps the results for a report that is written as a whole.
type collection struct{ results []replay.Result }

// Result keeps one result.
func (c *collection) Result(r replay.Result) error {
	c.results = append(c.results, r)
	return nil
}

// runs returns the results run by run.
func (c *collection) runs() [][]replay.Result {
	var runs [][]replay.Result
	for _, r := range c.results {
		if n := len(runs); n > 0 && runs[n-1][0].Run == r.Run {
			runs[n-1] = append(runs[n-1], r)
			continue
		}
		runs = append(runs, []replay.Result{r})
	}
	return runs
}

// adapters returns the adapters in the order in which they come; "" stands for
// results about a run that no adapter was asked about.
func (c *collection) adapters() []replay.Word {
	var names []replay.Word
	for _, r := range c.results {
		if !slices.Contains(names, r.Adapter) {
			names = append(names, r.Adapter)
		}
	}
	return names
}

// of returns the results of one adapter.
func (c *collection) of(adapter replay.Word) []replay.Result {
	var list []replay.Result
	for _, r := range c.results {
		if r.Adapter == adapter {
			list = append(list, r)
		}
	}
	return list
}

// published reports whether a row lies beside the run that an adapter's answer
// was compared with.
func published(run []replay.Result) bool {
	return slices.ContainsFunc(run, func(r replay.Result) bool { return r.Published != nil })
}

// A score is what one adapter came to over all runs.
type score struct {
	adapter                                    replay.Word
	passed, failed, skipped, undecided, errors int
	listed                                     int // of these passed: deviations that a list names
	classes                                    []classCount
}

type classCount struct {
	class replay.Class
	n     int
}

// scorecard returns a score an adapter.
func (c *collection) scorecard() []score {
	var card []score
	for _, name := range c.adapters() {
		if name != "" {
			card = append(card, scoreOf(name, c.of(name)))
		}
	}
	return card
}

func scoreOf(name replay.Word, results []replay.Result) score {
	s := score{adapter: name}
	counts := map[replay.Class]int{}
	for _, r := range results {
		switch r.Count() {
		case replay.CountPassed:
			s.passed++
			if r.Listed != nil {
				s.listed++
			}
		case replay.CountFailed:
			s.failed++
		case replay.CountSkipped:
			s.skipped++
		case replay.CountUndecided:
			s.undecided++
		case replay.CountError:
			s.errors++
		}
		if r.Class != "" {
			counts[replay.Class(r.Class)]++
		}
	}
	for _, class := range replay.Classes() {
		if n := counts[class]; n > 0 {
			s.classes = append(s.classes, classCount{class, n})
		}
	}
	return s
}
