package window

import "fmt"

// A Flaw is one way in which a counter is not what it should be.
type Flaw uint8

// The flaws. Which of them refuses what is the adapter's policy.
const (
	TwoSpellings Flaw = iota // one endpoint reports it under two names (rule 11)
	OtherLabels              // one endpoint has several series of one name (rule 11): ranks
	NoSum                    // invalid, missing, interior or trailing gap (rule 6)
	LeadingGap               // the slices begin after S (rule 6)
	Proven                   // a slice over S that warmup_metrics proves to be warmup (rule 7)
	Unproven                 // a slice over S that nothing proves (rule 7)
	OverEnd                  // a slice over E that is not 0 (rule 7)
)

// A Finding is a flaw of one counter with its place.
type Finding struct {
	Flaw Flaw
	Text string
	At   string // address of the series in the export, "" for none
}

// Findings are all flaws of a reading, endpoint by endpoint.
func (r Reading) Findings() []Finding {
	var found []Finding
	for _, text := range r.Doubled {
		found = append(found, Finding{Flaw: TwoSpellings, Text: r.Counter.Name + ": " + text})
	}
	for _, text := range r.Split {
		found = append(found, Finding{Flaw: OtherLabels, Text: r.Counter.Name + ": " + text})
	}
	for _, p := range r.Places {
		found = append(found, p.findings(r.Counter.Name)...)
	}
	return found
}

func (p Place) findings(counter string) []Finding {
	var found []Finding
	add := func(flaw Flaw, format string, args ...any) {
		text := fmt.Sprintf("%s at %s: ", counter, p.Endpoint) + fmt.Sprintf(format, args...)
		found = append(found, Finding{Flaw: flaw, Text: text, At: p.At})
	}
	fit := p.Fit
	if fit.Bad != "" {
		add(NoSum, "%s", fit.Bad)
		return found
	}
	if fit.Leading > 0 {
		add(LeadingGap, "the slices begin %d ns after the window", fit.Leading)
	}
	if s := fit.Straddler; s != nil {
		delta, _ := s.Value.Float()
		if fit.Proven(p.Warmup) {
			add(Proven, "the slice [%d, %d) starts before the window and its %s are warmup", s.Start, s.End, Number(delta))
		} else {
			add(Unproven, "the slice [%d, %d) starts before the window and warmup_metrics does not prove its %s to be warmup", s.Start, s.End, Number(delta))
		}
	}
	if fit.Overrun() != 0 {
		add(OverEnd, "the slice [%d, %d) ends after the window and holds %s", fit.Over.Start, fit.Over.End, Number(fit.Overrun()))
	}
	return found
}

// Rated adds what the flaws of a counter that a rate is made of refuse, as the
// last review of #3964 has it: rules 6 to 8, 11 and 14. Series that differ in
// labels are ranks, and their sums are added.
func (rs *Refusals) Rated(r Reading, conserved bool) {
	for _, f := range r.Findings() {
		switch f.Flaw {
		case TwoSpellings:
			rs.Nullify(InvalidCounter, 11, f.At, "%s", f.Text)
		case NoSum:
			rs.Nullify(WindowUnresolved, 6, f.At, "%s", f.Text)
		case LeadingGap:
			if !conserved {
				rs.Add(WindowUnresolved, 14, f.At, "%s, and the request scope is not conserved", f.Text)
			}
		case Unproven, OverEnd:
			rs.Add(WindowUnresolved, 7, f.At, "%s", f.Text)
		}
	}
}
