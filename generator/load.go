package generator

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// A Load draws the requests of one phase: users that each send a request, wait
// for its end, idle, and send the next one.
type Load struct {
	Requests    int  `yaml:"requests,omitempty"`    // how many; 0: until the configured duration ends
	Concurrency int  `yaml:"concurrency,omitempty"` // users, default 1
	Prompt      Dist `yaml:"prompt"`                // tokens
	Output      Dist `yaml:"output,omitempty"`      // tokens, default 1
	GPU         Dist `yaml:"gpu,omitempty"`         // hits, thousandths of the prompt
	CPU         Dist `yaml:"cpu,omitempty"`         // thousandths of what GPU left
	Store       Dist `yaml:"store,omitempty"`       // thousandths of what CPU left
	Queue       Dist `yaml:"queue,omitempty"`       // ms
	Prefill     Dist `yaml:"prefill"`               // ms
	Decode      Dist `yaml:"decode,omitempty"`      // ms
	Idle        Dist `yaml:"idle,omitempty"`        // ms between a user's requests
	First       Dist `yaml:"first,omitempty"`       // ms from the start of the phase to a user's first request
	Block       int  `yaml:"block,omitempty"`       // hits are whole blocks of so many tokens, default 1
	Failed      int  `yaml:"failed,omitempty"`      // thousandths of the requests that fail
	Cancelled   int  `yaml:"cancelled,omitempty"`   // thousandths that the client cancels
}

// A Dist is a distribution of whole numbers: one value, the least and the most
// of a uniform one, or eleven values at the percentiles 0, 1, 5, 10, 25, 50, 75, 90, 95, 99, 100,
// between which it is linear. AIPerf's aggregate gives a metric by the same
// percentiles, so a measured one can be pasted.
type Dist []int64

// percentiles are where the eleven values of a [Dist] stand: least, p1, p5,
// p10, p25, p50, p75, p90, p95, p99, most.
var percentiles = [11]int64{0, 1, 5, 10, 25, 50, 75, 90, 95, 99, 100}

func (d Dist) check(path string, hi int64) error {
	if len(d) > 2 && len(d) != len(percentiles) {
		return wrong(path, "%d values are not allowed: want one, the least and the most, or %d at the percentiles %v", len(d), len(percentiles), percentiles)
	}
	for i, v := range d {
		if v < 0 || v > hi {
			return wrong(path, "%d is not allowed: want 0 to %d", v, hi)
		}
		if i > 0 && v < d[i-1] {
			return wrong(path, "%v does not ascend", []int64(d))
		}
	}
	return nil
}

// MarshalYAML writes one value alone and more as a list.
func (d Dist) MarshalYAML() ([]byte, error) {
	if len(d) == 1 {
		return fmt.Appendf(nil, "%d", d[0]), nil
	}
	b := []byte{'['}
	for i, v := range d {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = fmt.Appendf(b, "%d", v)
	}
	return append(b, ']'), nil
}

// UnmarshalYAML reads one number or a list of them.
func (d *Dist) UnmarshalYAML(unmarshal func(any) error) error {
	var one int64
	if unmarshal(&one) == nil {
		*d = Dist{one}
		return nil
	}
	var list []int64
	if err := unmarshal(&list); err != nil {
		return fmt.Errorf("a distribution is a number or a list of numbers: %w", err)
	}
	*d = list
	return nil
}

// draw returns one value, in whole numbers throughout: a float's last digit
// must not depend on the machine.
func (d Dist) draw(rng *rand.Rand) int64 {
	switch len(d) {
	case 0:
		return 0
	case 1:
		return d[0]
	case 2:
		return d[0] + rng.Int64N(d[1]-d[0]+1)
	}
	const steps = 1_000_000 // of one per cent
	u := rng.Int64N(100 * steps)
	i := 0
	for i+2 < len(percentiles) && u >= percentiles[i+1]*steps {
		i++
	}
	lo, width := percentiles[i]*steps, (percentiles[i+1]-percentiles[i])*steps
	return d[i] + (d[i+1]-d[i])*(u-lo)/width
}

func (s Spec) checkLoads() error {
	for _, l := range []struct {
		name string
		load *Load
	}{{"warmup", s.Warmup}, {"profiling", s.Profiling}} {
		if l.load == nil {
			continue
		}
		if err := l.load.check(l.name, s); err != nil {
			return err
		}
	}
	return nil
}

