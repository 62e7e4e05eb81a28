//go:build unix

package aiperf

import (
	"os"
	"syscall"
	"testing"
)

// Opening a named pipe waits for a writer, so a run with one must be refused
// before it is opened.
func TestPipeInAFilesPlace(t *testing.T) {
	for _, name := range []string{exportName, totalsName, recordsName, aggregateName} {
		dir := t.TempDir()
		if err := syscall.Mkfifo(dir+"/"+name, 0o666); err != nil {
			t.Skip("no named pipes here:", err)
		}
		_, err := Open(os.DirFS(dir), ".", nil)
		want := "open " + name + ": is a pipe, socket or device, not a file"
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
}
