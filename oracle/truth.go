package oracle

import (
	"fmt"
	"math"
)

// A Truth is where the rates of the requests must lie (oracle.md, "true").
type Truth struct {
	Rates  Rates
	Proven bool   // the rates are those of the requests exactly
	Why    string // why nothing is known, "" otherwise

	// Swap is the largest number of prompt tokens that can be missing from the
	// ledger while everything still adds up.
	Swap float64

	readings []reckoning
}

// A reckoning is the truth as one shape of the ledger gives it.
type reckoning struct {
	ledger
	missing     []request
	late        []request // warmup rows that may be foreign
	foreign     side
	rates       Rates
	fits        bool
	swap, alien float64
}

// settle works out the true interval.
func (ev *Evidence) settle() Truth {
	t := Truth{Rates: unknownRates()}
	switch {
	case ev.roles.problem != nil:
		return t.unknown(ev.roles.problem.Text)
	case ev.window == nil:
		return t.unknown("the export gives no profiling window")
	case !ev.scope.read:
		return t.unknown("there is no profile_export.jsonl")
	case ev.scope.successful == 0:
		return t.unknown("no profiling record succeeded")
	case ev.scope.without > 0:
		return t.unknown("a successful record has no usage_prompt_tokens")
	}
	ledgers, why := ev.ledgers()
	if why != "" {
		return t.unknown(why)
	}
	if m := ev.read.mustEqual; m != nil {
		for _, l := range ledgers {
			if l.full != l.sum(*m) {
				return t.unknown("lookups were counted again: " + ev.read.full.spellings[0] + " does not equal " + m.spellings[0])
			}
		}
	}
	if why := ev.read.unreported(); why != "" {
		return t.unknown(why)
	}
	if m := ev.read.reported; m != nil {
		for _, l := range ledgers { // also what lies outside the window, where every hit was reported
			if have := l.sum(*m); have != l.requests {
				return t.unknown(fmt.Sprintf("cached tokens are reported for %s of %s requests of the ledger: the others may have hit too", tokens(have), tokens(l.requests)))
			}
		}
	}
	for _, l := range ledgers {
		t.readings = append(t.readings, ev.reckon(l))
	}
	return t.conclude()
}

func (t Truth) unknown(why string) Truth {
	t.Why = why
	return t
}

// conclude takes the hull of the reckonings that fit.
func (t Truth) conclude() Truth {
	first := true
	for _, r := range t.readings {
		if !r.fits {
			continue
		}
		if first {
			t.Rates, t.Proven, first = r.rates, true, false
		}
		t.Proven = t.Proven && r.swap == 0 && r.alien == 0 && r.rates == t.Rates
		t.Rates = t.Rates.hull(r.rates)
		t.Swap = math.Max(t.Swap, r.swap)
	}
	if first {
		t.Why = "the records contradict the counters: no set of missing and foreign requests adds up"
	}
	return t
}

// reckon works out one ledger.
func (ev *Evidence) reckon(l ledger) reckoning {
	r := reckoning{ledger: l, missing: ev.missing(l)}
	r.foreign, r.late = ev.foreign(l)
	surplus := sum{int(l.requests) - ev.scope.successful, l.tokens - ev.scope.prompt}
	r.swap, r.fits = fit(newSide(r.missing, nil), r.foreign, surplus, ev.engine.countsTogether)
	if !r.fits {
		return r
	}
	r.alien = r.swap + surplus.tokens
	n := ev.scope.prompt
	least, hits := min(l.full, l.tokens, l.requests), 0.0
	for i, h := range l.tiers {
		if least = min(least, h); ev.read.tables.tiers[i].overall {
			hits += h
		}
	}
	if least < 0 || hits > l.full || hits-r.alien > n {
		r.fits = false // fewer than nothing, or more hits than prompts, whoever's they are
		return r
	}
	of := func(hits float64) Interval {
		return Interval{cut(math.Max(0, hits-r.alien) / n), cut((hits + r.swap) / n)}
	}
	r.rates = ev.trueRates(l, of)
	return r
}

// trueRates turns hits into rates, as far as the tiers can be told apart.
func (ev *Evidence) trueRates(l ledger, of func(float64) Interval) Rates {
	part := func(in func(tier) bool) Interval {
		var hits float64
		for i, t := range ev.read.tables.tiers {
			switch {
			case !in(t):
			case !t.overall:
				return anything // it moves at another event than FULL, so no fit of FULL bounds it
			default:
				hits += l.tiers[i]
			}
		}
		return of(hits)
	}
	rates := Rates{
		GPU:      part(func(t tier) bool { return t.gpu }),
		CPU:      part(func(t tier) bool { return t.cpu }),
		External: part(func(t tier) bool { return t.external }),
		Overall:  part(func(t tier) bool { return t.overall }),
	}
	if ev.read.tables.overallOnly || ev.read.untold() {
		rates.GPU, rates.CPU, rates.External = anything, anything, anything
		return rates
	}
	switch o := unknownTier(ev.read.tiers); {
	case o == nil:
		return rates
	case o.presence == absent && ev.read.tables.cachedHoldsOffload:
		// Generation A has the CPU tier in CACHED, so that CACHED is overall; but
		// generation B drops the whole family while one rank lacks it, and no
		// export tells the two apart. LOADED is a volume and moves before the
		// admission, so it bounds neither.
		return Rates{Interval{0, rates.Overall.Hi}, anything, anything, Interval{rates.Overall.Lo, 1}}
	}
	gpu := rates.GPU
	if ev.read.tables.cachedHoldsOffload {
		gpu.Lo = 0
	}
	return Rates{gpu, anything, anything, Interval{rates.GPU.Lo, 1}}
}

// exact reports whether the observed rates are the proven ones: the ledger
// holds nothing that the window does not show.
func (ev *Evidence) exact() bool {
	if !ev.True.Proven || ev.scope.errors > 0 || ev.Witness.Contradicts {
		return false
	}
	counters := []counted{ev.read.full}
	for _, t := range ev.read.tiers {
		if len(t.rows) > 0 {
			counters = append(counters, t)
		}
	}
	if !paired(ev.read.full, counters[1:]...) {
		return false // not from one snapshot
	}
	if ev.engine.countsTogether {
		counters = append(counters, ev.read.requests)
		if !paired(ev.read.full, ev.read.requests) {
			return false
		}
	}
	for _, r := range ev.True.readings {
		if r.fits && r.full != r.tokens {
			return false // vLLM's first era counts a fully cached prompt as one token more
		}
		for _, c := range counters {
			if r.fits && c.sum().inside != r.sum(c) {
				return false
			}
		}
	}
	return ev.Observed.Overall.Point()
}
