package adapter

import (
	"fmt"
	"math"
	"math/big"

	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// This file is the arithmetic that the producer's adapters share (the @main
// adapters; producer.md section 5). Sums run in the order of the names and
// then of the file, in float64, because the producer's do.

// A Stat picks one statistic of a series.
type Stat func(aiperf.Stats) aiperf.Value

// The statistics, as the producer calls them.
var (
	Total Stat = func(s aiperf.Stats) aiperf.Value { return s.Total }
	Sum   Stat = func(s aiperf.Stats) aiperf.Value { return s.Sum }
	Max   Stat = func(s aiperf.Stats) aiperf.Value { return s.Max }
	Avg   Stat = func(s aiperf.Stats) aiperf.Value { return s.Avg }
)

// counterStats is the producer's order of preference for counters.
var counterStats = []Stat{Total, Sum, Max, Avg}

// Families returns the families of the given names, in the order of the names.
// Of a name that stands twice the last counts, as in Python's json.
func Families(metrics []aiperf.Family, names ...string) []aiperf.Family {
	var found []aiperf.Family
	for _, name := range names {
		for i := len(metrics) - 1; i >= 0; i-- {
			if metrics[i].Name == name {
				found = append(found, metrics[i])
				break
			}
		}
	}
	return found
}

// SeriesStat returns the first of the statistics that converts to a float, and
// false when none does: such a series is skipped, never counted as 0.
func SeriesStat(s *aiperf.Series, order ...Stat) (float64, bool, error) {
	for _, pick := range order {
		f, ok, err := PyFloat(pick(s.Stats))
		if err != nil {
			return 0, false, fmt.Errorf("reading a statistic at %s: %w", s.At, err)
		}
		if ok {
			return f, true, nil
		}
	}
	return 0, false, nil
}

// SumStat adds a counter over all its series on all endpoints, whatever their
// role. It is nil when no series has a usable value.
func SumStat(metrics []aiperf.Family, names ...string) (*float64, error) {
	return sum(metrics, counterStats, names...)
}

// SumGauge adds a gauge over its series, each by its max, else avg, total or
// sum, as the producer adds the capacities of SGLang's ranks.
func SumGauge(metrics []aiperf.Family, name string) (*float64, error) {
	return sum(metrics, []Stat{Max, Avg, Total, Sum}, name)
}

func sum(metrics []aiperf.Family, order []Stat, names ...string) (*float64, error) {
	var sum *float64
	for _, family := range Families(metrics, names...) {
		for i := range family.Series {
			f, ok, err := SeriesStat(&family.Series[i], order...)
			if err != nil {
				return nil, fmt.Errorf("summing %s: %w", family.Name, err)
			}
			if !ok {
				continue
			}
			if sum == nil {
				sum = new(float64)
			}
			*sum += f
		}
	}
	return sum, nil
}

// A Share is what one value of a label holds of a counter.
type Share struct {
	Label string
	Value float64
}

// SumByLabel adds a counter per value of a label, in the order in which the
// values first appear. Series without the label are left out.
func SumByLabel(metrics []aiperf.Family, name, key string) ([]Share, error) {
	var shares []Share
	at := map[string]int{}
	for _, family := range Families(metrics, name) {
		for i := range family.Series {
			label, ok := family.Series[i].Labels[key]
			if !ok {
				continue
			}
			f, ok, err := SeriesStat(&family.Series[i], counterStats...)
			if err != nil {
				return nil, fmt.Errorf("summing %s: %w", name, err)
			}
			if !ok {
				continue
			}
			if _, seen := at[label]; !seen {
				at[label] = len(shares)
				shares = append(shares, Share{Label: label})
			}
			shares[at[label]].Value += f
		}
	}
	return shares, nil
}

// ShareOf returns the value of a label, or nil when no series has it.
func ShareOf(shares []Share, label string) *float64 {
	for _, s := range shares {
		if s.Label == label {
			v := s.Value
			return &v
		}
	}
	return nil
}

// SumShares adds all shares in their order.
func SumShares(shares []Share) float64 {
	var sum float64
	for _, s := range shares {
		sum += s.Value
	}
	return sum
}

// MeanGauge is the unweighted mean of a gauge over its series, each by its
// avg, else max, else total. It is nil when no series has a usable value. The
// mean is exact before it is rounded once, as Python's statistics.mean is.
func MeanGauge(metrics []aiperf.Family, names ...string) (*float64, error) {
	var values []float64
	for _, family := range Families(metrics, names...) {
		for i := range family.Series {
			f, ok, err := SeriesStat(&family.Series[i], Avg, Max, Total)
			if err != nil {
				return nil, fmt.Errorf("averaging %s: %w", family.Name, err)
			}
			if ok {
				values = append(values, f)
			}
		}
	}
	if len(values) == 0 {
		return nil, nil
	}
	m := mean(values)
	return &m, nil
}

func mean(values []float64) float64 {
	sum := new(big.Rat)
	var special float64 // NaN or infinite as soon as one value is
	for _, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			special += v
			continue
		}
		sum.Add(sum, new(big.Rat).SetFloat64(v))
	}
	if special != 0 { // NaN included
		return special
	}
	f, _ := sum.Quo(sum, big.NewRat(int64(len(values)), 1)).Float64()
	return f
}

// Ratio is the producer's rate: numerator/denominator, nil when either is nil
// or the denominator is not above 0. It has no bounds: -0.5, 1.5 and NaN pass.
// A NaN denominator is not <= 0, so it gives NaN.
func Ratio(numerator, denominator *float64) *float64 {
	if numerator == nil || denominator == nil || *denominator <= 0 {
		return nil
	}
	r := *numerator / *denominator
	return &r
}

// Fraction is the producer's reading of a gauge that may be a fraction or per
// cent: above 1.5 it is divided by 100, so 1.2 per cent stays 1.2.
func Fraction(v *float64) *float64 {
	if v == nil || !(*v > 1.5) {
		return v
	}
	f := *v / 100
	return &f
}

// Rounded is [Round] of a rate that may be null.
func Rounded(v *float64) *float64 {
	if v == nil {
		return nil
	}
	r := Round(*v)
	return &r
}

// Integral refuses what the producer's int(round(x)) dies of: it rounds the
// prompt and generation totals that way while it fills a row, so NaN or an
// infinity there costs the whole row (producer.md section 7).
func Integral(name string, v *float64) error {
	switch {
	case v == nil:
		return nil
	case math.IsNaN(*v):
		return fmt.Errorf("rounding %s: ValueError: cannot convert float NaN to integer", name)
	case math.IsInf(*v, 0):
		return fmt.Errorf("rounding %s: OverflowError: cannot convert float infinity to integer", name)
	}
	return nil
}
