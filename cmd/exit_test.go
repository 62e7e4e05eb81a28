package cmd_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// Ctrl-C ends what still runs, prints what was judged, and exits 130; also an
// idle worker is asked to end, and what comes of it is said.
func TestExitInterrupted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no interrupts between processes on Windows")
	}
	dir := t.TempDir()
	started := filepath.Join(dir, "started")
	for name, text := range map[string]string{
		"slow.sh": "touch " + started + "\nexec sleep 60\n",
		"worker.sh": `read line
echo '{"id":"1","result":{"server_metrics":{"cache":{"gpu_cache_hit_rate":0.6,"cpu_cache_hit_rate":0.2,"external_cache_hit_rate":0.2,"overall_cache_hit_rate":0.8}}}}'
exec sleep 60
`,
		"pdreplay.yaml": "adapters:\n  stays: {kind: worker, command: \"sh {config}/worker.sh\"}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	// testscript.Main put the program into PATH.
	c := exec.Command("pdreplay", "replay", "../testdata/matrix/01-unified-clean", "../testdata/matrix/02-p-d-clean-decode-recounts-1000",
		"--jobs", "1", "--config", filepath.Join(dir, "pdreplay.yaml"), "--adapter", "stays", "--adapter", "slow=sh "+filepath.Join(dir, "slow.sh"))
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	for range 1000 {
		if _, err := os.Stat(started); err == nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	began := time.Now()
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	err := c.Wait()
	took := time.Since(began)
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 130 {
		t.Errorf("%v, want exit status 130", err)
	}
	// 2 s is promised; a loaded machine may take a little longer to notice.
	if took > 4*time.Second {
		t.Errorf("it took %s to stop", took)
	}
	text := out.String()
	if !strings.Contains(text, "  stays            no record ") ||
		!strings.HasSuffix(text, "\ninterrupted: the rest was not judged\n0 undecided, 0 errors\n1 passed, 0 failed, 0 skipped\n") {
		t.Errorf("output:\n%s", text)
	}
	if want := "pdreplay: adapter stays: a worker did not end within 1s of its input closing; it was killed\n"; errs.String() != want {
		t.Errorf("stderr: %q, want %q", errs.String(), want)
	}
}
