package replay

import (
	"errors"
	"fmt"
	"math"

	"github.com/pdreplay/pdreplay/replay/adapter"
)

// This file is what a consumer makes of published rates: the app's rule as it
// is, and the rule of a guard (accounting.md section 9). Prices are multiples
// of the full input price.

// A Point is what the consumer knows of one point of a sweep.
type Point struct {
	Rates    adapter.Rates
	Eligible *bool // pricing_eligible, nil without a validity record

	// Theoretical is the theoretical cache rate of the aggregate file. On GB300
	// alone it stands in for a rate that is missing.
	Theoretical *float64
	GB300       bool
}

// AppHit is the rate that the app prices: gpu + (external if it is a number,
// else cpu), clamped to [0, 1], which hides a negative and an impossible one.
// NaN stays, because it passes for a number. It is false when both parts are
// missing and nothing stands in.
func AppHit(p Point) (float64, bool) {
	h, ok := p.Rates.Hit()
	if !ok {
		if !p.GB300 || p.Theoretical == nil {
			return 0, false
		}
		h = *p.Theoretical
	}
	if math.IsNaN(h) {
		return h, true
	}
	return min(max(h, 0), 1), true
}

// AppPrice is the app's input price of one point. No rate is 0 hits, so the
// full price; the validity record is not looked at.
func AppPrice(p Point) float64 {
	h, _ := AppHit(p)
	return PriceFactor(h)
}

// AppSweep are the app's input prices along a frontier. It interpolates the
// rate only where every point has one: a single null makes the whole sweep
// pay the full price.
func AppSweep(frontier []Point) []float64 {
	prices := make([]float64, len(frontier))
	for i, p := range frontier {
		prices[i] = AppPrice(p)
	}
	for _, p := range frontier {
		if _, ok := AppHit(p); !ok {
			for i := range prices {
				prices[i] = PriceFactor(0)
			}
		}
	}
	return prices
}

// ErrUnpriced is why a guard prices nothing: unpriced is no price at all, and
// never 0 hits.
var ErrUnpriced = errors.New("unpriced")

// GuardedPrice is the input price of a point whose validity record says that
// it may be priced, of any producer. The error wraps [ErrUnpriced] and says
// why there is no price; nothing is clamped, and nothing stands in for a rate.
func GuardedPrice(p Point) (float64, error) {
	switch {
	case p.Eligible == nil:
		return 0, fmt.Errorf("%w: there is no validity record", ErrUnpriced)
	case !*p.Eligible:
		return 0, fmt.Errorf("%w: the validity record refuses", ErrUnpriced)
	}
	for i, r := range p.Rates.List() {
		if r == nil {
			continue
		}
		if math.IsNaN(*r) || math.IsInf(*r, 0) || *r < 0 || *r > 1 {
			return 0, fmt.Errorf("%w: the %s rate is %v", ErrUnpriced, adapter.RateNames[i], *r)
		}
	}
	h, ok := p.Rates.Hit()
	if !ok {
		return 0, fmt.Errorf("%w: there is neither a gpu nor an external or cpu rate", ErrUnpriced)
	}
	if adapter.Round(h) > 1 {
		return 0, fmt.Errorf("%w: gpu and the other tiers together are %v", ErrUnpriced, adapter.Round(h))
	}
	return PriceFactor(h), nil
}

// GuardedSweep are the input prices of the points of a sweep, each by itself;
// nil is unpriced. A point without a price takes none from the others.
func GuardedSweep(points []Point) []*float64 {
	prices := make([]*float64, len(points))
	for i, p := range points {
		if price, err := GuardedPrice(p); err == nil {
			prices[i] = &price
		}
	}
	return prices
}
