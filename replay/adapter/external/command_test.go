//go:build unix

package external

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pdreplay/pdreplay/replay/adapter"
	"github.com/pdreplay/pdreplay/replay/aiperf"
)

func ptr[T any](v T) *T { return &v }

// goodAnswer is what goodRow says.
var goodAnswer = adapter.Answer{
	Rates: adapter.Rates{GPU: ptr(0.6), CPU: ptr(0.35), Overall: ptr(0.95)},
	Accounting: &aiperf.Accounting{
		Total: 12, Profiled: 9, Dropped: 3, WarmupDropped: 2, ErrorDropped: 1, ProfilingErrors: ptr(1),
		ErrorCategories: map[string]int{"timeout": 1},
	},
}

// memoryRun is a run that is on no disk, in a layout of its own.
func memoryRun() *aiperf.Run {
	return &aiperf.Run{
		ID: "memory", Dir: "runs/a",
		FS: fstest.MapFS{
			"runs/a/profile_export.jsonl":       {Data: []byte("{}\n")},
			"runs/a/server_metrics_export.json": {Data: []byte("{\"metrics\":{}}")},
			"runs/a/server.log":                 {Data: []byte("log\n")},
			"runs/a/agg.json":                   {Data: []byte("{}")},
		},
		Env:   aiperf.Env{"FRAMEWORK": "atom", "PATH": "/evil", "LD_PRELOAD": "evil.so", "RESULT_FILENAME": "../../x", "MY_ROLE": "p"},
		Files: aiperf.Files{Records: "runs/a/profile_export.jsonl", Export: "runs/a/server_metrics_export.json", Published: "runs/a/agg.json"},
	}
}

func TestCommandAnswers(t *testing.T) {
	t.Parallel()
	a, _, _ := setUp(t, Spec{Engine: "atom"}, "row")
	if a.Name() != "hostile" || a.Engine() != "atom" {
		t.Errorf("it is called %q and answers for %q", a.Name(), a.Engine())
	}
	got, err := a.Derive(t.Context(), memoryRun())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(goodAnswer, got); diff != "" {
		t.Error(diff)
	}
}

// A hostile command gives an error of its own kind each, leaves no file and, on
// Linux, no process.
func TestHostileCommand(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		words   string
		want    string // in the error; "" for a good answer
		stderr  string // the last of its lines, "" for none
		survive bool   // "mark" is a process that must be dead
	}{
		{words: "gigabyte:stdout row"},
		{words: "gigabyte:stderr row"},
		{words: "gigabyte:stderr exit3", want: "ended with exit status 3", stderr: "the end of it"},
		{words: "litter row"},
		{words: "lock-up row"},
		{words: "say", want: "wrote no $AGENTIC_OUTPUT_DIR/$RESULT_FILENAME.json", stderr: "something was wrong"},
		{words: "garbage", want: "wrote no $AGENTIC_OUTPUT_DIR/$RESULT_FILENAME.json", stderr: "\uFFFD\uFFFD garbage \uFFFD[31m"},
		{words: "say exit3", want: "ended with exit status 3", stderr: "something was wrong"},
		{words: "row say exit3", want: "ended with exit status 3", stderr: "something was wrong"},
		{words: "say die", want: "ended with signal: killed", stderr: "something was wrong"},
		{words: "row:garbage", want: "not JSON: line 1, column 2"},
		{words: "row:cut", want: "not JSON: line 2, column "},
		{words: "row:empty", want: "not JSON: it is empty"},
		{words: "row:two", want: "more text after the value"},
		{words: "row:nan say", want: "bare NaN at /server_metrics/cache/cpu_cache_hit_rate", stderr: "something was wrong"},
		{words: "row:fifo", want: "$RESULT_FILENAME.json is a pipe, socket or device, not a file"},
		{words: "row:zero", want: "$RESULT_FILENAME.json is a link, not a file"},
		{words: "row:huge", want: "its row has"},
		{words: "fork row", want: "left 1 running, killed since: ", survive: true},
		{words: "double-fork row say", want: "left 1 running, killed since: ", stderr: "something was wrong", survive: true},
		{words: "double-fork say exit3", want: "ended with exit status 3", stderr: "something was wrong", survive: true},
		{words: "double-fork kill-parent", want: "supervisor was ended from outside"},
	} {
		t.Run(test.words, func(t *testing.T) {
			t.Parallel()
			if runtime.GOOS != "linux" && (test.survive || strings.Contains(test.words, "kill-parent")) {
				t.Skip("only Linux has a subreaper")
			}
			a, mark, _ := setUp(t, Spec{}, strings.Fields(test.words)...)
			got, err := a.Derive(t.Context(), memoryRun())
			if test.survive {
				expectDead(t, mark)
			}
			if strings.Contains(test.words, "kill-parent") {
				defer endMarked(t, mark)
			}
			if test.want == "" {
				if err != nil || !cmp.Equal(goodAnswer, got) {
					t.Errorf("got %+v, %v", got, err)
				}
				return
			}
			expectFailure(t, err, test.want, test.stderr)
		})
	}
}

