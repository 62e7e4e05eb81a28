package generator

import (
	"fmt"
	"slices"
	"strconv"
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
	return out
}

// workerSeries are the series of a worker that has one endpoint.
func (s Spec) workerSeries(f *fleet, worker int) []seriesRef {
	if s.RanksAs == RanksLabels {
		var out []seriesRef
		for r := range f.ranks {
			out = append(out, s.rankSeries(f, worker, r, r)...)
		}
		return out
	}
	out := s.rankSeries(f, worker, 0, 0)
	for i := range out {
		for r := 1; r < f.ranks; r++ {
			out[i].units = append(out[i].units, f.publisher(worker, r, out[i].counter))
		}
	}
	return out
}

// rankSeries are the series of one rank, with the number that its labels give
// it. vLLM labels every series with the engine and the model, ATOM none unless
// ranks stand side by side.
func (s Spec) rankSeries(f *fleet, worker, rank, number int) []seriesRef {
	var own []aiperf.Label
	switch {
	case s.Engine == VLLM:
		own = []aiperf.Label{{Name: "engine", Value: strconv.Itoa(number)}, {Name: "model_name", Value: model}}
	case s.RanksAs == RanksLabels && f.ranks > 1:
		own = []aiperf.Label{{Name: "dp_rank", Value: strconv.Itoa(number)}}
	}
	out := make([]seriesRef, 0, len(f.counters))
	for c, def := range f.counters {
		if !f.engines[worker].exports(c) {
			continue
		}
		if len(def.labels) == 0 {
			def.labels = own
		} else {
			def.labels = slices.Concat(own, def.labels)
			slices.SortFunc(def.labels, func(a, b aiperf.Label) int { return strings.Compare(a.Name, b.Name) })
		}
		out = append(out, seriesRef{def: def, counter: c, units: []int{f.publisher(worker, rank, c)}})
	}
	return out
}
