package generator

import "slices"

// engineKinds are faults of what the workers count and publish.
func engineKinds() []Kind {
	return append(servingKinds(),
		Kind{Slug: "dead-worker-files", Layer: LayerEngine, Tag: Visible, Doc: "every counter starts at what a dead worker left: only increases count",
			Engines: []string{ATOM, VLLM, SGLANG}, Unit: "tokens", Default: 123456, Least: 1, Most: 1 << 30, inject: (*build).keepDead},
		Kind{Slug: "frozen-counters", Layer: LayerEngine, Tag: Silent, Doc: "the output handler dies: the first worker's counters stay where they are",
			Engines: []string{VLLM}, Unit: "thousandths of the window", Default: 500, Least: 1, Most: 999, inject: func(b *build, size int64) {
				b.fleet.unit(0, 0).frozen = b.moment(size)
			}},
		Kind{Slug: "late-series", Layer: LayerEngine, Tag: Bounded, Doc: "the servers are fresh: each series appears with its first event, whose value the collector loses",
			Engines: []string{SGLANG, TRTLLM, DYNAMO}, inject: func(b *build, _ int64) {
				for i := range b.fleet.units {
					u := &b.fleet.units[i]
					u.events = slices.DeleteFunc(u.events, func(e event) bool { return e.at == longAgo })
				}
			}},
		Kind{Slug: "late-rank", Layer: LayerEngine, Tag: Bounded, Doc: "a rank that had not pushed joins its worker's sum in the window, its history with it",
			Engines: []string{ATOM}, Breaks: breaksLag, needs: needsRanks,
			Unit: "thousandths of the window", Default: 300, Least: 1, Most: 999, inject: func(b *build, size int64) {
				b.fleet.unit(0, b.fleet.ranks-1).born = b.moment(size)
			}},
		Kind{Slug: "one-rank-visible", Layer: LayerEngine, Tag: Silent, Doc: "only the last rank's series move",
			Engines: []string{ATOM, VLLM, SGLANG}, needs: needsRanks, inject: func(b *build, _ int64) {
				b.fleet.accounted(func(u *unit) {
					if u.rank < b.fleet.ranks-1 {
						u.events = nil
					}
				})
			}},
		Kind{Slug: "restart", Layer: LayerEngine, Tag: Silent, Doc: "H6: the first worker restarts in the window and its counters drop to 0",
			Unit: "thousandths of the window", Default: 400, Least: 1, Most: 999, inject: func(b *build, size int64) {
				u := b.fleet.unit(0, 0)
				u.events = append(u.events, event{b.moment(size), reset, 0})
				u.sort()
			}},
		Kind{Slug: "split-snapshot", Layer: LayerEngine, Tag: Silent, Doc: "H2: the hits are refreshed half a refresh later than FULL: conserved, and wrong",
			Engines: []string{ATOM}, Breaks: breaksSnapshot, needs: needsRefresh, inject: (*build).splitSnapshot},
		Kind{Slug: "stale-snapshot", Layer: LayerEngine, Tag: Silent, Doc: "what the workers show is older than their update interval says",
			Breaks: breaksLag, Unit: "ms", Default: 20000, Least: 1, Most: 600000, inject: func(b *build, size int64) {
				b.fleet.accounted(func(u *unit) { u.delay = size * 1_000_000 })
				b.staleness += size * 1_000_000
			}},
		Kind{Slug: "stuck-zero", Layer: LayerEngine, Tag: Silent, Doc: "the GPU hit counter stays 0 although hits happen", inject: func(b *build, _ int64) {
			b.remap(cached, func(event) (int, bool) { return 0, false })
		}},
		Kind{Slug: "tier-misattribution", Layer: LayerEngine, Tag: Silent, Doc: "CPU hits are counted as GPU hits: the sum is right, the tiers are not",
			Engines: []string{ATOM, VLLM, SGLANG}, needs: all(needsOffload, func(s Spec) string {
				if s.Generation == GenA {
					return "another generation than A, whose CACHED holds both tiers anyway"
				}
				return ""
			}), inject: func(b *build, _ int64) {
				b.remap(offload, func(event) (int, bool) { return b.engines[0].plays(cached)[0], true })
			}},
		Kind{Slug: "vanished-series", Layer: LayerEngine, Tag: Silent, Doc: "a rank without the offload key makes OFFLOAD disappear mid-run",
			Engines: []string{ATOM}, needs: all(needsGenB, needsOffload), Unit: "thousandths of the window", Default: 500, Least: 1, Most: 999,
			inject: func(b *build, size int64) { b.vanish = b.moment(size) }},
		Kind{Slug: "volume-as-reuse", Layer: LayerEngine, Tag: Visible, Doc: "LOADED is many times what was reused: a volume, never part of a rate",
			Engines: []string{ATOM}, needs: all(needsGenB, needsOffload), Unit: "times", Default: 30, Least: 2, Most: 1000, inject: func(b *build, size int64) {
				for i := range b.fleet.units {
					for k := range b.fleet.units[i].events {
						if e := &b.fleet.units[i].events[k]; e.counter == atomLoaded {
							e.n *= size
						}
					}
				}
			}},
		Kind{Slug: "zero-before-snapshot", Layer: LayerEngine, Tag: Bounded, Doc: "no rank has pushed yet: everything is 0 until the window has begun",
			Engines: []string{ATOM}, Breaks: breaksLag, Unit: "thousandths of the window", Default: 200, Least: 1, Most: 999, inject: func(b *build, size int64) {
				b.fleet.accounted(func(u *unit) { u.born = b.moment(size) })
			}},
	)
}

