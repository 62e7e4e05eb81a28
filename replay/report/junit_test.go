package report_test

import (
	"encoding/xml"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/pdreplay/pdreplay/replay"
	"github.com/pdreplay/pdreplay/replay/report"
)

// hostile is text that would end what it stands in, were it not escaped.
const hostile = "</pre></title><script>alert(1)</script>\"'><img src=x onerror=alert(2)>]]>{{.}}${x}`x`|a\x00\x1b[31m\xff"

// hostileResults hold hostile text wherever a report takes text from a run or
// an adapter.
func hostileResults() []replay.Result {
	wrong := answered(hostile, replay.WrongRate, 0.5, 0.2, 0.8)
	wrong.Run, wrong.Status, wrong.Engine, wrong.Difference, wrong.Again = hostile, hostile, hostile, hostile, "pdreplay replay '"+hostile
	wrong.Contract, wrong.Lacks, wrong.Reasons = hostile, []string{hostile}, []string{hostile}
	wrong.Oracle.Status, wrong.Oracle.Basis, wrong.Oracle.Reasons = hostile, hostile, []string{hostile}
	wrong.Published = &replay.Parity{Row: hostile, Status: hostile, Fields: []string{"status"}, Differs: []string{"status"}}
	listed := wrong
	listed.Run, listed.Expected, listed.Listed = hostile+"2", true, &replay.Listing{Class: replay.WrongRate, Why: hostile, At: hostile}
	undecided := wrong
	undecided.Run, undecided.Class = hostile+"3", replay.Word(replay.Undecided)
	failed := replay.Result{Run: hostile, Adapter: hostile + "2", Outcome: replay.Failed, Error: hostile + "\r\n\n::error::" + hostile, Again: hostile, Contract: hostile}
	skipped := replay.Result{Run: hostile + "4", Outcome: replay.Skipped, Reasons: []string{hostile}, Contract: hostile}
	return []replay.Result{wrong, failed, listed, undecided, skipped}
}

func summaryOf(results []replay.Result) replay.Summary {
	var t replay.Tally
	for _, r := range results {
		t.Add(r)
	}
	return t.Summary()
}

