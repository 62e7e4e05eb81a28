package external_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/pdreplay/pdreplay/replay/adapter/atom"
	"github.com/pdreplay/pdreplay/replay/adapter/external"
	"github.com/pdreplay/pdreplay/replay/aiperf"
)

const (
	standInDir    = "../../../testdata/workers/standin"
	standInModule = "producer"
)

// BenchmarkWorkerAgainstCommand counts how many runs a second each kind
// answers, and fails unless the worker answers ten times as many. The producer
// is that of PRODUCER=DIR, or the stand-in of testdata/workers.
func BenchmarkWorkerAgainstCommand(b *testing.B) {
	dir, module := standInDir, standInModule
	if os.Getenv("PRODUCER") != "" {
		dir, module = producerDir(b), producerModule
	}
	run, err := aiperf.Open(os.DirFS(matrixDir), "01-unified-clean", atom.Selects)
	if err != nil {
		b.Fatal(err)
	}
	// A command compiles its modules at every start unless Python may keep
	// them, so it may: the comparison is with the best that a command can do.
	env := external.Environment{Set: map[string]string{"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": b.TempDir()}}
	command := start(b, external.Command, dir, module, env)
	worker := start(b, external.Worker, dir, module, env)
	measure(b, command, run, 1)
	measure(b, worker, run, 1)

	// In turns, so that a busy machine slows both.
	var commands, workers time.Duration
	const aTurn, more = 2, 50
	for b.Loop() {
		commands += measure(b, command, run, aTurn)
		workers += measure(b, worker, run, aTurn*more)
	}
	n := float64(b.N * aTurn)
	b.ReportMetric(n/commands.Seconds(), "command-runs/s")
	b.ReportMetric(n*more/workers.Seconds(), "worker-runs/s")
	times := more * commands.Seconds() / workers.Seconds()
	b.ReportMetric(times, "times")
	if times < 10 {
		b.Errorf("the worker answers %.1f times as many runs a second as one process a run, want 10", times)
	}
}

// measure returns the time that n runs take.
func measure(b *testing.B, a *external.Adapter, run *aiperf.Run, n int) time.Duration {
	began := time.Now()
	for range n {
		answer, err := a.Derive(b.Context(), run)
		if err != nil {
			b.Fatal(err)
		}
		if gpu := answer.Rates.GPU; gpu == nil || *gpu != 0.6 {
			b.Fatalf("gpu is %v, want 0.6", gpu)
		}
	}
	return time.Since(began)
}

// The stand-in runs by the same script as the real producer, so the script is
// tested wherever there is Python.
func TestPythonWorker(t *testing.T) {
	env := external.Environment{}
	for _, kind := range []external.Kind{external.Command, external.Worker} {
		a := start(t, kind, standInDir, standInModule, env)
		for _, test := range []struct {
			dir  string
			gpu  float64
			want string // in the error
		}{
			{"matrix/01-unified-clean", 0.6, ""},
			{"real/ajcasagrande-run1", 0, "server_metrics_export.json"}, // has none: a traceback
			{"matrix/02-p-d-clean-decode-recounts-1000", 0.3, ""},       // decode counts FULL again
		} {
			run, err := aiperf.Open(os.DirFS("../../../testdata"), test.dir, atom.Selects)
			if err != nil {
				t.Fatal(err)
			}
			answer, err := a.Derive(t.Context(), run)
			switch {
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
				t.Errorf("%s on %s: got %v, want %q", kind, test.dir, err, test.want)
			case test.want == "" && err != nil:
				t.Error(err)
			case test.want == "" && *answer.Rates.GPU != test.gpu:
				t.Errorf("%s on %s: gpu is %v, want %v", kind, test.dir, *answer.Rates.GPU, test.gpu)
			}
		}
	}
}
