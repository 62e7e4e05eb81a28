package oracle

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// A reading is every counter of an engine, cut to the window.
type reading struct {
	tables                         tables
	full, requests, tokens, loaded counted
	tiers                          []counted // as in tables.tiers
	mustEqual, reported            *counted
}

// rated are the counters that rates are made of: FULL, then the tiers.
func (r reading) rated() []counted { return append([]counted{r.full}, r.tiers...) }

// presence says on how many of the accounted workers a counter stands (rule 10).
type presence int

const (
	absent  presence = iota // on none
	partial                 // on some
	present                 // on all
)

// A counted is one counter over the accounted workers.
type counted struct {
	counter
	presence presence
	missing  []string // accounted workers without it
	rows     []*layout
	twice    []string // workers that spell it twice (rule 11)
	unborn   bool     // a lazy child that no worker has: 0, but not a measured 0
}

// known reports whether the counter stands on every accounted worker.
func (c counted) known() bool { return c.presence == present }

// sum adds the rows up. With two spellings the caller picks one first.
func (c counted) sum() count {
	var total count
	for _, l := range c.rows {
		total = total.plus(l.count)
	}
	return total
}

// usable reports whether the in-window sum may be shown (rule 6).
func (c counted) usable() bool {
	return c.known() && len(c.twice) == 0 && !slices.ContainsFunc(c.rows, (*layout).nulls)
}

func (c counted) broken() bool { return slices.ContainsFunc(c.rows, (*layout).broken) }

// spelled keeps the rows of one spelling where a worker has several.
func (c counted) spelled(spelling string) counted {
	c.rows = slices.DeleteFunc(slices.Clone(c.rows), func(l *layout) bool {
		return slices.Contains(c.twice, l.worker) && l.family != spelling
	})
	return c
}

// readCounters collects the counters of the accounted workers. Without a
// window the rows have no layout. noTier: the run declares that it has no CPU
// tier.
func readCounters(export *aiperf.Export, e engine, r roles, window *aiperf.Range, noTier bool) reading {
	t := e.choose(export)
	read := func(c counter) counted { return readCounter(export, c, r, window) }
	if noTier { // the part that would be the CPU tier's may be missing
		cpu := func(part string) bool {
			return slices.ContainsFunc(t.tiers, func(tier tier) bool { return tier.cpu && tier.part != nil && tier.part(part) })
		}
		t.full.needs = slices.DeleteFunc(slices.Clone(t.full.needs), cpu)
	}
	got := reading{tables: t, full: read(t.full), requests: read(t.requests), tokens: read(t.tokens)}
	for _, tier := range t.tiers {
		c := read(tier.counter)
		unborn := tier.lazy && got.full.known()
		if c.unborn = unborn && c.presence == absent; unborn || c.presence == absent && tier.cpu && noTier {
			c.presence, c.missing = present, nil // what no worker exports is a true zero
		}
		got.tiers = append(got.tiers, c)
	}
	if t.loaded != nil {
		got.loaded = read(*t.loaded)
	}
	if t.mustEqual != nil {
		m := read(*t.mustEqual)
		got.mustEqual = &m
	}
	if t.reported != nil {
		m := read(*t.reported)
		got.reported = &m
	}
	return got
}

func readCounter(export *aiperf.Export, c counter, r roles, window *aiperf.Range) counted {
	got := counted{counter: c}
	if r.problem != nil {
		return got
	}
	spellings := map[string][]string{} // worker -> spellings it has
	for _, family := range export.Metrics {
		if !slices.Contains(c.spellings, family.Name) {
			continue
		}
		for i := range family.Series {
			s := c.view(&family.Series[i])
			worker := r.worker(s)
			if c.part != nil && !c.part(s.Labels[c.label]) || !slices.Contains(r.accounted, worker) {
				continue
			}
			if got.isReplica(s, family.Name, worker) {
				continue
			}
			spellings[worker] = appendNew(spellings[worker], family.Name)
			row := layout{series: s, family: family.Name, worker: worker, total: number(s.Stats.Total)}
			row.warmup, row.warmupAt = warmupTotal(export, c, &row)
			if window == nil {
				got.rows = append(got.rows, &row)
				continue
			}
			got.rows = append(got.rows, lay(row, base(export.File), *window))
		}
	}
	for _, worker := range r.accounted {
		switch n := len(spellings[worker]); {
		case n == 0, !got.whole(worker):
			got.missing = append(got.missing, worker)
		case n > 1:
			got.twice = append(got.twice, worker)
		}
	}
	switch {
	case len(spellings) == 0:
		got.presence = absent
	case len(got.missing) > 0:
		got.presence = partial
	default:
		got.presence = present
	}
	return got
}

