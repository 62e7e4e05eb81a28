package adapter

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// ErrOverflow is what the producer dies of when a statistic is an integer
// literal beyond float64: Python keeps it exact, and float() then raises.
var ErrOverflow = errors.New("OverflowError: int too large to convert to float")

// PyFloat converts a statistic as the producer's Python float() does: numbers,
// bare NaN and infinities, true and false as 1 and 0, and strings that spell a
// number. It is false for what float() refuses, and the next statistic is then
// tried (producer.md section 5). The error is [ErrOverflow] or nil.
func PyFloat(v aiperf.Value) (float64, bool, error) {
	if f, ok := v.Float(); ok {
		return f, true, nil
	}
	switch text := v.Text(); {
	case text == "true":
		return 1, true, nil
	case text == "false":
		return 0, true, nil
	case text == "NaN", text == "Infinity", text == "-Infinity":
		f, ok := pyParse(text)
		return f, ok, nil
	case strings.HasPrefix(text, `"`):
		s, err := jsontext.AppendUnquote(nil, text)
		if err != nil {
			// Broken UTF-8 or a lone surrogate stands as U+FFFD in what was
			// unquoted, which no number contains either.
			return 0, false, nil
		}
		f, ok := pyParse(string(s))
		return f, ok, nil
	case text != "" && (text[0] == '-' || '0' <= text[0] && text[0] <= '9'):
		return pyLiteral(text)
	}
	return 0, false, nil // absent, null, an array or an object
}

// pyLiteral converts a JSON number that float64 does not hold: Python reads a
// literal with a point or an exponent as a float (so 1e400 is infinite), any
// other as an exact integer.
func pyLiteral(text string) (float64, bool, error) {
	if !strings.ContainsAny(text, ".eE") {
		return 0, false, ErrOverflow
	}
	f, ok := pyParse(text)
	return f, ok, nil
}

// pyParse is Python's float(str): white space around, single underscores
// between digits, decimal digits of any script, and inf, infinity, nan with a
// sign in any case. Hexadecimal floats, which Go reads, are refused.
func pyParse(s string) (float64, bool) {
	s = strings.TrimSpace(s)
	s, ok := dropUnderscores(asciiDigits(s))
	if !ok || s == "" || strings.ContainsAny(s, "xXpP") {
		return 0, false
	}
	if strings.EqualFold(strings.TrimLeft(s, "+-"), "nan") && len(s) <= len("+nan") {
		return math.NaN(), true // ParseFloat knows no sign here
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, false
	}
	return f, true // beyond the range: infinite, as in Python
}

// asciiDigits replaces the decimal digits of other scripts by 0 to 9. Unicode
// lists each script's digits in runs of ten that begin with its zero.
func asciiDigits(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x80 || !unicode.Is(unicode.Nd, r) {
			return r
		}
		for _, t := range unicode.Nd.R16 {
			if rune(t.Lo) <= r && r <= rune(t.Hi) {
				return '0' + (r-rune(t.Lo))%10
			}
		}
		for _, t := range unicode.Nd.R32 {
			if rune(t.Lo) <= r && r <= rune(t.Hi) {
				return '0' + (r-rune(t.Lo))%10
			}
		}
		return r
	}, s)
}

// dropUnderscores removes underscores that stand between two digits, and is
// false for any other. strconv.ParseFloat refuses them all.
func dropUnderscores(s string) (string, bool) {
	if !strings.Contains(s, "_") {
		return s, true
	}
	digit := func(i int) bool { return 0 <= i && i < len(s) && '0' <= s[i] && s[i] <= '9' }
	for i := range len(s) {
		if s[i] == '_' && !(digit(i-1) && digit(i+1)) {
			return "", false
		}
	}
	return strings.ReplaceAll(s, "_", ""), true
}
