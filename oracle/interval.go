package oracle

import (
	"fmt"
	"math"
	"strconv"
)

// An Interval is a closed range of fractions in [0, 1].
type Interval struct{ Lo, Hi float64 }

var anything = Interval{0, 1}

// Point reports whether the interval holds one value, to the 5 decimals that
// a row is published with.
func (i Interval) Point() bool { return Round(i.Lo) == Round(i.Hi) }

// Contains reports whether the interval holds x once both are rounded to 5
// decimals; slack is how far outside x may lie. A rate that is not finite is
// in no interval.
func (i Interval) Contains(x, slack float64) bool {
	// A tenth of the last decimal absorbs the binary representation of slack.
	const ulp = 1e-6
	return finite(x) && Round(x) >= Round(i.Lo)-slack-ulp && Round(x) <= Round(i.Hi)+slack+ulp
}

func (i Interval) hull(j Interval) Interval {
	return Interval{math.Min(i.Lo, j.Lo), math.Max(i.Hi, j.Hi)}
}

// String prints a point as 0.6 and a range as [0.59, 0.61].
func (i Interval) String() string {
	if i.Point() {
		return formatRate(i.Lo)
	}
	return fmt.Sprintf("[%s, %s]", formatRate(i.Lo), formatRate(i.Hi))
}

// Rates are one interval a published rate.
type Rates struct{ GPU, CPU, External, Overall Interval }

// RateNames are the names of the rates, in the order of [Rates.List].
var RateNames = [4]string{"gpu", "cpu", "external", "overall"}

// List returns the intervals in the order gpu, cpu, external, overall.
func (r Rates) List() [4]Interval { return [4]Interval{r.GPU, r.CPU, r.External, r.Overall} }

func unknownRates() Rates { return Rates{anything, anything, anything, anything} }

func (r Rates) hull(s Rates) Rates {
	return Rates{r.GPU.hull(s.GPU), r.CPU.hull(s.CPU), r.External.hull(s.External), r.Overall.hull(s.Overall)}
}

// Round returns x to the 5 decimals that rates are published with.
func Round(x float64) float64 {
	if !finite(x) {
		return x
	}
	r, err := strconv.ParseFloat(strconv.FormatFloat(x, 'f', 5, 64), 64)
	if err != nil {
		panic("a formatted float does not parse: " + err.Error()) // cannot happen
	}
	return r
}

func formatRate(x float64) string { return strconv.FormatFloat(Round(x), 'f', -1, 64) }

// tokens prints a count of tokens or requests.
func tokens(x float64) string {
	if math.IsInf(x, 1) {
		return "without limit"
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}

// A count is a counter over the window: what was seen inside it, and how much
// more may belong to it.
type count struct {
	inside   float64
	possible float64 // at most this much more; +Inf when nothing limits it
}

func (c count) plus(d count) count { return count{c.inside + d.inside, c.possible + d.possible} }

// ratio is the interval of hits over full. When paired, both come from slices
// with the same edges and hits move only in an admission that moves full: what
// may be missing then holds the misses (full.possible - hits.possible) and the
// hits, and the extremes take one of them without the other.
func ratio(hits, full count, paired bool) Interval {
	if full.inside <= 0 {
		return anything // 0/0 cannot be told apart from a rate
	}
	misses := full.possible
	grow := 0.0
	if paired && hits.possible <= full.possible {
		grow = hits.possible
		if !math.IsInf(misses, 1) {
			misses -= hits.possible
		}
	}
	low := hits.inside / (full.inside + misses)
	high := 1.0
	if !math.IsInf(hits.possible, 1) {
		high = (hits.inside + hits.possible) / (full.inside + grow)
	}
	return Interval{cut(low), cut(high)}
}

func cut(x float64) float64 { return math.Min(1, math.Max(0, x)) }
