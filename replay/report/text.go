package report

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pdreplay/pdreplay/replay"
)

// Text writes for people: a table with one block a run, what the contract
// wants in its first row; then every failure with its reason and the command
// that repeats it; then the sums.
//
// Rules of its output: want before got; nothing depends on timing; rates have
// three decimals unless that hides a difference; colour says nothing that the
// words do not. Of a corpus, only the runs in which something went wrong have a
// block.
type Text struct {
	w       *bufio.Writer
	colour  bool
	against string // show only where an adapter differs from this one
	trouble bool   // show only the runs in which something went wrong

	prices []replay.Result // with --price
	run    []replay.Result // of the run under way
	wrong  []replay.Result // failures and errors, for the end
	broken [][]replay.Result
	titled bool
	names  int // width of the adapters' column
	differ int // runs in which two adapters differ
	alike  int
	listed int
}

// TextOptions say how [Text] looks.
type TextOptions struct {
	Colour  bool
	Against string // name of an adapter: show only the runs where another differs from it
	Trouble bool   // show only the runs in which something failed, or an error occurred
}

// NewText returns a reporter that writes to w.
func NewText(w io.Writer, o TextOptions) *Text {
	return &Text{w: bufio.NewWriter(w), colour: o.Colour, against: o.Against, trouble: o.Trouble, names: 16}
}

// Result writes a run once all its results have come.
func (t *Text) Result(r replay.Result) error {
	r = printable(r)
	if len(t.run) > 0 && t.run[0].Run != r.Run {
		t.endRun()
	}
	t.run = append(t.run, r)
	if r.Price != nil {
		t.prices = append(t.prices, r)
	}
	if isWrong(r) {
		t.wrong = append(t.wrong, r)
	}
	if r.Listed != nil && r.Expected {
		t.listed++
	}
	return t.w.Flush()
}

// Summary writes the failures and the sums.
func (t *Text) Summary(s replay.Summary) error {
	t.endRun()
	t.sold(s)
	for _, r := range t.wrong {
		if r.Outcome == replay.Answered {
			t.block("FAIL", fmt.Sprintf("%s  %s  %s", r.Run, r.Adapter, headline(r)), told(r)...)
		} else {
			t.block("ERROR", r.Run+"  "+string(r.Adapter), told(r)...)
		}
	}
	for _, run := range t.broken {
		t.block("PARITY", run[0].Run+"  "+notReproduced, unlike(run)...)
	}
	for _, c := range s.Contradictions {
		lines := strings.Split(printableLines(c), "\n") // a panic comes with its stack
		t.block("ORACLE", lines[0], append(lines[1:], contradicted)...)
	}
	t.line("")
	t.sums(s)
	return t.w.Flush()
}

// block writes one thing that went wrong.
func (t *Text) block(word, head string, lines ...string) {
	t.line("")
	t.line("%s %s", t.paint(red, word), head)
	for _, l := range lines {
		t.line("     %s", l)
	}
}

func (t *Text) sums(s replay.Summary) {
	if t.against != "" {
		t.line("%s where an adapter differs from %s, %d where none does", count(t.differ, "run"), t.against, t.alike)
	}
	if t.listed > 0 {
		t.line("%s in expectation lists (--expect none shows them)", count(t.listed, "deviation"))
	}
	if s.ParityHeld+s.ParityBroken > 0 {
		t.line("%s reproduced, %d not", count(s.ParityHeld, "published row"), s.ParityBroken)
	}
	switch {
	case s.Interrupted:
		t.line("interrupted: the rest was not judged")
	case s.Stopped:
		t.line("stopped at the first failure: the rest was not judged")
	}
	t.line("%d undecided, %d errors", s.Undecided, s.Errors)
	t.line("%d passed, %d failed, %d skipped", s.Passed, s.Failed, s.Skipped)
}

func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

func (t *Text) line(format string, args ...any) {
	text := strings.TrimRight(fmt.Sprintf(format, args...), " ")
	t.w.WriteString(inert(text))
	t.w.WriteByte('\n') // a bufio.Writer keeps the first error for Flush
}

func (t *Text) endRun() {
	run := t.run
	t.run = nil
	if len(run) == 0 {
		return
	}
	if parityBroken(run) {
		t.broken = append(t.broken, run)
	}
	if t.against != "" {
		t.compare(run)
		return
	}
	if !t.trouble || parityBroken(run) || slices.ContainsFunc(run, isWrong) {
		t.table(run)
	}
}

func isWrong(r replay.Result) bool {
	count := r.Count()
	return count == replay.CountFailed || count == replay.CountError
}
