package report_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"html"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdreplay/pdreplay/oracle"
	"github.com/pdreplay/pdreplay/replay"
	"github.com/pdreplay/pdreplay/replay/report"
)

var update = flag.Bool("update", false, "rewrite docs/c4.svg (make golden)")

// replayed are the events of runs under paths, with every built-in adapter.
func replayed(t *testing.T, paths ...string) report.Events {
	t.Helper()
	sources, err := replay.Search{MaxUnpacked: 1 << 30}.Find(paths)
	if err != nil {
		t.Fatal(err)
	}
	var e report.Events
	o := replay.Options{Contract: oracle.Contracts()[0], Jobs: 1, Timeout: time.Minute, Now: func() time.Time { return time.Time{} }}
	o.Runs = func(r replay.RunEvent) error { e.Runs = append(e.Runs, r); return nil }
	e.Summary, err = replay.Run(t.Context(), sources, o, func(r replay.Result) error { e.Results = append(e.Results, r); return nil })
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func page(t *testing.T, e report.Events, o report.HTMLOptions) string {
	t.Helper()
	var out strings.Builder
	h := report.NewHTML(&out, o)
	if err := errors.Join(e.Each(h.Run, h.Result), h.Summary(e.Summary)); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// many are the events of n runs, made of the fixtures over and over.
func many(t *testing.T, n int) report.Events {
	t.Helper()
	few := replayed(t, "../../testdata/matrix", "../../testdata/thread")
	var e report.Events
	var tally replay.Tally
	for i := 0; len(e.Runs) < n; i++ {
		again := func(run string) string { return fmt.Sprintf("%s/%d", run, i) }
		for _, r := range few.Runs {
			r.Run, r.Faults = again(r.Run), []string{fmt.Sprintf("fault-%d", i%5)}
			e.Runs = append(e.Runs, r)
		}
		for _, r := range few.Results {
			r.Run = again(r.Run)
			e.Results = append(e.Results, r)
			tally.Add(r)
		}
	}
	e.Summary = tally.Summary()
	return e
}

// hostileEvents have hostile text also in what is drawn.
func hostileEvents() report.Events {
	results := hostileResults()
	lane := oracle.Lane{Counter: hostile, Worker: hostile, Labels: hostile, Family: hostile, At: hostile,
		Spans: []oracle.Span{{From: -5, To: 1, Kind: hostile, Slices: 2, Total: 7}}}
	return report.Events{
		Results: results, Summary: summaryOf(results),
		Runs: []replay.RunEvent{{Run: hostile, Engine: hostile, Faults: []string{hostile, "two"}, Timeline: &oracle.Timeline{
			E: 10, Counters: []oracle.Lane{lane}, Curves: []oracle.Curve{{Name: hostile, Points: [][2]float64{{0, 0}, {10, 5}}}}}}},
	}
}

// Every judgement stands on the page, with the command that repeats it, the
// oracle's reasons with their addresses, and what there is to filter by.
func TestHTML(t *testing.T) {
	e := replayed(t, "../../testdata/matrix", "../../testdata/thread", "../../testdata/real")
	got := page(t, e, report.HTMLOptions{Title: "my report", Account: "engine atom <x>"})
	if n := strings.Count(got, `<tbody class="j"`); n != len(e.Results) || n < 190 {
		t.Errorf("%d judgements of %d", n, len(e.Results))
	}
	text := html.UnescapeString(got)
	for _, r := range e.Results {
		want := []string{fmt.Sprintf("data-adapter=\"%s\"", r.Adapter), r.Difference}
		if r.Oracle != nil {
			want = append(want, r.Oracle.Reasons...)
		}
		if r.Outcome != replay.Skipped {
			want = append(want, "<code>"+r.Again+"</code>")
		}
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("%s of %s: no %s", r.Run, r.Adapter, w)
			}
		}
	}
	for _, want := range []string{
		"<title>my report</title>",
		`<option value="mispriced">mispriced</option>`, `<option value="atom@4405">`, `<option value="vllm">`,
		fmt.Sprintf(`<b class="failed">%d failed</b>`, e.Summary.Failed),
		`data-adapter="atom@main">mispriced `,
		`<a href="#run.thread.c4">`, `id="run.thread.c4"`,
		"price +47.2 %",
		"<pre>engine atom <x></pre>",
		`<rect class="straddling" `, `<rect class="gap" `, `<rect class="out" `, `<rect class="broken" `, `<rect class="inside" `,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s", want)
		}
	}
}

