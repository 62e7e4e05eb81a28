package check

import (
	"fmt"
	"math"
	"strconv"

	"github.com/pdreplay/pdreplay/generator"
	"github.com/pdreplay/pdreplay/oracle"
	"github.com/pdreplay/pdreplay/replay"
	"github.com/pdreplay/pdreplay/replay/adapter"
	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// A generated is one run of the plan, and what is found out about it beside
// its results.
type generated struct {
	number int
	spec   generator.Spec
	id     string

	examined bool // by the oracle
	truth    generator.Truth
	status   oracle.Status // of the contract
	priced   bool          // by the contract
	hole     *Hole         // nil: none
	against  string        // how the truth contradicts the oracle, "" for not
}

// source is the run as the engine takes it. The run is made when it is opened
// and let go when it was judged.
func (g *generated) source(o Options) replay.Source {
	return replay.Source{
		ID:     g.id,
		Again:  o.again(g.number),
		Faults: append([]string{}, faultsOf(g.spec)...),
		Open: func() (*aiperf.Run, error) {
			out, run, err := open(g.spec, g.id)
			if err == nil {
				g.truth = out.Truth
			}
			return run, err
		},
		Check: g.check,
	}
}

// open makes the run of a spec and reads it as any run is read.
func open(spec generator.Spec, id string) (*generator.Output, *aiperf.Run, error) {
	out, err := generator.Generate(spec)
	if err != nil {
		return nil, nil, fmt.Errorf("generating %s: %w", id, err)
	}
	run, err := aiperf.Open(out.FS(), ".", replay.Selects)
	if err != nil {
		return nil, nil, fmt.Errorf("reading the generated run %s: %w", id, err)
	}
	run.ID = id
	return out, run, nil
}

// again is the command that draws only this run.
func (o Options) again(number int) []string {
	words := []string{"pdreplay", "check", "--seed", strconv.FormatUint(o.Seed, 10), "--only", strconv.Itoa(number)}
	for _, f := range []struct {
		name  string
		words []string
	}{{"--engine", o.Engines}, {"--topology", o.Topologies}, {"--collector", o.Collectors}, {"--fault", o.Faults}} {
		for _, w := range f.words {
			words = append(words, f.name, w)
		}
	}
	return words
}

// check holds the truth against the oracle and the contract.
func (g *generated) check(ev *oracle.Evidence, v oracle.Verdict) error {
	g.examined, g.status, g.priced = true, v.Status, v.Eligible
	g.hole = holeOf(g.truth, v)
	g.against = contradiction(g.truth, ev)
	if g.against != "" {
		return fmt.Errorf("%s", g.against)
	}
	return nil
}

// contradiction says where the truth lies outside what the oracle says, or "".
// A silent fault, a broken assumption or a counter staler than the lag makes
// the oracle's word void, and all three are known here.
func contradiction(t generator.Truth, ev *oracle.Evidence) string {
	truth, ok := t.Rates()
	if !ok || t.Silent() || len(t.Broken) > 0 || t.Staleness > int64(ev.Lag()) {
		return ""
	}
	const slack = 1e-9 // two ways to divide the same integers
	for i, in := range ev.True.Rates.List() {
		if truth[i] < in.Lo-slack || truth[i] > in.Hi+slack {
			return fmt.Sprintf("the true %s is %s, outside the true interval %s", adapter.RateNames[i], fraction(truth[i]), in)
		}
	}
	for i, observed := range ev.Observed.List() {
		if ev.Basis[i] == oracle.Exact && oracle.Round(observed.Lo) != oracle.Round(truth[i]) {
			return fmt.Sprintf("the true %s is %s, but %s is called exact", adapter.RateNames[i], fraction(truth[i]), observed)
		}
	}
	return ""
}

// A Hole is a run that the contract itself prices away from the truth.
type Hole struct {
	Error float64 // per cent of the price at the true rate
}

// holeOf returns the hole of a run, nil when its contract prices it right or
// not at all.
func holeOf(t generator.Truth, v oracle.Verdict) *Hole {
	truth, ok := t.Rates()
	if !ok || !v.Eligible {
		return nil
	}
	reported := adapter.Rates{GPU: v.Rates[0], CPU: v.Rates[1], External: v.Rates[2], Overall: v.Rates[3]}
	h, _ := reported.Hit()
	if math.Abs(h-truth[3]) < 1e-5 { // published to 5 decimals
		return nil
	}
	return &Hole{(replay.PriceFactor(h)/replay.PriceFactor(truth[3]) - 1) * 100}
}

func fraction(x float64) string { return strconv.FormatFloat(oracle.Round(x), 'f', -1, 64) }
