package report

import (
	"fmt"

	"github.com/pdreplay/pdreplay/replay"
)

// sold writes what each answer asks of the consumer, then what all runs of an
// adapter ask as one sweep.
func (t *Text) sold(s replay.Summary) {
	if len(t.prices) == 0 {
		return
	}
	width := len("sweep of 000 runs")
	for _, r := range t.prices {
		width = max(width, len(r.Run))
	}
	row := func(run, adapter, app, guarded string) {
		t.line("%-*s  %-*s  %-7s  %s", width, run, t.names, adapter, app, guarded)
	}
	t.line("")
	row("input price, full = 1", "adapter", "app", "guarded")
	for _, r := range t.prices {
		guarded := "unpriced, " + r.Price.Unpriced
		if g := r.Price.Guarded; g != nil {
			guarded = price(g)
		}
		row(r.Run, string(r.Adapter), price(&r.Price.App), guarded)
	}
	for _, sweep := range s.Sweeps {
		if len(sweep.Runs) < 2 {
			continue
		}
		row(fmt.Sprintf("sweep of %d runs", len(sweep.Runs)), string(sweep.Adapter), along(sweep.App), guardedAlong(sweep.Guarded))
	}
}

func price(p *replay.Rate) string {
	if p == nil {
		return "unpriced"
	}
	return fmt.Sprintf("%.4f", float64(*p))
}

// along is the prices of a sweep from its cheapest to its dearest point.
func along(prices []replay.Rate) string {
	lo, hi := prices[0], prices[0]
	for _, p := range prices {
		lo, hi = min(lo, p), max(hi, p)
	}
	if lo == hi {
		return price(&lo)
	}
	return price(&lo) + ".." + price(&hi)
}

func guardedAlong(prices []*replay.Rate) string {
	var priced []replay.Rate
	for _, p := range prices {
		if p != nil {
			priced = append(priced, *p)
		}
	}
	if len(priced) == 0 {
		return "unpriced"
	}
	text := along(priced)
	if n := len(prices) - len(priced); n > 0 {
		text += fmt.Sprintf(", %d unpriced", n)
	}
	return text
}