func (l *Load) check(name string, s Spec) error {
	const hour = int64(time.Hour / time.Millisecond)
	for _, d := range []struct {
		name string
		dist Dist
		hi   int64
	}{
		{"prompt", l.Prompt, 1 << 40}, {"output", l.Output, 1 << 30},
		{"gpu", l.GPU, 1000}, {"cpu", l.CPU, 1000}, {"store", l.Store, 1000},
		{"queue", l.Queue, hour}, {"prefill", l.Prefill, hour}, {"decode", l.Decode, hour}, {"idle", l.Idle, hour}, {"first", l.First, hour},
	} {
		if err := d.dist.check(name+"."+d.name, d.hi); err != nil {
			return err
		}
	}
	switch {
	case len(l.Prompt) == 0 || l.Prompt[0] < 1:
		return wrong(name+".prompt", "want at least 1 token")
	case len(l.Prefill) == 0 || l.Prefill[0] < 1:
		return wrong(name+".prefill", "want at least 1 ms: a request without any duration never ends a phase")
	case l.Requests < 0 || l.Requests > 1_000_000:
		return wrong(name+".requests", "%d is not allowed: want 0 to 1000000", l.Requests)
	case l.Requests == 0 && (name == "warmup" || s.Duration == 0):
		return wrong(name+".requests", "want a number of requests: only profiling with a duration goes without")
	case l.Concurrency < 0 || l.Concurrency > 100_000:
		return wrong(name+".concurrency", "%d is not allowed: want 1 to 100000", l.Concurrency)
	case (len(l.CPU) > 0 || len(l.Store) > 0) && !s.Offload:
		return wrong(name+".cpu", "a CPU or store hit needs offload: true")
	case len(l.Store) > 0 && s.Engine == ATOM:
		return wrong(name+".store", "atom has no remote store")
	case l.Block < 0 || l.Failed < 0 || l.Failed > 1000 || l.Cancelled < 0 || l.Failed+l.Cancelled > 1000:
		return wrong(name+".failed", "want block >= 0 and failed + cancelled within 1000 thousandths")
	}
	return nil
}

// expand draws the requests of the phase, by the time of their start. The
// phase starts at 0; stop is when no request is sent any more, 0 for never.
func (l *Load) expand(rng *rand.Rand, stop time.Duration, workers, ranks int) []Request {
	users := max(l.Concurrency, 1)
	next := make([]int64, users) // ms, when each user sends its next request
	for i := range next {
		next[i] = l.First.draw(rng)
	}
	var out []Request
	for l.Requests == 0 || len(out) < l.Requests {
		u := earliest(next)
		at := next[u]
		if stop > 0 && at >= stop.Milliseconds() {
			break
		}
		r := l.request(rng)
		r.At = Duration(time.Duration(at) * time.Millisecond)
		r.Worker, r.Rank = len(out)%workers, len(out)/workers%ranks
		next[u] += time.Duration(r.Queue+r.Prefill+r.Decode).Milliseconds() + l.Idle.draw(rng)
		out = append(out, r)
	}
	slices.SortStableFunc(out, func(a, b Request) int { return int(a.At - b.At) })
	return out
}

func earliest(times []int64) int {
	best := 0
	for i, t := range times {
		if t < times[best] {
			best = i
		}
	}
	return best
}

func (l *Load) request(rng *rand.Rand) Request {
	span := func(d Dist) Duration { return Duration(time.Duration(d.draw(rng)) * time.Millisecond) }
	r := Request{
		Queue: span(l.Queue), Prefill: span(l.Prefill), Decode: span(l.Decode),
		Prompt: l.Prompt.draw(rng), Output: max(l.Output.draw(rng), 1), Outcome: OK,
	}
	block := int64(max(l.Block, 1))
	blocks := func(tokens int64) int64 { return tokens / block * block }
	r.GPU = blocks(r.Prompt * l.GPU.draw(rng) / 1000)
	r.CPU = blocks((r.Prompt - r.GPU) * l.CPU.draw(rng) / 1000)
	r.Store = blocks((r.Prompt - r.GPU - r.CPU) * l.Store.draw(rng) / 1000)
	switch n := rng.IntN(1000); {
	case n < l.Failed:
		r.Outcome = Failed
	case n < l.Failed+l.Cancelled:
		r.Outcome = Cancelled
	}
	return r
}
