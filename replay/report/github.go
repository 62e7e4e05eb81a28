package report

import (
	"fmt"
	"html"
	"io"
	"slices"
	"strings"

	"github.com/google/shlex"

	"github.com/pdreplay/pdreplay/replay"
)

// GitHub writes for a step of a GitHub workflow: an annotation for everything
// that makes the exit code red, as workflow commands, and a summary of the step
// in Markdown.
type GitHub struct {
	collection
	commands, summary io.Writer
	locate            func(path string) string
}

// GitHubOptions say where a GitHub workflow takes its step's output from.
type GitHubOptions struct {
	Summary io.Writer // the file of GITHUB_STEP_SUMMARY
	// Locate turns the path of a run into one inside the checked-out
	// repository, for annotations; "" where it lies outside.
	Locate func(path string) string
}

// NewGitHub returns a reporter that writes workflow commands to w.
func NewGitHub(w io.Writer, o GitHubOptions) *GitHub {
	return &GitHub{commands: w, summary: o.Summary, locate: o.Locate}
}

// Result keeps one result.
func (g *GitHub) Result(r replay.Result) error { return g.collection.Result(printable(r)) }

// Summary writes the annotations, then the summary of the step.
func (g *GitHub) Summary(s replay.Summary) error {
	blocks := g.blocks(s)
	for _, b := range blocks {
		message := strings.Join(append([]string{b.head}, b.lines...), "\n")
		command := "::error title=" + escapeProperty("pdreplay: "+b.title)
		if file := g.file(b.again); file != "" {
			command = "::error file=" + escapeProperty(file) + ",title=" + escapeProperty("pdreplay: "+b.title)
		}
		if _, err := fmt.Fprintf(g.commands, "%s::%s\n", command, escapeData(message)); err != nil {
			return err
		}
	}
	_, err := io.WriteString(g.summary, g.markdown(s, blocks))
	return err
}

// A block is one thing that went wrong.
type block struct {
	word, title, head string
	lines             []string
	again             string
}

// blocks are everything that makes the exit code red.
func (c *collection) blocks(s replay.Summary) []block {
	var list []block
	for _, r := range c.results {
		switch r.Count() {
		case replay.CountFailed:
			list = append(list, block{"FAIL", fmt.Sprintf("%s %s", r.Adapter, r.Class), fmt.Sprintf("%s  %s  %s", r.Run, r.Adapter, headline(r)), told(r), r.Again})
		case replay.CountError:
			list = append(list, block{"ERROR", strings.TrimSpace(fmt.Sprintf("%s %s", r.Adapter, r.Outcome)), strings.TrimSpace(r.Run + "  " + string(r.Adapter)), told(r), r.Again})
		}
	}
	for _, run := range c.runs() {
		if parityBroken(run) {
			list = append(list, block{"PARITY", notReproduced, run[0].Run + "  " + notReproduced, unlike(run), run[0].Again})
		}
	}
	for _, x := range general(s) {
		list = append(list, block{word: "ERROR", title: x.Error.Type, head: x.Error.Message})
	}
	return list
}

// file is the path of the run that a command repeats, inside the repository.
func (g *GitHub) file(again string) string {
	words, err := shlex.Split(again)
	if err != nil || len(words) < 3 || words[1] != "replay" {
		return "" // a scenario is built, and lies nowhere
	}
	return g.locate(words[2])
}

// escapeData and escapeProperty escape what GitHub's runner unescapes, and only
// that.
func escapeData(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

func escapeProperty(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(s)
}

// mostSummary is how much of the failures the summary tells: GitHub refuses a
// step's summary of more than 1 MiB as a whole.
const mostSummary = 600 << 10

// markdown is the summary of the step. It is made of HTML elements, which
// Markdown passes on: so one kind of escaping holds for all text of runs.
func (g *GitHub) markdown(s replay.Summary, blocks []block) string {
	var b strings.Builder
	fmt.Fprintf(&b, "### pdreplay: %d passed, %d failed, %d skipped\n\n%d undecided, %d errors", s.Passed, s.Failed, s.Skipped, s.Undecided, s.Errors)
	if s.Corpus != "" {
		fmt.Fprintf(&b, ", corpus %s", cellText(string(s.Corpus)))
	}
	if s.ParityHeld+s.ParityBroken > 0 {
		fmt.Fprintf(&b, ", %s reproduced, %d not", count(s.ParityHeld, "published row"), s.ParityBroken)
	}
	b.WriteString("\n\n")
	g.table(&b)
	for i, x := range blocks {
		if b.Len() > mostSummary {
			fmt.Fprintf(&b, "%s more: the log and the other reports have them all.\n", count(len(blocks)-i, "problem"))
			break
		}
		x.details(&b)
	}
	return b.String()
}

func (g *GitHub) table(b *strings.Builder) {
	card := g.scorecard()
	if len(card) == 0 {
		return
	}
	columns := []string{"adapter", "passed", "failed", "skipped", "undecided", "errors", "classes"}
	b.WriteString("<table>\n<tr><th>" + strings.Join(columns, "</th><th>") + "</th></tr>\n")
	for _, x := range card {
		var classes []string
		for _, c := range x.classes {
			classes = append(classes, fmt.Sprintf("%s %d", c.class, c.n))
		}
		fmt.Fprintf(b, "<tr><td>%s</td><td>%d</td><td>%d</td><td>%d</td><td>%d</td><td>%d</td><td>%s</td></tr>\n",
			cellText(string(x.adapter)), x.passed, x.failed, x.skipped, x.undecided, x.errors, cellText(strings.Join(classes, ", ")))
	}
	b.WriteString("</table>\n\n")
}

// details writes a block that opens when it is asked to.
func (x block) details(b *strings.Builder) {
	fmt.Fprintf(b, "<details><summary>%s %s</summary>\n", x.word, cellText(x.head))
	if len(x.lines) > 0 {
		// An empty line would end the HTML and let Markdown in.
		lines := slices.DeleteFunc(slices.Clone(x.lines), func(l string) bool { return strings.TrimSpace(l) == "" })
		fmt.Fprintf(b, "<pre>%s</pre>\n", html.EscapeString(strings.ReplaceAll(strings.Join(lines, "\n"), "\r", "")))
	}
	b.WriteString("</details>\n\n")
}

// cellText is text on one line of HTML.
func cellText(s string) string { return html.EscapeString(strings.Join(strings.Fields(s), " ")) }
