package replay

import (
	"fmt"
	"math"
	"strconv"

	"github.com/pdreplay/pdreplay/oracle"
	"github.com/pdreplay/pdreplay/replay/adapter"
)

// A Judgement is what one answer is worth.
type Judgement struct {
	Class      Class
	Difference string  // the first thing that differs, in words; "" when correct
	PriceError float64 // per cent, see [PriceError]
	Rule       int     // the first rule that the oracle names for the run, 0 for none; with adapter and class it tells bugs apart
}

// Judge holds an answer against the facts (the observed intervals) and against
// what the contract expects. A contract never excuses a fact, so the facts
// come first.
func Judge(ev *oracle.Evidence, v oracle.Verdict, a adapter.Answer) Judgement {
	c := comparison{observed: ev.Observed, want: v, got: a}
	j := Judgement{Class: Correct, PriceError: PriceError(a.Rates, ev.Observed.Overall)}
	if rules := rulesOf(reasonsOf(ev, v)); len(rules) > 0 {
		j.Rule = rules[0]
	}
	for _, t := range c.tests() {
		if text := t.differs(); text != "" {
			j.Class, j.Difference = t.class, text
			break
		}
	}
	return j
}

// A comparison is one answer beside what it is judged by.
type comparison struct {
	observed oracle.Rates
	want     oracle.Verdict
	got      adapter.Answer
}

// tests returns the classes but Correct, in the order in which they apply,
// each with the question that decides it: what differs, or "".
func (c comparison) tests() []classTest {
	facts := []classTest{
		{Mispriced, c.mispriced},
		{WrongRate, c.wrongRate},
	}
	contract := []classTest{
		{UnprovenPrice, c.unprovenPrice},
		{NeedlessRefusal, c.needlessRefusal},
		{LostRate, c.lostRate},
		{ShownRefusal, c.shownRefusal},
		{WrongStatus, c.wrongStatus},
	}
	if c.want.FactsOnly {
		contract = nil
	}
	return append(append(facts, contract...), classTest{Undecided, c.undecided})
}

type classTest struct {
	class   Class
	differs func() string
}

func (c comparison) record() bool  { return c.got.Eligible != nil }
func (c comparison) refused() bool { return c.record() && !*c.got.Eligible }

func (c comparison) mispriced() string {
	if c.refused() || c.got.Rates.Null() {
		return ""
	}
	// A row that shows a rate, but none that the consumer reads, is priced at
	// h = 0 like a row of nulls.
	h, _ := c.got.Rates.Hit()
	if holdsHit(c.observed.Overall, h) {
		return ""
	}
	return fmt.Sprintf("h %s is outside overall's observed %s", decimal(h), c.observed.Overall)
}

func (c comparison) wrongRate() string {
	observed := c.observed.List()
	for i, got := range c.got.Rates.List() {
		if got != nil && !observed[i].Contains(*got, 0) {
			return fmt.Sprintf("%s %s is outside the observed %s", adapter.RateNames[i], decimal(*got), observed[i])
		}
	}
	if !c.refused() || c.want.FactsOnly {
		return ""
	}
	for i, got := range c.got.Rates.List() {
		// Where the contract nulls it is a shown-refusal, not a wrong value.
		if want := c.want.Rates[i]; got != nil && want != nil && !sameRate(got, want) {
			return fmt.Sprintf("%s %s is not the %s that contract %s reports", adapter.RateNames[i], decimal(*got), decimal(*want), c.want.Contract)
		}
	}
	return ""
}

func (c comparison) unprovenPrice() string {
	if !c.record() || c.refused() || c.want.Eligible {
		return ""
	}
	return fmt.Sprintf("eligible, but contract %s says %s", c.want.Contract, c.want.Status)
}

func (c comparison) needlessRefusal() string {
	if !c.refused() || !c.want.Eligible {
		return ""
	}
	return fmt.Sprintf("refused, but contract %s prices it", c.want.Contract)
}

func (c comparison) lostRate() string {
	for i, got := range c.got.Rates.List() {
		if want := c.want.Rates[i]; got == nil && want != nil {
			return fmt.Sprintf("%s is null, contract %s reports %s", adapter.RateNames[i], c.want.Contract, decimal(*want))
		}
	}
	return ""
}

func (c comparison) shownRefusal() string {
	if !c.record() {
		return ""
	}
	for i, got := range c.got.Rates.List() {
		if got != nil && c.want.Rates[i] == nil {
			return fmt.Sprintf("%s %s is shown, contract %s nulls it", adapter.RateNames[i], decimal(*got), c.want.Contract)
		}
	}
	return ""
}

func (c comparison) wrongStatus() string {
	got, want := oracle.Status(c.got.Status), c.want.Status
	switch {
	case !c.record() || got == want:
		return ""
	case want.Ours() && got != oracle.ValidComplete:
		return "" // a word that no producer has: any refusal will do
	}
	return fmt.Sprintf("status %s, contract %s says %s", word(c.got.Status), c.want.Contract, want)
}

// undecided asks for a rate that the evidence neither proves nor refutes. With
// a record the contract has judged it; under the contract "none" nothing has,
// and a pass must not come from missing evidence.
func (c comparison) undecided() string {
	if c.record() && !c.want.FactsOnly {
		return ""
	}
	observed := c.observed.List()
	for i, got := range c.got.Rates.List() {
		if got != nil && !observed[i].Point() {
			return fmt.Sprintf("%s %s lies in the observed %s, which proves nothing", adapter.RateNames[i], decimal(*got), observed[i])
		}
	}
	return ""
}

func decimal(x float64) string {
	switch {
	case math.IsNaN(x):
		return "NaN"
	case math.IsInf(x, 1):
		return "Infinity"
	case math.IsInf(x, -1):
		return "-Infinity"
	}
	return strconv.FormatFloat(adapter.Round(x), 'f', -1, 64)
}

func word(status string) string {
	if status == "" {
		return "none"
	}
	return status
}