// endMarked ends what a supervisor that was killed could not.
func endMarked(t *testing.T, mark string) {
	pid := 0
	if err := json.Unmarshal(must(os.ReadFile(mark)), &pid); err != nil {
		t.Fatal(err)
	}
	must(os.FindProcess(pid)).Kill()
}

// expectFailure fails unless err is a failure, no time-out, that says want and
// ends with the line stderr.
func expectFailure(t *testing.T, err error, want, stderr string) {
	t.Helper()
	var failure *Error
	if !errors.As(err, &failure) {
		t.Fatalf("got %v, want an *Error", err)
	}
	if failure.Timeout() || errors.Is(err, context.Canceled) {
		t.Errorf("a failure counts as ended by us: %v", err)
	}
	if !strings.Contains(failure.Err.Error(), want) {
		t.Errorf("error is %q, want %q in it", failure.Err, want)
	}
	last := ""
	if n := len(failure.Stderr); n > 0 {
		last = failure.Stderr[n-1]
	}
	if last != stderr {
		t.Errorf("the last line of stderr is %q, want %q", last, stderr)
	}
	if len(err.Error()) > 2*tailBytes {
		t.Errorf("the error has %d bytes", len(err.Error()))
	}
}

func TestCommandTimeout(t *testing.T) {
	t.Parallel()
	for _, words := range []string{"say hang", "eat-sigterm say hang", "double-fork say eat-sigterm hang"} {
		t.Run(words, func(t *testing.T) {
			t.Parallel()
			a, mark, _ := setUp(t, Spec{Timeout: 3 * time.Second}, strings.Fields(words)...)
			_, err := a.Derive(t.Context(), memoryRun())
			var failure *Error
			if !errors.As(err, &failure) || !failure.Timeout() || !errors.Is(err, context.DeadlineExceeded) {
				t.Fatalf("got %v, want a time-out", err)
			}
			if !strings.Contains(err.Error(), "no answer within 3s") || !slices.Contains(failure.Stderr, "something was wrong") {
				t.Errorf("the error says %v", err)
			}
			if strings.Contains(words, "double-fork") && runtime.GOOS == "linux" {
				expectDead(t, mark)
			}
		})
	}
}

func TestCancelEndsEverythingWithinTwoSeconds(t *testing.T) {
	t.Parallel()
	for _, spec := range []Spec{{Kind: Command}, {Kind: Worker}} {
		t.Run(string(spec.Kind), func(t *testing.T) {
			t.Parallel()
			words := "eat-sigterm double-fork hang"
			a, mark, _ := setUp(t, spec, strings.Fields(words)...)
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error)
			go func() {
				_, err := a.Derive(ctx, memoryRun())
				ended <- err
			}()
			for _, err := os.Stat(mark); err != nil; _, err = os.Stat(mark) {
				time.Sleep(5 * time.Millisecond)
			}
			cancel()
			cancelled := time.Now()
			if err := <-ended; !errors.Is(err, context.Canceled) {
				t.Errorf("got %v, want context.Canceled", err)
			}
			if took := time.Since(cancelled); took > 2*time.Second {
				t.Errorf("it took %v to end", took)
			}
			if runtime.GOOS == "linux" {
				expectDead(t, mark)
			}
		})
	}
}

