package oracle

import "math"

// maxSums is how many (requests, tokens) sums of one side are formed exactly.
// Beyond it only the total of the side limits what it may hold.
const maxSums = 4096

// A sum is what some subset of requests adds up to.
type sum struct {
	requests int
	tokens   float64
}

// A side is what the ledger may lack, or may hold beside the requests.
type side struct {
	fixed   sum          // in every case
	subsets map[sum]bool // of what may be; nil beyond maxSums
	most    float64      // tokens of all that may be, without fixed
	open    bool         // any number of requests of any size
}

// newSide returns the side of any subset of the requests, none of which sums
// to more than limit (nil: no limit).
func newSide(requests []request, limit *sum) side {
	s := side{subsets: map[sum]bool{{}: true}}
	for _, r := range requests {
		s.most += r.tokens
	}
	if limit != nil {
		s.most = math.Min(s.most, limit.tokens)
	}
	for _, r := range requests {
		grown := map[sum]bool{}
		for old := range s.subsets {
			next := sum{old.requests + 1, old.tokens + r.tokens}
			if limit == nil || next.requests <= limit.requests && next.tokens <= limit.tokens {
				grown[next] = true
			}
		}
		for next := range grown {
			s.subsets[next] = true
		}
		if len(s.subsets) > maxSums {
			s.subsets = nil
			return s
		}
	}
	return s
}

// holds reports whether the side can be exactly that, beside what is fixed.
// Without counts only tokens are compared.
func (s side) holds(want sum, counts bool) bool {
	if want.tokens < 0 || counts && want.requests < 0 {
		return false
	}
	empty := want.tokens == 0
	if counts && empty != (want.requests == 0) {
		return false // every request has a prompt
	}
	switch {
	case s.open:
		return true
	case s.subsets == nil:
		return want.tokens <= s.most
	case counts:
		return s.subsets[want]
	}
	for have := range s.subsets {
		if have.tokens == want.tokens {
			return true
		}
	}
	return false
}

// fit returns the most tokens that can really be missing, where the ledger
// holds surplus more than the records: foreign - missing = surplus. It is
// false when nothing fits: the records contradict the counters.
func fit(missing, foreign side, surplus sum, counts bool) (float64, bool) {
	surplus.requests -= foreign.fixed.requests
	surplus.tokens -= foreign.fixed.tokens
	best, found := 0.0, false
	try := func(u float64) {
		if !found || u > best {
			best, found = u, true
		}
	}
	switch {
	case missing.subsets != nil:
		for m := range missing.subsets {
			if foreign.holds(sum{m.requests + surplus.requests, m.tokens + surplus.tokens}, counts) {
				try(m.tokens)
			}
		}
	case foreign.open:
		if missing.most+surplus.tokens >= 0 {
			try(missing.most)
		}
	case foreign.subsets != nil:
		for f := range foreign.subsets {
			if u := f.tokens - surplus.tokens; u >= 0 && u <= missing.most {
				try(u)
			}
		}
	default:
		if u := math.Min(missing.most, foreign.most-surplus.tokens); u >= 0 && u+surplus.tokens >= 0 {
			try(u)
		}
	}
	return best, found
}
