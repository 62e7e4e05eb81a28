package report

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"io"

	"github.com/pdreplay/pdreplay/replay"
)

// HTML writes one page that needs nothing else: summary, scorecard, and for
// each run its judgements, the oracle's reasons, the timeline and the rates.
// Its content security policy lets no request out and runs no script but its
// own, whatever text a run holds.
type HTML struct {
	collection
	w      io.Writer
	o      HTMLOptions
	events map[string]replay.RunEvent
}

// HTMLOptions say what stands on the page beside the events.
type HTMLOptions struct {
	Title   string
	Account string // what explain prints of the one run, "" for none
}

// NewHTML returns a reporter that writes to w.
func NewHTML(w io.Writer, o HTMLOptions) *HTML {
	return &HTML{w: w, o: o, events: map[string]replay.RunEvent{}}
}

// Run keeps what there is to draw of a run.
func (h *HTML) Run(r replay.RunEvent) error {
	h.events[r.Run] = r
	return nil
}

// Summary writes the page.
func (h *HTML) Summary(s replay.Summary) error {
	t, err := pageTemplates()
	if err != nil {
		return err
	}
	return t.ExecuteTemplate(h.w, "page", h.page(s))
}

//go:embed page/page.tmpl
var pageTemplate string

//go:embed page/timeline.tmpl
var timelineTemplate string

//go:embed page/colours.css
var coloursCSS string

//go:embed page/timeline.css
var timelineCSS string

//go:embed page/page.css
var pageCSS string

//go:embed page/page.js
var pageJS string

func pageTemplates() (*template.Template, error) {
	t, err := template.New("page").Parse(pageTemplate)
	if err != nil {
		return nil, err
	}
	return t.New("timelines").Parse(timelineTemplate)
}

// digest is how a content security policy names the one text that it allows.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// WriteTimeline writes the timeline of one run as an SVG file of its own, with
// the key of its colours.
func WriteTimeline(w io.Writer, r replay.RunEvent) error {
	t, err := pageTemplates()
	if err != nil {
		return err
	}
	d := draw(r.Timeline, false)
	var marks []mark
	for i, k := range key() {
		marks = append(marks, mark{Class: k.Class, Label: k.Label, X: coordinate(plotLeft + 100*i), Y: coordinate(d.Height), TX: coordinate(plotLeft + 100*i + 14), TY: coordinate(d.Height + 9)})
	}
	d.Height += 14
	return t.ExecuteTemplate(w, "picture", struct {
		Title    string
		Style    template.CSS
		Timeline *drawing
		Key      []mark
	}{"timeline of " + r.Run, template.CSS(coloursCSS + timelineCSS), d, marks})
}
