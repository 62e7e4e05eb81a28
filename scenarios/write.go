package scenarios

import (
	"bytes"
	"cmp"
	"slices"
	"testing/fstest"
)

const artifacts = "aiperf_artifacts/"

// fs writes the run's files into memory: the layout that aiperf.Open reads.
func (r *run) fs() fstest.MapFS {
	fsys := fstest.MapFS{}
	put := func(name string, data []byte) { fsys[name] = &fstest.MapFile{Data: data, Mode: 0o644} }
	r.sort()
	if !r.noExport {
		put(artifacts+"server_metrics_export.json", pretty(r.export()))
	}
	if !r.noRecords {
		put(artifacts+"profile_export.jsonl", r.jsonl())
	}
	if len(r.env) > 0 {
		put("run.env", r.envFile())
	}
	if len(r.row) > 0 {
		put("agg.json", pretty(r.published()))
	}
	for name, data := range r.files {
		put(name, data)
	}
	return fsys
}

func (r *run) export() object {
	var endpoints list
	for _, s := range r.metrics {
		if !slices.Contains(endpoints, any(text(s.endpoint))) {
			endpoints = append(endpoints, text(s.endpoint))
		}
	}
	phases := object{}
	for _, p := range []struct {
		name string
		at   *span
	}{{"profiling", r.profiling}, {"warmup", r.warmup}} {
		if p.at != nil {
			phases = phases.with(p.name, object{{"start_ns", raw(ns(p.at.start))}, {"end_ns", raw(ns(p.at.end))}})
		}
	}
	doc := object{
		{"schema_version", text("1.1")},
		{"aiperf_version", text("0.12.0")},
		{"benchmark_id", text("0a1b2c3d4e5f")},
		{"summary", object{
			{"endpoints_configured", endpoints},
			{"endpoints_successful", endpoints},
			{"phase_time_ranges", phases},
		}},
		{"metrics_phase", text("profiling")},
		{"metrics", families(r.metrics)},
	}
	if len(r.warmupMetrics) > 0 {
		doc = doc.with("warmup_metrics", families(r.warmupMetrics))
	}
	return doc
}

// families groups series, which are sorted by name, into the families of an export.
func families(all []*series) object {
	doc := object{}
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].name == all[0].name {
			n++
		}
		var group list
		for _, s := range all[:n] {
			group = append(group, s.json())
		}
		doc = doc.with(all[0].name, object{
			{"type", text(cmp.Or(all[0].kind, "counter"))}, {"description", text("")}, {"series", group},
		})
		all = all[n:]
	}
	return doc
}

func (s *series) json() object {
	doc := object{{"endpoint_url", text(s.endpoint)}}
	if len(s.labels) > 0 {
		labels := object{}
		for _, l := range s.labels {
			labels = labels.with(l.key, text(l.value))
		}
		doc = doc.with("labels", labels)
	}
	doc = doc.with("stats", s.stats())
	if s.noSlices {
		return doc
	}
	grid := list{}
	for _, sl := range s.slices {
		grid = append(grid, s.measured(object{}.with("start_ns", raw(sl.start)).with("end_ns", raw(sl.end)), sl.count, sl.total))
	}
	return doc.with("timeslices", grid)
}

func (s *series) stats() object {
	if s.kind != "gauge" {
		return s.measured(object{}, s.count, s.total)
	}
	stats := object{}
	for _, p := range s.gauge {
		stats = stats.with(p.key, raw(p.value))
	}
	return stats
}

// measured adds what was counted, by the keys of the family's type.
func (s *series) measured(doc object, count, total string) object {
	if s.kind == "histogram" {
		return doc.with("count", raw(count)).with("sum", raw(total))
	}
	return doc.with("total", raw(total))
}

func (r *run) jsonl() []byte {
	var b bytes.Buffer
	for i, rec := range r.records {
		b.Write(compact(rec.json(i)))
		b.WriteByte('\n')
	}
	return b.Bytes()
}

func (rec *record) json(i int) object {
	meta := object{
		{"session_num", raw(ns(int64(i)))},
		{"conversation_id", text("c-" + ns(int64(i)))},
		{"turn_index", raw("0")},
		{"request_start_ns", raw(ns(rec.start))},
		{"request_end_ns", raw(ns(rec.end))},
		{"worker_id", text("worker_0")},
	}
	if rec.phase != "" {
		meta = meta.with("benchmark_phase", text(rec.phase))
	}
	cancelled := raw("false")
	if rec.cancelled {
		cancelled = "true"
	}
	doc := object{{"metadata", meta.with("was_cancelled", cancelled)}, {"metrics", rec.metrics()}}
	if rec.err != "" {
		doc = doc.with("error", object{{"code", raw("500")}, {"type", text(rec.err)}, {"message", text("injected by the scenario")}})
	}
	return doc
}

// metrics: input_sequence_length is what the server counted, as with
// --use-server-token-count.
func (rec *record) metrics() object {
	measure := func(value, unit string) any {
		if value == "" {
			return raw("")
		}
		return object{{"value", raw(value)}, {"unit", text(unit)}}
	}
	doc := object{}
	if rec.err == "" {
		doc = doc.with("output_sequence_length", measure("20", "tokens")).with("request_latency", measure("400.0", "ms"))
	}
	return doc.with("input_sequence_length", measure(rec.tokens, "tokens")).with("usage_prompt_tokens", measure(rec.tokens, "tokens"))
}

func (r *run) envFile() []byte {
	var b bytes.Buffer
	for _, p := range r.env {
		b.WriteString(p.key + "=" + p.value + "\n")
	}
	return b.Bytes()
}

// published is the shortest row that is recognized as one.
func (r *run) published() object {
	row := object{}
	for _, p := range r.row {
		row = row.with(p.key, raw(p.value))
	}
	return append(row, member{"request_metrics", object{}}, member{"server_metrics", object{}})
}
