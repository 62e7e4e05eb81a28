package report

import "github.com/pdreplay/pdreplay/replay"

type colour string

const (
	red    colour = "31"
	green  colour = "32"
	yellow colour = "33"
	bold   colour = "1"
)

func (t *Text) paint(c colour, s string) string {
	if !t.colour {
		return s
	}
	return "\x1b[" + string(c) + "m" + s + "\x1b[0m"
}

func colourOf(r replay.Result) colour {
	switch r.Count() {
	case replay.CountPassed:
		return green
	case replay.CountFailed, replay.CountError:
		return red
	}
	return yellow
}