// servingKinds change how a worker counts a request.
func servingKinds() []Kind {
	vllmFlag := func(slug, doc string, set func(*vllm)) Kind {
		return Kind{Slug: slug, Layer: LayerServing, Tag: Visible, Doc: doc, Engines: []string{VLLM}, needs: needsOffload, inject: func(b *build, _ int64) {
			for i := range b.engines {
				v := b.engines[i].(vllm)
				set(&v)
				b.engines[i] = v
			}
		}}
	}
	sglangFlag := func(slug string, tag Tag, doc string, needs func(Spec) string, set func(*sglang)) Kind {
		return Kind{Slug: slug, Layer: LayerServing, Tag: tag, Doc: doc, Engines: []string{SGLANG}, needs: needs, inject: func(b *build, _ int64) {
			for i := range b.engines {
				g := b.engines[i].(sglang)
				set(&g)
				b.engines[i] = g
			}
		}}
	}
	sentinel := vllmFlag("negative-source", "a miss is recorded as -1 local hits, its tokens as T+1 computed", func(v *vllm) { v.sentinel = true })
	sentinel.Tag, sentinel.needs = Silent, nil
	return []Kind{
		vllmFlag("async-connector-double", "external queries are recorded twice, hits once", func(v *vllm) { v.double = true }),
		vllmFlag("conditional-denominator", "external queries hold the local hits too", func(v *vllm) { v.unconditional = true }),
		vllmFlag("prompt-logprobs", "external queries grow by T without hits", func(v *vllm) { v.logprobs = true }),
		sentinel,
		sglangFlag("decode-radix-double", Visible, "the decode worker adds its own prefix to the hits that it repeats: decode is never accounted", needsDecode, func(g *sglang) { g.radix = true }),
		sglangFlag("decode-no-metadata", Visible, "a very old decode worker knows nothing of the hits: decode is never accounted", needsDecode, func(g *sglang) { g.noMetadata = true }),
		sglangFlag("own-chunks-as-hits", Silent, "earlier chunks of the same prompt count as hits", nil, func(g *sglang) { g.ownChunks = true }),
		{Slug: "percent-scale", Layer: LayerServing, Tag: Visible, Doc: "D11: the hit rate gauge runs to 100 instead of 1", Engines: []string{TRTLLM}, inject: func(b *build, _ int64) {
			for i := range b.engines {
				t := b.engines[i].(trtllm)
				t.percent = true
				b.engines[i] = t
			}
		}},
		{Slug: "unreported-hits", Layer: LayerServing, Tag: Visible, Doc: "the backend of every second request reports no cached tokens to the front end",
			Engines: []string{DYNAMO}, inject: func(b *build, _ int64) {
				for i := range b.requests {
					b.requests[i].unreported = i%2 == 0
				}
			}},
		{Slug: "failed-kv-load", Layer: LayerServing, Tag: Silent, Doc: "an external hit is counted although its load failed and the tokens were computed",
			Engines: []string{VLLM}, needs: needsOffload, inject: func(b *build, _ int64) {
				for i := range b.requests {
					r := &b.requests[i]
					r.claimed, r.cpu, r.store = r.cpu+r.store, 0, 0
				}
			}},
		{Slug: "failed-kv-transfer", Layer: LayerServing, Tag: Visible, Doc: "the KV transfer fails and the decode worker prefills and counts: decode is never accounted",
			Engines: []string{ATOM}, needs: needsDecode, inject: func(b *build, _ int64) {
				for i := range b.requests {
					b.requests[i].loadFail = true
				}
			}},
		{Slug: "handoff-double-count", Layer: LayerServing, Tag: Silent, Doc: "an offload hand-off is admitted twice, the second time with self-computed tokens as cached",
			Engines: []string{ATOM}, needs: all(needsOffload, func(s Spec) string {
				if s.Generation != GenA {
					return "generation A"
				}
				return ""
			}), inject: func(b *build, _ int64) {
				if r := b.pick(); r != nil {
					r.handoff = max(r.prompt/2, 1)
				}
			}},
		{Slug: "mixed-generations", Layer: LayerServing, Tag: Bounded, Doc: "the first worker is generation A, the others B: OFFLOAD stands on some endpoints only",
			Engines: []string{ATOM}, needs: all(needsGenB, needsAccounted(2), func(s Spec) string {
				if s.Mesh || s.RanksAs == RanksEndpoints {
					return "one endpoint a worker"
				}
				return ""
			}), inject: func(b *build, _ int64) {
				a := b.engines[0].(atom)
				a.genA = true
				b.engines[0] = a
			}},
		{Slug: "preempt-readmission", Layer: LayerServing, Tag: Bounded, Doc: "a request is preempted and admitted again, with its own blocks as hits (ATOM)",
			Unit: "generated tokens", Default: 50, Least: 1, Most: 1 << 20, inject: func(b *build, size int64) {
				if r := b.pick(); r != nil {
					r.preempted = size
				}
			}},
		{Slug: "scheduling-retries", Layer: LayerServing, Tag: Visible, Doc: "each failed admission attempt counts queries and hits again",
			Engines: []string{VLLM}, Unit: "attempts", Default: 3, Least: 1, Most: 1000, inject: func(b *build, size int64) {
				for i := range b.requests {
					b.requests[i].attempts = int(size)
				}
			}},
	}
}

