package replay

import (
	"fmt"
	"math"
	"strings"

	"github.com/pdreplay/pdreplay/replay/adapter"
	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// A Parity compares an answer with the published row, field by field. It says
// nothing about right or wrong: both may be wrong alike.
type Parity struct {
	Row      string   `json:"row"` // the row's file inside the run
	Rates    Rates    `json:"rates"`
	Status   Word     `json:"status"`
	Eligible *bool    `json:"pricing_eligible"`
	Fields   []string `json:"fields"`  // what the row says anything about
	Differs  []string `json:"differs"` // of these, where the answer is another
}

// Holds reports whether the answer reproduces every field of the row.
func (p Parity) Holds() bool { return len(p.Differs) == 0 }

// parityOf compares what the row says: a rate that it does not mention, or a
// validity record that it does not have, is no difference. It is nil where
// there is no row, or none with a cache rate.
func parityOf(row *aiperf.Row, a adapter.Answer) *Parity {
	if row == nil {
		return nil
	}
	p := &Parity{Row: row.File, Status: Word(row.Status), Eligible: row.Eligible, Fields: []string{}, Differs: []string{}}
	note := func(field string, same bool) {
		p.Fields = append(p.Fields, field)
		if !same {
			p.Differs = append(p.Differs, field)
		}
	}
	rates, given := publishedRates(row)
	for i, got := range a.Rates.List() {
		if given[i] {
			note(adapter.RateNames[i], sameRate(got, rates[i]))
		}
	}
	if len(p.Fields) == 0 {
		return nil
	}
	if row.Status != "" {
		note("status", row.Status == a.Status)
	}
	if row.Eligible != nil {
		note("pricing_eligible", a.Eligible != nil && *a.Eligible == *row.Eligible)
	}
	p.Rates = ratesOf(rates)
	return p
}

// PublishedRates returns the rates of a row, and whether it mentions each.
func publishedRates(row *aiperf.Row) (rates [4]*float64, given [4]bool) {
	for i, v := range [4]aiperf.Value{row.GPU, row.CPU, row.External, row.Overall} {
		rates[i], given[i] = publishedRate(v)
	}
	return rates, given
}

// checkPublished refuses a row with a rate that is none: nothing could be said
// about who reproduces it.
func checkPublished(row *aiperf.Row) error {
	if row == nil {
		return nil
	}
	for i, v := range [4]aiperf.Value{row.GPU, row.CPU, row.External, row.Overall} {
		switch text := strings.TrimPrefix(v.Text(), "-"); text {
		case "", "NaN", "Infinity":
		default:
			return fmt.Errorf("published row %s: %s_cache_hit_rate is %s, want a number or null", row.File, adapter.RateNames[i], v.Text())
		}
	}
	return nil
}

// publishedRate reads one rate of a row. Python writes bare NaN and Infinity.
func publishedRate(v aiperf.Value) (*float64, bool) {
	switch v.Kind() {
	case aiperf.Absent:
		return nil, false
	case aiperf.Null:
		return nil, true
	case aiperf.Number:
		x, _ := v.Float()
		return &x, true
	}
	x := math.NaN()
	if text := strings.TrimPrefix(v.Text(), "-"); text == "Infinity" {
		x = math.Inf(1)
		if text != v.Text() {
			x = math.Inf(-1)
		}
	}
	return &x, true
}
