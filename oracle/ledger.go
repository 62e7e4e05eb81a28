package oracle

import (
	"fmt"
	"math"
	"slices"

	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// A ledger is everything that the accounted endpoints' counters made visible
// from the last scrape before the window to the last scrape of all
// (oracle.md, "The ledger M").
type ledger struct {
	shape string // which collector shape it was read as

	requests, tokens, full float64
	tiers                  []float64 // as in reading.tiers

	t0     int64 // reference: the last scrape before the window is not later than this
	t1     int64 // front limit: an admission before this may have been seen before the reference
	te     int64 // earliest last scrape of the accounted endpoints
	legacy bool  // 1.0.11: the warmup total was subtracted
}

const second = int64(1e9)

// ledgers returns the ways in which the export can be read as a ledger: one,
// or two where the collector's shape is not certain. The text says why there
// is none.
func (ev *Evidence) ledgers() ([]ledger, string) {
	r := ev.read
	all := []counted{r.full, r.tiers[0], r.tokens}
	for _, t := range r.tiers[1:] {
		if t.known() { // an unknown tier widens its own rates only
			all = append(all, t)
		}
	}
	if ev.engine.countsTogether {
		all = append(all, r.requests)
	}
	var rows []*layout
	for _, c := range all {
		if !c.known() || len(c.twice) > 0 {
			return nil, c.name + " is unknown"
		}
		rows = append(rows, c.rows...)
	}
	for _, l := range rows {
		if why := ev.unreferenced(l); why != "" {
			return nil, fmt.Sprintf("%s %s %s", l.family, l.where(), why)
		}
	}
	te, why := ev.lastScrape(rows)
	if why != "" {
		return nil, why
	}
	var out []ledger
	for _, l := range ev.shapes(rows) {
		l.te = te
		l.full, l.tokens = l.sum(r.full), l.sum(r.tokens)
		known := l.full + l.tokens
		for _, t := range r.tiers {
			l.tiers = append(l.tiers, l.sum(t))
			known += l.sum(t)
		}
		if ev.engine.countsTogether {
			l.requests = l.sum(r.requests)
		}
		if !math.IsNaN(known + l.requests) {
			out = append(out, l)
		}
	}
	if len(out) == 0 {
		return nil, "the first slices fit no shape of the collector, or hold a warmup that warmup_metrics does not give"
	}
	return out, ""
}

// sum is one counter of the ledger, NaN when a part of it is unknown.
func (l ledger) sum(c counted) float64 {
	var total float64
	for _, row := range c.rows {
		total += row.total
		if l.legacy {
			total -= row.warmup
		}
	}
	return total
}

// unreferenced says why stats.total of a series does not count from a scrape
// before the window, "" when it does.
func (ev *Evidence) unreferenced(l *layout) string {
	switch {
	case l.broken(), l.has(flawTotal):
		return "cannot be laid over the window"
	case !finite(l.total):
		return "has no stats.total"
	case l.sum > l.total:
		return "has slices that sum to more than stats.total: the counter was reset"
	case l.total > l.sum, !math.IsNaN(l.warmup):
		return ""
	}
	if ev.engine.lateBorn {
		return "has no reference: it may have been born in the window, and its first value is lost"
	}
	if info := ev.endpointInfo(l.series.Endpoint); info != nil && info.FirstFetch != aiperf.NoTime && info.FirstFetch < ev.window.Start {
		return ""
	}
	return "has no reference: nothing shows a scrape before the window"
}

func (ev *Evidence) endpointInfo(url string) *aiperf.EndpointInfo {
	infos := ev.run.Metrics().EndpointInfo
	i := slices.IndexFunc(infos, func(i aiperf.EndpointInfo) bool { return i.URL == url })
	if i < 0 {
		return nil
	}
	return &infos[i]
}

// lastScrape is the earliest of the endpoints' last scrapes.
func (ev *Evidence) lastScrape(rows []*layout) (int64, string) {
	te := int64(math.MaxInt64)
	for _, l := range rows {
		info := ev.endpointInfo(l.series.Endpoint)
		if info == nil || info.LastFetch == aiperf.NoTime {
			return 0, "summary.endpoint_info does not give the last scrape of " + l.series.Endpoint
		}
		te = min(te, info.LastFetch)
	}
	return te, ""
}

// shapes are the rows of oracle.md's table that the first slices fit.
func (ev *Evidence) shapes(rows []*layout) []ledger {
	s := ev.window.Start
	warmupEnd := ev.warmupEnd()
	first := int64(math.MaxInt64)
	after, conserving := false, true
	for _, l := range rows {
		start := l.slices[0].Start
		first = min(first, start)
		after = after || start > s
		conserving = conserving && l.sum == l.total
	}
	tagged := ledger{shape: "slices from each series' first profiling scrape (1.0.12)", t0: s, t1: max(s, warmupEnd)}
	switch {
	case first >= s && !after:
		return []ledger{{shape: "slices from S (upstream)", t0: s, t1: s}}
	case first >= s:
		return []ledger{tagged}
	}
	tagged.t0 = first
	tagged.shape = "slices from each series' first profiling scrape, one of them slow (1.0.12)"
	legacy := ledger{shape: "the first slice holds the warmup (1.0.11)", legacy: true, t0: min(s, warmupEnd), t1: warmupEnd + second}
	version := ev.run.Env["AGENTX_HARNESS_VERSION"]
	var out []ledger
	if conserving && (version == "" || !modernHarness(version)) {
		out = append(out, legacy)
	}
	if alone(rows) && (version == "" || modernHarness(version)) {
		out = append(out, tagged)
	}
	return out
}

// alone reports whether no two endpoints begin at the same instant.
func alone(rows []*layout) bool {
	starts := map[int64]string{}
	for _, l := range rows {
		if e, ok := starts[l.slices[0].Start]; ok && e != l.series.Endpoint {
			return false
		}
		starts[l.slices[0].Start] = l.series.Endpoint
	}
	return true
}

// warmupEnd is the end of the warmup phase, S where the export gives none.
func (ev *Evidence) warmupEnd() int64 {
	if w := ev.run.Metrics().Warmup; w != nil && w.End != aiperf.NoTime {
		return w.End
	}
	return ev.window.Start
}

// text lists what the ledger holds.
func (l ledger) text(r reading) string {
	text := "FULL " + tokens(l.full)
	for i, t := range r.tiers {
		text += fmt.Sprintf(", %s %s", t.name, tokens(l.tiers[i]))
	}
	if r.tokens.name != r.full.name {
		text += fmt.Sprintf(", %s %s", r.tokens.name, tokens(l.tokens))
	}
	return text + fmt.Sprintf(", %s %s", r.requests.name, tokens(l.requests))
}