// The page asks nobody for anything.
func TestHTMLSelfContained(t *testing.T) {
	got := page(t, replayed(t, "../../testdata/thread"), report.HTMLOptions{Title: "x"})
	for _, m := range regexp.MustCompile(`(?i)\b(src|href|action|data|poster|srcset)="([^"]*)"|url\(|@import|fetch\(|XMLHttp`).FindAllStringSubmatch(got, -1) {
		if m[1] != "href" || !strings.HasPrefix(m[2], "#") && m[2] != "data:," {
			t.Errorf("%s", m[0])
		}
	}
	if !strings.Contains(html.UnescapeString(got), `content="default-src 'none'; `) {
		t.Error("no content security policy")
	}
}

// Text of a run is text, wherever it stands. What a browser makes of the same
// page is seen by `make browser`.
func TestHTMLHostile(t *testing.T) {
	got := page(t, hostileEvents(), report.HTMLOptions{Title: hostile, Account: hostile})
	head, body, _ := strings.Cut(got, "<body>")
	script := strings.Index(body, "<script>")
	if strings.Count(body, "<script") != 1 || strings.Count(head, "<script") != 0 || strings.Count(got, "</script") != 1 || script < 0 {
		t.Fatalf("%d scripts", strings.Count(got, "<script"))
	}
	known := strings.Fields("h1 h2 p b span a table tbody tr th td button form label select option input details summary div br code ul li svg rect text title g path polyline pre script body")
	for _, m := range regexp.MustCompile(`<(/?)([^\s>/]*)`).FindAllStringSubmatch(body[:script], -1) {
		if !slices.Contains(known, m[2]) {
			t.Errorf("an element %q", m[0])
		}
	}
	// Outside of quoted values nothing of the text is left that could be an attribute.
	bare := regexp.MustCompile(`"[^"]*"`).ReplaceAllString(body[:script], `""`)
	for _, tag := range regexp.MustCompile(`<[a-z][^>]*>`).FindAllString(bare, -1) {
		if strings.Contains(tag, "onerror") || strings.Contains(tag, "'") {
			t.Errorf("an attribute in %s", tag)
		}
	}
}

// A thousand runs of fixtures stay a file that can be mailed.
func TestHTMLSize(t *testing.T) {
	e := many(t, 1000)
	if n := len(page(t, e, report.HTMLOptions{Title: "x"})); n > 10<<20 {
		t.Errorf("%d runs make %d bytes, want at most 10 MB", len(e.Runs), n)
	} else {
		t.Logf("%d runs, %d judgements: %d bytes", len(e.Runs), len(e.Results), n)
	}
}

// The picture in the README is c4's timeline.
func TestGoldenPicture(t *testing.T) {
	const file = "../../docs/c4.svg"
	var out bytes.Buffer
	if err := report.WriteTimeline(&out, replayed(t, "../../testdata/thread/c4").Runs[0]); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(file, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	wellFormed(t, out.String())
	have, err := os.ReadFile(file)
	if err != nil || !bytes.Equal(have, out.Bytes()) {
		t.Errorf("%s is stale (%v): make golden", file, err)
	}
}

// A file of its own is XML, which forgives nothing.
func TestPictureHostile(t *testing.T) {
	var out strings.Builder
	if err := report.WriteTimeline(&out, hostileEvents().Runs[0]); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.String(), "<script") || strings.Contains(out.String(), "<img") {
		t.Error(out.String())
	}
}

func wellFormed(t *testing.T, text string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		switch _, err := d.Token(); {
		case errors.Is(err, io.EOF):
			return
		case err != nil:
			t.Fatalf("%v in %s", err, text)
		}
	}
}
