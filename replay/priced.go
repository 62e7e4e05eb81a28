package replay

import (
	"slices"
	"strings"

	"github.com/pdreplay/pdreplay/replay/adapter"
	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// A Price is what one answer asks of the consumer: multiples of the full input
// price, by the app's rule and by that of a guard.
type Price struct {
	App      Rate   `json:"app"`                // no rate is 0 hits
	Guarded  *Rate  `json:"guarded"`            // null: unpriced
	Unpriced string `json:"unpriced,omitempty"` // why the guard prices nothing

	consumed Point
}

// A Sweep is the runs of one adapter taken as the points of one frontier, in
// their order: the app drops the rate of all of them where one has none.
type Sweep struct {
	Adapter Word     `json:"adapter"`
	Runs    []string `json:"runs"`
	App     []Rate   `json:"app"`
	Guarded []*Rate  `json:"guarded"` // null: unpriced

	points []Point
}

func priceOf(p Point) *Price {
	out := &Price{App: priceRate(AppPrice(p)), consumed: p}
	guarded, err := GuardedPrice(p)
	if err != nil {
		out.Unpriced = strings.TrimPrefix(err.Error(), ErrUnpriced.Error()+": ")
		return out
	}
	g := priceRate(guarded)
	out.Guarded = &g
	return out
}

func priceRate(x float64) Rate { return Rate(adapter.Round(x)) }

// pointOf is what the consumer knows of an answer's run.
func pointOf(run *aiperf.Run, a adapter.Answer) Point {
	p := Point{Rates: a.Rates, Eligible: a.Eligible, GB300: strings.Contains(hardware(run), "gb300")}
	if run.Aggregate != nil {
		hits, ok1 := run.Aggregate.TheoreticalHits.Float()
		blocks, ok2 := run.Aggregate.TheoreticalBlocks.Float()
		if ok1 && ok2 && blocks > 0 {
			theoretical := hits / blocks
			p.Theoretical = &theoretical
		}
	}
	return p
}

// hardware is what the run's row calls hw.
func hardware(run *aiperf.Run) string {
	hw := run.Env["RUNNER_TYPE"]
	if hw == "" && run.Published != nil {
		hw = run.Published.Fields["hw"]
	}
	return strings.ToLower(hw)
}

// sweeps collects the priced results by adapter, in the order of their first.
type sweeps []Sweep

func (s *sweeps) add(r Result) {
	if r.Price == nil {
		return
	}
	i := slices.IndexFunc(*s, func(x Sweep) bool { return x.Adapter == r.Adapter })
	if i < 0 {
		i = len(*s)
		*s = append(*s, Sweep{Adapter: r.Adapter})
	}
	at := &(*s)[i]
	at.Runs = append(at.Runs, r.Run)
	at.points = append(at.points, r.Price.consumed)
}

// priced works the prices of the sweeps out.
func (s sweeps) priced() []Sweep {
	for i := range s {
		for _, p := range AppSweep(s[i].points) {
			s[i].App = append(s[i].App, priceRate(p))
		}
		for _, p := range GuardedSweep(s[i].points) {
			if p != nil {
				r := priceRate(*p)
				s[i].Guarded = append(s[i].Guarded, &r)
			} else {
				s[i].Guarded = append(s[i].Guarded, nil)
			}
		}
	}
	return s
}
