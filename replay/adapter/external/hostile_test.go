//go:build unix

package external

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMain lets the test binary be the adapters under test: started with the
// first argument "hostile" it behaves as the following words say.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "hostile" {
		hostile(os.Args[2:])
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// goodRow is a row with the four rates, each another number.
const goodRow = `{"request_accounting":{"records_total":12,"records_profiled":9,"records_dropped_total":3,"records_warmup_dropped":2,
 "records_error_dropped":1,"records_profiling_error_dropped":1,"error_categories":{"timeout":1}},
 "server_metrics":{"cache":{"gpu_cache_hit_rate":0.6,"cpu_cache_hit_rate":0.35,"external_cache_hit_rate":null,"overall_cache_hit_rate":0.95}}}`

var oneLine = strings.NewReplacer("\n", "")

// hostile does one word after the other. Words of the producer end it; those
// of a worker read a line each.
func hostile(words []string) {
	requests := bufio.NewReader(os.Stdin)
	for _, word := range words {
		if run, ok := strings.CutPrefix(word, "worker:"); ok {
			actAsWorker(run, requests)
			continue
		}
		act(word)
	}
}

func act(word string) {
	switch word {
	case "row":
		writeRow(goodRow)
	case "row:garbage":
		writeRow("not a row\n")
	case "row:cut":
		writeRow(goodRow[:200])
	case "row:nan":
		writeRow(strings.Replace(goodRow, "0.35", "NaN", 1))
	case "row:empty":
		writeRow("")
	case "row:two":
		writeRow(goodRow + goodRow)
	case "row:fifo":
		check(syscall.Mkfifo(rowPath(), 0o600))
	case "row:zero":
		check(os.Symlink("/dev/zero", rowPath()))
	case "row:huge":
		check(os.WriteFile(rowPath(), bytes.Repeat([]byte(" "), maxRow+1), 0o600))
	case "env":
		writeRow(fmt.Sprintf(`{"env":%s}`, must(json.Marshal(os.Environ()))))
	case "unpack": // not hostile: another pdreplay that wants the same revision
		g := gitClone{path: os.Getenv("CLONE"), environ: os.Environ()}
		must(g.unpack(context.Background(), os.Getenv("CACHE"), os.Getenv("COMMIT")))
	case "hang":
		time.Sleep(time.Hour)
	case "eat-sigterm":
		signal.Ignore(syscall.SIGTERM)
	case "mark":
		check(os.WriteFile(os.Getenv("MARK"), []byte(strconv.Itoa(os.Getpid())), 0o600))
	case "fork": // a child in our group that outlives us
		startSelf(false, []string{"eat-sigterm", "mark", "hang"})
		awaitMark()
	case "double-fork": // an orphan in a session of its own
		startSelf(true, []string{"double-fork-2"})
		awaitMark()
	case "double-fork-2":
		startSelf(true, []string{"eat-sigterm", "mark", "hang"})
	case "gigabyte:stdout":
		gigabyte(os.Stdout)
	case "gigabyte:stderr":
		gigabyte(os.Stderr)
	case "garbage":
		// stderr first: a worker may be ended for what it writes to stdout.
		fmt.Fprintln(os.Stderr, "\x00\xff garbage \x1b[31m")
		fmt.Println("\x00\xff garbage \x1b[31m")
	case "say":
		fmt.Fprintln(os.Stderr, "first line\nsomething was wrong")
	case "exit3":
		os.Exit(3)
	case "die":
		check(syscall.Kill(os.Getpid(), syscall.SIGKILL))
	case "kill-parent":
		check(syscall.Kill(os.Getppid(), syscall.SIGKILL))
		time.Sleep(time.Hour)
	case "lock-up":
		check(os.MkdirAll(filepath.Join(os.Getenv("TMPDIR"), "a", "b"), 0o700))
		check(os.Chmod(filepath.Join(os.Getenv("TMPDIR"), "a"), 0))
	case "litter":
		check(os.WriteFile(filepath.Join(os.Getenv("TMPDIR"), "litter"), []byte("x"), 0o600))
		check(os.WriteFile(filepath.Join(os.Getenv("RESULT_DIR"), "litter"), []byte("x"), 0o600))
	default:
		panic("unknown word " + word)
	}
}

// actAsWorker answers runs until its input ends. what is done on every line
// whose id is even; all others are answered well, so that a test sees the rest
// go on. "always-" does it on every line.
func actAsWorker(what string, requests *bufio.Reader) {
	what, always := strings.CutPrefix(what, "always-")
	for {
		line, err := requests.ReadBytes('\n')
		if err != nil {
			break
		}
		var r request
		check(json.Unmarshal(line, &r))
		id, _ := strconv.Atoi(r.ID)
		if !always && id%2 == 1 {
			answer(r.ID, goodRow)
			continue
		}
		misbehave(what, r, id)
	}
	if what == "ignore-eof" {
		time.Sleep(time.Hour)
	}
}

