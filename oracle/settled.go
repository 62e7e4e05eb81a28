package oracle

import "fmt"

// Settled are the findings that keep nothing from being priced: slices left
// out as proven warmup, and leading gaps that conservation makes harmless. A
// judge names them when an adapter tripped over one.
func (ev *Evidence) Settled() []Reason {
	if ev.Engine == "" || ev.window == nil {
		return nil
	}
	conserved := len(ev.scopeProblems()) == 0
	var out []Reason
	for _, c := range ev.read.rated() {
		for _, l := range c.rows {
			for _, f := range l.findings {
				text := fmt.Sprintf("%s %s: %s", c.name, l.where(), f.text)
				switch {
				case f.flaw == provenStraddler:
					out = append(out, Reason{Rule: 7, Text: text, At: f.at}.printable())
				case f.flaw == flawLeading && conserved:
					out = append(out, Reason{Rule: 14, Text: text + ", and the request scope conserves", At: f.at}.printable())
				}
			}
		}
	}
	return out
}
