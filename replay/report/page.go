package report

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

	"github.com/pdreplay/pdreplay/oracle"
	"github.com/pdreplay/pdreplay/replay"
)

// A page is what the template shows: text and numbers only. That nothing in it
// becomes markup is html/template's work.
type page struct {
	Title                              string
	Style                              template.CSS
	Script                             template.JS
	StyleHash, ScriptHash              string
	Sum                                replay.Summary
	Facts, Trouble                     []string
	Card                               []cardRow
	Classes, Adapters, Engines, Faults []string
	Runs                               []pageRun
	Key                                []keyEntry
	Account                            string
}

type cardRow struct {
	Adapter                                            string
	Passed, Listed, Failed, Skipped, Undecided, Errors int
	Classes                                            []cardClass
}

type cardClass struct {
	Class string
	N     int
}

type keyEntry struct{ Class, Label string }

type pageRun struct {
	ID, Name, Engine, Basis, FaultList, Worst string
	Open                                      bool
	Counts                                    []cardClass
	Want, Published                           *pageRow
	Judgements                                []pageRow
	Why                                       []string
	Timeline                                  *drawing
	RatesChart                                *chart
}

// A pageRow is a row of a run's table.
type pageRow struct {
	Cls            string // class, or the outcome where there is none: what is filtered by
	Letter         string // on the rates
	Adapter        string
	Status, Priced string
	Rates          [4]string
	Count          string // passed, failed, ...
	Verdict        string
	Parity         string
	Notes          []string
	Again          string
}

// A page of few runs shows them opened; one of many tells slices of one kind
// that adjoin as one, lest it grow too large to be opened.
const (
	fewRuns  = 2
	manyRuns = 200
)

func (h *HTML) page(s replay.Summary) page {
	style := coloursCSS + pageCSS + timelineCSS
	p := page{
		Title: h.o.Title, Style: template.CSS(style), Script: template.JS(pageJS), StyleHash: digest(style), ScriptHash: digest(pageJS),
		Sum: s, Account: h.o.Account,
	}
	p.Facts, p.Trouble = facts(h.collection, s), trouble(s)
	for _, x := range h.scorecard() {
		row := cardRow{string(x.adapter), x.passed, x.listed, x.failed, x.skipped, x.undecided, x.errors, nil}
		for _, c := range x.classes {
			row.Classes = append(row.Classes, cardClass{string(c.class), c.n})
		}
		p.Card = append(p.Card, row)
	}
	ids := map[string]int{}
	runs := h.runs()
	for _, run := range runs {
		r := h.run(run, len(runs) > manyRuns)
		r.ID = anchor(r.Name, ids)
		r.Open = len(runs) <= fewRuns
		p.Runs = append(p.Runs, r)
		p.note(r, h.events[r.Name].Faults)
	}
	for _, list := range [][]string{p.Classes, p.Adapters, p.Engines, p.Faults} {
		slices.Sort(list)
	}
	if slices.ContainsFunc(p.Runs, func(r pageRun) bool { return r.Timeline != nil }) {
		p.Key = key()
	}
	return p
}

// note collects what runs can be filtered by.
func (p *page) note(r pageRun, faults []string) {
	add := func(list *[]string, value string) {
		if value != "" && !slices.Contains(*list, value) {
			*list = append(*list, value)
		}
	}
	add(&p.Engines, r.Engine)
	for _, f := range faults {
		add(&p.Faults, f)
	}
	for _, j := range r.Judgements {
		add(&p.Classes, j.Cls)
		add(&p.Adapters, j.Adapter)
	}
}

func facts(c collection, s replay.Summary) []string {
	list := []string{count(len(c.runs()), "run")}
	if len(c.results) > 0 {
		list = append(list, "contract "+c.results[0].Contract)
	}
	if s.Corpus != "" {
		list = append(list, "corpus "+string(s.Corpus))
	}
	if s.Seed != nil {
		list = append(list, "seed "+seedText(s.Seed))
	}
	if s.ParityHeld+s.ParityBroken > 0 {
		list = append(list, fmt.Sprintf("%s reproduced, %d not", count(s.ParityHeld, "published row"), s.ParityBroken))
	}
	return list
}

// trouble is what is wrong though no adapter failed.
func trouble(s replay.Summary) []string {
	var list []string
	for _, c := range general(s) {
		list = append(list, c.Error.Type+": "+c.Error.Message)
	}
	if s.Stopped {
		list = append(list, "stopped at the first failure: the rest was not judged")
	}
	return list
}

