package check

import (
	"runtime/debug"
	"testing"
)

// The price of a check is the price of making, reading, examining and deriving
// small runs: at least 300 a second are asked for, on two cores, with the
// adapters of all engines.
func BenchmarkCheck(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(GCPercent))
	o := options(corrected()...)
	runs := 0
	for b.Loop() {
		o.Runs = 1000
		runs += run(b, o).Runs
		o.Seed++
	}
	b.ReportMetric(float64(runs)/b.Elapsed().Seconds(), "runs/s")
}
