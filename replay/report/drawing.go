package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pdreplay/pdreplay/oracle"
)

// A drawing is a timeline in the units of its SVG.
type drawing struct {
	Width, Height                          int
	Left, PlotWidth, CurvesY, CurvesHeight int
	AxisY, TickY                           int
	Phases                                 []bar
	Lanes                                  []laneBars
	Curves                                 []curveLine
	Edges                                  []coordinate // of the window
	Ticks                                  []mark
}

type bar struct {
	Class, Label, Title string
	X, W, Mid           coordinate
}

type laneBars struct {
	Y            int
	Label, Title string
	Spans        []bar
}

type curveLine struct {
	Class, Name, End, Points, Key string
	Y, Y2                         int
}

type mark struct {
	Class, Label, Title string
	X, Y, TX, TY        coordinate
}

// A coordinate is written with one decimal at most: a file of many runs is made
// of them.
type coordinate float64

// String prints 12.5, 12.
func (c coordinate) String() string {
	return strconv.FormatFloat(math.Round(float64(c)*10)/10, 'f', -1, 64)
}

// Where things stand. The window takes most of the width whatever lies around
// it, so that its edges can be seen; before and after have a scale of their own.
const (
	drawingWidth = 960
	plotLeft     = 160
	plotWidth    = drawingWidth - plotLeft - 2
	beforeWidth  = 120
	afterWidth   = 70
	laneHeight   = 16
	curvesHeight = 84
	thinnest     = 1.5 // what a slice of a nanosecond is drawn as
)

// An axis maps ns since S to x.
type axis struct {
	first, end, last int64   // what is drawn: from before S, to E, to after E
	s, e             float64 // x of S and E
}

func newAxis(t *oracle.Timeline) axis {
	a := axis{end: t.E - t.S, last: t.E - t.S, s: plotLeft, e: plotLeft + plotWidth}
	if t.Warmup != nil {
		a.first = min(a.first, t.Warmup[0])
	}
	for _, l := range t.Counters {
		for _, s := range l.Spans {
			a.first, a.last = min(a.first, s.From), max(a.last, s.To)
		}
	}
	for _, c := range t.Curves {
		for _, p := range c.Points {
			a.first, a.last = min(a.first, int64(p[0])), max(a.last, int64(p[0]))
		}
	}
	if a.first < 0 {
		a.s += beforeWidth
	}
	if a.last > a.end {
		a.e -= afterWidth
	}
	return a
}

func (a axis) x(ns float64) coordinate {
	between := func(t, t0, t1, x0, x1 float64) coordinate { return coordinate(x0 + (t-t0)/(t1-t0)*(x1-x0)) }
	switch {
	case ns < 0:
		return between(ns, float64(a.first), 0, plotLeft, a.s)
	case ns > float64(a.end):
		return between(ns, float64(a.end), float64(a.last), a.e, plotLeft+plotWidth)
	}
	return between(ns, 0, float64(a.end), a.s, a.e)
}

func (a axis) bar(from, to int64) bar {
	x0, x1 := a.x(float64(from)), a.x(float64(to))
	if x1-x0 < thinnest { // to the left of E, lest it leave the picture
		if x1 = x0 + thinnest; x1 > plotLeft+plotWidth {
			x0, x1 = plotLeft+plotWidth-thinnest, plotLeft+plotWidth
		}
	}
	return bar{X: x0, W: x1 - x0, Mid: (x0 + x1) / 2}
}

// draw lays out a timeline; coarse, it tells slices of one kind that adjoin as
// one.
func draw(t *oracle.Timeline, coarse bool) *drawing {
	a := newAxis(t)
	d := &drawing{Width: drawingWidth, Left: plotLeft, PlotWidth: plotWidth}
	d.phases(t, a)
	y := 24
	for _, group := range alike(t.Counters) {
		d.Lanes = append(d.Lanes, drawLane(group, y, a, coarse))
		y += laneHeight
	}
	if len(t.Curves) > 0 {
		d.CurvesY, d.CurvesHeight = y+4, curvesHeight
		d.curves(t.Curves, a)
		y += 4 + curvesHeight + 4
	}
	d.AxisY, d.TickY, d.Height = y, y+12, y+18
	d.Edges = []coordinate{coordinate(a.s), coordinate(a.e)}
	d.Ticks = []mark{{X: coordinate(a.s), Label: "S"}, {Class: " end", X: coordinate(a.e), Label: "E"}}
	if a.first < 0 {
		d.Ticks = append(d.Ticks, mark{X: plotLeft, Label: "S" + about(a.first)})
	}
	if a.last > a.end {
		d.Ticks = append(d.Ticks, mark{Class: " end", X: plotLeft + plotWidth, Label: "E+" + about(a.last-a.end)})
	}
	return d
}

func (d *drawing) phases(t *oracle.Timeline, a axis) {
	if t.Warmup != nil && t.Warmup[0] < t.Warmup[1] {
		b := a.bar(t.Warmup[0], t.Warmup[1])
		b.Class, b.Label = "warmup", "warmup"
		d.Phases = append(d.Phases, b)
	}
	b := a.bar(0, a.end)
	b.Class, b.Label = "window", "profiling, "+duration(a.end)
	d.Phases = append(d.Phases, b)
}

