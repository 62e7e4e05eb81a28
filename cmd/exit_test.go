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

// Ctrl-C ends what still runs, prints what was judged, and exits 130.
func TestExitInterrupted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no interrupts between processes on Windows")
	}
	dir := t.TempDir()
	started := filepath.Join(dir, "started")
	script := filepath.Join(dir, "slow.sh")
	if err := os.WriteFile(script, []byte("touch "+started+"\nexec sleep 60\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	// testscript.Main put the program into PATH.
	c := exec.Command("pdreplay", "replay", "../testdata/matrix/01-unified-clean", "../testdata/matrix/02-p-d-clean-decode-recounts-1000",
		"--jobs", "1", "--adapter", "atom@review", "--adapter", "slow=sh "+script)
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
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
	if !strings.Contains(text, "  atom@review      VALID_COMPLETE ") ||
		!strings.HasSuffix(text, "\ninterrupted: the rest was not judged\n0 undecided, 0 errors\n1 passed, 0 failed, 0 skipped\n") {
		t.Errorf("output:\n%s", text)
	}
}
