package generator

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// A build is a run in the making. Every layer reads what the one above it has
// made and adds its own; faults change what their layer has just made.
type build struct {
	spec  Spec
	top   topology
	kinds []Kind // of the spec's faults

	requests []request // workload
	phases   phases

	engines []engine // engine: of each worker
	tick    int64    // when a refresh falls, ns, 0: anywhere
	fleet   *fleet

	endpoints []endpoint // collector
	schedules [][]scrape // of each endpoint
	vanish    int64      // ns, when OFFLOAD disappears from the first worker, 0: never
	alias     string     // a second address of the first worker, listed too
	shape     shape
	staleness int64

	doc      *aiperf.Document // files
	rows     []row
	warmRows []row // warmup rows that only the aggregate still has
	env      aiperf.Env
	json     bool // whether server_metrics_export.json is written
	aggr     bool // whether profile_export_aiperf.json is written

	broken []string
}

// Generate synthesizes the run of a spec: the same spec gives the same bytes
// on every machine. The error is a [*FieldError] when the spec is wrong.
func Generate(spec Spec) (*Output, error) {
	if err := spec.Check(); err != nil {
		return nil, fmt.Errorf("checking the spec: %w", err)
	}
	s := spec.withDefaults()
	top, _ := parseTopology(s.Topology)
	tick := int64(0)
	if s.Tick > 0 {
		tick = s.Start + int64(s.Tick)
	}
	b := &build{spec: s, top: top, kinds: s.resolve(), tick: tick, json: true, aggr: true, engines: newEngines(s)}
	b.requests, b.phases = workload(s)
	b.inject(LayerWorkload)
	b.phases = s.phases(b.requests)
	b.inject(LayerServing)
	b.fleet = serve(s, b.engines, b.requests, b.tick)
	b.inject(LayerEngine)
	b.collect()
	b.inject(LayerCollector)
	b.export()
	b.inject(LayerFile)
	b.rows = records(s, b.requests)
	b.inject(LayerRecords)
	b.env = environment(s, top)
	if b.alias != "" {
		b.env[b.accountedList()] += "," + b.alias
	}
	b.inject(LayerEnvironment)
	return b.output()
}

// collect lays out the endpoints and their scrapes.
func (b *build) collect() {
	s := b.spec
	b.endpoints = endpoints(s, b.fleet)
	b.handMade()
	b.vanishOffload()
	c := newClock(s, b.phases)
	b.schedules = make([][]scrape, len(b.endpoints))
	for i := range b.endpoints {
		b.schedules[i] = c.schedule(i)
	}
	slice := int64(s.Collector.Slice)
	back := int64(s.Collector.Straddle)
	if back == 0 {
		back = 1 + layerRand(s.Seed, 6).Int64N(max(slice-1, 1))
	}
	if s.Collector.NoSlices {
		slice = 0
	}
	b.shape = shape{version: s.Collector.Version, phases: b.phases, slice: slice, straddle: b.phases.s - back}
}

// vanishOffload ends the OFFLOAD series of the first endpoint.
func (b *build) vanishOffload() {
	for i := range b.endpoints[0].series {
		if ref := &b.endpoints[0].series[i]; b.vanish > 0 && ref.counter == atomOffload {
			ref.died = b.vanish
		}
	}
}

// export samples the endpoints and makes the document.
func (b *build) export() {
	c := newClock(b.spec, b.phases)
	tracks := make([]*track, len(b.endpoints))
	for i := range b.endpoints {
		c.arrive(b.schedules[i])
		tracks[i] = sample(b.fleet, &b.endpoints[i], b.schedules[i])
		for k, s := range b.schedules[i] {
			b.shape.byTag = b.shape.byTag || s.tag == profiling
			if k > 1 { // nothing happens between the baseline and the loop
				b.staleness = max(b.staleness, s.ts-b.schedules[i][k-1].ts)
			}
		}
	}
	b.staleness += b.fleet.stages() * int64(b.spec.Refresh)
	b.doc = document(b.spec, b.shape, tracks)
}

// output encodes the files and works out the truth.
func (b *build) output() (*Output, error) {
	s := b.spec
	t := Truth{
		Version: FormatVersion, Engine: s.Engine, Generation: s.Generation, Topology: s.Topology,
		Collector: s.Collector.Version, Staleness: b.staleness, Broken: b.broken,
	}
	t.count(b.rows)
	if b.overflows() && !slices.Contains(t.Broken, breaksPrompt) {
		t.Broken = append(t.Broken, breaksPrompt)
	}
	t.Faults = b.injected()
	truth, err := t.json()
	if err != nil {
		return nil, fmt.Errorf("encoding truth.json: %w", err)
	}
	lines := make([]byte, 0, 1024*len(b.rows))
	for i := range b.rows {
		lines = aiperf.AppendRecord(lines, &b.rows[i].RecordRow)
	}
	const dir = "aiperf_artifacts/"
	files := []File{{dir + "profile_export.jsonl", lines}}
	metrics := len(b.doc.Metrics) > 0 // AIPerf writes neither file when no endpoint had a series
	if metrics {
		files = append(files, File{dir + "server_metrics_export.csv", aiperf.AppendTotals(nil, b.doc)})
	}
	files = append(files, File{"run.env", aiperf.AppendEnv(nil, b.env)}, File{"truth.json", truth})
	if b.aggr {
		files = append(files, File{dir + "profile_export_aiperf.json", aiperf.AppendSummary(nil, summary(b.doc, b.shape, slices.Concat(b.warmRows, b.rows)))})
	}
	if b.json && metrics {
		size := 512 * (1 + len(b.doc.Metrics))
		for _, f := range b.doc.Metrics {
			for _, ms := range f.Series {
				size += 192 * (2 + len(ms.Slices))
			}
		}
		files = append(files, File{dir + "server_metrics_export.json", aiperf.AppendExport(make([]byte, 0, size), b.doc)})
	}
	return &Output{Spec: s, Truth: t, Files: files}, nil
}

// overflows reports whether vLLM's era 1 counted a token of some prompt twice.
func (b *build) overflows() bool {
	return b.spec.Generation == Era1 && slices.ContainsFunc(b.requests, func(r request) bool {
		return r.admitted() && r.gpu+r.cpu+r.store+r.claimed == r.prompt
	})
}

// LooksLike reports whether two runs are the same to any reader: every file has
// the same bytes, but for truth.json.
func (o *Output) LooksLike(p *Output) bool {
	if len(o.Files) != len(p.Files) {
		return false
	}
	for i, f := range o.Files {
		g := p.Files[i]
		if f.Path != g.Path {
			return false
		}
		if f.Path != "truth.json" && !bytes.Equal(f.Data, g.Data) {
			return false
		}
	}
	return true
}
