package report_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/pdreplay/pdreplay/replay"
	"github.com/pdreplay/pdreplay/replay/report"
)

func github(t *testing.T, s replay.Summary, results ...replay.Result) (commands, summary string) {
	t.Helper()
	var out, md strings.Builder
	write(t, report.NewGitHub(&out, report.GitHubOptions{Summary: &md, Locate: func(path string) string { return "repo/" + path }}), s, results...)
	return out.String(), md.String()
}

func TestGitHub(t *testing.T) {
	wrong := answered("a@1", replay.WrongRate, 0.5, 0.2, 0.8)
	wrong.Again = "pdreplay replay 'a b,c:d' --adapter a@1"
	results := []replay.Result{answered("a@0", replay.Correct, 0.6, 0.2, 0.8), wrong}
	s := summaryOf(results)
	s.Corpus, s.Contradictions = "c0", []string{"100 % wrong"}
	commands, md := github(t, s, results...)
	want := "::error file=repo/a b%2Cc%3Ad,title=pdreplay%3A a@1 wrong-rate::m/01  a@1  wrong-rate%0A" +
		"want VALID_COMPLETE  priced  gpu 0.600 cpu 0.200 overall 0.800%0Agot  no record       priced  gpu 0.500 cpu 0.200 overall 0.800%0A" +
		"again: pdreplay replay 'a b,c:d' --adapter a@1\n" +
		"::error title=pdreplay%3A contradiction::100 %25 wrong; the oracle is wrong here, not an adapter: please report this run\n"
	if commands != want {
		t.Errorf("got\n%s\nwant\n%s", commands, want)
	}
	for _, want := range []string{
		"### pdreplay: 1 passed, 1 failed, 0 skipped\n\n0 undecided, 0 errors, corpus c0\n\n",
		"<tr><td>a@0</td><td>1</td><td>0</td><td>0</td><td>0</td><td>0</td><td>correct 1</td></tr>\n",
		"<details><summary>FAIL m/01 a@1 wrong-rate</summary>\n<pre>want VALID_COMPLETE ",
	} {
		if !strings.Contains(md, want) {
			t.Errorf("no %q in\n%s", want, md)
		}
	}
}

// Text of a run can neither begin a command nor leave the element it stands in.
func TestGitHubHostile(t *testing.T) {
	results := hostileResults()
	commands, md := github(t, summaryOf(results), results...)
	for line := range strings.Lines(commands) {
		if !strings.HasPrefix(line, "::error ") || strings.Count(line, "::error ") != 1 || strings.ContainsAny(line, "\r") {
			t.Errorf("%q", line)
		}
	}
	// What is left when the elements that we write are taken away has no markup.
	ours := regexp.MustCompile(`</?(table|tr|th|td|details|summary|pre)>`)
	if rest := ours.ReplaceAllString(md, ""); strings.ContainsAny(rest, "<>") {
		t.Errorf("markup in %s", rest)
	}
	for _, block := range regexp.MustCompile(`(?s)<(details|table)>.*?</(details|table)>`).FindAllString(md, -1) {
		if strings.Contains(block, "\n\n") {
			t.Errorf("an empty line ends the HTML of %s", block)
		}
	}
}

// GitHub refuses a summary of more than 1 MiB as a whole.
func TestGitHubManyFailures(t *testing.T) {
	var results []replay.Result
	for i := range 5000 {
		r := answered("a@1", replay.WrongRate, 0.5, 0.2, 0.8)
		r.Run = fmt.Sprintf("m/%04d", i)
		r.Oracle.Reasons = []string{"rule 7: " + strings.Repeat("x", 300)}
		results = append(results, r)
	}
	commands, md := github(t, summaryOf(results), results...)
	if n := strings.Count(commands, "\n"); n != 5000 {
		t.Errorf("%d annotations, want 5000", n)
	}
	shown := strings.Count(md, "<details>")
	if want := fmt.Sprintf("\n%d problems more: ", 5000-shown); len(md) > 1<<20 || shown < 500 || !strings.Contains(md, want) {
		t.Errorf("%d bytes, %d failures, want %q at the end of %s", len(md), shown, want, md[len(md)-200:])
	}
}
