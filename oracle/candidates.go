package oracle

import (
	"math"
	"slices"

	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// A request is one record that may be missing from the ledger, or foreign to it.
type request struct {
	line   int
	tokens float64
	why    string
}

// grace is how long AIPerf waits after the configured duration before it
// cancels what is in flight.
const grace = 30.0

// bracket is the time in which a request's prompt was counted. An engine that
// counts at the admission does so from the request's start to its first token,
// or to its end; one that counts at the finish, up to the end. A failed or
// cancelled request may have been counted at any time after its start.
// request_ack_ns bounds nothing: a 200 can precede a queue.
func (e engine) bracket(r aiperf.Record) (from, to int64) {
	from, to = math.MinInt64, math.MaxInt64
	if r.Start != aiperf.NoTime {
		from = r.Start
	}
	if r.Failed || r.Cancelled {
		return from, to
	}
	if ttft, ok := r.TTFT.Float(); ok && ttft >= 0 && r.Start != aiperf.NoTime && !e.atFinish {
		return from, r.Start + int64(math.Ceil(ttft*1e6))
	}
	if r.End != aiperf.NoTime {
		to = r.End
	}
	return from, to
}

// missing are the requests that the ledger may lack.
func (ev *Evidence) missing(l ledger) []request {
	var out []request
	for _, r := range ev.run.Records.List {
		if !r.Successful() {
			continue
		}
		from, to := ev.engine.bracket(r)
		prompt, _ := r.PromptTokens.Float()
		switch {
		case from < l.t1:
			out = append(out, request{r.Line, prompt, "may have been admitted before the reference scrape"})
		case to > l.te-ev.lag:
			out = append(out, request{r.Line, prompt, "may have been admitted too late for the last scrape"})
		}
	}
	return out
}

// foreign is what the ledger may hold beside the requests, and the rows that
// it may come from.
func (ev *Evidence) foreign(l ledger) (side, []request) {
	w := ev.warmupRequests(l)
	s := newSide(w.late, w.limit)
	if w.anySubset {
		// The aggregate gives a count and a sum, no rows: any part may be late.
		s = side{most: w.total.tokens}
		if w.limit != nil {
			s.most = math.Min(s.most, w.limit.tokens)
		}
		if s.most == 0 {
			s.subsets = map[sum]bool{{}: true}
		}
	}
	if w.exactly != nil {
		s = side{fixed: *w.exactly, subsets: map[sum]bool{{}: true}}
	}
	s.open = ev.unrecorded() != ""
	return s, w.late
}

// A warmup is what is known of the requests before the window.
type warmup struct {
	late      []request // rows that may have become visible after the reference
	total     sum       // of all of them
	known     bool      // there are rows, or an aggregate
	anySubset bool      // only the aggregate: no rows
	shown     bool      // the last scrape must show all of it
	failed    bool
	limit     *sum // the warmup ledger: no more than this leaked
	exactly   *sum // in the 1.0.11 shape: this leaked
}

func (ev *Evidence) warmupRequests(l ledger) warmup {
	w := warmup{shown: true}
	for _, r := range ev.run.Records.List {
		if !r.Warmup {
			continue
		}
		prompt, ok := r.PromptTokens.Float()
		w.known = true
		w.failed = w.failed || r.Failed || r.Cancelled || !ok
		w.total.requests++
		w.total.tokens += prompt
		_, to := ev.engine.bracket(r)
		w.shown = w.shown && to <= l.te-ev.lag
		if to > l.t0-ev.lag {
			w.late = append(w.late, request{r.Line, prompt, "is warmup and may have become visible in the window"})
		}
	}
	if a := ev.run.Aggregate; !w.known && a != nil && a.Warmup != nil {
		count, ok1 := a.Warmup.RequestCount.Float()
		prompt, ok2 := a.Warmup.UsagePromptTokens.Float()
		errors, _ := a.Warmup.ErrorRequestCount.Float()
		w.known = ok1 && ok2
		w.anySubset, w.failed = w.known, errors > 0
		w.total = sum{int(count), prompt}
		w.shown = ev.warmupEnd() <= l.te-ev.lag
	}
	ev.warmupLedger(l, &w)
	return w
}

// warmupLedger limits what leaked out of the warmup by what warmup_metrics
// did not see of it.
func (ev *Evidence) warmupLedger(l ledger, w *warmup) {
	requests, full := warmupSum(ev.read.requests), warmupSum(ev.read.tokens)
	if !ev.engine.countsTogether {
		requests = float64(w.total.requests) // moves at the finish: says nothing
		if full != w.total.tokens {
			requests-- // tokens leaked, of at least one request
		}
	}
	k, f := float64(w.total.requests)-requests, w.total.tokens-full
	if !w.known || w.failed || !(k >= 0 && f >= 0) || (k == 0) != (f == 0) || ev.scrapedInBothPhases(l) {
		return
	}
	leaked := sum{int(k), f}
	if !ev.engine.countsTogether {
		leaked.requests = w.total.requests
	}
	switch {
	case l.legacy && w.shown:
		w.exactly = &leaked
	default:
		w.limit = &leaked
	}
}

// warmupSum adds up a counter over warmup_metrics, NaN when a series is not there.
func warmupSum(c counted) float64 {
	var total float64
	for _, l := range c.rows {
		total += l.warmup
	}
	if len(c.rows) == 0 {
		return math.NaN()
	}
	return total
}

// scrapedInBothPhases reports whether a scrape may have been counted as warmup
// and as profiling.
func (ev *Evidence) scrapedInBothPhases(l ledger) bool {
	if !l.legacy {
		limit := ev.window.Start
		for _, row := range ev.read.full.rows {
			limit = min(limit, row.slices[0].Start)
		}
		return ev.warmupEnd() > limit
	}
	endpoints := map[string]bool{}
	for _, row := range ev.read.full.rows {
		endpoints[row.series.Endpoint] = true
	}
	if len(endpoints) == 1 {
		return false
	}
	for _, r := range ev.run.Records.List {
		if from, _ := ev.engine.bracket(r); r.Successful() && from < l.t1 {
			return true
		}
	}
	return false
}

// unrecorded says why the server may have counted requests that the client did
// not record, "" when it cannot.
func (ev *Evidence) unrecorded() string {
	// A tenth of a second either way decides nothing: a run that came so near
	// its limit may have been cut at it.
	if limit, ok := ev.configuredDuration(); ok && float64(ev.window.End-ev.window.Start)/1e9 >= limit+grace-0.1 {
		return "the run lasted its configured duration and grace: requests in flight were cancelled without a record"
	}
	rows := false
	for _, r := range ev.run.Records.List {
		if r.Failed || r.Cancelled {
			return "a failed or cancelled request may have been counted"
		}
		rows = rows || r.Warmup
	}
	export := ev.run.Metrics()
	aggregate := ev.run.Aggregate != nil && ev.run.Aggregate.Warmup != nil
	if aggregate && !rows {
		if errors, ok := ev.run.Aggregate.Warmup.ErrorRequestCount.Float(); ok && errors > 0 {
			return "a failed warmup request may have been counted"
		}
	}
	if (export.Warmup != nil || export.HasWarmup) && !rows && !aggregate {
		return "a warmup ran of which there is no record"
	}
	if p := ev.engine.preemptions; p != nil && ev.moved(*p) {
		return p.spellings[0] + " moved: prompts were admitted again"
	}
	return ""
}

func (ev *Evidence) configuredDuration() (float64, bool) {
	if d, ok := ev.run.Metrics().BenchmarkDuration.Float(); ok {
		return d, true
	}
	if ev.run.Aggregate == nil {
		return 0, false
	}
	return ev.run.Aggregate.BenchmarkDuration.Float()
}

// moved reports whether a counter of an accounted worker is not known to have
// stood still.
func (ev *Evidence) moved(c counter) bool {
	for _, f := range ev.run.Metrics().Metrics {
		if !slices.Contains(c.spellings, f.Name) {
			continue
		}
		for i := range f.Series {
			total, ok := f.Series[i].Stats.Total.Float()
			worker := ev.roles.worker(&f.Series[i])
			if slices.Contains(ev.roles.accounted, worker) && (!ok || total != 0) {
				return true
			}
		}
	}
	return false
}
