package check

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/pdreplay/pdreplay/generator"
	"github.com/pdreplay/pdreplay/oracle"
	"github.com/pdreplay/pdreplay/replay"
	"github.com/pdreplay/pdreplay/replay/shrink"
)

// Write prints the report: what was drawn, the scorecard, rule holes, failures,
// and the summary's last line.
func (r *Report) Write(w io.Writer) error {
	p := &printer{w: w}
	r.coverage(p)
	r.Scorecard.write(p)
	r.holes(p)
	for _, k := range r.Contradictions {
		p.line("")
		p.keep(r.contradiction(w, k))
	}
	for _, f := range r.Failures {
		p.line("")
		p.keep(r.failure(w, f))
	}
	for _, b := range r.Broken {
		p.line("ERROR %s", b)
	}
	for _, s := range r.Stale {
		p.line("listed, but it no longer happens: %s", s)
	}
	r.summary(p)
	return p.err
}

// A printer keeps the first error.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintln(p.w, replay.Printable(fmt.Sprintf(format, args...)))
	}
}

func (p *printer) keep(err error) {
	if p.err == nil {
		p.err = err
	}
}

// table prints rows of cells, aligned.
func (p *printer) table(rows [][]string) {
	tw := tabwriter.NewWriter(p.w, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(tw, strings.Join(row, "\t"))
	}
	p.keep(tw.Flush())
}

func (r *Report) coverage(p *printer) {
	o := r.Options
	p.line("%s of seed %d, contract %s, engines %s", plural(r.Runs, "run"), o.Seed, o.Contract.Name, strings.Join(o.Engines, " "))
	if r.PairsPlanned > 0 || r.Whole {
		p.line("pairs at an edge: %d of %d", r.Pairs, r.PairsPlanned)
	}
	for _, m := range r.Missing {
		p.line("never occurred: %s", m)
	}
}

// write prints the rows in which something failed or changed, and counts the
// rest.
func (s *Scorecard) write(p *printer) {
	rows := [][]string{append([]string{"fault", "runs"}, s.Adapters...)}
	right, runs := 0, 0
	for _, name := range s.Rows() {
		cells, quiet := []string{name, fmt.Sprint(s.Runs(name))}, true
		for _, a := range s.Adapters {
			c := s.Cell(name, a)
			cells = append(cells, c.text())
			quiet = quiet && c.Worst() == ""
		}
		if quiet {
			right, runs = right+1, runs+s.Runs(name)
			continue
		}
		rows = append(rows, cells)
	}
	p.line("")
	if len(rows) > 1 {
		p.table(rows)
	}
	if right > 0 {
		p.line("nothing wrong in %s of %s", plural(right, "row"), plural(runs, "run"))
	}
}

// text is a cell: the counts of what failed, worst first, the price error, and
// what changed.
func (c Cell) text() string {
	if c.Judged == 0 {
		return "-"
	}
	var parts []string
	for _, class := range failing() {
		if n := c.Counts[class]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, class))
		}
	}
	text := strings.Join(parts, ", ")
	switch {
	case text == "" && c.Counts[string(replay.Correct)] == 0:
		text = "undecided"
	case text == "":
		text = "correct"
	}
	if c.Price != 0 {
		text += fmt.Sprintf(" (price %+.1f %%)", c.Price)
	}
	if c.Listed > 0 {
		text += fmt.Sprintf(", %d listed", c.Listed)
	}
	if c.Fixed > 0 {
		text += fmt.Sprintf(", %d fixed", c.Fixed)
	}
	if c.New > 0 {
		text += fmt.Sprintf(", %d NEW", c.New)
	}
	return text
}

func (r *Report) holes(p *printer) {
	h := r.Holes
	if h.Runs() == 0 {
		return
	}
	p.line("")
	p.line("rule holes: contract %s prices %d of %d runs away from the truth", r.Options.Contract.Name, h.Runs(), h.Priced)
	rows := [][]string{{"fault", "runs", "largest price error", "the export"}}
	for _, name := range h.Faults() {
		f := h.Of[name]
		rows = append(rows, []string{name, fmt.Sprint(f.Runs), fmt.Sprintf("%+.1f %%", f.Error), shows(name)})
	}
	p.table(rows)
}

// shows says what the export shows of a fault.
func shows(slug string) string {
	k, ok := generator.KindOf(slug)
	if !ok {
		return ""
	}
	return map[generator.Tag]string{
		generator.Visible: "shows it", generator.Bounded: "limits it", generator.Silent: "hides it",
	}[k.Tag]
}

