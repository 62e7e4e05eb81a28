package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/pdreplay/pdreplay/oracle"
	"github.com/pdreplay/pdreplay/replay"
	"github.com/pdreplay/pdreplay/replay/adapter"
)

// want returns what the contract wants of an answer: status, priced or not,
// and the rates it reports. A contract of facts only wants proven rates.
func want(r replay.Result) (status, price string, rates [4]*float64) {
	f := r.Oracle
	if f.Status == "" {
		for i, in := range f.Rates.List() {
			if in.Point() {
				rates[i] = &in.Lo
			}
		}
		return "facts only", "", rates
	}
	price = "refused"
	if f.Eligible {
		price = "priced"
	}
	return string(f.Status), price, f.Reported.List()
}

func status(w replay.Word) string {
	if w == "" {
		return "no record"
	}
	return string(w)
}

// priced says what the consumer does with a row: without a validity record it
// prices it.
func priced(eligible *bool) string {
	if eligible != nil && !*eligible {
		return "refused"
	}
	return "priced"
}

// priceError is ", price +53.6 %", or "" where the price is not off. A refused
// row has no price: it says what it would cost to price it all the same.
func priceError(r replay.Result) string {
	switch {
	case r.PriceError == nil || *r.PriceError == 0:
		return ""
	case r.Eligible != nil && !*r.Eligible:
		return fmt.Sprintf(", %+.1f %% if priced", *r.PriceError)
	}
	return fmt.Sprintf(", price %+.1f %%", *r.PriceError)
}

func cell(x *float64, digits int) string {
	switch {
	case x == nil:
		return "null"
	case math.IsNaN(*x):
		return "NaN"
	case math.IsInf(*x, 1):
		return "Infinity"
	case math.IsInf(*x, -1):
		return "-Infinity"
	}
	return fmt.Sprintf("%.*f", digits, *x)
}

func intervalCell(in oracle.Interval, digits int) string {
	if in.Point() {
		return cell(&in.Lo, digits)
	}
	return fmt.Sprintf("[%.*f, %.*f]", digits, in.Lo, digits, in.Hi)
}

func cells(rates [4]*float64, digits int) (c [4]string) {
	for i, x := range rates {
		c[i] = cell(x, digits)
	}
	return c
}

// digitsFor is 3, or the published 5 where 3 would show two different rates
// alike.
func digitsFor(a, b [4]*float64) int {
	for i := range a {
		if cell(a[i], 3) == cell(b[i], 3) && cell(a[i], 5) != cell(b[i], 5) {
			return 5
		}
	}
	return 3
}

// named puts the rates' names before them; external only where it is not cpu.
func named(c [4]string, external bool) string {
	var words []string
	for i, name := range adapter.RateNames {
		if name != "external" || external {
			words = append(words, name+" "+c[i])
		}
	}
	return strings.Join(words, " ")
}
