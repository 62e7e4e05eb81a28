package atom

import (
	"github.com/pdreplay/pdreplay/replay/adapter/window"
	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// checked are the counts of every version but main, with what forbids a price
// and what is only worth saying.
func (v Version) checked(run *aiperf.Run) (counts, window.Refusals, []string) {
	d := derivation{version: v, run: run, export: run.Metrics()}
	if d.export == nil {
		d.refusals.Nullify(window.CounterMissing, 10, "", "the run has no server metrics")
		return counts{}, d.refusals, nil
	}
	roles := window.ResolveRoles(run, d.export.Metrics, cacheCounters)
	if roles.Refusal != nil {
		return counts{}, window.Refusals{*roles.Refusal}, nil
	}
	n := d.count(d.scope(roles))
	return n, d.refusals, roles.Notes(d.export.Metrics, cacheCounters)
}

type derivation struct {
	version  Version
	run      *aiperf.Run
	export   *aiperf.Export
	refusals window.Refusals
}

// scope says how the version makes a number of a series.
func (d *derivation) scope(roles window.Roles) window.Scope {
	scope := window.Scope{Export: d.export, Roles: roles, Lay: window.FromTotals}
	if d.version.Numbers != StatsTotal {
		scope.Lay = d.refusals.InWindow(d.export)
	}
	return scope
}

// count reads the counters and adds what each of them refuses.
func (d *derivation) count(scope window.Scope) counts {
	v := d.version
	f, c, o := scope.Read(full), scope.Read(cached), scope.Read(offload)
	l, r := scope.Read(loaded), scope.Read(requests)

	unconserved := d.unconserved(r, f)
	rated := []window.Reading{f, c}
	if o.Whole() { // an unknown tier is rule 12's matter
		rated = append(rated, o)
	}
	for _, reading := range rated {
		d.rated(reading, len(unconserved) == 0)
	}
	d.required(f)
	d.required(c)
	if v.Loaded == LoadedNullsAll {
		d.nullsAll(l)
	}
	if v.Requests == RequestsNullsAll {
		d.nullsAll(r)
	}
	n := counts{full: d.known(f), cached: d.known(c), offload: d.offload(o)}
	if v.Requests != RequestsNotRead {
		n.requests = d.known(r)
	}
	if v.Loaded != LoadedNotRead {
		n.loaded = d.known(l)
	}
	d.refusals.Bounds(window.Part{Name: full.Name, Sum: n.full},
		window.Part{Name: cached.Name, Sum: n.cached}, window.Part{Name: offload.Name, Sum: n.offload})
	if v.OldCollector == OldNever && !modern(d.run.Env) {
		d.refusals.Add(window.WindowUnresolved, 8, "", "the collector is older than 1.0.12 (AGENTX_HARNESS_VERSION=%q), so its totals may include the warmup", d.run.Env["AGENTX_HARNESS_VERSION"])
	}
	d.refusals = append(d.refusals, unconserved...)
	return n
}

// unconserved is what keeps the request scope from being conserved, as far as
// the version asks.
func (d *derivation) unconserved(requests, tokens window.Reading) window.Refusals {
	if d.version.Requests == RequestsNotRead {
		return nil
	}
	var errors int
	if a := d.version.accounting(d.run.Records); a != nil {
		errors = d.version.blocking(*a)
	}
	return window.CheckScope(d.run, requests, tokens, errors)
}

// known is the sum of a counter that passes rules 6, 10 and 11 as the version
// has them.
func (d *derivation) known(r window.Reading) *float64 {
	switch {
	case !r.Known():
		return nil
	case d.version.OtherLabels == OtherLabelsInvalid && len(r.Split) > 0:
		return nil
	case d.version.LeadingGap == LeadingGapNull && r.Leading():
		return nil
	}
	sum := r.Sum
	return &sum
}

// rated adds what the flaws of FULL, CACHED and OFFLOAD refuse.
func (d *derivation) rated(r window.Reading, conserved bool) {
	v := d.version
	for _, f := range r.Findings() {
		switch f.Flaw {
		case window.TwoSpellings, window.OtherLabels:
			d.duplicate(f)
		case window.NoSum:
			d.noSum(f, r.Whole())
		case window.LeadingGap:
			switch {
			case v.LeadingGap == LeadingGapNull:
				d.refusals.Nullify(window.WindowUnresolved, 6, f.At, "%s", f.Text)
			case v.LeadingGap == LeadingGapReported && !(v.NewCollector == NewIfConserved && conserved):
				d.refusals.Add(window.WindowUnresolved, 14, f.At, "%s, and the request scope is not conserved", f.Text)
			}
		case window.Proven:
			if v.Warmup == WarmupLeftOut && v.OldCollector != OldIfProven {
				d.refusals.Add(window.WindowUnresolved, 7, f.At, "%s", f.Text)
			}
		case window.Unproven:
			if v.Straddler == StraddlerReported {
				d.refusals.Add(window.WindowUnresolved, 7, f.At, "%s", f.Text)
			}
		case window.OverEnd:
			d.refusals.Add(window.WindowUnresolved, 7, f.At, "%s", f.Text)
		}
	}
}

// noSum refuses a series that gives no sum: no finite total where totals are
// read, no tiling of the window where slices are. A total that is no part of a
// sum, because an endpoint lacks the counter, breaks no bound.
func (d *derivation) noSum(f window.Finding, whole bool) {
	switch {
	case d.version.Numbers == StatsTotal && !whole:
	case d.version.Numbers == StatsTotal:
		d.refusals.Nullify(window.InvalidCounter, 9, f.At, "%s", f.Text)
	case d.version.OtherGap == OtherGapNull:
		d.refusals.Nullify(window.WindowUnresolved, 6, f.At, "%s", f.Text)
	}
}

func (d *derivation) duplicate(f window.Finding) {
	if f.Flaw == window.TwoSpellings && d.version.TwoSpellings == TwoSpellingsInvalid ||
		f.Flaw == window.OtherLabels && d.version.OtherLabels == OtherLabelsInvalid {
		d.refusals.Nullify(window.InvalidCounter, 11, f.At, "%s", f.Text)
	}
}

// required refuses all rates when FULL or CACHED is not on every accounted
// endpoint.
func (d *derivation) required(r window.Reading) {
	if !r.Whole() {
		d.refusals.Nullify(window.CounterMissing, 10, "", "%s is unknown: %s", r.Counter.Name, r.Unknown())
	}
}

// nullsAll is what the first versions do with a counter that no rate is made
// of: its gaps and duplicates refuse all rates.
func (d *derivation) nullsAll(r window.Reading) {
	for _, f := range r.Findings() {
		switch f.Flaw {
		case window.TwoSpellings, window.OtherLabels:
			d.duplicate(f)
		case window.NoSum, window.LeadingGap:
			d.refusals.Nullify(window.WindowUnresolved, 13, f.At, "%s", f.Text)
		}
	}
}

// offload is the CPU tier: 0 when the run declares that there is none and no
// endpoint counts it, unknown when only some endpoints do (rules 10 and 12).
func (d *derivation) offload(r window.Reading) *float64 {
	if r.Absent() && window.NoCPUTier(d.run) {
		return new(float64)
	}
	if r.Whole() {
		return d.known(r)
	}
	const text = "OFFLOAD is unknown: %s, with KV_OFFLOADING=%q"
	switch d.version.OffloadUnknown {
	case OffloadCPUUnresolved:
		d.refusals.Add(window.CPUUnresolved, 12, "", text, r.Unknown(), window.KVOffloading(d.run))
	case OffloadScope:
		d.refusals.Add(window.ScopeUnresolved, 12, "", text, r.Unknown(), window.KVOffloading(d.run))
	}
	return nil
}
