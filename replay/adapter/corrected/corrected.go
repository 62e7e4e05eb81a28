// Package corrected is the one derivation of all @corrected adapters: what an
// adapter of any engine publishes that follows the accounting rules as
// atom@review does. Role-aware, window-scoped, token-weighted, tiers complete;
// one validity contract, one set of statuses. An engine is its [Tables].
package corrected

import (
	"context"
	"slices"

	"github.com/pdreplay/pdreplay/replay/adapter"
	"github.com/pdreplay/pdreplay/replay/adapter/window"
	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// Tables say which counters of an engine are which.
type Tables struct {
	Full  window.Counter // prompt tokens: the denominator of every rate
	Tiers []Tier         // the places that prompt tokens are reused from

	// What the records are held against (rule 14).
	Requests, Tokens window.Counter

	// FullMustEqualTokens: Full counts prompt tokens only where it equals Tokens
	// inside the window.
	FullMustEqualTokens bool
	// Reported counts the requests whose reuse is known; where that is not all of
	// Requests the others may have hit too, and no rate is known.
	Reported *window.Counter

	FrontEnd bool   // counts client requests, so that roles do not matter
	Unpriced string // why no run of the engine is ever priced, "" for none
}

// A Tier is one place that prompt tokens are reused from, and the rates that
// it is part of.
type Tier struct {
	window.Counter
	GPU, CPU, External, Overall bool

	// Lazy tiers are born with their first hit: where Full is exported an absent
	// one is 0 in overall, and a rate of which no tier was born is null (rule 10).
	Lazy bool
	// Unsplit hits are of no known tier: where there are any, the tiers' rates
	// are unknown and only overall is.
	Unsplit bool
}

// An Engine is what a corrected adapter knows of one engine.
type Engine struct {
	Name string
	// Choose returns the tables to read a run with that has server metrics.
	Choose func(*aiperf.Run) Tables
}

// Adapter returns the engine's @corrected adapter.
func (e Engine) Adapter() adapter.Adapter { return corrected{e} }

type corrected struct{ engine Engine }

func (c corrected) Name() string   { return c.engine.Name + "@corrected" }
func (c corrected) Engine() string { return c.engine.Name }

// Derive implements [adapter.Adapter]; it never fails.
func (c corrected) Derive(_ context.Context, run *aiperf.Run) (adapter.Answer, error) {
	answer := adapter.Answer{Accounting: adapter.NewAccounting(run.Records)}
	var refusals window.Refusals
	export := run.Metrics()
	if export == nil {
		refusals.Nullify(window.CounterMissing, 10, "", "the run has no server metrics")
		refusals.Record(&answer, nil)
		return answer, nil
	}
	if e := adapter.Detect(export.Names); e != "" && e != c.engine.Name {
		refusals.Nullify(window.CounterMissing, 10, "", "the counters are those of %s", e)
		refusals.Record(&answer, nil)
		return answer, nil
	}
	d := derivation{Tables: c.engine.Choose(run), run: run}
	roles := d.roles(export)
	if roles.Refusal != nil {
		window.Refusals{*roles.Refusal}.Record(&answer, nil)
		return answer, nil
	}
	d.read(window.Scope{Export: export, Roles: roles, Lay: d.refusals.InWindow(export)})
	answer.Rates, answer.Counters = d.rates(), d.used()
	d.refusals.Record(&answer, roles.Notes(export.Metrics, d.counters()))
	return answer, nil
}

// derivation is one run under the rules.
type derivation struct {
	Tables
	run      *aiperf.Run
	refusals window.Refusals

	full, requests, tokens window.Reading
	tiers                  []window.Reading // parallel to Tables.Tiers
}

// counters are all counters of the tables.
func (t Tables) counters() []window.Counter {
	all := []window.Counter{t.Full, t.Requests, t.Tokens}
	for _, tier := range t.Tiers {
		all = append(all, tier.Counter)
	}
	if t.Reported != nil {
		all = append(all, *t.Reported)
	}
	return all
}

// Selects reports whether a metric family is one that the tables read.
func (t Tables) Selects(family string) bool {
	return slices.ContainsFunc(t.counters(), func(c window.Counter) bool { return slices.Contains(c.Spellings, family) })
}

func (d *derivation) roles(export *aiperf.Export) window.Roles {
	if d.FrontEnd {
		return window.EveryEndpoint(export.Metrics, d.counters())
	}
	return window.ResolveRoles(d.run, export.Metrics, d.counters())
}

// read reads every counter and adds what each of them refuses.
func (d *derivation) read(scope window.Scope) {
	d.full, d.requests, d.tokens = scope.Read(d.Full), scope.Read(d.Requests), scope.Read(d.Tokens)
	for _, t := range d.Tiers {
		d.tiers = append(d.tiers, scope.Read(t.Counter))
	}
	unconserved := d.unconserved()
	conserved := len(unconserved) == 0

	d.refusals.Rated(d.full, conserved)
	d.required(d.full)
	for i := range d.tiers {
		d.tier(i, conserved)
	}
	d.bounds()
	d.equal()
	d.reported(scope)
	if d.Unpriced != "" {
		d.refusals.Add(window.IntervalTelemetry, 0, "", "%s", d.Unpriced)
	}
	d.refusals = append(d.refusals, unconserved...)
}

func (d *derivation) unconserved() window.Refusals {
	var errors int
	if d.run.Records != nil {
		errors = d.run.Records.Accounting.BlockingErrors()
	}
	return window.CheckScope(d.run, d.requests, d.tokens, errors)
}

func (d *derivation) required(r window.Reading) {
	if !r.Whole() {
		d.refusals.Nullify(window.CounterMissing, 10, "", "%s is unknown: %s", r.Counter.Name, r.Unknown())
	}
}

// tier adds what one tier refuses. Without the GPU's nothing is known; without
// another the GPU's rate is (rules 10 and 12).
func (d *derivation) tier(i int, conserved bool) {
	t, r := d.Tiers[i], d.tiers[i]
	switch {
	case r.Whole(), t.Lazy:
		d.refusals.Rated(r, conserved)
		if sum := d.sum(i); t.Unsplit && sum != nil && *sum > 0 {
			d.refusals.Add(window.CPUUnresolved, 12, "", "%s holds %s tokens of no known tier", t.Name, window.Number(*sum))
		}
	case t.GPU, !t.CPU && !t.External: // the GPU's, or a front end's only tier
		d.refusals.Rated(r, conserved)
		d.required(r)
	case r.Absent() && window.NoCPUTier(d.run):
	default:
		d.refusals.Add(window.CPUUnresolved, 12, "", "%s is unknown: %s, with KV_OFFLOADING=%q", t.Name, r.Unknown(), window.KVOffloading(d.run))
	}
	if !t.GPU && !t.CPU && !t.External && !t.Lazy {
		d.refusals.Add(window.CPUUnresolved, 12, "", "%s tells no tiers apart", t.Name)
	}
}

// sum is the in-window sum of a tier, nil when unknown.
func (d *derivation) sum(i int) *float64 {
	t, r := d.Tiers[i], d.tiers[i]
	var sum float64
	switch {
	case r.Known(), t.Lazy && r.Sound():
		sum = r.Sum
	case r.Absent() && !t.Lazy && !t.GPU && window.NoCPUTier(d.run):
	default:
		return nil
	}
	return &sum
}

func (d *derivation) bounds() {
	whole := window.Part{Name: d.Full.Name}
	if d.full.Known() {
		whole.Sum = &d.full.Sum
	}
	part := func(t func(Tier) bool) (parts []window.Part) {
		for i := range d.Tiers {
			if t(d.Tiers[i]) {
				parts = append(parts, window.Part{Name: d.Tiers[i].Name, Sum: d.sum(i)})
			}
		}
		return parts
	}
	if whole.Sum != nil && *whole.Sum > 0 { // the tiers that only count beside overall
		d.refusals.Bounds(whole, part(func(t Tier) bool { return !t.Overall && t.GPU })...)
		d.refusals.Bounds(whole, part(func(t Tier) bool { return !t.Overall && t.External })...)
	}
	d.refusals.Bounds(whole, part(func(t Tier) bool { return t.Overall })...)
}

// equal refuses a denominator that counted more than the prompts.
func (d *derivation) equal() {
	if !d.FullMustEqualTokens || !d.full.Known() || d.full.Closed() && d.tokens.Closed() && d.full.Sum == d.tokens.Sum {
		return
	}
	d.refusals.Nullify(window.CounterMissing, 10, "", "%s is %s and %s is %s, and only where they are equal for certain was every lookup counted once",
		d.Full.Spellings[0], window.Number(d.full.Sum), d.Tokens.Spellings[0], window.Number(d.tokens.Sum))
}

// reported refuses rates of requests of which some did not report their reuse.
func (d *derivation) reported(scope window.Scope) {
	if d.Reported == nil {
		return
	}
	r := scope.Read(*d.Reported)
	if !r.Known() || !d.requests.Known() || r.Sum != d.requests.Sum {
		d.refusals.Nullify(window.CounterMissing, 10, "", "%s of %s requests reported their cached tokens: the others may have hit too",
			window.Number(r.Sum), window.Number(d.requests.Sum))
	}
}

// rates are the published rates of what is known, rounded.
func (d *derivation) rates() adapter.Rates {
	if !d.full.Known() {
		return adapter.Rates{}
	}
	return adapter.Rates{
		GPU:      d.rate(func(t Tier) bool { return t.GPU }, false),
		CPU:      d.rate(func(t Tier) bool { return t.CPU }, false),
		External: d.rate(func(t Tier) bool { return t.External }, false),
		Overall:  d.rate(func(t Tier) bool { return t.Overall }, true),
	}
}

// rate is the sum of the tiers that are part of a rate over the prompt tokens.
// It is null where one of them is unknown, and, but for overall, where none of
// them was born or hits of no known tier exist.
func (d *derivation) rate(part func(Tier) bool, overall bool) *float64 {
	var sum float64
	born := overall
	for i, t := range d.Tiers {
		tier := d.sum(i)
		if t.Unsplit && !overall && (tier == nil || *tier > 0) {
			return nil
		}
		if !part(t) {
			continue
		}
		if tier == nil {
			return nil
		}
		sum += *tier
		born = born || !t.Lazy || !d.tiers[i].Absent()
	}
	if !born {
		return nil
	}
	return adapter.Rounded(adapter.Ratio(&sum, &d.full.Sum))
}

// used lists the counters that have a sum.
func (d *derivation) used() []adapter.Counter {
	var list []adapter.Counter
	add := func(name string, r window.Reading) {
		if r.Known() && !slices.ContainsFunc(list, func(c adapter.Counter) bool { return c.Name == name }) {
			list = append(list, adapter.Counter{Name: name, Value: r.Sum})
		}
	}
	add(d.Full.Name, d.full)
	for i, t := range d.Tiers {
		add(t.Name, d.tiers[i])
	}
	add(d.Requests.Name, d.requests)
	add(d.Tokens.Name, d.tokens)
	return list
}
