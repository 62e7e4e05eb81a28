package report

import (
	"github.com/pdreplay/pdreplay/replay"
	"github.com/pdreplay/pdreplay/replay/adapter"
)

// A change is one field in which two answers differ.
type change struct{ field, from, to string }

// compare writes a run if an adapter differs from the one it is held against:
// every changed field, and who is right.
func (t *Text) compare(run []replay.Result) {
	var base *replay.Result
	for i, r := range run {
		if string(r.Adapter) == t.against {
			base = &run[i]
		}
	}
	if base == nil || base.Outcome == replay.Skipped {
		return
	}
	differ := false
	for _, r := range run {
		if r.Adapter == base.Adapter || r.Outcome == replay.Skipped {
			continue
		}
		if changed := changes(*base, r); len(changed) > 0 {
			differ = true
			t.difference(*base, r, changed)
		}
	}
	if differ {
		t.differ++
	} else {
		t.alike++
	}
}

func changes(a, b replay.Result) []change {
	var list []change
	add := func(field, from, to string) {
		if from != to {
			list = append(list, change{field, from, to})
		}
	}
	add("outcome", string(a.Outcome), string(b.Outcome))
	if a.Outcome != replay.Answered || b.Outcome != replay.Answered {
		return list
	}
	add("status", status(a.Status), status(b.Status))
	add("eligible", eligibility(a.Eligible), eligibility(b.Eligible))
	from, to := cells(a.Rates.List(), 5), cells(b.Rates.List(), 5)
	for i, name := range adapter.RateNames {
		add(name, from[i], to[i])
	}
	return list
}

func (t *Text) difference(a, b replay.Result, changed []change) {
	t.line("%s  %s against %s", t.paint(bold, b.Run), b.Adapter, a.Adapter)
	for _, c := range changed {
		t.line("     %-8s  %s -> %s", c.field, c.from, c.to)
	}
	t.line("     %s", right(a, b))
}

// right says which of two answers is right. What is undecided is neither.
func right(a, b replay.Result) string {
	name := func(r replay.Result) string {
		if r.Outcome != replay.Answered {
			return string(r.Adapter) + ": " + string(r.Outcome)
		}
		return string(r.Adapter) + ": " + string(r.Class) + priceError(r)
	}
	verdict := "neither is right"
	correct := func(r replay.Result) bool { return r.Class == replay.Word(replay.Correct) }
	undecided := func(r replay.Result) bool { return r.Class == replay.Word(replay.Undecided) }
	switch {
	case correct(a) && correct(b):
		verdict = "both are right"
	case correct(a):
		verdict = string(a.Adapter) + " is right"
	case correct(b):
		verdict = string(b.Adapter) + " is right"
	case undecided(a) || undecided(b):
		verdict = "nobody can say who is right"
	}
	return verdict + " (" + name(a) + "; " + name(b) + ")"
}
