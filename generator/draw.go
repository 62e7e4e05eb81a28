package generator

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// A Source yields the choices that a drawn spec is made of: a generator of
// random numbers ([NewSource]), or a property-testing library that can also
// replay and shrink them (package gentest).
type Source interface {
	// Int returns a number from lo to hi. What it stands for is simplest at lo.
	Int(label string, lo, hi int) int
}

// NewSource returns the source of one run of a series of runs: the same seed
// and run give the same choices on every machine, whatever runs beside it.
func NewSource(seed, run uint64) Source { return pcg{rand.New(rand.NewPCG(seed, run))} }

type pcg struct{ rng *rand.Rand }

func (p pcg) Int(_ string, lo, hi int) int { return lo + p.rng.IntN(hi-lo+1) }

// Options restrict what [Draw] draws. The zero value restricts nothing and
// injects no fault.
type Options struct {
	Engines    []string // default: all
	Topologies []string // default: unified to 2p3d
	Collectors []string // default: all
	Faults     []string // injected, all of them: the spec is drawn so that they fit
	Mixture    int      // inject up to so many more faults, of those that fit
	Tags       []Tag    // of the mixture; default: all
	Requests   int      // at most so many profiling requests, default 8
}

// Topologies are those that [Draw] draws from, simplest first.
func Topologies() []string { return []string{"unified", "1p1d", "unified:2", "2p1d", "1p2d", "2p3d"} }

// Collectors lists the collector generations, newest first.
func Collectors() []string { return []string{V1012, V1011, Upstream, V10} }

// Engines lists the engines.
func Engines() []string { return []string{ATOM, VLLM, SGLANG, TRTLLM, DYNAMO} }

// Draw draws the spec of a small run: a few requests at explicit times, so
// that a failing one can be read and shrunk one effect at a time. The error
// says which of the options' faults cannot be had together, or which word is
// unknown.
func Draw(src Source, o Options) (Spec, error) {
	d := drawer{src}
	s := Spec{Version: FormatVersion}
	s.Engine = d.word("engine", or(o.Engines, Engines()))
	s.Topology = d.word("topology", or(o.Topologies, Topologies()))
	s.Collector.Version = d.word("collector", or(o.Collectors, Collectors()))
	if err := CheckTopology(s.Topology); err != nil { // requests are drawn for its workers
		return Spec{}, err
	}
	d.fleet(&s)
	s, err := Adapt(s, o, o.Faults...)
	if err != nil {
		return Spec{}, err
	}
	d.clock(&s)
	d.requests(&s, o)
	for _, slug := range o.Faults {
		k, _ := KindOf(slug)
		s.Faults = append(s.Faults, Fault{slug, d.size(k)})
	}
	d.mixture(&s, o)
	s.Seed = uint64(d.Int("seed", 0, 1<<16))
	if err := s.Check(); err != nil {
		return Spec{}, fmt.Errorf("checking the drawn spec: %w", err)
	}
	return s, nil
}

func or(list, otherwise []string) []string {
	if len(list) > 0 {
		return list
	}
	return otherwise
}

type drawer struct{ Source }

func (d drawer) word(label string, words []string) string {
	return words[d.Int(label, 0, len(words)-1)]
}

// chance is true once in n times, and false when it is simplest.
func (d drawer) chance(label string, n int) bool { return d.Int(label, 0, n-1) == n-1 }

func (d drawer) ms(label string, lo, hi int) Duration {
	return Duration(time.Duration(d.Int(label, lo, hi)) * time.Millisecond)
}

// Everything is drawn in every run, also what then does not count: were the
// number of choices to depend on a choice, a shrinker could not make that one
// simpler without moving all others.

