package oracle

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"
)

// Explain prints what the oracle makes of a run and how it came about: roles,
// window, what of each counter is inside, left out or missing, the client's
// records, the rates, and the verdict of a contract. Every printed number
// comes with its address in the run's files.
func Explain(w io.Writer, ev *Evidence, v Verdict) error {
	p := printer{w: w}
	p.line("run\t%s", ev.run.ID)
	if ev.Engine == "" {
		p.line("engine\tnone: %s", ev.observedWhy)
		return p.err
	}
	p.line("engine\t%s", ev.Engine)
	ev.explainRoles(&p)
	ev.explainWindow(&p)
	ev.explainCounters(&p)
	ev.explainScope(&p)
	ev.explainRates(&p)
	ev.explainTruth(&p)
	v.explain(&p)
	for _, n := range ev.run.Notes {
		p.line("note\t%s  %s#%s", n.Text, base(n.File), n.At)
	}
	return p.err
}

// A printer writes lines of a label and a text, and keeps the first error, so
// that callers print without checking.
type printer struct {
	w   io.Writer
	err error
}

// line prints one line; the format begins with its label, up to a tab.
func (p *printer) line(format string, args ...any) {
	if p.err != nil {
		return
	}
	for i, arg := range args { // what comes from files must not move the cursor
		if s, ok := arg.(string); ok {
			args[i] = printable(s)
		}
	}
	label, text, _ := strings.Cut(fmt.Sprintf(format, args...), "\t")
	_, p.err = fmt.Fprintf(p.w, "%s\n", strings.TrimRight(fmt.Sprintf("%-9s %s", label, text), " "))
}

func (ev *Evidence) explainRoles(p *printer) {
	r := ev.roles
	switch {
	case r.problem != nil:
		p.line("roles\tunresolved: %s (rule %d)", r.problem.Text, r.problem.Rule)
	default:
		var list []string
		for _, w := range sortedKeys(r.words) {
			list = append(list, w+" "+r.words[w])
		}
		p.line("roles\t%s, from %s", strings.Join(list, ", "), r.source)
	}
	for _, text := range r.ignored {
		p.line("\t%s", text)
	}
}

func (ev *Evidence) explainWindow(p *printer) {
	file := base(ev.run.Metrics().File)
	if ev.window == nil {
		p.line("window\tnone: %s has no summary.phase_time_ranges.profiling that begins before it ends", file)
		return
	}
	p.line("window\t[S, E) = [%d, %d) ns, %.9g s  %s#/summary/phase_time_ranges/profiling",
		ev.window.Start, ev.window.End, float64(ev.window.End-ev.window.Start)/1e9, file)
}

func (ev *Evidence) explainCounters(p *printer) {
	r := ev.read
	for _, c := range append(r.rated(), r.requests) {
		ev.explainCounter(p, c)
	}
	if r.tokens.name != r.full.name {
		ev.explainCounter(p, r.tokens)
	}
	if r.loaded.name != "" && r.loaded.presence != absent {
		ev.explainCounter(p, r.loaded)
	}
}

func (ev *Evidence) explainCounter(p *printer, c counted) {
	if len(c.rows) == 0 {
		if ev.roles.problem == nil {
			p.line("%s\tnot exported (%s)", c.name, c.spellings[0])
		}
		return
	}
	file := base(ev.run.Metrics().File)
	name := c.name
	for _, l := range c.rows {
		address := fmt.Sprintf("%s#%s", file, l.series.At)
		switch {
		case ev.window == nil:
			p.line("%s\t%s in all %s  %s", name, tokens(l.total), l.where(), address)
		case l.broken():
			p.line("%s\tunusable %s  %s", name, l.where(), address)
		case l.possible == 0:
			p.line("%s\t%s inside %s  %s", name, tokens(l.inside), l.where(), address)
		case math.IsInf(l.possible, 1):
			p.line("%s\t%s inside %s, nothing limits how much more  %s", name, tokens(l.inside), l.where(), address)
		default:
			p.line("%s\t%s inside %s, up to %s more  %s", name, tokens(l.inside), l.where(), tokens(l.possible), address)
		}
		name = ""
		for _, f := range l.findings {
			p.line("\t  %s  %s", f.text, f.at)
		}
	}
	for _, w := range c.missing {
		p.line("\tnot exported at %s", w)
	}
}

