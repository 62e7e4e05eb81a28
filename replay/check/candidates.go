package check

import (
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/pdreplay/pdreplay/generator"
	"github.com/pdreplay/pdreplay/replay/shrink"
)

// passes are the candidates of a spec: fewer faults, a smaller fleet, fewer
// requests, then plainer ones. A candidate may be no spec at all (a fault that
// needs what is gone): generating it fails, and so does the predicate.
func passes() []shrink.Pass[generator.Spec] {
	return []shrink.Pass[generator.Spec]{
		{Name: "faults", Candidates: fewerFaults},
		{Name: "topology", Candidates: smallerTopology},
		{Name: "requests", Candidates: fewerRequests},
		{Name: "fleet", Candidates: edits(fleetEdits())},
		{Name: "collector", Candidates: edits(collectorEdits())},
		{Name: "times", Candidates: requestNumbers(times())},
		{Name: "tokens", Candidates: requestNumbers(tokens())},
		{Name: "duration", Candidates: shorterDuration},
		{Name: "sizes", Candidates: smallerSizes},
	}
}

type candidates = iter.Seq2[int, generator.Spec]

// with returns a copy of the spec whose lists may be changed.
func with(s generator.Spec, change func(*generator.Spec)) generator.Spec {
	s.Faults, s.Requests = slices.Clone(s.Faults), slices.Clone(s.Requests)
	change(&s)
	return s
}

func fewerFaults(s generator.Spec) candidates {
	return func(yield func(int, generator.Spec) bool) {
		for level, c := range shrink.Chunks(len(s.Faults)) {
			if !yield(level, with(s, func(s *generator.Spec) { s.Faults = shrink.Without(s.Faults, c) })) {
				return
			}
		}
	}
}

// smallerTopology offers the topologies that are simpler, with the requests on
// the workers that are left.
func smallerTopology(s generator.Spec) candidates {
	return func(yield func(int, generator.Spec) bool) {
		for _, t := range generator.Topologies() {
			if t == s.Topology {
				return
			}
			if !yield(0, with(s, func(s *generator.Spec) { s.Topology = t; onWorkers(s) })) {
				return
			}
		}
	}
}

// onWorkers moves requests of workers and ranks that are gone.
func onWorkers(s *generator.Spec) {
	accounted := accountedWorkers(s.Topology)
	for i := range s.Requests {
		r := &s.Requests[i]
		r.Worker %= accounted
		r.Rank %= max(s.Ranks, 1)
	}
}

// accountedWorkers is the number of prefill or unified workers of a topology.
func accountedWorkers(topology string) int {
	for _, form := range []string{"unified:%d", "%dp"} {
		var n int
		if _, err := fmt.Sscanf(topology, form, &n); err == nil && n > 0 {
			return n
		}
	}
	return 1
}

func fewerRequests(s generator.Spec) candidates {
	return func(yield func(int, generator.Spec) bool) {
		for level, c := range shrink.Chunks(len(s.Requests)) {
			if !yield(level, with(s, func(s *generator.Spec) { s.Requests = shrink.Without(s.Requests, c) })) {
				return
			}
		}
	}
}

// An edit makes one thing of a spec plain. It is false where that is so.
type edit func(*generator.Spec) bool

func edits(list []edit) func(generator.Spec) candidates {
	return func(s generator.Spec) candidates {
		return func(yield func(int, generator.Spec) bool) {
			for level, e := range list {
				changed := false
				c := with(s, func(s *generator.Spec) { changed = e(s) })
				if changed && !yield(level, c) {
					return
				}
			}
		}
	}
}

// plain sets a field to its plain value.
func plain[T comparable](field func(*generator.Spec) *T, value T) edit {
	return func(s *generator.Spec) bool {
		f := field(s)
		changed := *f != value
		*f = value
		return changed
	}
}

func fleetEdits() []edit {
	return []edit{
		func(s *generator.Spec) bool {
			changed := s.Ranks > 1 || s.RanksAs != ""
			s.Ranks, s.RanksAs = 0, ""
			onWorkers(s)
			return changed
		},
		plain(func(s *generator.Spec) *bool { return &s.Mesh }, false),
		func(s *generator.Spec) bool {
			changed := s.Offload
			s.Offload = false
			for i := range s.Requests {
				s.Requests[i].CPU, s.Requests[i].Store = 0, 0
			}
			return changed
		},
		plain(func(s *generator.Spec) *bool { return &s.Witness }, false),
		func(s *generator.Spec) bool { // the newest generation, which is the default
			newest := s.Engine == generator.ATOM && s.Generation == generator.GenB || s.Engine == generator.VLLM && s.Generation == generator.Era2
			changed := s.Generation != "" && !newest
			s.Generation = ""
			return changed
		},
		plain(func(s *generator.Spec) *generator.Duration { return &s.Refresh }, 0),
		func(s *generator.Spec) bool {
			changed := s.Refresh > second
			s.Refresh = second
			return changed
		},
		plain(func(s *generator.Spec) *generator.Duration { return &s.Duration }, 0),
		plain(func(s *generator.Spec) *uint64 { return &s.Seed }, 0),
	}
}