// alike puts series of one counter that were cut and taken alike together: the
// ranks or parts of one worker are one bar.
func alike(lanes []oracle.Lane) [][]oracle.Lane {
	var groups [][]oracle.Lane
	for _, l := range lanes {
		i := slices.IndexFunc(groups, func(g []oracle.Lane) bool {
			return g[0].Counter == l.Counter && g[0].Worker == l.Worker && g[0].Family == l.Family && slices.EqualFunc(g[0].Spans, l.Spans, func(x, y oracle.Span) bool {
				return x.From == y.From && x.To == y.To && x.Kind == y.Kind
			})
		})
		if i < 0 {
			groups = append(groups, []oracle.Lane{l})
			continue
		}
		groups[i] = append(groups[i], l)
	}
	return groups
}

func drawLane(group []oracle.Lane, y int, a axis, coarse bool) laneBars {
	first := group[0]
	lane := laneBars{Y: y, Label: first.Counter + " " + first.Worker}
	if len(group) > 1 {
		lane.Label += fmt.Sprintf(" ×%d", len(group))
	}
	lane.Label = shorten(lane.Label, 24)
	lane.Title = addresses(group, coarse)
	for _, s := range added(group, coarse) {
		b := a.bar(s.From, s.To)
		b.Class, b.Title = kindClass(s.Kind), spanTitle(s)
		lane.Spans = append(lane.Spans, b)
	}
	return lane
}

// addresses say where the series stand; coarse, without their labels, which
// stand there too.
func addresses(group []oracle.Lane, coarse bool) string {
	family, _, _ := strings.Cut(group[0].At, "/series/")
	text := family
	for _, l := range group {
		at, _ := strings.CutPrefix(l.At, family)
		if !coarse && l.Labels != "" {
			at += " " + l.Labels
		}
		text += "\n" + at
	}
	return text
}

// added are the spans of series that are alike, with the sums of their totals.
func added(group []oracle.Lane, coarse bool) []oracle.Span {
	var spans []oracle.Span
	for i, s := range group[0].Spans {
		for _, l := range group[1:] {
			s.Total += l.Spans[i].Total
		}
		n := len(spans) - 1
		if coarse && n >= 0 && spans[n].Kind == s.Kind && spans[n].To == s.From {
			spans[n].To, spans[n].Slices, spans[n].Total = s.To, spans[n].Slices+s.Slices, spans[n].Total+s.Total
			continue
		}
		spans = append(spans, s)
	}
	return spans
}

func spanTitle(s oracle.Span) string {
	text := fmt.Sprintf("%s [%s, %s)", s.Kind, duration(s.From), duration(s.To))
	if s.Slices > 0 && s.Kind != oracle.Broken {
		text += ": " + thousands(s.Total)
	}
	if s.Slices > 1 {
		text += fmt.Sprintf(" in %d slices", s.Slices)
	}
	return text
}

func (d *drawing) curves(curves []oracle.Curve, a axis) {
	top := 1.0
	for _, c := range curves {
		for _, p := range c.Points {
			top = max(top, p[1])
		}
	}
	bottom := float64(d.CurvesY + curvesHeight - 1)
	for i, c := range curves {
		var points []string
		for _, p := range c.Points {
			y := coordinate(bottom - p[1]/top*(curvesHeight-6))
			points = append(points, a.x(p[0]).String()+","+y.String())
		}
		y := d.CurvesY + 10 + i*curvesHeight/4
		d.Curves = append(d.Curves, curveLine{
			Class: curveClass(c.Name), Name: c.Name, End: thousands(c.Points[len(c.Points)-1][1]), Points: strings.Join(points, " "),
			Key: fmt.Sprintf("M134 %dh20", y-4), Y: y, Y2: y + 10,
		})
	}
}

// curveClass is how the style sheet knows a curve of oracle.Timeline.
func curveClass(name string) string {
	who, what, _ := strings.Cut(name, " ")
	if what == "hits" {
		return who + "hits"
	}
	return who
}

// duration prints ns exactly, as Go does: 10s, 1ns, 1m0.4s.
func duration(ns int64) string { return time.Duration(ns).String() }

// about prints ns as a label has room for.
func about(ns int64) string {
	if round := time.Duration(ns).Round(time.Millisecond); round != 0 {
		ns = int64(round)
	}
	return duration(ns)
}

// thousands prints 4,797,952.
func thousands(x float64) string {
	text := strconv.FormatFloat(x, 'f', -1, 64)
	whole, rest, _ := strings.Cut(text, ".")
	for i := len(whole) - 3; i > 0 && whole[i-1] != '-'; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if rest != "" {
		whole += "." + rest
	}
	return whole
}

// shorten cuts a label to n characters.
func shorten(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

// stacked gives each of several marks along a line the first level on which it
// has room for its label, and returns how many levels that takes.
func stacked(marks []mark, room func(mark) float64) int {
	slices.SortStableFunc(marks, func(a, b mark) int { return cmp.Compare(a.X, b.X) })
	var taken []float64 // up to where each level is full
	for i, m := range marks {
		level := slices.IndexFunc(taken, func(x float64) bool { return x <= float64(m.X) })
		if level < 0 {
			level, taken = len(taken), append(taken, 0)
		}
		taken[level] = float64(m.X) + room(m)
		marks[i].Y = coordinate(level)
	}
	return len(taken)
}
