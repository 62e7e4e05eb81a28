package report

import (
	"math"

	"github.com/pdreplay/pdreplay/oracle"
	"github.com/pdreplay/pdreplay/replay"
	"github.com/pdreplay/pdreplay/replay/adapter"
)

// A chart shows the rates of a run: the oracle's intervals, and the adapters'
// answers as marks on them.
type chart struct {
	Width, Height          int
	Left, Right, PlotWidth int
	TickY                  int
	Rows                   []rateRow
}

type rateRow struct {
	Y, H, Inner    int
	Name, Interval string
	X, W           coordinate
	Marks          []mark
	Null           string // letters of the adapters that show none
}

const (
	chartWidth = 660 // of its plot: the interval stands in words behind it
	levelStep  = 13
)

func rateX(x float64) coordinate { return coordinate(plotLeft + x*chartWidth) }

// drawRates lays out the rates of one run; external only where it is not cpu.
func drawRates(run []replay.Result) *chart {
	c := &chart{Width: drawingWidth, Left: plotLeft, Right: plotLeft + chartWidth, PlotWidth: chartWidth}
	y := 2
	for i, in := range run[0].Oracle.Rates.List() {
		if i == 2 && externalIsCPU(run) {
			continue
		}
		row := rateRow{Y: y, Name: adapter.RateNames[i], Interval: intervalCell(in, 5), X: rateX(in.Lo), W: rateX(in.Hi) - rateX(in.Lo)}
		if row.W < thinnest {
			row.X, row.W = row.X-1, 2
		}
		levels := row.mark(run, i, in)
		row.H = max(28, levels*levelStep+4)
		row.Inner = row.H - 2
		y += row.H + 4
		c.Rows = append(c.Rows, row)
	}
	c.TickY, c.Height = y+9, y+14
	return c
}

func externalIsCPU(run []replay.Result) bool {
	l := run[0].Oracle.Rates.List()
	same := l[1] == l[2]
	for _, r := range run {
		x := cells(r.Rates.List(), 5)
		same = same && x[1] == x[2]
	}
	return same
}

// mark puts the answers on a row, equal ones as one mark, and returns how many
// levels they take.
func (row *rateRow) mark(run []replay.Result, i int, in oracle.Interval) int {
	at := map[string]int{} // value -> its mark
	for n, r := range run {
		if r.Outcome != replay.Answered {
			continue
		}
		x := r.Rates.List()[i]
		if x == nil {
			row.Null += letter(n)
			continue
		}
		text := cell(x, 5)
		k, ok := at[text]
		if !ok {
			k = len(row.Marks)
			at[text] = k
			row.Marks = append(row.Marks, mark{X: rateX(onChart(*x)), Class: markClass(in, *x)})
		}
		row.Marks[k].Label += letter(n)
	}
	for text, k := range at {
		if x := row.Marks[k].X; x != rateX(0) && x != rateX(1) || text == "0.00000" || text == "1.00000" {
			continue
		}
		row.Marks[k].Label += " " + text // it does not lie where it is drawn
	}
	levels := stacked(row.Marks, func(m mark) float64 { return 12 + 7*float64(len(m.Label)) })
	for k := range row.Marks {
		m := &row.Marks[k]
		m.Y = m.Y*levelStep + 2
		m.TX, m.TY = m.X+4, m.Y+10
	}
	return levels
}

func markClass(in oracle.Interval, x float64) string {
	if in.Contains(x, 0) {
		return "ok"
	}
	return "bad"
}

// onChart is where a value is drawn: what lies outside of [0, 1] stands at the
// nearest end, and says so.
func onChart(x float64) float64 {
	if math.IsNaN(x) {
		return 0
	}
	return math.Min(1, math.Max(0, x))
}
