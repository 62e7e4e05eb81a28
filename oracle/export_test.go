package oracle

// What the property tests ask beside what users can: they state theorems about
// the evidence, not about one answer.

// OneSideClosed reports whether the ledger and the records have equal sums and
// at least one side is closed, which forces the ledger to be the requests' own.
func (ev *Evidence) OneSideClosed() bool {
	if ev.True.Why != "" || len(ev.True.readings) != 1 {
		return false
	}
	r := ev.True.readings[0]
	foreign := r.foreign.open || r.foreign.most > 0
	if r.tokens != ev.scope.prompt || ev.engine.countsTogether && r.requests != float64(ev.scope.successful) {
		return false
	}
	return (len(r.missing) == 0 || !foreign) && r.foreign.fixed == sum{} && r.full == r.tokens
}

// WindowIsLedger reports whether the window shows all that the ledger holds,
// all counters of one snapshot and every tier known.
func (ev *Evidence) WindowIsLedger() bool {
	if ev.True.Why != "" || unknownTier(ev.read.tiers) != nil || ev.scope.errors > 0 {
		return false
	}
	counters := ev.read.rated()
	if ev.engine.countsTogether {
		counters = append(counters, ev.read.requests)
	}
	for _, c := range counters {
		if !c.known() || len(c.rows) > 0 && !paired(ev.read.full, c) {
			return false
		}
		for _, r := range ev.True.readings {
			if c.sum().inside != r.sum(c) {
				return false
			}
		}
	}
	return ev.Observed.Overall.Point()
}

// Open is how many tokens of all counters that rates are made of straddle an
// edge, stand in a slice over E or fell into a gap, over FULL inside.
func (ev *Evidence) Open() float64 {
	var open float64
	for _, c := range ev.read.rated() {
		open += c.sum().possible
	}
	return open / ev.read.full.sum().inside
}

// HitsOutrunFull reports whether more hits than prompt tokens may be missing,
// which no admission can do: the counters contradict each other at an edge.
func (ev *Evidence) HitsOutrunFull() bool {
	var hits float64
	for _, t := range ev.read.tiers {
		hits += t.sum().possible
	}
	return hits > ev.read.full.sum().possible
}

// Unreported reports whether requests may exist of which no hits were reported.
func (ev *Evidence) Unreported() bool { return ev.read.unreported() != "" }

// Inside are the in-window sums of the counters that rates are made of.
func (ev *Evidence) Inside() []float64 {
	var sums []float64
	for _, c := range ev.read.rated() {
		sums = append(sums, c.sum().inside)
	}
	return sums
}

// Spelled reports whether a counter stands under two spellings somewhere.
func (ev *Evidence) Spelled() bool {
	for _, c := range ev.read.rated() {
		if len(c.twice) > 0 {
			return true
		}
	}
	return false
}