func TestOnlyListedVariablesReachIt(t *testing.T) {
	t.Parallel()
	env := Environment{Pass: []string{"HOME", "ABSENT"}, Set: map[string]string{"FIXED": "f"}, Run: []string{"MY_*"}}
	var names []string
	for _, kind := range []Kind{Command, Worker} {
		words := map[Kind]string{Command: "env", Worker: "worker:always-env"}
		a, _, _ := setUp(t, Spec{Kind: kind, Env: env}, words[kind])
		room := must(layOut(a.host.TempDir, memoryRun()))
		defer room.remove()
		var row []byte
		var err error
		if kind == Command {
			row, err = a.runCommand(t.Context(), room, a.runEnv(room, memoryRun().Env), new(tail))
		} else {
			row, err = a.askWorker(t.Context(), room, a.runEnv(room, memoryRun().Env), new(tail))
		}
		if err != nil {
			t.Fatal(err)
		}
		var got struct {
			Env  []string
			More map[string]string
		}
		if err := json.Unmarshal(row, &got); err != nil {
			t.Fatal(err)
		}
		names = names[:0]
		for _, entry := range append(got.Env, entries(got.More)...) {
			name, value, _ := strings.Cut(entry, "=")
			names = append(names, name)
			if want := map[string]string{"HOME": "/home", "FIXED": "f", "MY_ROLE": "p", "RESULT_FILENAME": "row"}[name]; want != "" && value != want {
				t.Errorf("%s: %s is %q, want %q", kind, name, value, want)
			}
		}
		slices.Sort(names)
		want := []string{"AGENTIC_OUTPUT_DIR", "FIXED", "FRAMEWORK", "HF_HUB_CACHE", "HOME", "MY_ROLE", "PYTHONDONTWRITEBYTECODE",
			"RESULT_DIR", "RESULT_FILENAME", "TMPDIR"}
		if diff := cmp.Diff(want, names); diff != "" {
			t.Errorf("%s: %s", kind, diff)
		}
	}
}

// The producer sees its own layout, whatever layout the run has, in a place
// deep enough that no stray log is found above; and not the published row.
func TestLayOut(t *testing.T) {
	t.Parallel()
	disk := t.TempDir()
	for name, file := range memoryRun().FS.(fstest.MapFS) {
		check(os.MkdirAll(filepath.Join(disk, filepath.Dir(name)), 0o777))
		check(os.WriteFile(filepath.Join(disk, name), file.Data, 0o666))
	}
	onDisk := memoryRun()
	onDisk.FS = os.DirFS(disk)
	for _, run := range []*aiperf.Run{memoryRun(), onDisk} {
		temp := t.TempDir()
		room := must(layOut(temp, run))
		got := map[string]string{}
		check(filepath.WalkDir(room.root, func(name string, entry os.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			got[must(filepath.Rel(room.root, name))] = string(must(os.ReadFile(name)))
			return nil
		}))
		want := map[string]string{
			"up3/up2/up1/result/aiperf_artifacts/profile_export.jsonl":       "{}\n",
			"up3/up2/up1/result/aiperf_artifacts/server_metrics_export.json": "{\"metrics\":{}}",
			"up3/up2/up1/result/server.log":                                  "log\n",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		if _, err := os.Stat(room.noHub); err == nil {
			t.Error("HF_HUB_CACHE exists")
		}
		if err := room.remove(); err != nil {
			t.Error(err)
		}
		if left := must(os.ReadDir(temp)); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	}
	if _, err := os.Stat(filepath.Join(disk, "runs/a/profile_export.jsonl")); err != nil {
		t.Errorf("the run itself was removed: %v", err)
	}
}

func TestCommandThatIsNotThere(t *testing.T) {
	t.Parallel()
	a, err := New(Host{TempDir: t.TempDir()}, Spec{Name: "x", Args: []string{"no-such-program-anywhere"}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = a.Derive(t.Context(), memoryRun())
	expectFailure(t, err, "starting it: exec: \"no-such-program-anywhere\": executable file not found", "")
}
