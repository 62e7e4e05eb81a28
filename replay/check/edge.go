package check

import "slices"

// Edges of the window.
const (
	start = "S"
	end   = "E"
)

// edges says which edge of the window a fault changes the counts or the
// evidence at. A fault that is not listed acts inside the window, on all of
// it, or beside it. Bugs live where two meet: what one leaks in can be what the
// other loses.
func edges() map[string][]string {
	return map[string][]string{
		"compensation":         {start, end},
		"split-snapshot":       {start, end},
		"stale-snapshot":       {start, end},
		"warmup-error":         {start},
		"zero-before-snapshot": {start},
		"no-warmup-scrape":     {start},
		"scrape-gap-at-start":  {start},
		"slow-scrape":          {start},
		"slow-warmup-scrape":   {start},
		"leading-gap":          {start},
		"offload-leading-gap":  {start},
		"requests-leading-gap": {start},
		"no-warmup-metrics":    {start},
		"no-warmup-rows":       {start},
		"phase-missing-warmup": {start},
		"cancelled-tail":       {end},
		"slice-over-end":       {end},
		"no-final-scrape":      {end},
		"scrape-gap-at-end":    {end},
		"trailing-gap":         {end},
		"frozen-counters":      {end},
		"vanished-series":      {end},
	}
}

// meet reports whether two faults act at the same edge.
func meet(a, b string) bool {
	table := edges()
	return slices.ContainsFunc(table[a], func(e string) bool { return slices.Contains(table[b], e) })
}