func misbehave(what string, r request, id int) {
	switch what {
	case "good", "ignore-eof":
		answer(r.ID, goodRow)
	case "twice":
		answer(r.ID, goodRow)
		answer(r.ID, goodRow)
	case "previous-id":
		answer(strconv.Itoa(id-1), goodRow)
	case "wrong-id":
		answer("elephant", goodRow)
	case "no-id":
		fmt.Println(`{"result":{}}`)
	case "nothing":
		fmt.Printf("{\"id\":%q}\n", r.ID)
	case "both":
		fmt.Printf("{\"id\":%q,\"result\":{},\"error\":\"\"}\n", r.ID)
	case "error":
		fmt.Printf("{\"id\":%q,\"error\":\"no such engine\"}\n", r.ID)
	case "mid-answer":
		answer(r.ID, goodRow[:100])
		os.Exit(3)
	case "half-line":
		fmt.Printf("{\"id\":%q,\"resu", r.ID)
		os.Exit(3)
	case "silent-death":
		os.Exit(3)
	case "answer-and-die":
		answer(r.ID, goodRow)
		os.Exit(0)
	case "close-stdout":
		check(os.Stdout.Close())
		time.Sleep(time.Hour)
	case "nan":
		answer(r.ID, strings.Replace(goodRow, "0.35", "-Infinity", 1))
	case "env":
		answer(r.ID, fmt.Sprintf(`{"env":%s,"more":%s}`, must(json.Marshal(os.Environ())), must(json.Marshal(r.Env))))
	case "print-first":
		fmt.Println("loading the model")
		answer(r.ID, goodRow)
	default:
		act(what)
		answer(r.ID, goodRow)
	}
}

func answer(id, row string) { fmt.Printf("{\"id\":%q,\"result\":%s}\n", id, oneLine.Replace(row)) }

func rowPath() string {
	return filepath.Join(os.Getenv("AGENTIC_OUTPUT_DIR"), os.Getenv("RESULT_FILENAME")+".json")
}

func writeRow(text string) { check(os.WriteFile(rowPath(), []byte(text), 0o600)) }

// startSelf starts another hostile process, with our output, and leaves it.
func startSelf(session bool, words []string) {
	cmd := exec.Command(must(os.Executable()), append([]string{"hostile"}, words...)...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: session}
	check(cmd.Start())
}

func awaitMark() {
	for range 1000 {
		if data, err := os.ReadFile(os.Getenv("MARK")); err == nil && len(data) > 0 {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	panic("the process that was started did not make its mark")
}

func gigabyte(f *os.File) {
	block := bytes.Repeat([]byte("a line that says nothing at all\n"), 1<<15)
	for range (1 << 30) / len(block) {
		if _, err := f.Write(block); err != nil {
			return
		}
	}
	fmt.Fprintln(f, "the end of it")
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func must[T any](value T, err error) T {
	check(err)
	return value
}

// setUp returns an adapter that behaves as words say, and functions that check
// that nothing is left of it.
func setUp(t *testing.T, spec Spec, words ...string) (a *Adapter, mark string, host Host) {
	t.Helper()
	host = Host{TempDir: t.TempDir(), Environ: []string{"PATH=" + os.Getenv("PATH"), "SECRET=1", "HOME=/home"}}
	mark = filepath.Join(t.TempDir(), "mark")
	spec.Name = "hostile"
	spec.Args = slices.Concat([]string{must(os.Executable()), "hostile"}, words)
	if spec.Env.Set == nil {
		// Under the race detector every process of ours would end a second late.
		spec.Env.Set = map[string]string{"MARK": mark, "GORACE": "atexit_sleep_ms=0"}
		if testing.CoverMode() != "" { // or they complain on stderr
			spec.Env.Set["GOCOVERDIR"] = t.TempDir()
		}
	}
	a, err := New(host, spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = a.Close() // tests that expect an error have closed it themselves
		if left := must(os.ReadDir(host.TempDir)); len(left) > 0 {
			t.Errorf("left behind in the temporary directory: %v", left)
		}
	})
	return a, mark, host
}

// expectDead fails unless the process that made the mark has ended.
func expectDead(t *testing.T, mark string) {
	t.Helper()
	pid, err := strconv.Atoi(string(must(os.ReadFile(mark))))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, 0); err != syscall.ESRCH {
		t.Errorf("process %d survived: kill says %v", pid, err)
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}
