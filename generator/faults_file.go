package generator

import (
	"slices"
	"strings"

	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// fileKinds are faults of the exported statistics. They change the finished
// document; the totals stay what the collector made of them unless the fault
// says otherwise.
func fileKinds() []Kind {
	gap := func(slug string, p part, doc string, cut func(n int, size int64) (lo, hi int)) Kind {
		return Kind{Slug: slug, Layer: LayerFile, Tag: Visible, Doc: doc, needs: needsSlices,
			Unit: "slices", Default: 1, Least: 1, Most: 1000, inject: func(b *build, size int64) {
				b.each(p, func(s *aiperf.MetricSeries) {
					if lo, hi := cut(len(s.Slices), size); lo < hi {
						s.Slices = slices.Delete(slices.Clone(s.Slices), lo, hi)
					}
				})
			}}
	}
	interior := func(n int, size int64) (int, int) {
		lo := n / 2
		return lo, max(lo, min(n-1, lo+int(size)))
	}
	leading := func(n int, size int64) (int, int) { return 0, min(n, int(size)) }
	trailing := func(n int, size int64) (int, int) { return max(0, n-1-int(size)), n } // the slice over E is no part of the window
	value := func(slug, doc string, v aiperf.Value) Kind {
		return Kind{Slug: slug, Layer: LayerFile, Tag: Visible, Doc: doc, needs: needsSlices, inject: func(b *build, _ int64) {
			b.sliceValue(cached, v)
		}}
	}
	total := func(slug, doc string, v aiperf.Value) Kind {
		return Kind{Slug: slug, Layer: LayerFile, Tag: Visible, Doc: doc, inject: func(b *build, _ int64) {
			b.each(full, func(s *aiperf.MetricSeries) {
				if at := valueAt(s); at < len(s.Stats) {
					s.Stats = slices.Clone(s.Stats)
					s.Stats[at].Value = v
				}
			})
		}}
	}
	absent := func(slug string, p part, engines []string, doc string) Kind {
		return Kind{Slug: slug, Layer: LayerFile, Tag: Visible, Engines: engines, Doc: doc, inject: func(b *build, _ int64) {
			b.remove(p, func(string) bool { return true })
		}}
	}
	atomOnly := []string{ATOM}
	eager := []string{ATOM, VLLM} // an absent child of the others is one without a hit
	kinds := []Kind{
		gap("interior-gap", full, "rule 6: FULL lacks slices in the middle", interior),
		gap("leading-gap", full, "rule 6: FULL lacks its first slices", leading),
		gap("trailing-gap", full, "rule 6: FULL lacks its last slices", trailing),
		gap("cached-gap", cached, "rule 6: CACHED lacks slices in the middle", interior),
		gap("offload-leading-gap", offload, "rule 6: OFFLOAD lacks its first slices", leading),
		gap("requests-gap", requests, "rule 13: REQUESTS lacks slices in the middle", interior),
		gap("requests-leading-gap", requests, "rule 13: REQUESTS lacks its first slices", leading),
		gap("loaded-gap", loaded, "rule 13: LOADED lacks slices in the middle", interior),
		value("slice-absent", "rule 6: a slice of CACHED has no total", aiperf.Value{}),
		value("slice-null", "rule 6: a slice of CACHED has the total null", aiperf.NullValue()),
		value("slice-nan", "rule 6: a slice of CACHED has the total NaN", aiperf.OtherValue("NaN")),
		value("slice-text", `rule 6: a slice of CACHED has the total "80"`, aiperf.OtherValue(`"80"`)),
		value("slice-negative", "rule 6: a slice of CACHED has a negative total", aiperf.NumberValue(-50)),
		total("total-null", "stats.total of FULL is null", aiperf.NullValue()),
		total("total-absent", "stats.total of FULL is missing", aiperf.Value{}),
		absent("full-absent", full, atomOnly, "rule 10: FULL is missing everywhere"),
		absent("compute-absent", full, []string{VLLM}, "the source local_compute is missing everywhere, so the sources do not sum to the prompts"),
		absent("cached-absent", cached, append(eager, DYNAMO), "rule 10: CACHED is missing everywhere"),
		absent("requests-absent", requests, nil, "rule 14: REQUESTS is missing everywhere"),
		absent("offload-absent", offload, atomOnly, "rule 12: OFFLOAD is missing everywhere though a tier is declared"),
	}
	for i := range kinds {
		switch kinds[i].Slug {
		case "loaded-gap":
			kinds[i].Engines = atomOnly
		case "offload-leading-gap":
			kinds[i].needs = all(needsSlices, needsOffload, needsGenBOrVLLM)
		case "offload-absent": // it looks like generation A, whose CACHED holds the CPU tier
			kinds[i].needs, kinds[i].Tag = all(needsGenB, needsOffload), Silent
		}
	}
	return append(kinds, []Kind{
		{Slug: "cached-above-full", Layer: LayerFile, Tag: Visible, Engines: atomOnly, Doc: "rule 9: a slice of CACHED holds more than all of FULL, the total too", needs: needsSlices, inject: (*build).overfill},
		{Slug: "cached-partial", Layer: LayerFile, Tag: Visible, Engines: eager, Doc: "rule 10: CACHED stands on all accounted endpoints but the first", needs: all(needsAccounted(2), oneWorkerAnEndpoint), inject: func(b *build, _ int64) {
			b.remove(cached, func(url string) bool { return url == b.endpoints[0].url })
		}},
		{Slug: "no-ranges", Layer: LayerFile, Tag: Visible, Doc: "the export has no phase_time_ranges", inject: func(b *build, _ int64) { b.doc.Profiling, b.doc.Warmup, b.doc.Ranges = nil, nil, false }},
		{Slug: "no-timeslices", Layer: LayerFile, Tag: Visible, Doc: "rule 6: FULL has no timeslices", inject: func(b *build, _ int64) {
			b.each(full, func(s *aiperf.MetricSeries) { s.Sliced, s.Slices = false, nil })
		}},
		{Slug: "no-warmup-metrics", Layer: LayerFile, Tag: Visible, Doc: "rule 7: the export has no warmup_metrics", needs: needsWarmup, inject: func(b *build, _ int64) { b.doc.WarmupMetrics = nil }},
		{Slug: "overlapping-slices", Layer: LayerFile, Tag: Visible, Doc: "rule 6: a slice of FULL begins before the one ahead of it ends", needs: needsSlices, inject: func(b *build, _ int64) {
			b.slice(full, func(t *aiperf.Timeslice) { t.Start -= (t.End - t.Start) / 2 })
		}},
		{Slug: "slice-edge-absent", Layer: LayerFile, Tag: Visible, Doc: "rule 6: a slice of FULL has no end_ns", needs: needsSlices, inject: func(b *build, _ int64) {
			b.slice(full, func(t *aiperf.Timeslice) { t.End = aiperf.NoTime })
		}},
		{Slug: "slice-reversed", Layer: LayerFile, Tag: Visible, Doc: "rule 6: a slice of FULL ends before it begins", needs: needsSlices, inject: func(b *build, _ int64) {
			b.slice(full, func(t *aiperf.Timeslice) { t.Start, t.End = t.End, t.Start })
		}},
		{Slug: "totals-only", Layer: LayerFile, Tag: Visible, Doc: "only the CSV was written: no slices, no window", inject: func(b *build, _ int64) { b.json = false }},
	}...)
}

func needsGenBOrVLLM(s Spec) string {
	if s.Generation == GenA {
		return "a generation that exports OFFLOAD"
	}
	return ""
}

// plays reports whether the series is the part on an accounted worker.
func (b *build) plays(p part, family string, s *aiperf.MetricSeries) bool {
	if !b.accounted(s) {
		return false
	}
	for _, c := range b.engines[0].plays(p) {
		def := b.fleet.counters[c]
		if bare(def.name) != bare(family) {
			continue
		}
		missing := func(l aiperf.Label) bool { return !slices.Contains(s.Labels, l) }
		if !slices.ContainsFunc(def.labels, missing) {
			return true
		}
	}
	return false
}

// bare is a family's name without the engine's prefix in either spelling.
func bare(name string) string {
	for _, prefix := range []string{"atom:", "atom_", "vllm:", "sglang:", "sglang_"} {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			return rest
		}
	}
	return name
}

