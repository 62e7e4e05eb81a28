package generator

import (
	"strconv"

	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// The Dynamo front end's counters, by position. A histogram takes its sum, its
// count and its buckets.
const (
	frontInput  = 0
	frontCached = frontInput + 2 + nTokenBounds
	frontOutput = frontCached + 2 + nTokenBounds
	frontRouted = frontOutput + 1
)

const frontAddress = "frontend:8000"

// frontEnd is a Dynamo front end with its router: it counts each client request
// once, whatever the workers behind it do. Tiers it does not tell apart.
type frontEnd struct{}

func (frontEnd) counters() []counterDef {
	tokens := tokenHistogram()
	return concat(
		tokens.counters(counterDef{name: "dynamo_frontend_input_sequence_tokens", help: "Input tokens of a request.", unit: "tokens", lazy: true}),
		tokens.counters(counterDef{name: "dynamo_frontend_cached_tokens", help: "Cached tokens of a request, as its backend reported.", unit: "tokens", lazy: true}),
		[]counterDef{{name: "dynamo_frontend_output_tokens", help: "Output tokens.", unit: "tokens", lazy: true}},
		routerHistogram().counters(counterDef{name: "dynamo_component_router_kv_hit_rate", help: "Predicted KV hit rate of a request.", lazy: true}),
	)
}

// routerHistogram has buckets of a twentieth.
func routerHistogram() *histogram {
	h := &histogram{scale: million}
	for i := int64(1); i <= 20; i++ {
		h.bounds = append(h.bounds, bound{strconv.FormatFloat(float64(i)/20, 'f', -1, 64), i * million / 20})
	}
	h.bounds[19].le = "1.0"
	h.bounds = append(h.bounds, infinite())
	return h
}

func concat(lists ...[]counterDef) []counterDef {
	var out []counterDef
	for _, l := range lists {
		out = append(out, l...)
	}
	return out
}

func (frontEnd) exports(int) bool { return true }

func (frontEnd) hit(counter int) bool { return counter >= frontCached && counter < frontOutput }

func (frontEnd) plays(p part) []int {
	return map[part][]int{full: {frontInput}, cached: {frontCached}, requests: {frontInput}}[p]
}

// before: the launcher's own test request, whose backend reported no hit.
func (e frontEnd) before(emit func(int, int64)) {
	at := func(_ int64, counter int, n int64) { emit(counter, n) }
	tokenHistogram().observe(at, 0, frontInput, 64)
	tokenHistogram().observe(at, 0, frontCached, 0)
	emit(frontOutput, 1)
	routerHistogram().observe(at, 0, frontRouted, 0)
}

func (frontEnd) labels(counterDef, string, int, int) []aiperf.Label {
	return []aiperf.Label{{Name: "model", Value: model}}
}

// prefill counts a client request, when it is over. What the router believed
// when it chose a worker is a little more than what was there.
func (frontEnd) prefill(r *request, _ bool, emit emitter) {
	hits := r.gpu + r.cpu + r.store
	routerHistogram().observe(emit, r.start, frontRouted, min(hits*million/r.prompt+30_000, million))
	if !r.decoded() {
		return
	}
	tokens := tokenHistogram()
	tokens.observe(emit, r.end, frontInput, r.prompt)
	if !r.unreported {
		tokens.observe(emit, r.end, frontCached, hits)
	}
	emit(r.end, frontOutput, r.output)
}

func (frontEnd) decode(*request, emitter) {}

// addFrontEnd adds the unit of a front end behind those of the workers.
func (f *fleet) addFrontEnd(requests []request) {
	e := frontEnd{}
	u := unit{worker: f.workers}
	u.before(e)
	for i := range requests {
		if r := &requests[i]; r.admitted() {
			e.prefill(r, false, u.add)
		}
	}
	f.front = append(f.front, len(f.units))
	f.units = append(f.units, u)
}

// frontSeries are the series of the front end's endpoint.
func (f *fleet) frontSeries() []seriesRef {
	var out []seriesRef
	for c, def := range (frontEnd{}).counters() {
		if !def.hidden {
			def.labels = frontEnd{}.labels(def, "", 0, 1)
			out = append(out, seriesRef{def: def, counter: c, units: f.front})
		}
	}
	return out
}

// dynamoLabels are what Dynamo adds to the series of a worker that it passes
// through: among them its role.
func (s Spec) dynamoLabels(f *fleet, worker int) []aiperf.Label {
	if !s.Dynamo {
		return nil
	}
	component := map[string]string{"prefill": "prefill", "decode": "decode", "unified": "backend"}[f.role(worker)]
	return []aiperf.Label{
		{Name: "dynamo_component", Value: component}, {Name: "dynamo_namespace", Value: "demo"}, {Name: "worker_id", Value: strconv.Itoa(worker)},
	}
}