func (r *Report) contradiction(w io.Writer, k *Contradiction) error {
	p := &printer{w: w}
	p.line("CONTRADICTION %s: the oracle is wrong here", k.Run)
	p.line("     %s (shrunk to %s)", k.Text, faultsOf(k.Spec))
	if k.Dir != "" {
		p.line("     report: %s", k.Dir)
	}
	p.line("     again: %s", strings.Join(r.Options.again(k.Number), " "))
	return p.err
}

// failure prints one failure: what it is, want before got, why, how small it
// became and what of it matters.
func (r *Report) failure(w io.Writer, f *Failure) error {
	p := &printer{w: w}
	price := ""
	if f.Price != 0 {
		price = fmt.Sprintf(", price up to %+.1f %%", f.Price)
	}
	p.line("FAIL %s: %s%s", f.Title(), plural(f.Count, "run"), price)
	r.answers(p, f)
	if unshrinkable(f.Class) {
		p.line("     not shrunk: no smaller run could be told to fail alike")
	} else {
		p.line("     shrunk to %s, in %s of %d tries%s", f.Size, plural(f.Shrink.Accepted, "step"), f.Shrink.Evaluations, exhausted(f.Shrink))
	}
	if names := irrelevant(f.Matters); names != "" {
		p.line("     does not matter: %s", names)
	}
	if f.Dir != "" {
		p.line("     report: %s", f.Dir)
		p.line("     again: pdreplay replay %s/run --adapter %s", f.Dir, f.Adapter)
	}
	p.line("     drawn: %s", f.Again)
	return p.err
}

// versions prints what the report was made with: it outlives the program.
func (r *Report) versions(w io.Writer) error {
	p := &printer{w: w}
	for _, v := range r.Options.Versions {
		p.line("%s", v)
	}
	return p.err
}

func exhausted(s shrink.Stats) string {
	if s.Exhausted {
		return " (the budget ended it: there may be a smaller one)"
	}
	return ""
}

func irrelevant(list []shrink.Matter) string {
	var names []string
	for _, m := range list {
		if m.Irrelevant() {
			names = append(names, m.Part)
		}
	}
	return strings.Join(names, ", ")
}

// answers prints what was wanted and what came, or the error.
func (r *Report) answers(p *printer, f *Failure) {
	if f.Class == classFlaky && len(f.Results) > 1 {
		p.line("     first: %s", got(f.Results[0]))
		p.line("     then:  %s", got(f.Results[1]))
		return
	}
	if f.Result.Outcome != replay.Answered {
		text, _, _ := strings.Cut(string(f.Result.Error), "\n")
		p.line("     %s", text)
		return
	}
	o := f.Result.Oracle
	p.line("     want %s  %s", o.Status, wanted(o))
	p.line("     got  %s", got(f.Result))
	p.line("     %s", f.Result.Difference)
	reasons(p, o.Reasons)
}

// reasons prints the first reason of each rule: each counter and endpoint has
// its own, and they say the same.
func reasons(p *printer, list []string) {
	const most = 3
	shown := map[string]bool{}
	for _, reason := range list {
		rule, _, _ := strings.Cut(reason, ":")
		if !shown[rule] && len(shown) < most {
			shown[rule] = true
			p.line("     %s", reason)
		}
	}
}

func wanted(o *replay.Finding) string {
	priced := "refused"
	if o.Eligible {
		priced = "priced"
	}
	var parts []string
	for i, in := range o.Rates.List() {
		parts = append(parts, fmt.Sprintf("%s %s", oracle.RateNames[i], in))
	}
	return priced + "  " + strings.Join(parts, "  ")
}

func got(r replay.Result) string {
	status, priced := string(r.Status), "no record"
	if status == "" {
		status = "no status"
	}
	if r.Eligible != nil {
		priced = map[bool]string{true: "priced", false: "refused"}[*r.Eligible]
	}
	parts := []string{status, priced}
	for i, x := range r.Rates.List() {
		text := "null"
		if x != nil {
			text = fraction(*x)
		}
		parts = append(parts, oracle.RateNames[i]+" "+text)
	}
	return strings.Join(parts, "  ")
}

func (r *Report) summary(p *printer) {
	s := r.Summary
	p.line("")
	if n := len(r.Failures); n > 0 {
		p.line("%s", plural(n, "distinct failure"))
	}
	p.line("%d undecided, %d errors", s.Undecided, s.Errors)
	p.line("%d passed, %d failed, %d skipped", s.Passed, s.Failed, s.Skipped)
}
