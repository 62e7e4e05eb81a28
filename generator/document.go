package generator

import (
	"slices"
	"strings"

	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// document makes the server metrics export of what the collector stored.
func document(s Spec, h shape, tracks []*track) *aiperf.Document {
	d := &aiperf.Document{
		SchemaVersion: "1.1", AIPerfVersion: h.aiperfVersion(), BenchmarkID: uuid(layerRand(s.Seed, 4)),
		Start: h.phases.s, End: h.phases.e, Ranges: h.version != V10,
		Profiling: &aiperf.Range{Start: h.phases.s, End: h.phases.e},
		Config:    config(s, h),
	}
	if h.version == V10 {
		d.SchemaVersion = "1.0"
	}
	var metrics, warm families
	warmEnd := h.phases.w1
	for _, t := range tracks {
		d.Configured = append(d.Configured, t.endpoint.url)
		last, forced := t.lastUpdate(), t.forced()
		shown := false
		for i := range t.endpoint.series {
			def := t.endpoint.series[i].def
			s := aiperf.MetricSeries{Endpoint: t.endpoint.url, Labels: def.labels}
			profiled := t.statistics(i, &s, func(s samples) (samples, window, bool) { return h.profiling(s, last) })
			if profiled {
				metrics.add(def, s)
				shown = true
			}
			s = aiperf.MetricSeries{Endpoint: t.endpoint.url, Labels: def.labels}
			if t.statistics(i, &s, func(s samples) (samples, window, bool) { return h.warmup(s, forced) }) {
				warm.add(def, s)
			}
		}
		if shown {
			d.Endpoints = append(d.Endpoints, t.summary(h))
		}
		if h.version == V1012 {
			for i, tag := range t.tags {
				if tag == warmup {
					warmEnd = max(warmEnd, t.ts[i])
				}
			}
		}
	}
	d.Successful = d.Configured
	if h.phases.warm() {
		d.Warmup = &aiperf.Range{Start: h.phases.w0, End: warmEnd}
	}
	slices.SortFunc(d.Endpoints, func(a, b aiperf.EndpointSummary) int { return strings.Compare(a.URL, b.URL) })
	d.Metrics, d.WarmupMetrics = metrics.list, warm.list
	aiperf.SortFamilies(d.Metrics)
	aiperf.SortFamilies(d.WarmupMetrics)
	return d
}

// families collects series by the name of their family.
type families struct {
	list  []aiperf.MetricFamily
	index map[string]int
}

func (f *families) add(def counterDef, s aiperf.MetricSeries) {
	i, ok := f.index[def.name]
	if !ok {
		if f.index == nil {
			f.index = map[string]int{}
		}
		i = len(f.list)
		f.index[def.name] = i
		f.list = append(f.list, aiperf.MetricFamily{Name: def.name, Type: def.kind(), Help: def.help, Unit: def.unit})
	}
	f.list[i].Series = append(f.list[i].Series, s)
}

// statistics fills in what the collector makes of the endpoint's i-th series in
// one phase. It is false when the series is left out.
func (t *track) statistics(i int, out *aiperf.MetricSeries, phase func(samples) (samples, window, bool)) bool {
	def := t.endpoint.series[i].def
	s, w, ok := phase(t.series(i))
	if !ok {
		return false
	}
	switch {
	case def.gauge != nil:
		return def.gauge.statistics(s, w, out)
	case def.hist != nil:
		parts := []samples{s}
		for _, column := range t.parts[i] {
			part, _, _ := phase(t.column(i, column)) // the same samples: only timestamps and tags decide
			parts = append(parts, part)
		}
		return def.hist.statistics(parts, w, out)
	}
	st, ok := counter(s, w)
	if !ok {
		return false
	}
	out.Stats, out.Sliced, out.Slices = st.stats(), w.l > 0, st.slices
	return true
}

// aiperfVersion is what the collector's package says of itself.
func (h shape) aiperfVersion() string {
	switch h.version {
	case V10:
		return "0.11.0"
	case Upstream:
		return "0.12.0"
	}
	return h.version
}

// summary is the endpoint's entry in endpoint_info. The newer collector
// restricts it to the scrapes of the phase.
func (t *track) summary(h shape) aiperf.EndpointSummary {
	e := aiperf.EndpointSummary{URL: t.endpoint.url}
	latency := int64(0)
	var updates []int64
	for i, s := range t.scrapes {
		if h.version == V1012 && h.byTag && s.tag != profiling {
			continue
		}
		if e.Fetches == 0 {
			e.FirstFetch = s.ts
		}
		e.Fetches++
		e.LastFetch = s.ts
		latency += s.latency
		if t.changed[i] {
			updates = append(updates, s.ts)
		}
	}
	if e.Fetches > 0 {
		e.Latency = float64(latency) / float64(e.Fetches) / 1e6
	}
	e.Updates = len(updates)
	if len(updates) == 0 {
		return e
	}
	e.FirstUpdate, e.LastUpdate = updates[0], updates[len(updates)-1]
	span := e.LastUpdate - e.FirstUpdate
	e.Seconds = float64(span) / 1e9
	if len(updates) > 1 {
		e.AvgUpdate = float64(span) / float64(len(updates)-1) / 1e6
		e.MedianUpdate = aiperf.NumberValue(medianStep(updates))
	}
	return e
}

// medianStep is the median distance of neighbours, in ms.
func medianStep(ts []int64) float64 {
	steps := make([]int64, len(ts)-1)
	for i := range steps {
		steps[i] = ts[i+1] - ts[i]
	}
	slices.Sort(steps)
	m := len(steps) / 2
	if len(steps)%2 == 1 {
		return float64(steps[m]) / 1e6
	}
	return float64(steps[m-1]+steps[m]) / 2 / 1e6
}

// config is what the user had set, as far as a reader asks for it.
func config(s Spec, h shape) aiperf.Config {
	c := aiperf.Config{Model: model, Slice: float64(h.slice) / 1e9, Duration: float64(s.Duration) / 1e9, Concurrency: 1}
	t, _ := parseTopology(s.Topology)
	front := s.address(t, 0, 0)
	if s.Dynamo || s.Engine == DYNAMO {
		front = frontAddress
	} else if t.decode > 0 || t.unified > 1 {
		front = "router:9000"
	}
	c.URLs = []string{"http://" + front}
	if s.Profiling != nil {
		c.Concurrency = max(s.Profiling.Concurrency, 1)
		c.Requests = s.Profiling.Requests
	}
	return c
}
