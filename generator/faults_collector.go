package generator

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// collectorKinds are faults of scraping, merging and renaming.
func collectorKinds() []Kind {
	return []Kind{
		spelling("both-spellings", full, "rule 11: the first worker exports FULL under two spellings"),
		spelling("both-spellings-loaded", loaded, "rule 13: the first worker exports LOADED under two spellings"),
		spelling("both-spellings-requests", requests, "rule 13: the first worker exports REQUESTS under two spellings"),
		{Slug: "double-url", Layer: LayerCollector, Tag: Silent, Doc: "H5: the first worker is scraped and listed under two names",
			needs: oneWorkerAnEndpoint, inject: func(b *build, _ int64) { b.copyEndpoint("alias0:8000"); b.alias = "alias0:8000" }},
		{Slug: "dropped-worker", Layer: LayerCollector, Tag: Silent, Doc: "Atomesh leaves a worker that fails the scrape out of the merge",
			Engines: []string{ATOM}, needs: all(needsAccounted(2), needsMesh), inject: func(b *build, _ int64) {
				e := &b.endpoints[0]
				e.series = e.series[len(e.series)/b.fleet.workers:]
			}},
		{Slug: "merge-failure", Layer: LayerCollector, Tag: Visible, Doc: "differing label names make Atomesh answer HTTP 500 in the middle of the window",
			Engines: []string{ATOM}, needs: needsMesh, Unit: "ms", Default: 2000, Least: 1, Most: 600000, inject: (*build).stall},
		{Slug: "no-final-scrape", Layer: LayerCollector, Tag: Bounded, Doc: "the final scrape fails: nothing after the last one in the loop is seen", inject: func(b *build, _ int64) {
			b.drop(func(s scrape) bool { return s.forced == profiling })
		}},
		{Slug: "no-warmup-scrape", Layer: LayerCollector, Tag: Bounded, Doc: "the scrape at the end of the warmup fails: its last interval is seen in profiling",
			needs: needsWarmup, inject: func(b *build, _ int64) {
				b.drop(func(s scrape) bool { return s.forced == warmup })
			}},
		{Slug: "renamed-series", Layer: LayerCollector, Tag: Visible, Doc: "every series comes in the other spelling, atom_ for atom:",
			Engines: []string{ATOM, SGLANG}, inject: func(b *build, _ int64) {
				for i := range b.endpoints {
					for j := range b.endpoints[i].series {
						if def := &b.endpoints[i].series[j].def; !strings.HasPrefix(def.name, "dynamo_") {
							def.name = otherSpelling(def.name)
						}
					}
				}
			}},
		{Slug: "replica-ranks", Layer: LayerCollector, Tag: Visible, Doc: "each tensor-parallel rank of a scheduler repeats the same values",
			Engines: []string{SGLANG}, Unit: "ranks", Default: 4, Least: 2, Most: 16, needs: func(s Spec) string {
				if s.Ranks > 1 {
					return "one rank"
				}
				return ""
			}, inject: (*build).replicate},
		{Slug: "scrape-gap", Layer: LayerCollector, Tag: Visible, Doc: "/metrics stalls in the middle of the window: empty slices, then one with everything",
			Unit: "ms", Default: 2000, Least: 1, Most: 600000, inject: (*build).stall},
		{Slug: "scrape-gap-at-start", Layer: LayerCollector, Tag: Bounded, Doc: "/metrics stalls over S, the scrape at the end of the warmup included: warmup work is seen in the window",
			Breaks: breaksLag, Unit: "ms", Default: 3000, Least: 1, Most: 600000, inject: func(b *build, size int64) {
				from := b.phases.s - size*500_000
				b.drop(func(s scrape) bool { return s.forced != profiling && s.ts >= from && s.ts < from+size*1_000_000 })
			}},
		{Slug: "scrape-gap-at-end", Layer: LayerCollector, Tag: Bounded, Doc: "/metrics stalls before E: the last admissions are seen by the final scrape only",
			Unit: "ms", Default: 2000, Least: 1, Most: 600000, inject: func(b *build, size int64) {
				from := b.phases.e - size*1_000_000
				b.drop(func(s scrape) bool { return s.forced == untagged && s.ts >= from })
			}},
		{Slug: "slow-scrape", Layer: LayerCollector, Tag: Bounded, Doc: "a scrape answered before S is delivered after it and tagged profiling (export.md 2.2 b)",
			inject: func(b *build, _ int64) {
				for i := range b.schedules {
					last := -1
					for k, s := range b.schedules[i] {
						if s.forced == untagged && s.ts < b.phases.s {
							last = k
						}
					}
					if last >= 0 {
						b.schedules[i][last].delivered = b.phases.s + 20_000_000
					}
				}
			}},
		{Slug: "slow-warmup-scrape", Layer: LayerCollector, Tag: Bounded, Doc: "the scrape at the end of the warmup is answered after S and holds profiling work",
			needs: needsWarmup, Unit: "ms after S", Default: 300, Least: 1, Most: 800, inject: func(b *build, size int64) {
				for i := range b.schedules {
					for k := range b.schedules[i] {
						if s := &b.schedules[i][k]; s.forced == warmup {
							at := b.phases.s + size*1_000_000
							s.latency += at - s.ts
							s.delivered += at - s.ts
							s.ts = at
						}
					}
				}
			}},
		{Slug: "unlisted-endpoint", Layer: LayerCollector, Tag: Visible, Doc: "rule 4: another server's endpoint is scraped that no list names",
			needs: oneWorkerAnEndpoint, inject: func(b *build, _ int64) { b.copyEndpoint("other0:8000") }},
		{Slug: "unreachable-decode", Layer: LayerCollector, Tag: Visible, Engines: []string{ATOM, VLLM, SGLANG, TRTLLM}, Doc: "rule 4: the last decode endpoint of the list does not answer",
			needs: all(needsDecode, oneWorkerAnEndpoint), inject: func(b *build, _ int64) {
				b.endpoints[b.fleet.workers-1].series = nil
			}},
		{Slug: "unreachable-endpoint", Layer: LayerCollector, Tag: Visible, Engines: []string{ATOM, VLLM, SGLANG, TRTLLM}, Doc: "rule 4: the first prefill or unified endpoint of the list does not answer",
			needs: all(needsAccounted(2), oneWorkerAnEndpoint), inject: func(b *build, _ int64) { b.endpoints[0].series = nil }},
		{Slug: "without-by-source", Layer: LayerCollector, Tag: Visible, Doc: "D1: an old vLLM has no prompt_tokens_by_source",
			Engines: []string{VLLM}, inject: func(b *build, _ int64) {
				for i := range b.endpoints {
					e := &b.endpoints[i]
					e.series = slices.DeleteFunc(e.series, func(r seriesRef) bool { return r.def.name == "vllm:prompt_tokens_by_source" })
				}
			}},
	}
}

