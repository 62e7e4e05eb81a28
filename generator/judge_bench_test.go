package generator_test

import (
	"context"
	"runtime/debug"
	"testing"

	"github.com/pdreplay/pdreplay/generator"
	"github.com/pdreplay/pdreplay/oracle"
	"github.com/pdreplay/pdreplay/replay"
	"github.com/pdreplay/pdreplay/replay/adapter"
	"github.com/pdreplay/pdreplay/replay/aiperf"
	"github.com/pdreplay/pdreplay/replay/check"
)

// BenchmarkJudgedRuns takes 60-slice runs on one prefill and one decode worker
// the whole way: generated, written, read back from memory, derived by every
// ATOM version, judged under the default contract. It reports runs a second
// over all cores; the goal is 500 on two. Garbage is collected as check does it.
func BenchmarkJudgedRuns(b *testing.B) {
	var versions []adapter.Adapter
	for _, a := range replay.BuiltinAdapters() {
		if a.Engine() == generator.ATOM {
			versions = append(versions, a)
		}
	}
	contract, err := oracle.ContractNamed("review")
	if err != nil {
		b.Fatal(err)
	}
	defer debug.SetGCPercent(debug.SetGCPercent(check.GCPercent))
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for seed := uint64(1); pb.Next(); seed++ {
			judge(b, seed, versions, contract)
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "runs/s")
}

func judge(b *testing.B, seed uint64, versions []adapter.Adapter, contract oracle.Contract) {
	out, err := generator.Generate(generator.MinuteSpec(seed))
	if err != nil {
		b.Error(err)
		return
	}
	run, err := aiperf.Open(out.FS(), ".", replay.Selects)
	if err != nil {
		b.Error(err)
		return
	}
	ev := oracle.Examine(run, oracle.Options{})
	v := ev.Verdict(contract)
	for _, a := range versions {
		answer, err := a.Derive(context.Background(), run)
		if err != nil {
			b.Error(err)
			return
		}
		replay.Judge(ev, v, answer)
	}
}
