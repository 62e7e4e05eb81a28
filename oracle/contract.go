package oracle

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// A Contract says what may be priced and what a refusal shows. It never
// excuses a fact: a rate outside its observed interval is wrong under any.
type Contract struct {
	Name string
	// FactsOnly contracts expect no status, no eligibility and no shape.
	FactsOnly bool

	reasons func(ev *Evidence) []Reason
	rates   func(ev *Evidence) [4]*float64 // of a run that no reason nulls
}

// review is pull request #3964 with the findings of its last review.
var review = Contract{Name: "review", reasons: reviewReasons, rates: (*Evidence).insideRates}

// Contracts are all contracts, the default first.
func Contracts() []Contract {
	return []Contract{
		review,
		{Name: "4405", reasons: totalsReasons, rates: (*Evidence).totalRates},
		{Name: "ledger", reasons: ledgerReasons, rates: (*Evidence).ledgerRates},
		{Name: "none", FactsOnly: true},
	}
}

// ContractNamed returns the contract of that name.
func ContractNamed(name string) (Contract, error) {
	var names []string
	for _, c := range Contracts() {
		if c.Name == name {
			return c, nil
		}
		names = append(names, c.Name)
	}
	return Contract{}, fmt.Errorf("unknown contract %q: want one of %s", name, strings.Join(names, ", "))
}

// A Verdict is what a contract expects of an adapter's answer for one run.
type Verdict struct {
	Contract  string
	FactsOnly bool
	Status    Status
	Eligible  bool
	Rates     [4]*float64 // what is reported, in the order gpu, cpu, external, overall; nil is null
	Reasons   []Reason    // every reason, the one that decides the status first
}

// Verdict holds the evidence against a contract.
func (ev *Evidence) Verdict(c Contract) Verdict {
	v := Verdict{Contract: c.Name, FactsOnly: c.FactsOnly}
	if c.FactsOnly || ev.Engine == "" {
		return v
	}
	v.Reasons = c.reasons(ev)
	slices.SortStableFunc(v.Reasons, func(a, b Reason) int { return cmp.Compare(a.order(), b.order()) })
	for i := range v.Reasons {
		v.Reasons[i] = v.Reasons[i].printable()
	}
	v.Status, v.Eligible = ValidComplete, len(v.Reasons) == 0
	if !v.Eligible {
		v.Status = v.Reasons[0].Status
	}
	if !slices.ContainsFunc(v.Reasons, func(r Reason) bool { return r.Null }) {
		v.Rates = c.rates(ev)
	}
	return v
}

func (ev *Evidence) insideRates() [4]*float64 { return ev.ratesOf(insideSum) }

func (ev *Evidence) totalRates() [4]*float64 { return ev.ratesOf(totalSum) }

// ratesOf divides sums of one kind. A rate is null when a tier that it needs
// is unknown; a tier's own also when it was never born, or when hits are untold.
func (ev *Evidence) ratesOf(sums func(counted) (float64, bool)) [4]*float64 {
	full, ok := sums(ev.read.full)
	if !ok || full <= 0 {
		panic("rates are reported without FULL: no reason nulled them") // a hole in a contract's reasons
	}
	untold := ev.read.untold()
	rate := func(in func(tier) bool, own bool) *float64 {
		hits, born := 0.0, !own
		if own && untold {
			return nil
		}
		for i, t := range ev.read.tables.tiers {
			if !in(t) {
				continue
			}
			h, ok := sums(ev.read.tiers[i])
			if !ok {
				return nil
			}
			hits += h
			born = born || !ev.read.tiers[i].unborn
		}
		if !born {
			return nil
		}
		hits /= full
		return &hits
	}
	return [4]*float64{
		rate(func(t tier) bool { return t.gpu }, true),
		rate(func(t tier) bool { return t.cpu }, true),
		rate(func(t tier) bool { return t.external }, true),
		rate(func(t tier) bool { return t.overall }, false),
	}
}

// ledgerRates are the proven rates, else those that review reports.
func (ev *Evidence) ledgerRates() [4]*float64 {
	if !ev.ledgerProves() {
		return ev.insideRates()
	}
	var rates [4]*float64
	for i, r := range ev.True.Rates.List() {
		rates[i] = &r.Lo
	}
	return rates
}

func (ev *Evidence) ledgerProves() bool {
	return ev.True.Proven && !ev.Witness.Contradicts && len(ev.tierReason()) == 0
}

// ledgerReasons price what is proven, whatever the slices look like. What is
// not proven is refused as review refuses it.
func ledgerReasons(ev *Evidence) []Reason {
	if ev.ledgerProves() {
		return nil
	}
	why := ev.True.Why
	switch {
	case ev.Witness.Contradicts:
		why = ev.Witness.Notes[0]
	case why == "" && ev.True.Proven:
		return reviewReasons(ev) // only the tiers are incomplete
	case why == "":
		why = fmt.Sprintf("up to %s prompt tokens may be missing from the counters and as many foreign: overall is in %s",
			tokens(ev.True.Swap), ev.True.Rates.Overall)
	}
	return append(reviewReasons(ev), Reason{Status: ScopeUnresolved, Text: "the true rate is not proven: " + why})
}

