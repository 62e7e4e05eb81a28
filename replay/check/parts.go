package check

import (
	"fmt"
	"time"

	"github.com/pdreplay/pdreplay/generator"
	"github.com/pdreplay/pdreplay/replay/shrink"
)

// redraws is how many other values a part is given to find out whether it
// matters.
const redraws = 4

// parts are what a shrunk spec is made of, each with other values. What keeps
// the failure in all of them does not matter to it.
func parts(s generator.Spec) []shrink.Part[generator.Spec] {
	src := generator.NewSource(s.Seed, 1<<63) // a stream that no run has
	p := partList{spec: s, src: src}
	p.add("the seed", drawn(src, "seed", 1, 1<<16, func(s *generator.Spec, n int64) { s.Seed = uint64(n) })...)
	p.add("the topology", each(generator.Topologies(), s.Topology, func(s *generator.Spec, t string) { s.Topology = t; onWorkers(s) })...)
	p.add("the collector", each(generator.Collectors(), s.Collector.Version, func(s *generator.Spec, v string) { s.Collector.Version = v })...)
	p.add("the refresh", each([]generator.Duration{0, second, 5 * second}, s.Refresh, func(s *generator.Spec, d generator.Duration) { s.Refresh = d })...)
	p.add("the handover", drawn(src, "handover", 1, 400, func(s *generator.Spec, n int64) { s.Collector.Handover = ms(n) })...)
	p.add("the final scrape", drawn(src, "final", 50, 1300, func(s *generator.Spec, n int64) { s.Collector.Final = ms(n) })...)
	for i := range s.Faults {
		if f := s.Faults[i]; sized(f.Slug) {
			k, _ := generator.KindOf(f.Slug)
			p.add("the size of "+f.Slug, drawn(src, f.Slug, int(k.Least), int(min(k.Most, 2*k.Default)), func(s *generator.Spec, n int64) { s.Faults[i].Size = n })...)
		}
	}
	for i := range s.Requests {
		p.request(i)
	}
	return p.list
}

const second = generator.Duration(time.Second)

func ms(n int64) generator.Duration {
	return generator.Duration(time.Duration(n) * time.Millisecond)
}

func sized(slug string) bool {
	k, ok := generator.KindOf(slug)
	return ok && k.Unit != ""
}

// A partList collects the parts of one spec.
type partList struct {
	spec generator.Spec
	src  generator.Source
	list []shrink.Part[generator.Spec]
}

type change = func(*generator.Spec)

// add adds a part whose variants are the changes that leave a spec.
func (p *partList) add(name string, changes ...change) {
	part := shrink.Part[generator.Spec]{Name: name}
	for _, c := range changes {
		if v := with(p.spec, c); v.Check() == nil {
			part.Variants = append(part.Variants, v)
		}
	}
	if len(part.Variants) > 0 {
		p.list = append(p.list, part)
	}
}

// request adds the parts of the i-th request.
func (p *partList) request(i int) {
	r := p.spec.Requests[i]
	name := func(what string) string { return fmt.Sprintf("the %s of request %d", what, i+1) }
	set := func(do func(r *generator.Request, n int64)) func(*generator.Spec, int64) {
		return func(s *generator.Spec, n int64) { do(&s.Requests[i], n) }
	}
	hits := r.GPU + r.CPU + r.Store
	p.add(name("prompt"), drawn(p.src, "prompt", int(max(1, hits, r.Local)), 500+int(hits), set(func(r *generator.Request, n int64) { r.Prompt = n }))...)
	p.add(name("hits"), drawn(p.src, "gpu", 0, int(r.Prompt-r.CPU-r.Store), set(func(r *generator.Request, n int64) { r.GPU = n }))...)
	p.add(name("duration"), drawn(p.src, "decode", 0, 3000, set(func(r *generator.Request, n int64) {
		if r.Warmup {
			r.At -= ms(n) - r.Decode
		}
		r.Decode = ms(n)
	}))...)
	if !r.Warmup {
		p.add(name("start"), drawn(p.src, "at", 0, 3000, set(func(r *generator.Request, n int64) { r.At = ms(n) }))...)
	}
}

// drawn are changes to drawn numbers.
func drawn(src generator.Source, label string, lo, hi int, do func(*generator.Spec, int64)) []change {
	var out []change
	for range redraws {
		n := int64(src.Int(label, lo, max(lo, hi)))
		out = append(out, func(s *generator.Spec) { do(s, n) })
	}
	return out
}

// each are changes to every other word of a list.
func each[T comparable](words []T, now T, do func(*generator.Spec, T)) []change {
	var out []change
	for _, w := range words {
		if w != now {
			out = append(out, func(s *generator.Spec) { do(s, w) })
		}
	}
	return out
}
