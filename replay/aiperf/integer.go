package aiperf

import (
	"strconv"
	"strings"
)

// shorten cuts a long token for a message.
func shorten(token []byte) string {
	if len(token) > 40 {
		return string(token[:40]) + "..."
	}
	return string(token)
}

// What integer can make of a JSON number.
type wholeness uint8

const (
	whole wholeness = iota
	fraction
	tooLarge
)

// integer returns the exact value of a JSON number, which may be written with
// a fraction of zeros or an exponent.
func integer(token []byte) (int64, wholeness) {
	if n, err := strconv.ParseInt(string(token), 10, 64); err == nil {
		return n, whole
	}
	text := string(token)
	mantissa, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	mantissa, negative := strings.CutPrefix(mantissa, "-")
	before, after, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(before+after, "0")
	if digits == "" {
		return 0, whole
	}
	// The value is 0.digits * 10^point.
	point := int64(len(digits) - len(after))
	if exponent != "" {
		e, err := strconv.ParseInt(exponent, 10, 64)
		if err != nil || e > 1<<40 || e < -1<<40 {
			if strings.HasPrefix(exponent, "-") {
				return 0, fraction
			}
			return 0, tooLarge
		}
		point += e
	}
	digits = strings.TrimRight(digits, "0")
	switch {
	case point < int64(len(digits)):
		return 0, fraction
	case point > 19:
		return 0, tooLarge
	}
	digits += strings.Repeat("0", int(point)-len(digits))
	if negative {
		digits = "-" + digits
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return 0, tooLarge
	}
	return n, whole
}
