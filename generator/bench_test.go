package generator

import "testing"

// benchSpec is a 60-slice run on one prefill and one decode worker.
func benchSpec() Spec {
	return Spec{
		Version: FormatVersion, Seed: 1, Engine: ATOM, Topology: "1p1d", Offload: true, Duration: Duration(60 * second),
		Collector: Collector{Version: V1012},
		Warmup:    &Load{Requests: 4, Concurrency: 2, Prompt: Dist{800, 1200}, Prefill: Dist{200, 400}, Decode: Dist{1000}},
		Profiling: &Load{Concurrency: 2, Prompt: Dist{500, 2000}, Output: Dist{5, 20}, GPU: Dist{300, 700}, CPU: Dist{0, 500}, Prefill: Dist{100, 500}, Decode: Dist{1200, 2000}, First: Dist{500}},
	}
}

func BenchmarkGenerate(b *testing.B) {
	s := benchSpec()
	b.ReportAllocs()
	size := 0
	for b.Loop() {
		out, err := Generate(s)
		if err != nil {
			b.Fatal(err)
		}
		size = len(out.file("aiperf_artifacts/server_metrics_export.json"))
	}
	b.ReportMetric(float64(size), "export-bytes")
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "runs/s")
}