func write(t *testing.T, r report.Reporter, s replay.Summary, results ...replay.Result) {
	t.Helper()
	for _, x := range results {
		if err := r.Result(x); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Summary(s); err != nil {
		t.Fatal(err)
	}
}

func junit(t *testing.T, s replay.Summary, results ...replay.Result) string {
	t.Helper()
	var out strings.Builder
	write(t, report.NewJUnit(&out, time.Date(2026, 1, 2, 3, 4, 5, 6, time.FixedZone("", 3600))), s, results...)
	holdsSchema(t, out.String())
	return out.String()
}

// An element is any element of an XML document.
type element struct {
	XMLName  xml.Name
	Attrs    []xml.Attr `xml:",any,attr"`
	Text     string     `xml:",chardata"`
	Children []element  `xml:",any"`
}

func (e element) attr(name string) string {
	for _, a := range e.Attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func (e element) names() []string {
	var names []string
	for _, c := range e.Children {
		names = append(names, c.XMLName.Local)
	}
	return names
}

func (e element) count(name string) int {
	n := 0
	for _, c := range e.Children {
		if c.XMLName.Local == name {
			n++
		}
	}
	return n
}

func parse(t *testing.T, document string) element {
	t.Helper()
	var root element
	if err := xml.Unmarshal([]byte(document), &root); err != nil {
		t.Fatalf("%v in\n%s", err, document)
	}
	return root
}

// holdsSchema holds a document against what the schema of Ant's JUnit task
// (windyroad/JUnit-Schema) asks for: which elements in which order, the required
// attributes, and numbers; and the counts against the cases.
func holdsSchema(t *testing.T, document string) {
	t.Helper()
	root := parse(t, document)
	if root.XMLName.Local != "testsuites" || len(root.Attrs) > 0 {
		t.Errorf("root %s with %d attributes, want testsuites with none", root.XMLName.Local, len(root.Attrs))
	}
	for i, suite := range root.Children {
		names := suite.names()
		if n := len(names); suite.XMLName.Local != "testsuite" || n < 3 || names[0] != "properties" || names[n-2] != "system-out" || names[n-1] != "system-err" {
			t.Errorf("suite %d is a %s of %v, want properties, cases, system-out, system-err", i, suite.XMLName.Local, names)
			continue
		}
		if suite.attr("id") != strconv.Itoa(i) || suite.attr("package") == "" || suite.attr("hostname") == "" {
			t.Errorf("suite %d: id %q, package %q, hostname %q", i, suite.attr("id"), suite.attr("package"), suite.attr("hostname"))
		}
		if _, err := time.Parse("2006-01-02T15:04:05", suite.attr("timestamp")); err != nil {
			t.Error(err)
		}
		if !regexp.MustCompile(`^[0-9]+\.[0-9]{3}$`).MatchString(suite.attr("time")) { // Jenkins' pattern, junit-10.xsd
			t.Errorf("suite %d took %q", i, suite.attr("time"))
		}
		for _, p := range suite.Children[0].Children {
			if p.XMLName.Local != "property" || p.attr("name") == "" {
				t.Errorf("property %v", p)
			}
		}
		counts := map[string]int{"tests": 0, "failures": 0, "errors": 0, "skipped": 0}
		for _, c := range suite.Children[1 : len(suite.Children)-2] {
			if _, err := strconv.ParseFloat(c.attr("time"), 64); err != nil || c.XMLName.Local != "testcase" || c.attr("name") == "" || c.attr("classname") == "" || len(c.Children) > 1 {
				t.Errorf("case %v", c)
			}
			counts["tests"]++
			counts["failures"] += c.count("failure")
			counts["errors"] += c.count("error")
			counts["skipped"] += c.count("skipped")
			for _, problem := range c.Children {
				if !slices.Contains([]string{"failure", "error", "skipped"}, problem.XMLName.Local) || problem.XMLName.Local != "skipped" && problem.attr("type") == "" {
					t.Errorf("problem %v", problem)
				}
			}
		}
		for name, n := range counts {
			if got := suite.attr(name); got != strconv.Itoa(n) {
				t.Errorf("suite %s: %s=%s, its cases say %d", suite.attr("name"), name, got, n)
			}
		}
	}
}

// suites returns name, tests, failures, errors, skipped of each suite.
func suites(t *testing.T, document string) []string {
	t.Helper()
	var list []string
	for _, s := range parse(t, document).Children {
		list = append(list, strings.Join([]string{s.attr("name"), s.attr("tests"), s.attr("failures"), s.attr("errors"), s.attr("skipped")}, " "))
	}
	return list
}

func TestJUnit(t *testing.T) {
	seed := uint64(18446744073709551615)
	results := []replay.Result{
		answered("a@1", replay.Correct, 0.6, 0.2, 0.8),
		answered("a@2", replay.Mispriced, 0.5, 0.2, 0.7),
		{Run: "m/02", Adapter: "a@1", Outcome: replay.TimedOut, Error: "no answer\nlast words", Contract: "review"},
		{Run: "m/03", Outcome: replay.Skipped, Reasons: []string{"no engine"}, Contract: "review"},
	}
	s := summaryOf(results)
	s.Corpus, s.Seed, s.Interrupted = "c0", &seed, true
	s.Contradictions = []string{"m/04: x"}
	got := junit(t, s, results...)
	if want := []string{"a@1 2 0 1 0", "a@2 1 1 0 0", "pdreplay 3 0 2 1"}; !slices.Equal(suites(t, got), want) {
		t.Errorf("suites %v, want %v", suites(t, got), want)
	}
	for _, want := range []string{
		`timestamp="2026-01-02T02:04:05"`, // 03:04:05 an hour east of Greenwich
		`<property name="seed" value="18446744073709551615"></property>`,
		`<property name="corpus" value="c0"></property>`,
		`<error message="no answer" type="timeout">no answer&#xA;last words&#xA;again: `,
		`<error message="the rest was not judged" type="interrupted">`,
		`<error message="m/04: x; the oracle is wrong here, not an adapter: please report this run" type="contradiction">`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
}

// A line of a list that no longer holds fails though the answer is correct.
func TestJUnitStaleList(t *testing.T) {
	r := answered("a@1", replay.Correct, 0.6, 0.2, 0.8)
	r.Expected, r.Listed = false, &replay.Listing{Class: replay.WrongRate, Why: "w", At: "list:3"}
	got := junit(t, summaryOf([]replay.Result{r}), r)
	if want := `<failure message="correct, listed as wrong-rate" type="correct">`; !strings.Contains(got, want) || !strings.Contains(got, "list:3 lists wrong-rate, which no longer happens") {
		t.Errorf("no %s in\n%s", want, got)
	}
}

// Whatever stands in a run, the file stays the same XML.
func TestJUnitHostile(t *testing.T) {
	results := hostileResults()
	got := junit(t, summaryOf(results), results...)
	if strings.Contains(got, "<script") || strings.ContainsAny(got, "\x00\x1b") || !utf8.ValidString(got) {
		t.Error(got)
	}
	if n := len(parse(t, got).Children); n != 4 { // two adapters, the general one, published rows
		t.Errorf("%d suites, want 4", n)
	}
}
