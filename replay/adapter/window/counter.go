package window

import (
	"fmt"
	"maps"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// A Counter is one counter of an engine.
type Counter struct {
	Name      string   // as reasons and answers call it
	Spellings []string // the families that carry it: one endpoint has one of them

	// Keep is which series are this counter, by their labels; nil keeps all.
	Keep  func(labels map[string]string) bool
	Count bool // a histogram's observations, not their sum
	// Needs are values of the label Part that an endpoint must all have: the
	// counter is their sum, and one that is missing is a part of it lost.
	Part  string
	Needs []string
	// Replicas are labels that tell copies of one value apart, such as tensor
	// parallel ranks: series that differ in nothing else are counted once.
	Replicas []string
}

// Labelled keeps the series whose label has one of the values.
func Labelled(label string, values ...string) func(map[string]string) bool {
	return func(labels map[string]string) bool {
		v, ok := labels[label]
		return ok && slices.Contains(values, v)
	}
}

// A Place is one series of a counter, laid over the window.
type Place struct {
	Family   string
	Endpoint string // identity of the endpoint or worker that reports it
	Series   *aiperf.Series
	At       string // address: file and JSON pointer, or file and line
	Fit      Fit
	Warmup   aiperf.Value // total of the same series in warmup_metrics
}

// A Reading is one counter over the accounted endpoints.
type Reading struct {
	Counter Counter
	Sum     float64  // of all places that have a sum
	Places  []Place  // in the order of the endpoints, then of the file
	Missing []string // accounted endpoints without the counter, or without a part of it
	Doubled []string // endpoints that report it under two spellings
	Split   []string // endpoints with several series of one name that differ in labels
}

// Absent reports that no accounted endpoint has the counter.
func (r Reading) Absent() bool { return len(r.Places) == 0 }

// Whole reports that every accounted endpoint has the counter (rule 10).
func (r Reading) Whole() bool { return len(r.Places) > 0 && len(r.Missing) == 0 }

// Known reports that the counter has one sum that can be trusted: it is whole,
// reported once everywhere, and every series passes rule 6.
func (r Reading) Known() bool { return r.Whole() && r.Sound() }

// Sound reports that where the counter is reported it is reported once, and
// that every series passes rule 6.
func (r Reading) Sound() bool {
	return len(r.Doubled) == 0 && !slices.ContainsFunc(r.Places, func(p Place) bool { return p.Fit.Bad != "" })
}

// Closed reports that nothing but Sum can have been counted inside the window:
// no slice over an edge holds anything unproven, and no gap hides anything of
// stats.total.
func (r Reading) Closed() bool {
	return r.Known() && !slices.ContainsFunc(r.Places, func(p Place) bool {
		total, ok := r.Counter.total(p.Series).Float()
		hides := p.Fit.Leading > 0 && !(ok && total == p.Fit.All)
		return hides || !p.Fit.Proven(p.Warmup) || p.Fit.Overrun() != 0
	})
}

// Leading reports that a series of the counter begins after S.
func (r Reading) Leading() bool {
	return slices.ContainsFunc(r.Places, func(p Place) bool { return p.Fit.Leading > 0 })
}

// A Scope is where counters are read: which endpoints, and how one series
// becomes a number.
type Scope struct {
	Export *aiperf.Export
	Roles  Roles
	Lay    func(Counter, *aiperf.Series) Fit
}

// FromTotals takes stats.total and looks at no slice.
func FromTotals(c Counter, s *aiperf.Series) Fit {
	f, ok := c.total(s).Float()
	if !ok || math.IsNaN(f) || math.IsInf(f, 0) {
		return Fit{Bad: "stats.total is not a finite number"}
	}
	return Fit{Inside: f}
}

// slices are the slices of what the counter counts.
func (c Counter) slices(s *aiperf.Series) []aiperf.Slice {
	if !c.Count {
		return s.Slices
	}
	counts := slices.Clone(s.Slices)
	for i := range counts {
		counts[i].Value = aiperf.Value{}
		if i < len(s.Counts) {
			counts[i].Value = s.Counts[i]
		}
	}
	return counts
}

// total is what the counter counts over the whole phase: a histogram's sum has
// no key total.
func (c Counter) total(s *aiperf.Series) aiperf.Value {
	switch {
	case c.Count:
		return s.Stats.Count
	case s.Stats.Total.Kind() == aiperf.Absent:
		return s.Stats.Sum
	}
	return s.Stats.Total
}

func (c Counter) keeps(s *aiperf.Series) bool { return c.Keep == nil || c.Keep(s.Labels) }

// each calls f for every series of the counter, in the order of the spellings
// and then of the file.
func (c Counter) each(metrics []aiperf.Family, f func(family string, s *aiperf.Series)) {
	for _, name := range c.Spellings {
		for i := range metrics {
			if metrics[i].Name != name {
				continue
			}
			for j := range metrics[i].Series {
				if s := &metrics[i].Series[j]; c.keeps(s) {
					f(name, s)
				}
			}
		}
	}
}

// EveryEndpoint accounts every endpoint that has the counters: a front end
// counts each client request once, whatever roles the workers behind it have.
func EveryEndpoint(metrics []aiperf.Family, counters []Counter) Roles {
	return Roles{Source: "front end", Accounted: endpoints(metrics, counters)}
}

// endpoints returns the distinct endpoints that have series of the counters,
// as [Key] has them, sorted.
func endpoints(metrics []aiperf.Family, counters []Counter) []string {
	found := map[string]bool{}
	for _, c := range counters {
		c.each(metrics, func(_ string, s *aiperf.Series) { found[Key(s.Endpoint)] = true })
	}
	return slices.Sorted(maps.Keys(found))
}

// Read reads one counter over the accounted endpoints.
func (sc Scope) Read(c Counter) Reading {
	r := Reading{Counter: c}
	on := map[string][]Place{}
	c.each(sc.Export.Metrics, func(family string, s *aiperf.Series) {
		id := sc.Roles.Identify(s)
		on[id] = append(on[id], Place{Family: family, Endpoint: id, Series: s, At: address(sc.Export, s), Fit: sc.Lay(c, s)})
	})
	for _, e := range sc.Roles.Accounted {
		places := c.once(on[e])
		if len(places) == 0 || !c.complete(places) {
			r.Missing = append(r.Missing, e)
		}
		if len(places) == 0 {
			continue
		}
		r.compare(e, places)
		for _, p := range places {
			p.Warmup = c.warmup(sc.Export.WarmupMetrics, p.Family, p.Series)
			r.Sum += p.Fit.Inside
			r.Places = append(r.Places, p)
		}
	}
	return r
}

// address is where a series stands: a JSON pointer in the JSON export, a line
// of the CSV.
func address(e *aiperf.Export, s *aiperf.Series) string {
	file := path.Base(e.File)
	switch {
	case s.At == "":
		return file
	case strings.HasPrefix(s.At, "/"):
		return file + "#" + s.At
	}
	return file + ", " + s.At
}

// complete reports whether an endpoint has every part that the sum needs.
func (c Counter) complete(places []Place) bool {
	for _, part := range c.Needs {
		if !slices.ContainsFunc(places, func(p Place) bool { return p.Series.Labels[c.Part] == part }) {
			return false
		}
	}
	return true
}

// once drops the replicas of a series: the same family and labels but for
// those that tell replicas apart. The first one in the file stands for all.
func (c Counter) once(places []Place) []Place {
	if len(c.Replicas) == 0 {
		return places
	}
	bare := func(p Place) map[string]string {
		labels := maps.Clone(p.Series.Labels)
		maps.DeleteFunc(labels, func(k, _ string) bool { return slices.Contains(c.Replicas, k) })
		return labels
	}
	var kept []Place
	for _, p := range places {
		if !slices.ContainsFunc(kept, func(q Place) bool { return q.Family == p.Family && maps.Equal(bare(p), bare(q)) }) {
			kept = append(kept, p)
		}
	}
	return kept
}

// compare notes what several series of one endpoint are to each other.
func (r *Reading) compare(endpoint string, places []Place) {
	first := places[0].Family
	for _, p := range places {
		if p.Family != first {
			r.Doubled = append(r.Doubled, fmt.Sprintf("%s reports it as %s and as %s", endpoint, first, p.Family))
			return
		}
	}
	if len(places) > 1 {
		r.Split = append(r.Split, fmt.Sprintf("%s has %d series of %s that differ in labels", endpoint, len(places), first))
	}
}

// warmup is the total of the same series in warmup_metrics: the same endpoint
// and labels, under the same name or else under any other spelling. Where two
// other spellings disagree it is Absent, because neither proves anything.
func (c Counter) warmup(metrics []aiperf.Family, family string, s *aiperf.Series) aiperf.Value {
	var same, other []aiperf.Value
	c.each(metrics, func(name string, w *aiperf.Series) {
		switch {
		case w.Endpoint != s.Endpoint || !maps.Equal(w.Labels, s.Labels):
		case name == family:
			same = append(same, c.total(w))
		default:
			other = append(other, c.total(w))
		}
	})
	found := same
	if len(found) == 0 {
		found = other
	}
	for _, v := range found {
		if !v.Equal(found[0]) {
			return aiperf.Value{}
		}
	}
	if len(found) == 0 {
		return aiperf.Value{}
	}
	return found[0]
}

// workerLabel is what Atomesh adds to the series of each worker that it merges
// into its one exposition.
const workerLabel = "worker_addr"

// Identify says which endpoint of the role lists a series belongs to: its
// worker, where a list names that, else the endpoint that was scraped.
func (r Roles) Identify(s *aiperf.Series) string {
	if worker := workerKey(s.Labels[workerLabel]); worker != "" && r.names(worker) {
		return worker
	}
	return Key(s.Endpoint)
}

func (r Roles) names(key string) bool {
	return slices.Contains(r.Accounted, key) || slices.Contains(r.Decode, key)
}

func workerKey(addr string) string {
	addr = strings.TrimSuffix(strings.TrimPrefix(addr, "http://"), "/")
	return strings.TrimSuffix(addr, "/metrics")
}

// workers says why the roles of merged workers are unresolved: series of one
// endpoint that differ in worker_addr are distinct workers, and each needs a
// role (rule 11). It is "" when they are resolved.
func (r Roles) workers(metrics []aiperf.Family, counters []Counter) string {
	workers := map[string]map[string]bool{}
	for _, c := range counters {
		c.each(metrics, func(_ string, s *aiperf.Series) {
			e := Key(s.Endpoint)
			if workers[e] == nil {
				workers[e] = map[string]bool{}
			}
			if addr := s.Labels[workerLabel]; addr != "" {
				workers[e][addr] = true
			}
		})
	}
	for _, e := range slices.Sorted(maps.Keys(workers)) {
		if len(workers[e]) < 2 {
			continue
		}
		for _, addr := range slices.Sorted(maps.Keys(workers[e])) {
			if !r.names(workerKey(addr)) {
				return fmt.Sprintf("%s merges %d workers and no list names %s=%q", e, len(workers[e]), workerLabel, addr)
			}
		}
	}
	return ""
}

// Notes names what the lists and the export do not share and what rule 4 lets
// pass: a decode endpoint that the export lacks, an endpoint in no list.
func (r Roles) Notes(metrics []aiperf.Family, counters []Counter) []string {
	found := map[string]bool{}
	for _, c := range counters {
		c.each(metrics, func(_ string, s *aiperf.Series) { found[r.Identify(s)] = true })
	}
	var notes []string
	for _, e := range r.Decode {
		if !found[e] {
			notes = append(notes, fmt.Sprintf("rule 4: decode endpoint %s is not in the export", e))
		}
	}
	for _, e := range slices.Sorted(maps.Keys(found)) {
		if !r.names(e) {
			notes = append(notes, fmt.Sprintf("rule 4: endpoint %s is in no list of %s and is ignored", e, r.Source))
		}
	}
	return notes
}
