package replay

import (
	"regexp"
	"slices"
	"strconv"
)

// Rule is the rule of accounting.md that a wrong answer comes down to, as far
// as the words on both sides tell: the first that the oracle found at work and
// the adapter does not name in its reasons, else the first that only the
// adapter names. It is 0 where both name the same, and where nothing is wrong.
//
// Class and rule together tell bugs apart well enough that a shrunk run shows
// the one that it was shrunk for.
func (r Result) Rule() int {
	if r.Oracle == nil || r.Outcome != Answered || !r.failing() {
		return 0
	}
	found, named := r.Oracle.Rules, rulesIn(r.Reasons)
	// A producer that gives its reasons no numbers has named the rule that
	// decides its status when it comes to the oracle's.
	if len(named) == 0 && len(found) > 0 && !r.Oracle.Eligible && r.Status == r.Oracle.Status {
		named = found[:1]
	}
	for _, rule := range found {
		if !slices.ContainsFunc(named, func(n int) bool { return n == rule || part(n) == rule }) {
			return rule
		}
	}
	for _, n := range named {
		if !slices.Contains(found, n) && !slices.Contains(found, part(n)) {
			return n
		}
	}
	return 0
}

// part is the rule that a rule is a part of: 13 and 15 say what rule 14 asks.
func part(rule int) int {
	if rule == 13 || rule == 15 {
		return 14
	}
	return rule
}

func rulesIn(reasons []string) []int {
	number := regexp.MustCompile(`\brule (\d+)`)
	var rules []int
	for _, text := range reasons {
		for _, m := range number.FindAllStringSubmatch(text, -1) {
			if n, err := strconv.Atoi(m[1]); err == nil {
				rules = append(rules, n)
			}
		}
	}
	return rules
}