func collectorEdits() []edit {
	type c = generator.Collector
	duration := func(field func(*c) *generator.Duration, value generator.Duration) edit {
		return plain(func(s *generator.Spec) *generator.Duration { return field(&s.Collector) }, value)
	}
	return []edit{
		func(s *generator.Spec) bool {
			changed := s.Collector.Version != generator.V1012
			s.Collector.Version = generator.V1012
			return changed
		},
		func(s *generator.Spec) bool {
			changed := len(s.Collector.Skew) > 0
			s.Collector.Skew = nil
			return changed
		},
		duration(func(c *c) *generator.Duration { return &c.Straddle }, generator.Duration(500*time.Millisecond)),
		duration(func(c *c) *generator.Duration { return &c.Handover }, 0),
		duration(func(c *c) *generator.Duration { return &c.Final }, 0),
	}
}

// A number is one number of a request that can be made smaller, how small, and
// in what steps.
type number struct {
	field  func(*generator.Request) *int64
	target func(*generator.Request) int64
	step   int64
}

// times are the spans of a request. A prefill of 10 ms is the shortest that is
// drawn.
func times() []number {
	span := func(f func(*generator.Request) *generator.Duration, least time.Duration) number {
		return number{
			func(r *generator.Request) *int64 { return (*int64)(f(r)) },
			func(*generator.Request) int64 { return int64(least) },
			int64(10 * time.Millisecond),
		}
	}
	at := span(func(r *generator.Request) *generator.Duration { return &r.At }, 0)
	at.target = func(r *generator.Request) int64 {
		if r.Warmup {
			return int64(r.At) // warmup is placed by its end
		}
		return 0
	}
	return []number{
		span(func(r *generator.Request) *generator.Duration { return &r.Queue }, 0),
		span(func(r *generator.Request) *generator.Duration { return &r.Decode }, 0),
		span(func(r *generator.Request) *generator.Duration { return &r.Prefill }, 10*time.Millisecond),
		at,
	}
}

func tokens() []number {
	none := func(*generator.Request) int64 { return 0 }
	return []number{
		{func(r *generator.Request) *int64 { return &r.Store }, none, 1},
		{func(r *generator.Request) *int64 { return &r.CPU }, none, 1},
		{func(r *generator.Request) *int64 { return &r.GPU }, none, 1},
		{func(r *generator.Request) *int64 { return &r.Local }, none, 1},
		{func(r *generator.Request) *int64 { return &r.Prompt }, func(r *generator.Request) int64 { return max(1, r.GPU+r.CPU+r.Store, r.Local) }, 1},
	}
}

// smaller yields what the number may be made of a request, smallest first.
func (n number) smaller(r *generator.Request) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		target := n.target(r)
		steps := (*n.field(r) - target + n.step - 1) / n.step
		for k := range shrink.Towards(steps, 0) {
			if !yield(target + k*n.step) {
				return
			}
		}
	}
}

// requestNumbers makes the numbers of each request smaller. The last request
// comes first: what happens late makes the window long.
func requestNumbers(list []number) func(generator.Spec) candidates {
	return func(s generator.Spec) candidates {
		return func(yield func(int, generator.Spec) bool) {
			level := 0
			for i := len(s.Requests) - 1; i >= 0; i-- {
				for _, n := range list {
					level++
					for v := range n.smaller(&s.Requests[i]) {
						if !yield(level, with(s, func(s *generator.Spec) { *n.field(&s.Requests[i]) = v })) {
							return
						}
					}
				}
			}
		}
	}
}

// shorterDuration ends the configured duration earlier.
func shorterDuration(s generator.Spec) candidates {
	const step = 100 * time.Millisecond
	return func(yield func(int, generator.Spec) bool) {
		for k := range shrink.Towards(int64((time.Duration(s.Duration)+step-1)/step), 0) {
			if !yield(0, with(s, func(s *generator.Spec) { s.Duration = generator.Duration(k) * generator.Duration(step) })) {
				return
			}
		}
	}
}

// smallerSizes brings the size of each fault to its default (0), or nearer to
// its least.
func smallerSizes(s generator.Spec) candidates {
	return func(yield func(int, generator.Spec) bool) {
		for i, f := range s.Faults {
			if f.Size == 0 {
				continue
			}
			if !yield(i, with(s, func(s *generator.Spec) { s.Faults[i].Size = 0 })) {
				return
			}
		}
	}
}