func insideSum(c counted) (float64, bool) {
	if !c.usable() {
		return 0, false
	}
	return c.sum().inside, true
}

// totalSum adds stats.total of the accounted workers; false where one is no number.
func totalSum(c counted) (float64, bool) {
	var sum float64
	for _, l := range c.rows {
		t, ok := l.series.Stats.Total.Float()
		if !ok {
			return 0, false
		}
		sum += t
	}
	return sum, c.known() && len(c.twice) == 0
}

// reviewReasons are rules 1 to 17.
func reviewReasons(ev *Evidence) []Reason {
	if p := ev.roles.problem; p != nil {
		return []Reason{*p}
	}
	r := ev.read
	var out []Reason
	out = append(out, twiceReasons(r.rated()...)...)
	out = append(out, missingReasons(r.full, r.tiers[0])...)
	if ev.window == nil {
		out = append(out, Reason{Rule: 5, Status: WindowUnresolved, Null: true,
			Text: "the export has no profiling window (summary.phase_time_ranges.profiling)", At: base(ev.run.Metrics().File)})
		return append(out, ev.tierReason()...)
	}
	problems := ev.scopeProblems()
	for i, c := range r.rated() {
		if i < 2 || c.known() { // an unknown further tier is rule 12's matter
			out = append(out, windowReasons(c, len(problems) == 0)...)
		}
	}
	out = append(out, boundReasons(insideSum, r)...)
	if m := r.mustEqual; m != nil && r.full.usable() && !r.denominatorHolds() {
		out = append(out, Reason{Rule: 10, Status: CounterMissing, Null: true, Text: fmt.Sprintf(
			"%s does not equal %s in the window, and nothing else counts prompt tokens by source", r.full.spellings[0], m.spellings[0])})
	}
	// What gaps and edges may hide of it makes the interval wider, not the sums null.
	switch m := r.reported; {
	case m == nil:
	case m.known() && !m.usable():
		out = append(out, Reason{Rule: 10, Status: CounterMissing, Null: true,
			Text: "for how many requests cached tokens are reported cannot be counted in the window"})
	case r.unreported() != "" && m.sum().inside != r.requests.sum().inside:
		out = append(out, Reason{Rule: 10, Status: CounterMissing, Null: true, Text: r.unreported()})
	}
	out = append(out, ev.tierReason()...)
	return append(out, problems...)
}

func twiceReasons(all ...counted) []Reason {
	var out []Reason
	for _, c := range all {
		for _, w := range c.twice {
			var at []string
			for _, l := range c.rows {
				if l.worker == w {
					at = appendNew(at, l.family)
				}
			}
			out = append(out, Reason{Rule: 11, Status: InvalidCounter, Null: true,
				Text: fmt.Sprintf("%s stands twice at %s: %s", c.name, w, strings.Join(at, " and "))})
		}
	}
	return out
}

func missingReasons(all ...counted) []Reason {
	var out []Reason
	for _, c := range all {
		if c.presence != present {
			out = append(out, Reason{Rule: 10, Status: CounterMissing, Null: true,
				Text: fmt.Sprintf("%s is not exported by %s", c.name, strings.Join(c.missing, ", "))})
		}
	}
	return out
}

// windowReasons are rules 6 to 8 and 14 for one counter.
func windowReasons(c counted, conserved bool) []Reason {
	var out []Reason
	for _, l := range c.rows {
		for _, f := range l.findings {
			if f.flaw == provenStraddler || f.flaw == flawLeading && conserved {
				continue // settled, see Settled
			}
			r := Reason{Rule: 6, Status: WindowUnresolved, Null: f.flaw.nulls(), At: f.at,
				Text: fmt.Sprintf("%s %s: %s", c.name, l.where(), f.text)}
			switch f.flaw {
			case flawLeading:
				r.Rule, r.Text = 14, r.Text+", and the request scope does not conserve"
			case flawStraddler, flawOverEnd:
				r.Rule = 7
			}
			out = append(out, r)
		}
	}
	return out
}

// boundReasons are rule 9 for the sums that can be formed.
func boundReasons(sums func(counted) (float64, bool), r reading) []Reason {
	var out []Reason
	broken := func(is bool, format string, args ...any) {
		if is {
			out = append(out, Reason{Rule: 9, Status: InvalidCounter, Null: true, Text: fmt.Sprintf(format, args...)})
		}
	}
	full, hasFull := sums(r.full)
	broken(hasFull && full <= 0, "FULL is %s: want more than 0", tokens(full))
	broken(hasFull && !finite(full), "FULL adds up to more than a number can hold")
	var parts []part
	for i, t := range r.tiers {
		if h, ok := sums(t); ok {
			broken(h < 0, "%s is %s: want 0 or more", t.name, tokens(h))
			parts = append(parts, part{r.tables.tiers[i], t.name, h})
		}
	}
	if hasFull {
		why := above(parts, full)
		broken(why != "", "%s", why)
	}
	return out
}