// fleet draws what the run's workers are.
func (d drawer) fleet(s *Spec) {
	s.Offload = d.chance("offload", 2)
	s.Witness = d.chance("witness", 2)
	ranks, as := d.chance("ranks", 4), d.word("ranks as", []string{RanksLabels, RanksEndpoints, RanksSummed})
	generation, era := d.word("generation", []string{GenB, GenB, GenA}), d.word("era", []string{Era2, Era1})
	refresh := []Duration{0, Duration(time.Second), Duration(5 * time.Second)}[d.Int("refresh", 0, 2)]
	mesh := d.chance("mesh", 8)
	if ranks {
		s.Ranks, s.RanksAs = 2, as
	}
	s.Dynamo = mesh && s.Engine != ATOM && s.Engine != DYNAMO
	switch s.Engine {
	case VLLM:
		s.Generation = era
		if s.RanksAs == RanksSummed {
			s.RanksAs = RanksLabels
		}
		return
	case SGLANG:
		s.RanksAs = ""
		return
	case TRTLLM, DYNAMO:
		s.Ranks, s.RanksAs = 0, ""
		return
	}
	s.Generation, s.Refresh = generation, refresh
	s.Mesh = mesh && s.RanksAs != RanksEndpoints
}

// clock draws when things happen beside the requests.
func (d drawer) clock(s *Spec) {
	c := &s.Collector
	c.Straddle = d.ms("straddle", 1, 999)
	c.Handover = d.ms("handover", 1, 400)
	c.Final = d.ms("final", 50, 1300)
	for range 3 {
		c.Skew = append(c.Skew, d.ms("skew", 0, 332))
	}
	limited, duration := d.chance("duration", 2), d.ms("benchmark duration", 1000, 6000)
	if limited && s.Duration == 0 {
		s.Duration = duration
	}
}

// requests draws the requests of both phases.
func (d drawer) requests(s *Spec, o Options) {
	t, _ := parseTopology(s.Topology)
	equal := d.Int("equal prompts", 0, 750) // above 500 all prompts have the same length, that less 500
	end := s.Collector.Handover
	for range d.Int("warmup requests", 0, 4) {
		r := d.request(s, t, equal)
		r.Warmup = true
		end += d.ms("gap", 0, 500)
		r.At = -end - r.Queue - r.Prefill - r.Decode
		s.Requests = append(s.Requests, r)
	}
	at := Duration(0)
	for range d.Int("profiling requests", 1, max(o.Requests, 8)) {
		r := d.request(s, t, equal)
		at += d.ms("gap", 0, 1500)
		r.At = at
		switch d.Int("outcome", 0, 39) {
		case 38:
			r.Outcome = Failed
		case 39:
			r.Outcome = Cancelled
		}
		if d.chance("tail", 20) && s.Duration > 0 {
			r.Decode = Duration(2 * grace)
		}
		s.Requests = append(s.Requests, r)
	}
	slices.SortStableFunc(s.Requests, func(a, b Request) int { return int(a.At - b.At) })
}

// request draws what one request is and hits.
func (d drawer) request(s *Spec, t topology, equal int) Request {
	r := Request{
		Queue: d.ms("queue", 0, 200), Prefill: d.ms("prefill", 10, 600), Decode: d.ms("decode", 0, 3000),
		Worker: d.Int("worker", 0, t.accounted()-1), Rank: d.Int("rank", 0, max(s.Ranks, 1)-1),
		Prompt: int64(d.Int("prompt", 1, 500)),
	}
	if equal > 500 {
		r.Prompt = int64(equal - 500)
	}
	gpu := d.Int("gpu", 0, int(r.Prompt))
	cpu := d.Int("cpu", 0, int(r.Prompt)-gpu)
	store := d.Int("store", 0, int(r.Prompt)-gpu-cpu)
	local := d.Int("held by the decode worker", 0, int(r.Prompt))
	if s.Generation == Era1 && gpu+cpu+store == int(r.Prompt) {
		gpu, cpu, store = max(gpu-1, 0), min(cpu, max(int(r.Prompt)-gpu-1, 0)), 0 // whole prompts are the fault sources-overflow
	}
	r.GPU = int64(gpu)
	if s.Offload {
		r.CPU = int64(cpu)
		if s.Engine != ATOM {
			r.Store = int64(store)
		}
	}
	if t.decode > 0 {
		r.Local = int64(local)
	}
	return r
}

// size draws the one size of a fault.
func (d drawer) size(k Kind) int64 {
	if k.Unit == "" {
		return 0
	}
	return int64(d.Int(k.Slug+" "+k.Unit, int(k.Least), int(min(k.Most, 2*k.Default))))
}

