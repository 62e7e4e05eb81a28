package cmd

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/shlex"
)

// documents are the files whose commands must work as they stand there.
var documents = []string{"README.md", "testdata/reported/README.md"}

// run is one command line, run where the documents say: at the root.
func runLine(t *testing.T, line string) (stdout string, code int) {
	t.Helper()
	args, err := shlex.Split(line)
	if err != nil || args[0] != "pdreplay" {
		t.Fatalf("%q is no command of ours: %v", line, err)
	}
	var out, errs bytes.Buffer
	code = Main(args[1:], strings.NewReader(""), &out, &errs)
	if errs.Len() > 0 {
		t.Logf("%s: stderr: %s", line, &errs)
	}
	return out.String(), code
}

// Every console block of the documents shows what its command prints, word by
// word; a line of three dots stands for any lines.
func TestConsoleBlocks(t *testing.T) {
	t.Chdir(linkedRoot(t))
	block := regexp.MustCompile("(?ms)^```console\n\\$ (.*?)\n(.*?)^```$")
	for _, name := range documents {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		found := block.FindAllStringSubmatch(string(text), -1)
		if len(found) == 0 && filepath.Base(name) == "README.md" {
			t.Errorf("%s has no console block", name)
		}
		for _, m := range found {
			got, _ := runLine(t, m[1])
			if !matches(strings.Split(strings.TrimSuffix(m[2], "\n"), "\n"), strings.Split(strings.TrimSuffix(got, "\n"), "\n")) {
				t.Errorf("%s: $ %s\nwant:\n%s\ngot:\n%s", name, m[1], m[2], got)
			}
		}
	}
}

// linkedRoot is a directory that shows what the root has, and that a command of a
// document may write into.
func linkedRoot(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if err := os.Symlink(filepath.Join(root, e.Name()), filepath.Join(dir, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// matches holds lines against a pattern in which "..." is any lines.
func matches(pattern, lines []string) bool {
	switch {
	case len(pattern) == 0:
		return len(lines) == 0
	case pattern[0] != "...":
		return len(lines) > 0 && pattern[0] == lines[0] && matches(pattern[1:], lines[1:])
	}
	for i := range len(lines) + 1 {
		if matches(pattern[1:], lines[i:]) {
			return true
		}
	}
	return false
}

// A bug's command must show the bug: it fails with a verdict.
func TestPastBugs(t *testing.T) {
	t.Chdir("..")
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile("(?m)^\\| .* \\| `(pdreplay [^`]+)` \\|$").FindAllStringSubmatch(string(text), -1)
	if len(rows) < 10 {
		t.Fatalf("%d bugs with a command, want at least 10", len(rows))
	}
	for _, row := range rows {
		if out, code := runLine(t, row[1]); code != 1 || !strings.Contains(out, "\nFAIL ") {
			t.Errorf("%s: exit %d, want a failed verdict:\n%s", row[1], code, out)
		}
	}
}
