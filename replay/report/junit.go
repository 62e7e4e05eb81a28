package report

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/pdreplay/pdreplay/replay"
)

// JUnit writes the XML that CI systems read as test results: a suite an
// adapter, a case a run, and failures, errors and skipped cases apart. A suite
// "pdreplay" holds what concerns no adapter, one "published rows" the rows
// that lie beside runs.
//
// The file satisfies both the schema of Ant's JUnit task and the one of
// Jenkins' xunit plugin; where they differ, it has what the stricter one asks for.
// Undecided results are skipped cases whose message begins with "undecided":
// JUnit has no other word for what neither passed nor failed.
type JUnit struct {
	collection
	w   io.Writer
	now time.Time
}

// NewJUnit returns a reporter that writes to w; now is the suites' timestamp.
func NewJUnit(w io.Writer, now time.Time) *JUnit { return &JUnit{w: w, now: now} }

// Names of the suites that belong to no adapter.
const (
	generalSuite   = "pdreplay"
	publishedSuite = "published rows"
)

type junitSuites struct {
	XMLName xml.Name      `xml:"testsuites"`
	Suites  []*junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	ID         int             `xml:"id,attr"`
	Name       string          `xml:"name,attr"`
	Package    string          `xml:"package,attr"`
	Timestamp  string          `xml:"timestamp,attr"` // without a zone, as the schema wants it: UTC
	Hostname   string          `xml:"hostname,attr"`
	Tests      int             `xml:"tests,attr"`
	Failures   int             `xml:"failures,attr"`
	Errors     int             `xml:"errors,attr"`
	Skipped    int             `xml:"skipped,attr"`
	Time       string          `xml:"time,attr"` // s
	Properties []junitProperty `xml:"properties>property"`
	Cases      []junitCase     `xml:"testcase"`
	Out        string          `xml:"system-out"`
	Err        string          `xml:"system-err"`

	elapsed float64 // ms
}

type junitProperty struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	Time    string        `xml:"time,attr"` // s
	Skipped *junitSkipped `xml:"skipped"`
	Error   *junitProblem `xml:"error"`
	Failure *junitProblem `xml:"failure"`
}

type junitSkipped struct {
	Message string `xml:"message,attr"`
}

type junitProblem struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

// Summary writes the file.
func (j *JUnit) Summary(s replay.Summary) error {
	var all junitSuites
	suite := func(name string) *junitSuite {
		for _, x := range all.Suites {
			if x.Name == name {
				return x
			}
		}
		x := &junitSuite{ID: len(all.Suites), Name: name, Package: generalSuite, Hostname: "localhost", // no host says anything about the results
			Timestamp: j.now.UTC().Format("2006-01-02T15:04:05"), Properties: []junitProperty{}}
		all.Suites = append(all.Suites, x)
		return x
	}
	for _, name := range j.adapters() {
		x := suite(cmp.Or(string(name), generalSuite))
		x.Properties = j.properties(name, s)
		for _, r := range j.of(name) {
			x.add(caseOf(r), r.ElapsedMS)
			if r.Listed != nil && r.Expected {
				x.Out += fmt.Sprintf("%s: %s, listed at %s: %s\n", r.Run, r.Class, r.Listed.At, r.Listed.Why)
			}
		}
	}
	for _, run := range j.runs() {
		if published(run) {
			suite(publishedSuite).add(parityCase(run), 0)
		}
	}
	for _, c := range general(s) {
		suite(generalSuite).add(c, 0)
	}
	return j.write(all)
}

func (j *JUnit) write(all junitSuites) error {
	for _, s := range all.Suites {
		s.Time = seconds(s.elapsed)
	}
	text, err := xml.MarshalIndent(all, "", "  ")
	if err == nil {
		_, err = fmt.Fprintf(j.w, "%s%s\n", xml.Header, text)
	}
	return err
}

// properties are what the results of one adapter hold under.
func (j *JUnit) properties(adapter replay.Word, s replay.Summary) []junitProperty {
	list := []junitProperty{}
	add := func(name, value string) {
		if value != "" {
			list = append(list, junitProperty{name, value})
		}
	}
	add("adapter", string(adapter))
	add("contract", j.of(adapter)[0].Contract)
	add("corpus", string(s.Corpus))
	if s.Seed != nil {
		add("seed", strconv.FormatUint(*s.Seed, 10))
	}
	return list
}

func (s *junitSuite) add(c junitCase, elapsed float64) {
	c.Class, c.Time = s.Name, seconds(elapsed)
	s.Tests++
	s.elapsed += elapsed
	switch {
	case c.Skipped != nil:
		s.Skipped++
	case c.Error != nil:
		s.Errors++
	case c.Failure != nil:
		s.Failures++
	}
	s.Cases = append(s.Cases, c)
}

func caseOf(r replay.Result) junitCase {
	c := junitCase{Name: r.Run}
	switch r.Count() {
	case replay.CountSkipped:
		c.Skipped = &junitSkipped{strings.Join(r.Reasons, "; ")}
	case replay.CountUndecided:
		c.Skipped = &junitSkipped{"undecided: " + r.Difference}
	case replay.CountError:
		c.Error = &junitProblem{firstLine(string(r.Error)), string(r.Outcome), strings.Join(told(r), "\n")}
	case replay.CountFailed:
		c.Failure = &junitProblem{headline(r), string(r.Class), strings.Join(told(r), "\n")}
	}
	return c
}

func parityCase(run []replay.Result) junitCase {
	c := junitCase{Name: run[0].Run}
	if parityBroken(run) {
		c.Failure = &junitProblem{notReproduced, "parity", strings.Join(unlike(run), "\n")}
	}
	return c
}

// general are the cases that make the file as red as the exit code: what is
// wrong though no adapter failed.
func general(s replay.Summary) []junitCase {
	var cases []junitCase
	add := func(name, kind, message string) {
		cases = append(cases, junitCase{Name: name, Error: &junitProblem{message, kind, ""}})
	}
	for _, c := range s.Contradictions {
		add("oracle", "contradiction", c+"; "+contradicted)
	}
	if s.Interrupted {
		add("whole replay", "interrupted", "the rest was not judged")
	}
	if s.Nothing() && s.Errors == 0 && !s.Interrupted {
		add("whole replay", "nothing", replay.ErrNothing.Error())
	}
	return cases
}

// seconds has three decimals: Jenkins' schema takes no more of a suite.
func seconds(ms float64) string { return strconv.FormatFloat(ms/1000, 'f', 3, 64) }
