package generator

import (
	"slices"

	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// recordsKinds are faults of the client's records.
func recordsKinds() []Kind {
	first := func(slug string, tag Tag, doc string, needs func(Spec) string, do func(*row)) Kind {
		return Kind{Slug: slug, Layer: LayerRecords, Tag: tag, Doc: doc, needs: needs, inject: func(b *build, _ int64) {
			for i := range b.rows {
				if r := &b.rows[i]; r.Phase == "profiling" && r.Error == nil {
					do(r)
					return
				}
			}
		}}
	}
	return []Kind{
		first("cancelled-record", Visible, "rule 14: a profiling record says was_cancelled and has no error", nil, func(r *row) {
			r.Cancelled, r.CancelledAt = true, r.End
		}),
		first("cooldown-phase", Bounded, "rule 16: a profiling record calls its phase cooldown, which counts as warmup", nil, func(r *row) { r.Phase = "cooldown" }),
		{Slug: "lost-record", Layer: LayerRecords, Tag: Silent, Doc: "a profiling record is missing from the file", inject: func(b *build, _ int64) {
			if i := slices.IndexFunc(b.rows, func(r row) bool { return r.Phase == "profiling" && r.Error == nil }); i >= 0 {
				b.rows = slices.Delete(b.rows, i, i+1)
			}
		}},
		{Slug: "no-aggregate", Layer: LayerRecords, Tag: Visible, Doc: "profile_export_aiperf.json is missing", inject: func(b *build, _ int64) { b.aggr = false }},
		{Slug: "no-warmup-rows", Layer: LayerRecords, Tag: Bounded, Doc: "the records hold no warmup rows", needs: needsWarmup, inject: func(b *build, _ int64) {
			b.warmRows = slices.DeleteFunc(slices.Clone(b.rows), func(r row) bool { return r.Phase != "warmup" })
			b.rows = slices.DeleteFunc(b.rows, func(r row) bool { return r.Phase == "warmup" })
		}},
		{Slug: "partial-reporting", Layer: LayerRecords, Tag: Visible, Doc: "only every second record reports its cached tokens", needs: needsWitness, inject: func(b *build, _ int64) {
			for i := 0; i < len(b.rows); i += 2 {
				b.rows[i].unset("usage_prompt_cache_read_tokens")
			}
		}},
		{Slug: "phase-missing", Layer: LayerRecords, Tag: Visible, Doc: "rule 16: the profiling records have no benchmark_phase", inject: func(b *build, _ int64) { b.rename("profiling", "") }},
		{Slug: "phase-missing-warmup", Layer: LayerRecords, Tag: Bounded, Doc: "rule 16: the warmup records have no benchmark_phase, so they count as profiling", needs: needsWarmup, inject: func(b *build, _ int64) { b.rename("warmup", "") }},
		{Slug: "prompt-mismatch", Layer: LayerRecords, Tag: Silent, Doc: "usage_prompt_tokens is not what the server admitted", Breaks: breaksPrompt,
			Unit: "tokens", Default: 1, Least: 1, Most: 1 << 30, inject: func(b *build, size int64) {
				for i := range b.rows {
					if r := &b.rows[i]; r.Phase == "profiling" && r.metric("usage_prompt_tokens") != nil {
						r.add("usage_prompt_tokens", size)
						r.add("input_sequence_length", size)
						return
					}
				}
			}},
		first("usage-missing", Visible, "rule 14: a profiling record has no usage_prompt_tokens", nil, func(r *row) { r.unset("usage_prompt_tokens") }),
		{Slug: "usage-mismatch", Layer: LayerRecords, Tag: Visible, Doc: "the records report no cached tokens though the server hit some", needs: needsWitness, inject: func(b *build, _ int64) {
			for i := range b.rows {
				if m := b.rows[i].metric("usage_prompt_cache_read_tokens"); m != nil {
					m.Value = aiperf.NumberValue(0)
				}
			}
		}},
	}
}

func (b *build) rename(phase, to string) {
	for i := range b.rows {
		if b.rows[i].Phase == phase {
			b.rows[i].Phase = to
		}
	}
}

func (r *row) unset(name string) {
	r.Metrics = slices.DeleteFunc(r.Metrics, func(m aiperf.RecordMetric) bool { return m.Name == name })
}

func (r *row) add(name string, n int64) {
	if m := r.metric(name); m != nil {
		f, _ := m.Value.Float()
		m.Value = aiperf.NumberValue(f + float64(n))
	}
}
