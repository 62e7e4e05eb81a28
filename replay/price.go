package replay

import (
	"math"

	"github.com/pdreplay/pdreplay/oracle"
	"github.com/pdreplay/pdreplay/replay/adapter"
)

// PriceFactor returns what the consumer multiplies the input price by at hit
// rate h: 1 - 0.9h, h clamped to [0, 1] and 0 where it is not a number
// (accounting.md section 9).
func PriceFactor(h float64) float64 {
	if math.IsNaN(h) {
		h = 0
	}
	return 1 - 0.9*min(max(h, 0), 1)
}

// PriceError returns by how much the price at these rates is off, in per cent
// of the price at the nearest end of the interval; 0 inside it. A row without
// any rate is priced at h = 0: a null is not harmless.
func PriceError(r adapter.Rates, overall oracle.Interval) float64 {
	h, _ := r.Hit()
	if holdsHit(overall, h) {
		return 0
	}
	nearest := overall.Lo
	if h > overall.Hi {
		nearest = overall.Hi
	}
	return (PriceFactor(h)/PriceFactor(nearest) - 1) * 100
}

// holdsHit reports whether h lies in overall's interval. Its two parts were
// rounded to 5 decimals before they were added, each by up to half a step, and
// so was the end of the interval: an exact h can come out one step outside,
// but, being a multiple of the step, not two.
func holdsHit(overall oracle.Interval, h float64) bool { return overall.Contains(h, 1e-5) }

// sameRate reports whether two published rates are equal, null and NaN
// included, after rounding.
func sameRate(a, b *float64) bool {
	if a == nil || b == nil {
		return a == b
	}
	if math.IsNaN(*a) || math.IsNaN(*b) {
		return math.IsNaN(*a) && math.IsNaN(*b)
	}
	return adapter.Round(*a) == adapter.Round(*b)
}
