package check

import (
	"fmt"
	"strings"

	"github.com/pdreplay/pdreplay/generator"
	"github.com/pdreplay/pdreplay/oracle"
)

// scenario is the run as a file of the scenario corpus: the files as they are,
// and what the contract expects of every adapter. It names no adapter.
func scenario(out *generator.Output, ev *oracle.Evidence, v oracle.Verdict) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\nrun files\n%s\n", story(out.Spec, v), want(ev, v))
	for _, f := range out.Files {
		if f.Path == "truth.json" {
			continue // what really happened is no file of a run
		}
		fmt.Fprintf(&b, "-- %s --\n%s", f.Path, f.Data)
		if n := len(f.Data); n > 0 && f.Data[n-1] != '\n' {
			b.WriteByte('\n')
		}
	}
	return []byte(b.String())
}

// story tells the run in one line.
func story(s generator.Spec, v oracle.Verdict) string {
	what := "no fault"
	if len(s.Faults) > 0 {
		what = faultsOf(s).String()
	}
	text := fmt.Sprintf("found by check: %s on %s %s, collector %s", what, s.Engine, s.Topology, s.Collector.Version)
	if len(v.Reasons) > 0 {
		text += fmt.Sprintf("; rule %d, %s", v.Reasons[0].Rule, v.Reasons[0].Status)
	}
	return text
}

// want is the expectation: what is reported, and behind it what is proven.
func want(ev *oracle.Evidence, v oracle.Verdict) string {
	words := []string{"want"}
	if v.Contract != oracle.Contracts()[0].Name {
		words = append(words, "contract="+v.Contract)
	}
	words = append(words, "status="+string(v.Status), fmt.Sprintf("priced=%t", v.Eligible))
	for i, in := range ev.Observed.List() {
		reported := "null"
		if v.Rates[i] != nil {
			reported = fraction(*v.Rates[i])
		}
		words = append(words, fmt.Sprintf("%s=%s[%s,%s]", oracle.RateNames[i], reported, fraction(in.Lo), fraction(in.Hi)))
	}
	return strings.Join(words, " ")
}
