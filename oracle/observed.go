package oracle

import (
	"fmt"
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
	case !r.tiers[0].known():
		return unknownRates(), r.tiers[0].name + " is unknown"
	case r.full.broken() || r.tiers[0].broken():
		return unknownRates(), "FULL or " + r.tiers[0].name + " has a series that cannot be laid over the window"
	}
	if r.mustEqual != nil && !r.denominatorHolds() {
		return unknownRates(), r.full.spellings[0] + " does not equal " + r.mustEqual.spellings[0] + " in the window: lookups were counted again"
	}
	// Two spellings are the same events twice: each is read alone.
	var hull Rates
	for i, alternative := range combinations(append([]counted{r.full}, r.tiers...)) {
		rates, why := ev.observeOne(alternative[0], alternative[1:])
		if why != "" {
			return unknownRates(), why
		}
		if i == 0 {
			hull = rates
		}
		hull = hull.hull(rates)
	}
	return hull, ""
}

// combinations are all ways to read several counters together.
func combinations(counters []counted) [][]counted {
	if len(counters) == 0 {
		return [][]counted{nil}
	}
	var out [][]counted
	for _, first := range counters[0].readings() {
		for _, rest := range combinations(counters[1:]) {
			out = append(out, append([]counted{first}, rest...))
		}
	}
	return out
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

func (ev *Evidence) observeOne(full counted, tiers []counted) (Rates, string) {
	t := ev.read.tables.tiers
	if why := contradiction(full, t, tiers); why != "" {
		return unknownRates(), why
	}
	rate := func(in func(tier) bool) Interval {
		var hits []counted
		var c count
		for i, tier := range tiers {
			if in(t[i]) && tier.measured() && len(tier.rows) > 0 { // a true zero has no edges to compare
				hits = append(hits, tier)
				c = c.plus(tier.sum())
			}
		}
		return ratio(c, full.sum(), paired(full, hits...))
	}
	rates := Rates{
		GPU:      rate(func(t tier) bool { return t.gpu }),
		CPU:      rate(func(t tier) bool { return t.cpu }),
		External: rate(func(t tier) bool { return t.external }),
		Overall:  rate(func(t tier) bool { return t.overall }),
	}
	if ev.read.tables.overallOnly || ev.read.untold() {
		rates.GPU, rates.CPU, rates.External = anything, anything, anything
		if ev.read.unreported() != "" {
			rates.Overall.Hi = 1
		}
		return rates, ""
	}
	switch o := unknownTier(tiers); {
	case o == nil:
		return rates, ""
	case o.presence == absent && ev.read.tables.cachedHoldsOffload:
		return ev.generationA(rates.GPU, full.sum()), ""
	}
	// Some of the CPU tier is missing: whatever the others do not hold may be it.
	if ev.read.tables.cachedHoldsOffload {
		rates.GPU.Lo = 0 // the workers without OFFLOAD may have it in CACHED
	}
	rest := Interval{0, 1 - rates.GPU.Lo}
	return Rates{rates.GPU, rest, rest, Interval{rates.Overall.Lo, 1}}, ""
}

// measured reports whether the counter's rows say something about the window.
func (c counted) measured() bool { return c.known() && !c.broken() }

// unknownTier returns the tier whose tokens are not known, nil when all are.
func unknownTier(tiers []counted) *counted {
	for i := range tiers {
		if !tiers[i].measured() {
			return &tiers[i]
		}
	}
	return nil
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

// contradiction says which of the bounds of rule 9 the sums inside break. Over
// incomplete slices only what no missing slice can mend is a contradiction.
func contradiction(full counted, t []tier, tiers []counted) string {
	f := full.sum()
	most := f.inside + f.possible
	if most <= 0 {
		return "FULL is 0 in the window"
	}
	if !finite(f.inside) {
		return "FULL adds up to more than a number can hold"
	}
	var parts []part
	for i, c := range tiers {
		if c.measured() {
			if !finite(c.sum().inside) {
				return c.name + " adds up to more than a number can hold"
			}
			parts = append(parts, part{t[i], c.name, c.sum().inside})
		}
	}
	return above(parts, most)
}

// A part is one tier's hits.
type part struct {
	tier
	name string
	hits float64
}

// above names the first hits, or sum of hits, that are more than full: of the
// tiers that make up overall, and of those that only count beside it each
// rate's own.
func above(parts []part, full float64) string {
	for _, rate := range []func(part) bool{
		func(p part) bool { return p.overall },
		func(p part) bool { return !p.overall && p.gpu },
		func(p part) bool { return !p.overall && p.external },
	} {
		hits, names := 0.0, ""
		for _, p := range parts {
			if !rate(p) {
				continue
			}
			hits += p.hits
			if names != "" {
				names += " + "
			}
			if names += fmt.Sprintf("%s (%s)", p.name, tokens(p.hits)); hits > full {
				return fmt.Sprintf("%s is larger than FULL (%s)", names, tokens(full))
			}
		}
	}
	return ""
}

// untold reports whether there are hits of which the tier is not known.
func (r reading) untold() bool {
	for i, t := range r.tables.tiers {
		if t.untold && len(r.tiers[i].rows) > 0 {
			return true
		}
	}
	return false
}

// unreported says for how many requests no hits were reported, "" when all were.
func (r reading) unreported() string {
	if r.reported == nil || !r.reported.known() || !r.requests.known() {
		return ""
	}
	have, all := r.reported.sum(), r.requests.sum()
	if have.inside == all.inside && have.possible == all.possible {
		return ""
	}
	return fmt.Sprintf("cached tokens are reported for %s of %s requests: the others may have hit too", tokens(have.inside), tokens(all.inside))
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
