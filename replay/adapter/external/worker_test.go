//go:build unix

package external

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The hostile workers here do wrong on every second line that a process reads,
// so the runs are: answered, wrong (and the worker replaced), answered, wrong.
func TestHostileWorker(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		what   string
		want   string // in the error of every second run; "" for good answers
		stderr string
		keep   bool // the worker goes on after it
	}{
		{what: "good"},
		{what: "gigabyte:stderr"},
		{what: "error", want: "the worker answered with an error: no such engine", keep: true},
		{what: "gigabyte:stdout", want: "not JSON: line 1, column 1"},
		{what: "garbage", want: "not JSON: line 1, column 1", stderr: "\uFFFD\uFFFD garbage \uFFFD[31m"},
		{what: "print-first", want: `not JSON: line 1, column 1: jsontext: invalid character 'l'`},
		{what: "wrong-id", want: `answered id "elephant" when asked for id "2"`},
		{what: "previous-id", want: `answered id "1" again when asked for id "2"`},
		{what: "no-id", want: "has no id"},
		{what: "nothing", want: "neither a result nor an error"},
		{what: "both", want: "a result and an error"},
		{what: "nan", want: "bare -Infinity at /result/server_metrics/cache/cpu_cache_hit_rate", keep: true},
		{what: "mid-answer", want: "not JSON: line 1, column"},
		{what: "half-line", want: "output ended inside an answer: \"{\\\"id\\\":\\\"2\\\",\\\"resu\": it ended with exit status 3"},
		{what: "close-stdout", want: "the worker ended without an answer"},
	} {
		t.Run(test.what, func(t *testing.T) {
			t.Parallel()
			a, _, _ := setUp(t, Spec{Kind: Worker, Timeout: 20 * time.Second}, "worker:"+test.what)
			if test.what == "close-stdout" {
				// A worker without an answer is asked again in a new one, where
				// this is the first line: it must do wrong there as well.
				a, _, _ = setUp(t, Spec{Kind: Worker, Timeout: 20 * time.Second}, "worker:always-"+test.what)
				_, err := a.Derive(t.Context(), memoryRun())
				expectFailure(t, err, test.want, test.stderr)
				return
			}
			for i := range 4 {
				got, err := a.Derive(t.Context(), memoryRun())
				if i%2 == 1 && test.want != "" {
					want := test.want
					if test.keep && i == 3 {
						want = strings.Replace(want, `"2"`, `"4"`, 1)
					}
					expectFailure(t, err, want, test.stderr)
				} else if err != nil || !cmp.Equal(goodAnswer, got) {
					t.Errorf("run %d: got %+v, %v", i, got, err)
				}
			}
		})
	}
}

// A second answer is met when the next run is asked, and fails that one: what a
// worker says after it is not trusted.
func TestWorkerThatAnswersTwice(t *testing.T) {
	t.Parallel()
	a, _, _ := setUp(t, Spec{Kind: Worker}, "worker:always-twice")
	for i := range 4 {
		got, err := a.Derive(t.Context(), memoryRun())
		if i%2 == 1 {
			expectFailure(t, err, `the worker answered id "1" again when asked for id "2"`, "")
		} else if err != nil || !cmp.Equal(goodAnswer, got) {
			t.Errorf("run %d: got %+v, %v", i, got, err)
		}
	}
}

// A worker that dies after a good answer must not fail the run after it,
// whether or not its death is seen before that is asked.
func TestWorkerThatDies(t *testing.T) {
	t.Parallel()
	a, _, _ := setUp(t, Spec{Kind: Worker}, "worker:always-answer-and-die")
	for range 5 {
		if got, err := a.Derive(t.Context(), memoryRun()); err != nil || !cmp.Equal(goodAnswer, got) {
			t.Errorf("got %+v, %v", got, err)
		}
	}
	b, _, _ := setUp(t, Spec{Kind: Worker}, "say", "worker:always-silent-death")
	for range 3 {
		_, err := b.Derive(t.Context(), memoryRun())
		expectFailure(t, err, "the worker ended without an answer: it ended with exit status 3", "something was wrong")
	}
}

func TestWorkerTimeout(t *testing.T) {
	t.Parallel()
	a, mark, _ := setUp(t, Spec{Kind: Worker, Timeout: 3 * time.Second}, "eat-sigterm", "double-fork", "worker:hang")
	for i := range 3 {
		got, err := a.Derive(t.Context(), memoryRun())
		if i%2 == 1 {
			if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "no answer within 3s") {
				t.Errorf("run %d: got %v, want a time-out", i, err)
			}
			if runtime.GOOS == "linux" {
				expectDead(t, mark)
			}
		} else if err != nil || !cmp.Equal(goodAnswer, got) {
			t.Errorf("run %d: got %+v, %v", i, got, err)
		}
	}
}

func TestWorkerThatDoesNotEnd(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ words, want string }{
		{"worker:always-good", ""},
		{"worker:always-ignore-eof", "did not end within 1s of its input closing"},
		{"eat-sigterm worker:always-ignore-eof", "did not end within 1s of its input closing"},
		{"double-fork worker:always-good", "left 1 running, killed since"},
		{"worker:always-good exit3", "ended with exit status 3"},
	} {
		t.Run(test.words, func(t *testing.T) {
			t.Parallel()
			a, mark, _ := setUp(t, Spec{Kind: Worker}, strings.Fields(test.words)...)
			if got, err := a.Derive(t.Context(), memoryRun()); err != nil || !cmp.Equal(goodAnswer, got) {
				t.Errorf("got %+v, %v", got, err)
			}
			begin := time.Now()
			err := a.Close()
			if took := time.Since(begin); took > 4*time.Second {
				t.Errorf("Close took %v", took)
			}
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("Close says %v, want %q", err, test.want)
			}
			if strings.Contains(test.words, "double-fork") {
				expectDead(t, mark)
			}
		})
	}
}

func TestWorkersAnswerConcurrently(t *testing.T) {
	t.Parallel()
	a, _, _ := setUp(t, Spec{Kind: Worker}, "worker:always-good")
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 25 {
				if got, err := a.Derive(t.Context(), memoryRun()); err != nil || !cmp.Equal(goodAnswer, got) {
					t.Errorf("got %+v, %v", got, err)
				}
			}
		})
	}
	all.Wait()
	if n := len(a.pool.idle); n < 1 || n > 4 {
		t.Errorf("%d workers live, want at most one for each of the 4 callers", n)
	}
}
