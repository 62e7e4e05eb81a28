package generator

import (
	"cmp"
	"slices"
	"time"
)

// A scrape is one fetch of one endpoint.
type scrape struct {
	ts        int64 // ns, first byte: the timestamp of all its samples
	delivered int64 // ns, when the collector tags it
	latency   int64 // ns, from request to first byte
	tag       phase
	forced    phase // the end-of-warmup scrape and the final one are tagged whenever they arrive
}

// A clock is the schedule of a run: the same for every endpoint but for skew
// and latency.
type clock struct {
	spec     Spec
	phases   phases
	baseline int64 // ns, the scrape at configure time
	begin    int64 // ns, start of the loop
}

func newClock(s Spec, p phases) clock {
	begin := p.s
	if p.warm() {
		begin = p.w0
	}
	begin -= int64(500 * time.Millisecond)
	return clock{s, p, begin - int64(1500*time.Millisecond), begin}
}

// schedule returns the scrapes of the endpoint, untagged, in the order in
// which they are sent.
func (c clock) schedule(endpoint int) []scrape {
	rng := layerRand(c.spec.Seed, 1000+uint64(endpoint))
	lo := int64(c.spec.Collector.Latency[0])
	span := int64(c.spec.Collector.Latency[1]) - lo + 1
	var out []scrape
	send := func(at int64, forced phase) {
		latency := lo + rng.Int64N(span)
		out = append(out, scrape{at + latency, at + latency + int64(200*time.Microsecond), latency, untagged, forced})
	}
	skew := int64(0)
	if endpoint < len(c.spec.Collector.Skew) {
		skew = int64(c.spec.Collector.Skew[endpoint])
	}
	interval := int64(c.spec.Collector.Interval)
	out = make([]scrape, 0, (c.phases.e-c.begin)/interval+4)
	send(c.baseline+skew, untagged)
	for at := c.begin + skew; at < c.phases.e; at += interval {
		send(at, untagged)
	}
	if c.phases.warm() && c.spec.Collector.Version != V10 {
		send(c.phases.w1, warmup)
	}
	send(c.phases.e+int64(c.spec.Collector.Final), profiling)
	return out
}

// arrive sorts the scrapes by timestamp, as the storage does, and tags each by
// the phase that was active when it was delivered.
func (c clock) arrive(list []scrape) {
	idle := c.phases.w1 // from here to S no phase is active
	for _, s := range list {
		if s.forced == warmup {
			idle = max(idle, s.delivered)
		}
	}
	for i := range list {
		s := &list[i]
		switch {
		case s.forced != untagged:
			s.tag = s.forced
		case s.delivered >= c.phases.s:
			s.tag = profiling
		case c.phases.warm() && s.delivered >= c.phases.w0 && s.delivered < idle:
			s.tag = warmup
		}
	}
	slices.SortStableFunc(list, func(a, b scrape) int { return cmp.Compare(a.ts, b.ts) })
}

// A track is what the collector stored of one endpoint.
type track struct {
	endpoint *endpoint
	scrapes  []scrape
	changed  []bool // whether the body differed from the one before
	ts       []int64
	tags     []phase
	values   [][]int64 // of each of the endpoint's series, scrape by scrape

	parts [][][]int64 // of a histogram's count and buckets; values has its sum
}

// sample reads the endpoint's series at every scrape.
func sample(f *fleet, e *endpoint, scrapes []scrape) *track {
	n := len(scrapes)
	t := &track{endpoint: e, scrapes: scrapes, changed: make([]bool, n), ts: make([]int64, n), tags: make([]phase, n)}
	for i, s := range scrapes {
		t.ts[i], t.tags[i] = s.ts, s.tag
	}
	columns := map[int][]int64{} // a unit's counters, scrape by scrape
	for i := range e.series {
		ref := &e.series[i]
		for _, u := range ref.units {
			if columns[u] == nil {
				columns[u] = f.units[u].read(f.countersOf(u), t)
			}
		}
		t.values = append(t.values, ref.values(columns, n))
		var parts [][]int64
		for i := range ref.def.hist.parts() {
			part := *ref
			part.counter += 1 + i
			parts = append(parts, part.values(columns, n))
		}
		t.parts = append(t.parts, parts)
	}
	return t
}

// values adds up a series' units, or lays out its hand-made values.
func (ref *seriesRef) values(columns map[int][]int64, n int) []int64 {
	if ref.made != nil {
		return hold(ref.made, n)
	}
	column := func(u int) []int64 { return columns[u][ref.counter*n : (ref.counter+1)*n] }
	if len(ref.units) == 1 {
		return column(ref.units[0])
	}
	out := make([]int64, n)
	for _, u := range ref.units {
		for i, v := range column(u) {
			out[i] += v
		}
	}
	return out
}

// read returns the unit's counters at every scrape, counter by counter, and
// marks the scrapes at which the unit had refreshed.
func (u *unit) read(counters []counterDef, t *track) []int64 {
	n := len(t.ts)
	out, now := make([]int64, len(counters)*n), make([]int64, len(counters))
	next, last := 0, int64(-1)
	for i, ts := range t.ts {
		at := u.shown(ts)
		if i == 0 || at != last {
			t.changed[i] = true
		}
		last = at
		for ; next < len(u.events) && u.events[next].at <= at; next++ {
			e := u.events[next]
			if e.counter == reset {
				clear(now)
				continue
			}
			if counters[e.counter].gauge != nil {
				now[e.counter] = e.n
			} else {
				now[e.counter] += e.n
			}
		}
		for c, v := range now {
			if g := counters[c].gauge; g != nil && g.of != nil {
				v = g.of(now)
			}
			out[c*n+i] = v
		}
	}
	return out
}

// hold lays hand-made values over n scrapes; past their end the last one stays.
func hold(made []point, n int) []int64 {
	out := make([]int64, n)
	for i := range out {
		out[i] = made[min(i, len(made)-1)].v
	}
	return out
}

// series returns the samples of the endpoint's i-th series: those of the
// scrapes in which it stood.
func (t *track) series(i int) samples { return t.column(i, t.values[i]) }

// column returns the samples of one of the series' columns: its values, or
// those of a part of a histogram.
func (t *track) column(i int, values []int64) samples {
	ref := &t.endpoint.series[i]
	all := samples{t.ts, t.tags, values}
	if ref.born == 0 && ref.died == 0 && ref.made == nil && !ref.def.lazy {
		return all
	}
	unborn := t.values[i] // a child without events: 0, of a histogram its count
	if ref.def.hist != nil {
		unborn = t.parts[i][0]
	}
	var out samples
	for k, ts := range t.ts {
		gone := ts < ref.born || ref.died > 0 && ts >= ref.died
		if ref.made != nil && ref.made[min(k, len(ref.made)-1)].absent || ref.def.lazy && unborn[k] == 0 {
			gone = true
		}
		if !gone {
			out.ts, out.tag, out.v = append(out.ts, ts), append(out.tag, t.tags[k]), append(out.v, values[k])
		}
	}
	return out
}

// lastUpdate is the timestamp of the last scrape with a new body.
func (t *track) lastUpdate() int64 {
	for i := len(t.ts) - 1; i >= 0; i-- {
		if t.changed[i] {
			return t.ts[i]
		}
	}
	return 0
}

// forced is the timestamp of the end-of-warmup scrape, 0 without one.
func (t *track) forced() int64 {
	for _, s := range t.scrapes {
		if s.forced == warmup {
			return s.ts
		}
	}
	return 0
}