// tierReason is rule 12.
func (ev *Evidence) tierReason() []Reason {
	switch t := ev.read.tables; {
	case t.overallOnly:
		return []Reason{{Rule: 12, Status: CPUUnresolved, Text: "only overall is counted: no tier is told apart"}}
	case ev.read.untold():
		return []Reason{{Rule: 12, Status: CPUUnresolved, Text: "some hits are counted without their tier"}}
	case t.estimates:
		return []Reason{{Rule: 14, Status: IntervalTelemetry, Text: "this engine's counters cannot be priced exactly"}}
	}
	for _, o := range ev.read.tiers[1:] {
		switch o.presence {
		case partial:
			return []Reason{{Rule: 10, Status: CPUUnresolved, Text: o.name + " is not exported by " + strings.Join(o.missing, ", ")}}
		case absent:
			tier := "KV_OFFLOADING is not given"
			if kv := kvOffloading(ev.run); kv != "" {
				tier = "KV_OFFLOADING=" + kv
			}
			return []Reason{{Rule: 12, Status: CPUUnresolved, Text: o.name + " is not exported, and " + tier + " does not say that there is no CPU tier"}}
		}
	}
	return nil
}

func (ev *Evidence) scopeProblems() []Reason {
	requests := claim{name: "REQUESTS"}
	c := ev.read.requests
	switch {
	case c.presence != present:
		requests.unknown = "it is not exported by " + strings.Join(c.missing, ", ")
	case len(c.twice) > 0:
		requests.unknown = "it stands under two spellings at " + strings.Join(c.twice, ", ")
	case !c.usable():
		requests.unknown = firstNull(c)
	default:
		requests.value = c.sum().inside
	}
	prompt := claim{name: ev.read.tokens.name}
	if t := ev.read.tokens; t.usable() {
		prompt.value = t.sum().inside
	} else {
		prompt.unknown = "its slices do not cover the window"
	}
	return ev.scope.problems(requests, prompt)
}

func firstNull(c counted) string {
	for _, l := range c.rows {
		for _, f := range l.findings {
			if f.flaw.nulls() {
				return l.where() + " it " + f.text
			}
		}
	}
	return ""
}

// totalsReasons are the rules of #4405: no slice is looked at, and an export
// of the old collector is never priced.
func totalsReasons(ev *Evidence) []Reason {
	if p := ev.roles.problem; p != nil {
		return []Reason{*p}
	}
	r := ev.read
	out := append(twiceReasons(r.rated()...), missingReasons(r.full, r.tiers[0])...)
	for _, c := range []counted{r.full, r.tiers[0]} {
		if _, ok := totalSum(c); !ok && c.known() && len(c.twice) == 0 {
			out = append(out, Reason{Rule: 9, Status: InvalidCounter, Null: true, Text: c.name + " has a stats.total that is no number"})
		}
	}
	out = append(out, boundReasons(totalSum, r)...)
	if !modernHarness(ev.run.Env["AGENTX_HARNESS_VERSION"]) {
		out = append(out, Reason{Rule: 8, Status: WindowUnresolved,
			Text: fmt.Sprintf("AGENTX_HARNESS_VERSION=%q is older than 1.0.12: stats.total may hold the warmup", ev.run.Env["AGENTX_HARNESS_VERSION"])})
	}
	for _, t := range ev.tierReason() {
		t.Status = ScopeUnresolved // #4405 has no word of its own for it
		out = append(out, t)
	}
	return append(out, ev.scope.problems(totalClaim(r.requests), totalClaim(r.tokens))...)
}

func totalClaim(c counted) claim {
	sum, ok := totalSum(c)
	if !ok {
		return claim{name: c.name, unknown: "no one stats.total on every accounted endpoint"}
	}
	return claim{name: c.name, value: sum}
}

// modernHarness reports whether a version is 1.0.12 or newer.
func modernHarness(version string) bool {
	want := []int{1, 0, 12}
	parts := strings.Split(version, ".")
	for i, w := range want {
		n := 0
		if i < len(parts) {
			var err error
			if n, err = strconv.Atoi(parts[i]); err != nil {
				return false
			}
		}
		if n != w {
			return n > w
		}
	}
	return true
}

// kvOffloading is the declared CPU tier: the environment's, else the published row's.
func kvOffloading(run *aiperf.Run) string {
	if kv := run.Env["KV_OFFLOADING"]; kv != "" || run.Published == nil {
		return kv
	}
	kv, err := strconv.Unquote(run.Published.Fields["kv_offloading"])
	if err != nil {
		return "" // absent, or no string
	}
	return kv
}