// pick returns a profiling request from the middle of the run that went well.
func (b *build) pick() *request {
	n := len(b.requests)
	for i := range n {
		if r := &b.requests[(n/2+i)%n]; !r.warm && r.finished() {
			return r
		}
	}
	return nil
}

// keepDead starts every counter that stands from the first scrape on at size.
func (b *build) keepDead(size int64) {
	for i := range b.fleet.units {
		u := &b.fleet.units[i]
		for c, def := range b.fleet.countersOf(i) {
			born := slices.ContainsFunc(u.events, func(e event) bool { return e.at == longAgo && e.counter == c })
			if def.gauge == nil && (born || !def.lazy) {
				u.events = slices.Insert(u.events, 0, event{0, c, size})
			}
		}
	}
}

// moment is a time inside the window, in thousandths of it.
func (b *build) moment(thousandths int64) int64 {
	return b.phases.s + (b.phases.e-b.phases.s)/1000*thousandths
}

// remap changes or drops the accounted workers' increments of one part.
func (b *build) remap(p part, to func(event) (counter int, keep bool)) {
	counters := b.engines[0].plays(p)
	b.fleet.accounted(func(u *unit) {
		kept := u.events[:0]
		for _, e := range u.events {
			if slices.Contains(counters, e.counter) {
				c, keep := to(e)
				if !keep {
					continue
				}
				e.counter = c
			}
			kept = append(kept, e)
		}
		u.events = kept
	})
}

// splitSnapshot publishes the hits by a unit of their own, whose refresh falls
// half-way between those of the rest.
func (b *build) splitSnapshot(int64) {
	f := b.fleet
	for i := range f.top.accounted() * f.ranks {
		hits := f.units[i]
		hits.refresh[0].offset += hits.refresh[0].period / 2
		hits.shadow = 0
		hits.events = slices.Clone(hits.events) // other faults change each unit's on its own
		f.units[i].shadow = len(f.units)
		f.units = append(f.units, hits)
	}
}