// accounted reports whether the series belongs to a prefill or unified worker.
func (b *build) accounted(s *aiperf.MetricSeries) bool {
	if b.spec.Mesh {
		for w := range b.top.accounted() {
			if slices.Contains(s.Labels, aiperf.Label{Name: "worker_addr", Value: "http://" + b.spec.address(b.top, w, 0)}) {
				return true
			}
		}
		return false
	}
	for i := range b.endpoints {
		if e := &b.endpoints[i]; e.url == s.Endpoint {
			return e.worker < b.fleet.top.accounted()
		}
	}
	return false
}

// each does something to every series of the part on accounted workers.
func (b *build) each(p part, do func(*aiperf.MetricSeries)) {
	for i := range b.doc.Metrics {
		f := &b.doc.Metrics[i]
		for j := range f.Series {
			if b.plays(p, f.Name, &f.Series[j]) {
				do(&f.Series[j])
			}
		}
	}
}

// slice does something to a slice in the middle of the part's first series.
func (b *build) slice(p part, do func(*aiperf.Timeslice)) {
	done := false
	b.each(p, func(s *aiperf.MetricSeries) {
		if !done && len(s.Slices) > 1 {
			do(&s.Slices[len(s.Slices)/2])
			done = true
		}
	})
}

// valueAt is where a series' statistics and slices have what a rate is made
// of: a counter's total, a histogram's sum behind its count.
func valueAt(s *aiperf.MetricSeries) int {
	if len(s.Buckets) > 0 {
		return 1
	}
	return 0
}

// sliceValue changes the value of a slice in the middle of the part's first
// series.
func (b *build) sliceValue(p part, v aiperf.Value) {
	done := false
	b.each(p, func(s *aiperf.MetricSeries) {
		if !done && len(s.Slices) > 1 {
			s.Slices[len(s.Slices)/2].Values[valueAt(s)] = v
			done = true
		}
	})
}

// remove deletes the part's series on accounted workers at the URLs.
func (b *build) remove(p part, at func(url string) bool) {
	for i := range b.doc.Metrics {
		f := &b.doc.Metrics[i]
		f.Series = slices.DeleteFunc(f.Series, func(s aiperf.MetricSeries) bool { return at(s.Endpoint) && b.plays(p, f.Name, &s) })
	}
	b.doc.Metrics = slices.DeleteFunc(b.doc.Metrics, func(f aiperf.MetricFamily) bool { return len(f.Series) == 0 })
}

// overfill puts more into one slice of CACHED, and into its total, than all
// requests asked for.
func (b *build) overfill(int64) {
	more := 1.0
	for i := range b.requests {
		more += float64(b.requests[i].prompt)
	}
	add := func(v *aiperf.Value) {
		f, _ := v.Float()
		*v = aiperf.NumberValue(f + more)
	}
	done := false
	b.each(cached, func(s *aiperf.MetricSeries) {
		if !done && len(s.Slices) > 1 {
			add(&s.Slices[len(s.Slices)/2].Values[0])
			s.Stats = slices.Clone(s.Stats)
			add(&s.Stats[0].Value)
			done = true
		}
	})
}
