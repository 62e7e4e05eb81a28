package replay

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/pdreplay/pdreplay/oracle"
	"github.com/pdreplay/pdreplay/replay/adapter"
	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// Explain prints what the oracle makes of a source's run, then what each
// published price is off by: that of the row beside the run, and what every
// adapter answers. The last line sums it up.
func Explain(ctx context.Context, w io.Writer, s Source, o Options) error {
	run, err := s.Open()
	if err != nil {
		return fmt.Errorf("reading %s: %w", s.ID, err)
	}
	run.Env = overlay(run.Env, o.Env)
	ev, v, err := o.examine(s, run)
	if err != nil {
		return err
	}
	if err := oracle.Explain(w, ev, v); err != nil {
		return err
	}
	if why := o.skips(ev.Engine, run); why != "" {
		return fmt.Errorf("nothing to explain in %s: %s", s.ID, why)
	}
	for _, text := range lacks(ev, run, o.Contract.Name) {
		label, rest, _ := strings.Cut(text, " ")
		if _, err := fmt.Fprintf(w, "%-9s %s\n", strings.TrimSuffix(label, ":"), Printable(rest)); err != nil {
			return err
		}
	}
	prices := publishedPrice(run.Published)
	for _, a := range o.adapters(ev.Engine) {
		if a.Engine() == "" || a.Engine() == ev.Engine {
			answer, err := call(ctx, a, run, o.Timeout)
			prices = append(prices, price{a.Name(), answer.Rates, answer.Eligible, err})
		}
	}
	return explainPrices(w, ev, prices)
}

// published is the source of a row that lies beside the run.
const published = "published"

// A price is what one row asks of the consumer.
type price struct {
	source   string
	rates    adapter.Rates
	eligible *bool
	err      error
}

func publishedPrice(row *aiperf.Row) []price {
	if row == nil {
		return nil
	}
	l, _ := publishedRates(row)
	return []price{{published, adapter.Rates{GPU: l[0], CPU: l[1], External: l[2], Overall: l[3]}, row.Eligible, nil}}
}

func explainPrices(w io.Writer, ev *oracle.Evidence, prices []price) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	label := "prices  " // as wide as the labels above
	for _, p := range prices {
		fmt.Fprintf(tw, "%s\t%s\t%s\n", label, p.source, p.describe(ev.Observed.Overall))
		label = ""
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	last := "no row was published beside this run"
	if len(prices) > 0 && prices[0].source == published {
		last = "the published price is " + off(prices[0].rates, ev.Observed.Overall)
	}
	_, err := fmt.Fprintf(w, "%s; %s\n", proven(ev), last)
	return err
}

func (p price) describe(overall oracle.Interval) string {
	if p.err != nil {
		return "no answer: " + Printable(p.err.Error())
	}
	h, text := 0.0, "no rate"
	if x, ok := p.rates.Hit(); ok {
		h, text = x, "h "+decimal(x)
	}
	text += fmt.Sprintf("\tfactor %s\t%s", decimal(PriceFactor(h)), off(p.rates, overall))
	if p.eligible != nil && !*p.eligible {
		text += "\trefused"
	}
	return text
}

// off says what a price is off by. Inside an interval that is no point it is
// neither right nor wrong.
func off(r adapter.Rates, overall oracle.Interval) string {
	switch x := PriceError(r, overall); {
	case x != 0:
		return fmt.Sprintf("off by %+.1f %%", x)
	case overall.Point():
		return "right"
	}
	return "neither proven nor refuted"
}

// proven says what the evidence is worth for overall.
func proven(ev *oracle.Evidence) string {
	overall := ev.Observed.Overall
	switch basis := ev.RunBasis(); {
	case basis == oracle.Unknown:
		return "nothing is proven about overall"
	case basis == oracle.Exact:
		return fmt.Sprintf("proven: overall is %s", overall)
	case basis == oracle.Conserved:
		return fmt.Sprintf("proven by conservation: overall is %s", overall)
	case overall.Point():
		return fmt.Sprintf("proven of the window, not of the requests: overall is %s", overall)
	}
	return fmt.Sprintf("proven: overall is in %s", overall)
}