func (h *HTML) run(results []replay.Result, coarse bool) pageRun {
	first, event := results[0], h.events[results[0].Run]
	r := pageRun{Name: first.Run, Engine: string(first.Engine), FaultList: strings.Join(event.Faults, " ")}
	if f := first.Oracle; f != nil {
		status, price, rates := want(first)
		r.Basis, r.Why = string(f.Basis), f.Reasons
		r.Want = &pageRow{Status: status, Priced: price, Rates: cells(rates, 5)}
		r.RatesChart = drawRates(results)
	}
	r.Why = append(slices.Clone(r.Why), first.Lacks...)
	if event.Timeline != nil {
		r.Timeline = draw(event.Timeline, coarse)
	}
	counts := map[string]int{}
	for i, x := range results {
		j := judgement(x)
		j.Letter = letter(i)
		r.Judgements = append(r.Judgements, j)
		counts[j.Count]++
	}
	for _, name := range []string{"passed", "failed", "error", "undecided", "skipped"} {
		if n := counts[name]; n > 0 {
			r.Counts = append(r.Counts, cardClass{name, n})
		}
	}
	r.Worst = worst(results)
	r.Published = publishedIn(results)
	return r
}

func judgement(r replay.Result) pageRow {
	j := pageRow{Cls: string(r.Class), Adapter: string(r.Adapter), Again: r.Again}
	j.Count = [...]string{"passed", "failed", "skipped", "undecided", "error"}[r.Count()]
	if r.Outcome != replay.Answered {
		j.Cls, j.Verdict = string(r.Outcome), string(r.Outcome)
		if r.Outcome == replay.Skipped {
			j.Again = "" // there is nothing to repeat
		}
		j.Notes = append(r.Reasons, strings.Split(string(r.Error), "\n")...)
		j.Notes = slices.DeleteFunc(slices.Clone(j.Notes), func(s string) bool { return s == "" })
		return j
	}
	j.Status, j.Priced, j.Rates = status(r.Status), priced(r.Eligible), cells(r.Rates.List(), 5)
	j.Verdict = headline(r)
	if r.Difference != "" {
		j.Notes = append(j.Notes, r.Difference)
	}
	if r.Listed != nil {
		j.Notes = append(j.Notes, fmt.Sprintf("listed as %s at %s: %s", r.Listed.Class, r.Listed.At, r.Listed.Why))
	}
	return j
}

func publishedIn(run []replay.Result) *pageRow {
	i := slices.IndexFunc(run, func(r replay.Result) bool { return r.Published != nil })
	if i < 0 {
		return nil
	}
	p := run[i].Published
	return &pageRow{Status: status(p.Status), Priced: priced(p.Eligible), Rates: cells(p.Rates.List(), 5), Parity: reproducedBy(run)}
}

// worst is the largest price error among what is priced.
func worst(run []replay.Result) string {
	most := 0.0
	for _, r := range run {
		if r.PriceError != nil && priced(r.Eligible) == "priced" && math.Abs(*r.PriceError) > math.Abs(most) {
			most = *r.PriceError
		}
	}
	if most == 0 {
		return ""
	}
	return fmt.Sprintf("price %+.1f %%", most)
}

// anchor is a run's name as an address inside the page, the n-th of its kind
// with a number behind it.
func anchor(name string, taken map[string]int) string {
	id := strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '_':
			return c
		}
		return '.'
	}, name)
	id = "run." + id
	taken[id]++
	if n := taken[id]; n > 1 {
		id = fmt.Sprintf("%s~%d", id, n)
	}
	return id
}

// letter is how the i-th adapter of a run is marked: a, b, ... z, a1, b1, ...
func letter(i int) string {
	l := string(rune('a' + i%26))
	if n := i / 26; n > 0 {
		l += fmt.Sprint(n)
	}
	return l
}

func key() []keyEntry {
	var list []keyEntry
	for _, k := range []oracle.Kind{oracle.Inside, oracle.LeftOut, oracle.Straddling, oracle.Gap, oracle.Broken, oracle.After} {
		list = append(list, keyEntry{kindClass(k), string(k)})
	}
	return list
}

// kindClass is the kind of a slice as the style sheet knows it.
func kindClass(k oracle.Kind) string {
	if k == oracle.LeftOut {
		return "out"
	}
	return string(k)
}
