package atom

import (
	"strings"

	"github.com/pdreplay/pdreplay/replay/adapter/window"
	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// checked are the counts of every version but main, with what forbids a price.
func (v Version) checked(run *aiperf.Run) (counts, window.Refusals, []string) {
	d := derivation{version: v, run: run, export: run.Metrics()}
	if d.export == nil {
		d.refusals.Nullify(window.CounterMissing, 10, "", "the run has no server metrics")
		return counts{}, d.refusals, nil
	}
	scope, ok := d.scope()
	if !ok {
		return counts{}, d.refusals, nil
	}
	return d.count(scope), d.refusals, scope.Roles.Notes(d.export.Metrics, cacheCounters)
}

type derivation struct {
	version  Version
	run      *aiperf.Run
	export   *aiperf.Export
	refusals window.Refusals
}

// scope finds the accounted endpoints and the window, and is false where
// nothing can be counted without them.
func (d *derivation) scope() (window.Scope, bool) {
	metrics := d.export.Metrics
	roles := window.ResolveRoles(d.run, window.Endpoints(metrics, cacheCounters))
	if roles.Refusal != "" {
		d.refusals.Nullify(window.RolesUnresolved, 3, "", "%s", roles.Refusal)
		return window.Scope{}, false
	}
	if refusal := roles.Workers(metrics, cacheCounters); refusal != "" {
		d.refusals.Nullify(window.RolesUnresolved, 11, "", "%s", refusal)
		return window.Scope{}, false
	}
	scope := window.Scope{Export: d.export, Roles: roles, Lay: window.FromTotals}
	if d.version.Numbers == StatsTotal {
		return scope, true
	}
	w, ok := window.Profiling(d.export)
	if !ok {
		d.refusals.Nullify(window.WindowUnresolved, 5, d.export.File+"#/summary/phase_time_ranges", "the export has no profiling range")
		return window.Scope{}, false
	}
	scope.Lay = window.InWindow(w)
	return scope, true
}

// count reads the counters and adds what each of them refuses.
func (d *derivation) count(scope window.Scope) counts {
	v := d.version
	f, c, o := scope.Read(full), scope.Read(cached), scope.Read(offload)
	l, r := scope.Read(loaded), scope.Read(requests)

	var unconserved window.Refusals
	if v.Requests != RequestsNotRead {
		var errors int
		if a := v.accounting(d.run.Records); a != nil {
			errors = v.blocking(*a)
		}
		unconserved = window.CheckScope(d.run, r, f, errors)
	}
	if v.OldCollector == OldNever && !modern(d.run.Env) {
		d.refusals.Add(window.WindowUnresolved, 8, "", "the collector is older than 1.0.12 (AGENTX_HARNESS_VERSION=%q), so its totals may include the warmup", d.run.Env["AGENTX_HARNESS_VERSION"])
	}
	for _, reading := range []window.Reading{f, c, o} {
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
	d.bounds(n)
	d.refusals = append(d.refusals, unconserved...)
	return n
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

// rated adds what the gaps, straddlers and duplicates of FULL, CACHED and
// OFFLOAD refuse.
func (d *derivation) rated(r window.Reading, conserved bool) {
	d.duplicates(r)
	for _, p := range r.Places {
		d.place(r.Counter.Name, p, conserved)
	}
}

func (d *derivation) duplicates(r window.Reading) {
	twice := r.Doubled
	if d.version.OtherLabels == OtherLabelsInvalid {
		twice = append(twice, r.Split...)
	}
	if d.version.TwoSpellings == TwoSpellingsInvalid && len(twice) > 0 {
		d.refusals.Nullify(window.InvalidCounter, 11, "", "%s: %s", r.Counter.Name, strings.Join(twice, "; "))
	}
}

func (d *derivation) place(name string, p window.Place, conserved bool) {
	v, fit, at := d.version, p.Fit, p.Series.At
	switch {
	case fit.Bad != "" && v.Numbers == StatsTotal:
		d.refusals.Nullify(window.InvalidCounter, 9, at, "%s at %s: %s", name, p.Endpoint, fit.Bad)
		return
	case fit.Bad != "":
		if v.OtherGap == OtherGapNull {
			d.refusals.Nullify(window.WindowUnresolved, 6, at, "%s at %s: %s", name, p.Endpoint, fit.Bad)
		}
		return
	}
	d.leading(name, p, conserved)
	if proven := v.Warmup == WarmupLeftOut && v.OldCollector == OldIfProven && fit.Proven(p.Warmup); v.Straddler == StraddlerReported && !proven {
		d.refusals.Add(window.WindowUnresolved, 7, at, "%s at %s: the slice [%d, %d) starts before the window and warmup_metrics does not prove its %s to be warmup",
			name, p.Endpoint, fit.Straddler.Start, fit.Straddler.End, number(fit.Straddler.Value))
	}
	if fit.Overrun() != 0 {
		d.refusals.Add(window.WindowUnresolved, 7, at, "%s at %s: the slice [%d, %d) ends after the window and holds %s",
			name, p.Endpoint, fit.Over.Start, fit.Over.End, window.Number(fit.Overrun()))
	}
}

func (d *derivation) leading(name string, p window.Place, conserved bool) {
	if p.Fit.Leading == 0 {
		return
	}
	const text = "%s at %s: the slices begin %d ns after the window"
	switch v := d.version; {
	case v.LeadingGap == LeadingGapNull:
		d.refusals.Nullify(window.WindowUnresolved, 6, p.Series.At, text, name, p.Endpoint, p.Fit.Leading)
	case v.LeadingGap == LeadingGapReported && !(v.NewCollector == NewIfConserved && conserved):
		d.refusals.Add(window.WindowUnresolved, 14, p.Series.At, text+" and the request scope is not conserved", name, p.Endpoint, p.Fit.Leading)
	}
}

func number(v aiperf.Value) string {
	if f, ok := v.Float(); ok {
		return window.Number(f)
	}
	return v.Text()
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
	d.duplicates(r)
	for _, p := range r.Places {
		switch {
		case p.Fit.Bad != "":
			d.refusals.Nullify(window.WindowUnresolved, 13, p.Series.At, "%s at %s: %s", r.Counter.Name, p.Endpoint, p.Fit.Bad)
		case p.Fit.Leading > 0:
			d.refusals.Nullify(window.WindowUnresolved, 13, p.Series.At, "%s at %s: the slices begin %d ns after the window", r.Counter.Name, p.Endpoint, p.Fit.Leading)
		}
	}
}

// offload is the CPU tier: 0 when the run declares that there is none and no
// endpoint counts it, unknown when only some endpoints do (rules 10 and 12).
func (d *derivation) offload(r window.Reading) *float64 {
	if r.Absent() && d.run.Env["KV_OFFLOADING"] == "none" {
		return new(float64)
	}
	if r.Whole() {
		return d.known(r)
	}
	const text = "OFFLOAD is unknown: %s, with KV_OFFLOADING=%q"
	switch d.version.OffloadUnknown {
	case OffloadCPUUnresolved:
		d.refusals.Add(window.CPUUnresolved, 12, "", text, r.Unknown(), d.run.Env["KV_OFFLOADING"])
	case OffloadScope:
		d.refusals.Add(window.ScopeUnresolved, 12, "", text, r.Unknown(), d.run.Env["KV_OFFLOADING"])
	}
	return nil
}

// bounds refuses counters that no prompts can have made (rule 9). It asks only
// what the known ones answer.
func (d *derivation) bounds(n counts) {
	for _, broken := range window.Bounds(n.full, []window.Part{{Name: cached.Name, Sum: n.cached}, {Name: offload.Name, Sum: n.offload}}, full.Name) {
		d.refusals.Nullify(window.InvalidCounter, 9, "", "%s", broken)
	}
}
