package generator

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// An endpoint is one URL that AIPerf scrapes, with the series that stand there.
type endpoint struct {
	url    string
	worker int // -1: Atomesh, all workers
	series []seriesRef
}

// A seriesRef is one series of an endpoint: one counter of one unit, or of
// several units added.
type seriesRef struct {
	def     counterDef
	counter int
	units   []int   // positions in the fleet's units
	born    int64   // ns, the first scrape that can show it; 0: always there
	died    int64   // ns, the first scrape that does not show it any more; 0: never
	made    []point // hand-made values instead of units
}

const (
	model   = "demo/model"
	meshURL = "http://mesh:30000/engine_metrics"
)

// address is host:port of a worker, or of one of its ranks when each has its own.
func (s Spec) address(t topology, worker, rank int) string {
	name, i := "u", worker
	switch {
	case worker >= t.accounted():
		name, i = "d", worker-t.accounted()
	case t.prefill > 0:
		name = "p"
	}
	return fmt.Sprintf("%s%d:%d", name, i, 8000+rank)
}

func metricsURL(address string) string { return "http://" + address + "/metrics" }

// endpoints lays the fleet's counters out over the URLs that are scraped.
func endpoints(s Spec, f *fleet) []endpoint {
	if s.Mesh {
		mesh := endpoint{url: meshURL, worker: -1}
		for w := range f.workers {
			label := aiperf.Label{Name: "worker_addr", Value: "http://" + s.address(f.top, w, 0)}
			for _, ref := range s.workerSeries(f, w) {
				ref.def.name = strings.ReplaceAll(ref.def.name, ":", "_")
				ref.def.labels = append(slices.Clone(ref.def.labels), label)
				mesh.series = append(mesh.series, ref)
			}
		}
		return []endpoint{mesh}
	}
	if s.Engine == DYNAMO {
		return []endpoint{{metricsURL(frontAddress), 0, s.workerSeries(f, 0)}}
	}
	var out []endpoint
	for w := range f.workers {
		if s.RanksAs != RanksEndpoints {
			out = append(out, endpoint{metricsURL(s.address(f.top, w, 0)), w, s.workerSeries(f, w)})
			continue
		}
		for r := range f.ranks {
			out = append(out, endpoint{metricsURL(s.address(f.top, w, r)), w, s.rankSeries(f, w, r, 0)})
		}
	}
	if s.Dynamo {
		out = append(out, endpoint{metricsURL(frontAddress), f.workers, f.frontSeries()})
	}
	return out
}

// workerSeries are the series of a worker that has one endpoint: of each rank,
// or added up. SGLang's tokenizer counts for all ranks, its schedulers each for
// itself.
func (s Spec) workerSeries(f *fleet, worker int) []seriesRef {
	out := s.rankSeries(f, worker, 0, 0)
	for r := 1; r < f.ranks; r++ {
		for i, ref := range s.rankSeries(f, worker, r, r) {
			if s.RanksAs == RanksLabels && (s.Engine != SGLANG || ref.def.perRank) {
				out = append(out, ref)
			} else {
				out[i].units = append(out[i].units, ref.units...)
			}
		}
	}
	return out
}

// rankSeries are the series of one rank, with the number that its labels give
// it.
func (s Spec) rankSeries(f *fleet, worker, rank, number int) []seriesRef {
	e := f.engines[worker]
	out := make([]seriesRef, 0, len(f.counters))
	for c, def := range e.counters() {
		if def.hidden || !e.exports(c) {
			continue
		}
		def.labels = slices.Concat(e.labels(def, f.role(worker), number, f.ranks), s.dynamoLabels(f, worker), def.labels)
		slices.SortFunc(def.labels, func(a, b aiperf.Label) int { return strings.Compare(a.Name, b.Name) })
		out = append(out, seriesRef{def: def, counter: c, units: []int{f.publisher(worker, rank, c)}})
	}
	return out
}

// role is what engines call the worker.
func (f *fleet) role(worker int) string {
	switch {
	case f.isDecode(worker):
		return "decode"
	case f.top.decode > 0:
		return "prefill"
	}
	return "unified"
}
