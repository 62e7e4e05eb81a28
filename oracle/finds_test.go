package oracle_test

import (
	"testing"
	"time"

	"github.com/pdreplay/pdreplay/generator"
	"github.com/pdreplay/pdreplay/oracle"
	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// generated examines a synthesized run.
func generated(t *testing.T, spec generator.Spec) (*oracle.Evidence, [4]float64) {
	t.Helper()
	out, err := generator.Generate(spec)
	if err != nil {
		t.Fatal(err)
	}
	run, err := aiperf.Open(out.FS(), ".", oracle.Selects)
	if err != nil {
		t.Fatal(err)
	}
	truth, ok := out.Truth.Rates()
	if !ok {
		t.Fatal("no prompt token succeeded")
	}
	return oracle.Examine(run, oracle.Options{}), truth
}

// one is a run of one request of 100 tokens, 40 from the GPU and 20 from the
// CPU tier, well inside the window.
func one(engine, generation string, faults ...string) generator.Spec {
	ms := func(n int) generator.Duration { return generator.Duration(time.Duration(n) * time.Millisecond) }
	spec := generator.Spec{
		Version: generator.FormatVersion, Engine: engine, Generation: generation, Topology: "unified", Offload: true,
		Start:     1_800_000_000_000_000_000,
		Collector: generator.Collector{Version: generator.Upstream},
		Requests: []generator.Request{
			{At: ms(1500), Prefill: ms(100), Decode: ms(8000), Prompt: 100, GPU: 40, CPU: 20},
		},
	}
	for _, slug := range faults {
		spec.Faults = append(spec.Faults, generator.Fault{Slug: slug})
	}
	return spec
}

// overfull has more hits than prompts; one of them may be missing, and as many
// as there are may be foreign.
func overfull() generator.Spec {
	spec := one(generator.ATOM, generator.GenB, "cached-above-full")
	ms := func(n int) generator.Duration { return generator.Duration(time.Duration(n) * time.Millisecond) }
	spec.Requests = []generator.Request{
		{Prefill: ms(10), Prompt: 1, Outcome: generator.Cancelled},
		{At: ms(840), Prefill: ms(10), Prompt: 1},
	}
	return spec
}

func fullyCached() generator.Spec {
	spec := one(generator.VLLM, generator.Era1)
	spec.Requests[0].GPU, spec.Requests[0].CPU = 80, 20
	return spec
}

// A leak out of the warmup that the engine has not shown by the last scrape is
// no part of the ledger: it cannot be taken for certain (1.0.11 shape).
func TestLeakThatIsNotShownYet(t *testing.T) {
	spec := one(generator.ATOM, generator.GenA)
	spec.Collector.Version = generator.V1011
	spec.Refresh = generator.Duration(5 * time.Second)
	spec.Requests[0].At, spec.Requests[0].Decode = spec.Requests[0].At/3, spec.Requests[0].Decode/4
	warmup := spec.Requests[0]
	warmup.Warmup, warmup.At = true, -3*spec.Requests[0].Decode/2
	spec.Requests = append([]generator.Request{warmup}, spec.Requests...)
	ev, truth := generated(t, spec)
	if ev.True.Why != "" || !ev.True.Rates.Overall.Contains(truth[3], 0) {
		t.Errorf("true overall %v (%s), want one that holds %v", ev.True.Rates.Overall, ev.True.Why, truth[3])
	}
}

// Counterexamples to earlier definitions: the truth lay outside what was
// called proven.
func TestFinds(t *testing.T) {
	for _, tt := range []struct {
		name string
		spec generator.Spec
	}{
		// Rule 12 reads a missing OFFLOAD as generation A, whose CACHED holds the
		// CPU tier; generation B drops the family while one rank lacks it.
		{"generation B without OFFLOAD", one(generator.ATOM, generator.GenB, "offload-absent")},
		// The sources are FULL only when all are there.
		{"vLLM without local_compute", one(generator.VLLM, generator.Era2, "compute-absent")},
		// The first era counts a fully cached prompt as one token more.
		{"vLLM era 1, all of the prompt cached", fullyCached()},
		// CACHED above FULL is nobody's reuse, however much may be missing.
		{"more hits than prompts", overfull()},
	} {
		ev, truth := generated(t, tt.spec)
		for i, interval := range ev.True.Rates.List() {
			if !interval.Contains(truth[i], 0) {
				t.Errorf("%s: true %s is %v, outside %v", tt.name, oracle.RateNames[i], truth[i], interval)
			}
		}
		if ev.RunBasis() == oracle.Exact {
			t.Errorf("%s: called exact", tt.name)
		}
	}
}

// A tier that is a true zero has no slices whose edges could differ: overall is
// as narrow as gpu.
func TestTrueZeroWidensNothing(t *testing.T) {
	spec := one(generator.ATOM, generator.GenB, "slice-over-end")
	spec.Offload, spec.Requests[0].CPU = false, 0
	spec.Collector.Version = generator.V1012
	for _, generation := range []string{generator.GenA, generator.GenB} {
		spec.Generation = generation
		ev, _ := generated(t, spec)
		if ev.Observed.GPU.Point() || ev.Observed.Overall != ev.Observed.GPU {
			t.Errorf("generation %s: overall %v, gpu %v; want the same range", generation, ev.Observed.Overall, ev.Observed.GPU)
		}
	}
}

// The same run with nothing missing is proven, and the window shows the truth.
func TestWholeRunIsExact(t *testing.T) {
	for _, spec := range []generator.Spec{one(generator.ATOM, generator.GenB), one(generator.VLLM, generator.Era2)} {
		ev, truth := generated(t, spec)
		if ev.RunBasis() != oracle.Exact {
			t.Errorf("%s: basis %s, want exact: %s", spec.Engine, ev.RunBasis(), ev.True.Why)
		}
		for i, observed := range ev.Observed.List() {
			if !observed.Point() || !observed.Contains(truth[i], 0) {
				t.Errorf("%s: observed %s %v, true %v", spec.Engine, oracle.RateNames[i], observed, truth[i])
			}
		}
	}
}

// TensorRT-LLM's tier counters move in the iteration, its token counters at the
// finish: of a request that is cut off only the tiers are counted, and no fit of
// the tokens says so.
func TestTierOfARequestThatNeverFinished(t *testing.T) {
	spec := one(generator.TRTLLM, "")
	spec.Duration = generator.Duration(12 * time.Second)
	lost := spec.Requests[0]
	lost.At, lost.Decode = lost.At+generator.Duration(time.Second), generator.Duration(time.Minute)
	spec.Requests = append(spec.Requests, lost, early())
	ev, truth := generated(t, spec)
	if !ev.True.Proven || ev.True.Rates.Overall.Lo != truth[3] {
		t.Errorf("overall is %v, proven %v (%s), want the proven %v", ev.True.Rates.Overall, ev.True.Proven, ev.True.Why, truth[3])
	}
	if !ev.True.Rates.GPU.Contains(truth[0], 0) {
		t.Errorf("true gpu is %v, said to lie in %v", truth[0], ev.True.Rates.GPU)
	}
}

// early is a warmup request: it shows that the series were there before S.
func early() generator.Request {
	return generator.Request{Warmup: true, At: generator.Duration(-4 * time.Second), Prefill: generator.Duration(100 * time.Millisecond), Decode: generator.Duration(time.Second), Prompt: 50}
}

// A request whose hits were not reported can be seen by the last scrape alone:
// the window then says that every request reported.
func TestUnreportedBehindTheWindow(t *testing.T) {
	spec := one(generator.DYNAMO, "", "unreported-hits") // of every second request, that of the one that ends last too
	spec.Collector.Version, spec.Collector.Final = generator.V1012, generator.Duration(1300*time.Millisecond)
	reported := spec.Requests[0]
	reported.At, reported.Decode = reported.At+generator.Duration(time.Second), reported.Decode/4
	spec.Requests = append(spec.Requests, reported, early(), early())
	ev, truth := generated(t, spec)
	if !ev.True.Rates.Overall.Contains(truth[3], 0) {
		t.Errorf("true overall is %v, said to lie in %v", truth[3], ev.True.Rates.Overall)
	}
}

// Of the tiers that count beside overall, those of one rate are bounded by FULL
// together: here host and disk hold 66 + 50 of the 115 tokens that are inside.
func TestTiersBesideOverallTogether(t *testing.T) {
	spec := one(generator.TRTLLM, "")
	ms := func(n int) generator.Duration { return generator.Duration(time.Duration(n) * time.Millisecond) }
	spec.Start, spec.Collector.Version = 0, generator.V1012
	spec.Requests = []generator.Request{
		{At: ms(180), Prefill: ms(10), Prompt: 115, CPU: 65, Store: 50},
		{At: ms(570), Prefill: ms(80), Decode: ms(530), Prompt: 1, CPU: 1}, // finishes behind the last whole slice
	}
	ev, _ := generated(t, spec)
	v := ev.Verdict(oracle.Contracts()[0])
	if v.Status != oracle.InvalidCounter || v.Rates[2] != nil {
		t.Errorf("%s, external %v", v.Status, v.Rates[2])
	}
}

// A broken count of the requests that reported their hits tells nothing of the
// others: no rate may be shown. Found by 100,000 runs of check.
func TestCoverageThatCannotBeCounted(t *testing.T) {
	spec := one(generator.DYNAMO, "", "slice-null", "restart")
	spec.Collector = generator.Collector{Version: generator.V1012, Straddle: generator.Duration(500 * time.Millisecond)}
	spec.Faults[1].Size = 3
	spec.Start = 1_800_000_010_123_456_789
	ms := func(n int) generator.Duration { return generator.Duration(time.Duration(n) * time.Millisecond) }
	spec.Requests = []generator.Request{
		{At: ms(367), Prefill: ms(290), Decode: ms(520), Prompt: 51, GPU: 51},
		{At: ms(170), Prefill: ms(10), Prompt: 51, GPU: 51},
		{Prefill: ms(10), Prompt: 51, GPU: 51},
	}
	spec.Offload = false
	ev, _ := generated(t, spec)
	if v := ev.Verdict(contract("review")); v.Rates[3] != nil {
		t.Errorf("%s reports overall %v: %v", v.Status, *v.Rates[3], v.Reasons)
	}
}
