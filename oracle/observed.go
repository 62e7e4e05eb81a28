package oracle

import (
	"maps"
	"math"
	"slices"
)

// observe works out the observed intervals, and why all are unknown if so
// (oracle.md, "Observed").
func (ev *Evidence) observe() (Rates, string) {
	r := ev.read
	switch {
	case ev.roles.problem != nil:
		return unknownRates(), ev.roles.problem.Text
	case ev.window == nil:
		return unknownRates(), "the export gives no profiling window"
	case !r.full.known():
		return unknownRates(), "FULL is unknown"
	case !r.cached.known():
		return unknownRates(), "CACHED is unknown"
	case r.full.broken() || r.cached.broken():
		return unknownRates(), "FULL or CACHED has a series that cannot be laid over the window"
	}
	if r.mustEqual != nil && !r.denominatorHolds() {
		return unknownRates(), r.full.spellings[0] + " does not equal " + r.mustEqual.spellings[0] + " in the window: lookups were counted again"
	}
	// Two spellings are the same events twice: each is read alone.
	all := Rates{}
	first := true
	for _, full := range r.full.readings() {
		for _, cached := range r.cached.readings() {
			for _, offload := range r.offload.readings() {
				rates, why := ev.observeOne(full, cached, offload)
				if why != "" {
					return unknownRates(), why
				}
				if first {
					all, first = rates, false
				}
				all = all.hull(rates)
			}
		}
	}
	return all, ""
}

// readings are the ways to read a counter: one a spelling where some worker
// has two, else one.
func (c counted) readings() []counted {
	if len(c.twice) == 0 {
		return []counted{c}
	}
	var names []string
	for _, l := range c.rows {
		if slices.Contains(c.twice, l.worker) {
			names = appendNew(names, l.family)
		}
	}
	var out []counted
	for _, name := range names {
		out = append(out, c.spelled(name))
	}
	return out
}

func (ev *Evidence) observeOne(full, cached, offload counted) (Rates, string) {
	if why := ev.contradiction(full, cached, offload); why != "" {
		return unknownRates(), why
	}
	f, c := full.sum(), cached.sum()
	gpu := ratio(c, f, paired(full, cached))
	switch {
	case offload.known() && !offload.broken():
		o := offload.sum()
		cpu := ratio(o, f, paired(full, offload))
		return Rates{gpu, cpu, cpu, ratio(c.plus(o), f, paired(full, cached, offload))}, ""
	case offload.presence == absent && ev.noTier():
		return Rates{gpu, Interval{0, 0}, Interval{0, 0}, gpu}, ""
	case offload.presence == absent && ev.read.tables.cachedHoldsOffload:
		return ev.generationA(gpu, f), ""
	}
	// Some of the CPU tier is missing: whatever CACHED does not hold may be it.
	low := gpu.Lo
	if ev.read.tables.cachedHoldsOffload {
		gpu.Lo = 0 // the workers without OFFLOAD may have it in CACHED
	}
	rest := Interval{0, 1 - gpu.Lo}
	return Rates{gpu, rest, rest, Interval{low, 1}}, ""
}

// generationA are the intervals of rule 12: CACHED may hold the CPU tier, of
// which no more than LOADED was loaded.
func (ev *Evidence) generationA(cached Interval, f count) Rates {
	cpu := Interval{0, cached.Hi}
	gpu := Interval{0, cached.Hi}
	if l := ev.read.loaded; l.known() && len(l.twice) == 0 && !l.broken() {
		loaded := l.sum()
		most := cut((loaded.inside + loaded.possible) / f.inside)
		cpu.Hi = math.Min(cpu.Hi, most)
		gpu.Lo = cut(cached.Lo - most)
	}
	return Rates{gpu, cpu, cpu, cached}
}

// noTier reports whether the run declares that it has no CPU tier.
func (ev *Evidence) noTier() bool { return kvOffloading(ev.run) == "none" }

// contradiction says which of the bounds of rule 9 the sums inside break. Over
// incomplete slices only what no missing slice can mend is a contradiction.
func (ev *Evidence) contradiction(full, cached, offload counted) string {
	f, c := full.sum(), cached.sum()
	o := count{}
	if offload.known() && !offload.broken() {
		o = offload.sum()
	}
	switch {
	case f.inside+f.possible <= 0:
		return "FULL is 0 in the window"
	case c.inside > f.inside+f.possible:
		return "CACHED is larger than FULL"
	case c.inside+o.inside > f.inside+f.possible:
		return "CACHED + OFFLOAD is larger than FULL"
	}
	return ""
}

// denominatorHolds reports whether FULL equals the counter that it stands for.
func (r reading) denominatorHolds() bool {
	m := r.mustEqual
	if !m.known() || m.broken() || r.full.broken() {
		return false
	}
	f, p := r.full.sum(), m.sum()
	return f.inside == p.inside && f.possible == 0 && p.possible == 0
}

// paired reports whether hits and full move together: every unit (a worker's
// label set) has both, cut at the same instants, and what may be missing of the
// hits is no more than what may be missing of full.
func paired(full counted, hits ...counted) bool {
	units := full.units()
	open := make([]float64, len(units))
	for _, h := range hits {
		rows := h.units()
		if len(rows) != len(units) {
			return false
		}
		for i, u := range rows {
			if u.key != units[i].key || !sameEdges(u.edges, units[i].edges) || u.uneven || units[i].uneven {
				return false
			}
			open[i] += u.possible
		}
	}
	for i, u := range units {
		if open[i] > u.possible {
			return false
		}
	}
	return true
}

// A unit is one worker's label set: what one snapshot of an engine covers.
type unit struct {
	key      string
	edges    *layout // a row that has the unit's slice edges
	uneven   bool    // its rows were cut at different instants
	possible float64
}

// units groups the rows, sorted by key. A label that splits a counter into its
// parts (vLLM's source) does not split the unit.
func (c counted) units() []unit {
	byKey := map[string]*unit{}
	for _, l := range c.rows {
		labels := maps.Clone(l.series.Labels)
		delete(labels, c.label)
		key := l.worker + labelText(labels)
		u := byKey[key]
		if u == nil {
			u = &unit{key: key, edges: l}
			byKey[key] = u
		}
		u.uneven = u.uneven || !sameEdges(u.edges, l)
		u.possible += l.possible
	}
	var out []unit
	for _, k := range sortedKeys(byKey) {
		out = append(out, *byKey[k])
	}
	return out
}
