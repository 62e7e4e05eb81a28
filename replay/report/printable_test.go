package report_test

import (
	"strings"
	"testing"
	"unicode"

	"github.com/pdreplay/pdreplay/replay"
	"github.com/pdreplay/pdreplay/replay/report"
)

// strange is what a stranger may name a directory, or write to standard error:
// it clears the screen, turns text around, and forges lines and commands.
const strange = "\x9bx\x1b[2J\r\u202e\n::stop-commands::y\n##[error]z"

func strangers() []replay.Result {
	failed := replay.Result{Run: strange, Adapter: "a@1", Outcome: replay.Failed, Error: strange, Again: strange}
	skipped := replay.Result{Run: strange, Adapter: "b@1", Outcome: replay.Skipped, Reasons: []string{strange}, Lacks: []string{strange}}
	wrong := answered("c@1", replay.Mispriced, 0.1, 0.1, 0.2)
	wrong.Run, wrong.Status, wrong.Difference = "m/02", strange, strange
	wrong.Listed = &replay.Listing{Class: replay.LostRate, Why: strange, At: strange}
	wrong.Lacks = []string{strange}
	wrong.Published = &replay.Parity{Row: strange, Status: strange, Fields: []string{"status"}, Differs: []string{"status"}}
	return []replay.Result{failed, skipped, wrong}
}

func TestTextIsPrintable(t *testing.T) {
	got := text(t, report.TextOptions{}, strangers()...)
	for line := range strings.Lines(got) {
		line = strings.TrimSuffix(line, "\n")
		if strings.ContainsFunc(line, func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Errorf("a control character in %q", line)
		}
		if strings.HasPrefix(strings.TrimSpace(line), "::") || strings.Contains(line, "##[") {
			t.Errorf("a workflow command: %q", line)
		}
	}
	// An adapter's error keeps its lines: they are its last words.
	if want := "\n     \ufffdx\\x1b[2J\\r\\u202e\n     \\::stop-commands::y\n     ##\\[error]z\n"; !strings.Contains(got, want) {
		t.Errorf("no %q in\n%s", want, got)
	}
	if want := "\n\ufffdx\\x1b[2J\\r\\u202e\\n::stop-commands::y\\n##\\[error]z\n  a@1"; !strings.Contains(got, want) {
		t.Errorf("no %q in\n%s", want, got)
	}
}

func TestGitHubIsPrintable(t *testing.T) {
	var commands, summary strings.Builder
	g := report.NewGitHub(&commands, report.GitHubOptions{Summary: &summary, Locate: func(string) string { return "" }})
	var tally replay.Tally
	for _, r := range strangers() {
		tally.Add(r)
		if err := g.Result(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := g.Summary(tally.Summary()); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(commands.String()) {
		if !strings.HasPrefix(line, "::error ") {
			t.Errorf("no annotation: %q", line)
		}
	}
	for _, text := range []string{commands.String(), summary.String()} {
		if strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }) {
			t.Errorf("a control character in %q", text)
		}
	}
}
