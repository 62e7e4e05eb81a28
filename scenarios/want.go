package scenarios

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pdreplay/pdreplay/oracle"
	"github.com/pdreplay/pdreplay/replay/adapter"
)

// defaultContract is the contract of a want that names none.
const defaultContract = "review"

// A Want is what a contract expects of every adapter for one run.
type Want struct {
	Contract string // name; "review" unless the scenario says another
	Status   oracle.Status
	Priced   bool    // pricing_eligible
	Rates    [4]Rate // in the order gpu, cpu, external, overall
}

// A Rate is one expected fraction.
type Rate struct {
	Reported *float64         // what the contract reports, nil where it nulls
	Proven   *oracle.Interval // what the export proves; nil where the scenario does not say
}

func (b *builder) cmdWant(args []string) error {
	list, err := pairs(args, "status", "priced", "gpu", "cpu", "external", "overall", "contract")
	if err != nil {
		return err
	}
	given := map[string]string{"contract": defaultContract}
	for _, p := range list {
		given[p[0]] = p[1]
	}
	if _, ok := given["external"]; !ok {
		given["external"] = given["cpu"]
	}
	w := &Want{Contract: given["contract"], Status: oracle.Status(given["status"])}
	if _, err := oracle.ContractNamed(w.Contract); err != nil {
		return fmt.Errorf("%w: %w", errUsage, err)
	}
	if !slices.Contains(statuses(), w.Status) {
		return fmt.Errorf("%w: status %q is none of %v", errUsage, w.Status, statuses())
	}
	if w.Priced, err = strconv.ParseBool(given["priced"]); err != nil {
		return fmt.Errorf("%w: priced must be true or false", errUsage)
	}
	for i, name := range adapter.RateNames {
		if w.Rates[i], err = parseRate(given[name]); err != nil {
			return fmt.Errorf("%w: %s: %w", errUsage, name, err)
		}
	}
	b.want = w
	return nil
}

// statuses are the words that a want may expect (accounting.md section 6).
func statuses() []oracle.Status {
	return []oracle.Status{
		oracle.ValidComplete, oracle.WindowUnresolved, oracle.ScopeUnresolved, oracle.InvalidCounter,
		oracle.RolesUnresolved, oracle.CounterMissing, oracle.CPUUnresolved, oracle.IntervalTelemetry,
	}
}

// parseRate reads 0.6, null, 0.6[0.25,0.6] or [0,1].
func parseRate(text string) (Rate, error) {
	var rate Rate
	reported, interval, ok := strings.Cut(text, "[")
	if ok {
		var lo, hi float64
		if n, err := fmt.Sscanf(interval, "%g,%g]", &lo, &hi); n != 2 || err != nil || lo > hi {
			return rate, fmt.Errorf("%q is not an interval like [0.25,0.6]", "["+interval)
		}
		rate.Proven = &oracle.Interval{Lo: lo, Hi: hi}
	}
	if reported == "null" || (reported == "" && ok) {
		return rate, nil
	}
	x, err := strconv.ParseFloat(reported, 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		return rate, fmt.Errorf("%q is not a rate: want a number or null", text)
	}
	rate.Reported = &x
	return rate, nil
}

// Check holds the want against the oracle. An error names every difference: one
// of the two is wrong, and no adapter can be judged by this scenario.
func (w Want) Check(ev *oracle.Evidence) error {
	contract, err := oracle.ContractNamed(w.Contract)
	if err != nil {
		return err
	}
	v := ev.Verdict(contract)
	var diffs []string
	differ := func(format string, args ...any) { diffs = append(diffs, fmt.Sprintf(format, args...)) }
	if v.Status != w.Status {
		differ("status: want %s, the oracle says %s", w.Status, v.Status)
	}
	if v.Eligible != w.Priced {
		differ("priced: want %t, the oracle says %t", w.Priced, v.Eligible)
	}
	observed := ev.Observed.List()
	for i, want := range w.Rates {
		name := adapter.RateNames[i]
		if !sameRate(want.Reported, v.Rates[i]) {
			differ("%s: want %s, the oracle reports %s", name, showRate(want.Reported), showRate(v.Rates[i]))
		}
		if p := want.Proven; p != nil && (adapter.Round(p.Lo) != adapter.Round(observed[i].Lo) || adapter.Round(p.Hi) != adapter.Round(observed[i].Hi)) {
			differ("%s: want the interval [%g, %g] to be proven, the oracle says [%g, %g]",
				name, p.Lo, p.Hi, adapter.Round(observed[i].Lo), adapter.Round(observed[i].Hi))
		}
	}
	if len(diffs) == 0 {
		return nil
	}
	for _, r := range v.Reasons {
		diffs = append(diffs, fmt.Sprintf("  (rule %d, %s: %s)", r.Rule, r.Status, r.Text))
	}
	return fmt.Errorf("the want and the oracle differ:\n\t%s", strings.Join(diffs, "\n\t"))
}

func sameRate(a, b *float64) bool {
	if a == nil || b == nil {
		return a == b
	}
	return adapter.Round(*a) == adapter.Round(*b)
}

func showRate(x *float64) string {
	if x == nil {
		return "null"
	}
	return strconv.FormatFloat(adapter.Round(*x), 'f', -1, 64)
}

// json is want.json of a written run.
func (w Want) json() object {
	rates, proven := object{}, object{}
	for i, r := range w.Rates {
		name := adapter.RateNames[i]
		rates = rates.with(name, raw(showRate(r.Reported)))
		if r.Proven != nil {
			proven = proven.with(name, list{raw(showRate(&r.Proven.Lo)), raw(showRate(&r.Proven.Hi))})
		}
	}
	doc := object{
		{"contract", text(w.Contract)},
		{"status", text(w.Status)},
		{"pricing_eligible", raw(strconv.FormatBool(w.Priced))},
		{"rates", rates},
	}
	if len(proven) > 0 {
		doc = doc.with("proven", proven)
	}
	return doc
}
