package scenarios

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite README.md and testdata/thread (make golden)")

const readmeHead = `# Scenarios

One file, one story, one want. A scenario builds one run by edits of a base run and says what the rules expect of every adapter; it never names one.
` + "`go test ./scenarios` and `pdreplay test`" + ` run the same files, which are embedded in the program.

` + "```" + `
%s` + "```" + `

How a want comes about: by hand, from the numbered rules; it is then held against the oracle, and a difference stops everything (exit code 3). Adapters are judged as in ` + "`pdreplay replay`" + `.
What the historical versions do differently stands in their expectation lists, not here.

## Words

- SERIES is ` + "`NAMES[@HOST:PORT][{label=value,...}]`" + ` and means every series that matches: NAMES are families, or ` + "`*`" + `, or the words of the table below, with commas between. An edit that matches nothing is an error.
- RANGE is ` + "`START..END`" + `, two times since the epoch like ` + "`100.1s`" + `, half-open. The window of every base run is ` + "`100s..110s`" + `.
- VALUE is JSON as it will stand in the file (` + "`100`, `NaN`, `null`, `\"60\"`" + `), or ` + "`absent`" + ` for no key. A whole number is written as AIPerf writes it: ` + "`100.0`" + `.
- A line that begins with ` + "`#`" + ` is a comment; the first one tells the story. Single quotes hold white space together.

| word | family |
|---|---|
%s
## Commands

%s## The corpus

%d scenarios, corpus %s.

| scenario | story |
|---|---|
%s
This file is made by ` + "`make golden`" + `.
`

// readme is README.md, made from the commands' own texts and the corpus.
func readme(t *testing.T) string {
	var words, manual, corpus strings.Builder
	for _, w := range counterWords() {
		meant := w.value
		if !strings.Contains(meant, ":") {
			meant = "atom:" + meant + ", in any of the four spellings"
		}
		fmt.Fprintf(&words, "| %s | %s |\n", w.key, meant)
	}
	for _, c := range commands() {
		fmt.Fprintf(&manual, "### %s\n\n    %s\n\n%s\n\n", c.name, strings.TrimSpace(c.name+" "+c.usage), c.doc)
	}
	example := ""
	for _, s := range All() {
		fmt.Fprintf(&corpus, "| [%s](corpus/%s.txtar) | %s |\n", s.Name, s.Name, strings.ReplaceAll(s.Story, "|", `\|`))
		if s.Name == "rule07-one-counter-unproven" {
			example = string(s.src)
		}
	}
	return fmt.Sprintf(readmeHead, example, words.String(), manual.String(), len(All()), ID(), corpus.String())
}

// TestGoldenReadme fails when README.md is stale: rewrite it with -update.
func TestGoldenReadme(t *testing.T) {
	want := readme(t)
	if *update {
		if err := os.WriteFile("README.md", []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("README.md is stale: run make golden")
	}
}
