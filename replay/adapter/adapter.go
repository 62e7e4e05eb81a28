// Package adapter is the contract of a cache-rate adapter: a program that
// turns one run's export into published cache rates.
package adapter

import (
	"context"
	"math"
	"strconv"

	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// An Adapter derives published cache rates from one run.
type Adapter interface {
	// Name is how users call it, "atom@review".
	Name() string
	// Engine is the engine whose runs it answers for ("atom"), or "" for any.
	Engine() string
	// Derive answers for one run. An error means that the adapter failed, not
	// that it refused: a refusal is an Answer. It may be called concurrently.
	Derive(ctx context.Context, run *aiperf.Run) (Answer, error)
}

// An Answer is what an adapter publishes for one run.
type Answer struct {
	Rates Rates

	// Status is the word of the validity record, or "" without one.
	Status string
	// Eligible is pricing_eligible; nil means that there is no validity record.
	Eligible *bool
	Reasons  []string

	Counters   []Counter // the counters that the rates were made of
	Accounting *aiperf.Accounting
}

// A Counter is one number that an adapter used.
type Counter struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"` // tokens or requests
}

// Rates are the four published fractions, after the producer's rounding; nil
// is null. They are not bounded: an adapter may publish 1.5 or NaN.
type Rates struct {
	GPU, CPU, External, Overall *float64
}

// RateNames are the names of the fields of [Rates], in their order.
var RateNames = [4]string{"gpu", "cpu", "external", "overall"}

// List returns the rates in the order of [RateNames].
func (r Rates) List() [4]*float64 { return [4]*float64{r.GPU, r.CPU, r.External, r.Overall} }

// Null reports whether no rate is shown.
func (r Rates) Null() bool { return r == Rates{} }

// Hit returns h, the fraction that the consumer prices before it clamps:
// gpu + (external if it is a number, else cpu), a missing part counting as 0.
// It is false when both parts are missing (accounting.md section 9).
func (r Rates) Hit() (float64, bool) {
	second := r.External
	if second == nil {
		second = r.CPU
	}
	if r.GPU == nil && second == nil {
		return 0, false
	}
	var h float64
	if r.GPU != nil {
		h += *r.GPU
	}
	if second != nil {
		h += *second
	}
	return h, true
}

// Round returns x after the producer's rounding: 5 decimals, correctly
// rounded, ties to even (producer.md section 5). NaN and infinities stay.
func Round(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return x
	}
	r, err := strconv.ParseFloat(strconv.FormatFloat(x, 'f', 5, 64), 64)
	if err != nil {
		panic("formatting a finite float gave no float: " + err.Error()) // cannot happen
	}
	return r
}
