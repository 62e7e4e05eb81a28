package generator

import (
	"fmt"
	"strings"
	"time"
)

// TwinKinds lists what [Twins] can build.
func TwinKinds() []string { return []string{"straddler", "gap", "edge"} }

// Twins returns two specs whose runs look the same to any reader and have
// different truths, one at each end of what the export leaves open. They prove
// that a reader who refuses to say which it was is right to.
//
//   - straddler: a late warmup admission and one of profiling share the slice
//     that straddles S (collector 1.0.11)
//   - gap: the two share the gap before the first slice (1.0.12)
//   - edge: an admission that has no record and one that has share a moment at
//     the end of the run
//
// In each pair the two admissions are equally long and became visible at once;
// in the first run the foreign one hit the cache, in the second the recorded
// one.
func Twins(kind string) (foreign, recorded Spec, err error) {
	const prompt = 300
	ms := func(n int) Duration { return Duration(time.Duration(n) * time.Millisecond) }
	base := Spec{
		Version: FormatVersion, Seed: 1, Engine: ATOM, Generation: GenB, Topology: "unified",
		Collector: Collector{Latency: []Duration{ms(5), ms(5)}, Straddle: ms(300)},
		Requests: []Request{
			{Warmup: true, At: ms(-3000), Prefill: ms(100), Decode: ms(200), Prompt: 450, GPU: 100},
			{At: ms(1500), Prefill: ms(200), Decode: ms(2500), Prompt: 500, GPU: 400},
		},
	}
	// The pair, and for the kinds at S a refresh that shows both at once.
	late := Request{Warmup: true, At: ms(-300), Prefill: ms(100), Decode: ms(80), Prompt: prompt}
	early := Request{At: ms(5), Prefill: ms(300), Decode: ms(1000), Prompt: prompt}
	switch kind {
	case "straddler":
		base.Collector.Version, base.Refresh, base.Tick = V1011, ms(1000), ms(50)
	case "gap":
		base.Collector.Version, base.Refresh, base.Tick = V1012, ms(1000), ms(50)
	case "edge":
		base.Collector.Version, base.Duration = Upstream, ms(5000)
		late = Request{At: ms(4500), Prefill: ms(100), Decode: Duration(2 * grace), Prompt: prompt}
		early = Request{At: ms(4500), Prefill: ms(100), Decode: ms(300), Prompt: prompt}
	default:
		return Spec{}, Spec{}, fmt.Errorf("unknown kind of twins %q: want one of %s", kind, strings.Join(TwinKinds(), ", "))
	}
	with := func(foreignHits, recordedHits int64) Spec {
		s := base
		a, b := late, early
		a.GPU, b.GPU = foreignHits, recordedHits
		s.Requests = append(append([]Request{}, base.Requests...), a, b)
		return s
	}
	return with(prompt-1, 0), with(0, prompt-1), nil
}
