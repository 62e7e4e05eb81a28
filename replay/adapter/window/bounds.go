package window

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A Part is one tier of what a denominator counts; Sum is nil when unknown.
type Part struct {
	Name string
	Sum  *float64
}

// Bounds refuses counters that no prompts can have made (rule 9): the whole
// not above 0 or beyond every number, a part negative, a part or the sum of the parts above the
// whole. Conditions about unknown counters are not asked.
func (rs *Refusals) Bounds(whole Part, parts ...Part) {
	for _, text := range broken(whole.Sum, parts, whole.Name) {
		rs.Nullify(InvalidCounter, 9, "", "%s", text)
	}
}

func broken(whole *float64, parts []Part, name string) []string {
	var broken []string
	if whole != nil && (!(*whole > 0) || math.IsInf(*whole, 1)) {
		broken = append(broken, fmt.Sprintf("%s is %s", name, Number(*whole)))
	}
	var sum float64
	var names []string
	for _, p := range parts {
		if p.Sum == nil {
			continue
		}
		sum += *p.Sum
		names = append(names, p.Name)
		if !(*p.Sum >= 0) {
			broken = append(broken, fmt.Sprintf("%s is %s", p.Name, Number(*p.Sum)))
		}
		if whole != nil && !(*p.Sum <= *whole) {
			broken = append(broken, fmt.Sprintf("%s %s is above %s %s", p.Name, Number(*p.Sum), name, Number(*whole)))
		}
	}
	if len(broken) == 0 && whole != nil && !(sum <= *whole) {
		broken = append(broken, fmt.Sprintf("%s together %s is above %s %s", strings.Join(names, " + "), Number(sum), name, Number(*whole)))
	}
	return broken
}

// Number writes a count without an exponent, 1000000 and not 1e+06.
func Number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