// stall drops the scrapes of so many ms around the middle of the window.
func (b *build) stall(size int64) {
	from := b.middle() - size*500_000
	b.drop(func(s scrape) bool { return s.forced == untagged && s.ts >= from && s.ts < from+size*1_000_000 })
}

func needsMesh(s Spec) string {
	if !s.Mesh {
		return "mesh: true"
	}
	return ""
}

func oneWorkerAnEndpoint(s Spec) string {
	if s.Mesh || s.RanksAs == RanksEndpoints && s.Ranks > 1 {
		return "one endpoint a worker"
	}
	return ""
}

func spelling(slug string, p part, doc string) Kind {
	engines := []string{ATOM, SGLANG}
	if p == loaded {
		engines = []string{ATOM}
	}
	return Kind{Slug: slug, Layer: LayerCollector, Tag: Visible, Doc: doc, Engines: engines, inject: func(b *build, _ int64) {
		e := &b.endpoints[0]
		counter := b.engines[0].plays(p)[0]
		for _, ref := range e.series {
			if ref.counter == counter && len(b.spec.Series) == 0 {
				ref.def.name = otherSpelling(ref.def.name)
				e.series = append(e.series, ref)
				return
			}
		}
	}}
}

func otherSpelling(name string) string {
	i := strings.IndexAny(name, ":_")
	if name[i] == ':' {
		return name[:i] + "_" + name[i+1:]
	}
	return name[:i] + ":" + name[i+1:]
}

// replicate gives each scheduler series of rank 0 so many tensor-parallel
// ranks.
func (b *build) replicate(ranks int64) {
	for i := range b.endpoints {
		e := &b.endpoints[i]
		var copies []seriesRef
		for _, ref := range e.series {
			at := slices.IndexFunc(ref.def.labels, func(l aiperf.Label) bool { return l.Name == "tp_rank" })
			for r := int64(1); r < ranks && at >= 0; r++ {
				next := ref
				next.def.labels = slices.Clone(ref.def.labels)
				next.def.labels[at].Value = strconv.FormatInt(r, 10)
				copies = append(copies, next)
			}
		}
		e.series = append(e.series, copies...)
	}
}

// drop removes scrapes from every schedule.
func (b *build) drop(gone func(scrape) bool) {
	for i := range b.schedules {
		b.schedules[i] = slices.DeleteFunc(b.schedules[i], gone)
	}
}

// copyEndpoint scrapes the first endpoint under another address too.
func (b *build) copyEndpoint(address string) {
	e := b.endpoints[0]
	e.url = metricsURL(address)
	e.series = slices.Clone(e.series)
	b.endpoints = append(b.endpoints, e)
	b.schedules = append(b.schedules, newClock(b.spec, b.phases).schedule(len(b.endpoints)-1))
}