func (ev *Evidence) explainScope(p *printer) {
	s := ev.scope
	if !s.read {
		p.line("requests\tno profile_export.jsonl")
		return
	}
	p.line("requests\t%d successful profiling records with %s prompt tokens, %d errors, %d cancelled  %s",
		s.successful, tokens(s.prompt), s.errors, s.cancelled, s.file)
}

func (ev *Evidence) explainRates(p *printer) {
	if ev.observedWhy != "" {
		p.line("observed\tnothing: %s", ev.observedWhy)
		return
	}
	for i, rate := range ev.Observed.List() {
		label := ""
		if i == 0 {
			label = "observed"
		}
		p.line("%s\t%-8s %s, %s", label, RateNames[i], rate, ev.Basis[i])
	}
}

func (ev *Evidence) explainTruth(p *printer) {
	t := ev.True
	for _, r := range t.readings {
		p.line("ledger\t%s, from before %s to %s, lag %s", r.shape,
			seconds(r.t0, *ev.window), seconds(r.te, *ev.window), time.Duration(ev.lag))
		p.line("\t%s", r.text(ev.read))
		explainCandidates(p, "may be missing", r.missing, ev.scope.file)
		explainCandidates(p, "may be foreign", r.late, ev.scope.file)
		if r.foreign.open {
			p.line("\tany number of unrecorded requests may be foreign: %s", ev.unrecorded())
		}
		if r.fits {
			p.line("\tlargest fit: %s tokens missing, %s foreign", tokens(r.swap), tokens(r.alien))
		} else {
			p.line("\tnothing fits: the records contradict these counters")
		}
	}
	switch {
	case t.Why != "":
		p.line("true\tunknown: %s", t.Why)
	case t.Proven:
		p.line("true\toverall %s, proven", t.Rates.Overall)
	default:
		p.line("true\toverall in %s", t.Rates.Overall)
	}
	if ev.Witness.Has {
		p.line("witness\tthe client reports %s of its prompt tokens as cached", formatRate(ev.Witness.Rate))
	}
	if ev.Witness.Ceiling > 0 {
		p.line("ceiling\tan infinite cache would reach %s", formatRate(ev.Witness.Ceiling))
	}
	for _, n := range ev.Witness.Notes {
		p.line("\t%s", n)
	}
}

// explainCandidates names the first few requests of a list and counts the rest.
func explainCandidates(p *printer, what string, list []request, file string) {
	const shown = 3
	var total float64
	for i, r := range list {
		total += r.tokens
		if i < shown {
			p.line("\t%s: %s tokens, %s  %s:%d", what, tokens(r.tokens), r.why, file, r.line)
		}
	}
	if len(list) > shown {
		p.line("\t%s: %d requests in all, %s tokens", what, len(list), tokens(total))
	}
}

func (v Verdict) explain(p *printer) {
	if v.FactsOnly {
		p.line("contract\t%s: facts only", v.Contract)
		return
	}
	priced := "not priced"
	if v.Eligible {
		priced = "priced"
	}
	p.line("contract\t%s: %s, %s", v.Contract, v.Status, priced)
	for _, r := range v.Reasons {
		p.line("\t%s", r)
	}
	if slices.ContainsFunc(v.Rates[:], func(r *float64) bool { return r != nil }) && !v.Eligible {
		p.line("\treports %s", rateText(v.Rates))
	}
}

func rateText(rates [4]*float64) string {
	var parts []string
	for i, r := range rates {
		text := "null"
		if r != nil {
			text = formatRate(*r)
		}
		parts = append(parts, RateNames[i]+" "+text)
	}
	return strings.Join(parts, "  ")
}