// isReplica reports whether a series is another rank's copy of one that was
// read: it differs only in ranks that all count the same requests. A copy that
// says something else makes the first one unusable: nobody knows which is right.
func (c *counted) isReplica(s *aiperf.Series, family, worker string) bool {
	if len(c.replicas) == 0 || s.Labels["dp_rank"] != "" {
		return false
	}
	plain := func(labels map[string]string) map[string]string {
		labels = maps.Clone(labels)
		for _, rank := range c.replicas {
			delete(labels, rank)
		}
		return labels
	}
	for _, l := range c.rows {
		if l.family != family || l.worker != worker || !maps.Equal(plain(l.series.Labels), plain(s.Labels)) {
			continue
		}
		same := func(a, b aiperf.Slice) bool { return a.Start == b.Start && a.End == b.End && a.Value.Equal(b.Value) }
		if !slices.EqualFunc(l.series.Slices, s.Slices, same) || !l.series.Stats.Total.Equal(s.Stats.Total) {
			l.find(flawBroken, "has a copy for another rank that counts something else", s.At, math.Inf(1))
		}
		return true
	}
	return false
}

// whole reports whether a worker has every part that the sum needs.
func (c counted) whole(worker string) bool {
	for _, part := range c.needs {
		if !slices.ContainsFunc(c.rows, func(l *layout) bool {
			return l.worker == worker && l.series.Labels[c.label] == part
		}) {
			return false
		}
	}
	return true
}

// view is a series as the counter reads it: a histogram's sum or count stands
// where a counter has its total.
func (c counter) view(s *aiperf.Series) *aiperf.Series {
	if c.stat == statTotal {
		return s
	}
	v := *s
	v.Stats.Total = s.Stats.Sum // the slices hold the sums already
	if c.stat == statCount {
		v.Stats.Total = s.Stats.Count
		v.Slices = slices.Clone(s.Slices)
		for i := range v.Slices {
			v.Slices[i].Value = s.Counts[i]
		}
	}
	return &v
}

// warmupTotal finds the same series in warmup_metrics: any spelling, same
// endpoint, same labels (rule 7). Two spellings that disagree prove nothing.
func warmupTotal(export *aiperf.Export, c counter, row *layout) (float64, string) {
	total, at := math.NaN(), ""
	for _, family := range export.WarmupMetrics {
		if !slices.Contains(c.spellings, family.Name) {
			continue
		}
		for i := range family.Series {
			s := &family.Series[i]
			if s.Endpoint != row.series.Endpoint || !maps.Equal(s.Labels, row.series.Labels) {
				continue
			}
			found := number(c.view(s).Stats.Total)
			if family.Name == row.family {
				return found, base(export.File) + "#" + s.At
			}
			if at != "" && found != total {
				return math.NaN(), ""
			}
			total, at = found, base(export.File)+"#"+s.At
		}
	}
	return total, at
}

// where describes a row for people.
func (l *layout) where() string {
	if len(l.series.Labels) == 0 {
		return "at " + l.worker
	}
	return fmt.Sprintf("at %s %s", l.worker, labelText(l.series.Labels))
}

func labelText(labels map[string]string) string {
	text := ""
	for _, k := range sortedKeys(labels) {
		text = joinNonEmpty(text, fmt.Sprintf("%s=%q", k, labels[k]))
	}
	return "{" + text + "}"
}
