package external

import (
	"bytes"
	"strings"
	"sync"
	"unicode"
)

const (
	tailBytes = 4096 // kept of stderr
	tailLines = 12   // shown of it
)

// A tail is a writer that keeps the last bytes written, whatever their number:
// a program may write a gigabyte to stderr and cost nothing.
type tail struct {
	mu   sync.Mutex
	kept []byte
	cut  bool // something before kept was dropped
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(p)
	if len(p) > tailBytes {
		p, t.cut = p[len(p)-tailBytes:], true
	}
	if over := len(t.kept) + len(p) - tailBytes; over > 0 {
		t.kept, t.cut = append(t.kept[:0], t.kept[over:]...), true
	}
	t.kept = append(t.kept, p...)
	return n, nil
}

// reset forgets everything, so that a worker's next run shows only its own.
func (t *tail) reset() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept, t.cut = nil, false
}

// copyTo hands what t keeps to another tail.
func (t *tail) copyTo(other *tail) {
	t.mu.Lock()
	kept, cut := bytes.Clone(t.kept), t.cut
	t.mu.Unlock()
	other.mu.Lock()
	defer other.mu.Unlock()
	other.kept, other.cut = kept, cut
}

// lines returns the last lines, without what a terminal would obey.
func (t *tail) lines() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := strings.TrimRight(strings.ToValidUTF8(string(t.kept), "\uFFFD"), "\n")
	if text == "" {
		return nil
	}
	lines := strings.Split(text, "\n")
	if first := max(0, len(lines)-tailLines); first > 0 {
		lines, t.cut = lines[first:], true
	}
	for i, line := range lines {
		lines[i] = strings.Map(printable, strings.TrimRight(line, "\r"))
	}
	if t.cut {
		lines[0] = "... " + lines[0]
	}
	return lines
}

func printable(r rune) rune {
	if r == '\t' || unicode.IsPrint(r) {
		return r
	}
	return '\uFFFD'
}