// mixture adds faults of those that fit the drawn spec.
func (d drawer) mixture(s *Spec, o Options) {
	if o.Mixture == 0 {
		return
	}
	var fit []Kind
	whole := s.withDefaults()
	for _, k := range Kinds() {
		tagged := len(o.Tags) == 0 || slices.Contains(o.Tags, k.Tag)
		there := slices.ContainsFunc(s.Faults, func(f Fault) bool { return f.Slug == k.Slug })
		if tagged && !there && k.lacks(whole) == "" {
			fit = append(fit, k)
		}
	}
	for range min(d.Int("more faults", 0, o.Mixture), len(fit)) {
		i := d.Int("fault", 0, len(fit)-1)
		s.Faults = append(s.Faults, Fault{fit[i].Slug, d.size(fit[i])})
		fit = slices.Delete(fit, i, i+1)
	}
}

// Adapt changes the spec as little as it takes for all the faults to fit,
// within the options. The error says what they lack together.
func Adapt(s Spec, o Options, slugs ...string) (Spec, error) {
	if len(slugs) == 0 {
		return s, nil
	}
	var kinds []Kind
	for _, slug := range slugs {
		k, ok := KindOf(slug)
		if !ok {
			return Spec{}, fmt.Errorf("drawing a spec with the fault %q: there is no such fault", slug)
		}
		kinds = append(kinds, k)
	}
	lack := func(s Spec) string {
		whole := s.withDefaults()
		for _, k := range kinds {
			if l := k.lacks(whole); l != "" {
				return k.Slug + " needs " + l
			}
		}
		return ""
	}
	changes := adaptations(o)
	for range 12 { // more than there are things to change
		missing := lack(s)
		if missing == "" {
			return s, nil
		}
		if next, ok := step(s, changes, missing, lack); ok {
			s = next
			continue
		}
		return Spec{}, fmt.Errorf("drawing a spec with the faults %s: %s", strings.Join(slugs, ", "), missing)
	}
	return Spec{}, fmt.Errorf("drawing a spec with the faults %s: they exclude each other", strings.Join(slugs, ", "))
}

// step returns the spec with the first change that makes something else be
// missing, or nothing.
func step(s Spec, changes []func(*Spec), missing string, lack func(Spec) string) (Spec, bool) {
	var other *Spec
	for _, change := range changes {
		next := s
		change(&next)
		if next.withDefaults().checkEngine() != nil {
			continue
		}
		switch l := lack(next); {
		case l == "":
			return next, true
		case l != missing && other == nil:
			other = &next
		}
	}
	if other == nil {
		return s, false
	}
	return *other, true
}

// adaptations are the changes that make a fault fit, smallest first.
func adaptations(o Options) []func(*Spec) {
	warm := Request{Warmup: true, At: -3 * Duration(time.Second), Prefill: Duration(100 * time.Millisecond), Prompt: 100}
	changes := []func(*Spec){
		func(s *Spec) { s.Offload = true },
		func(s *Spec) { s.Witness = true },
		func(s *Spec) { s.Requests = append(slices.Clone(s.Requests), warm) },
		func(s *Spec) { s.Duration = Duration(3 * time.Second) },
		func(s *Spec) { s.Refresh = Duration(time.Second) },
		func(s *Spec) { s.Ranks = 2 },
		func(s *Spec) { s.Ranks, s.RanksAs = 1, "" },
		func(s *Spec) { s.Mesh = false },
		func(s *Spec) { s.Mesh, s.RanksAs = true, "" },
		func(s *Spec) { s.Generation = GenB },
		func(s *Spec) { s.Generation = GenA },
		func(s *Spec) { s.Generation = Era1 },
		func(s *Spec) { s.Generation = Era2 },
	}
	for _, t := range or(o.Topologies, Topologies()) {
		changes = append(changes, func(s *Spec) { s.Topology = t })
	}
	for _, c := range or(o.Collectors, Collectors()) {
		changes = append(changes, func(s *Spec) { s.Collector.Version = c })
	}
	for _, e := range or(o.Engines, Engines()) {
		changes = append(changes, func(s *Spec) {
			s.Engine, s.Generation, s.RanksAs = e, "", ""
			if e != ATOM {
				s.Refresh, s.Mesh = 0, false
			}
			if e == TRTLLM || e == DYNAMO {
				s.Ranks = 1
			}
			s.Dynamo = s.Dynamo && e != ATOM && e != DYNAMO
		})
	}
	return changes
}
