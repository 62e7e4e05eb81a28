package scenarios

import (
	"fmt"
	"slices"
	"strings"
)

func sliceCommands() []command {
	return []command{{
		name:  "add-slice",
		usage: "SERIES RANGE VALUE",
		doc: `Adds a slice; the slice that it overlaps at one end gives way, so that the edges still meet. A number joins stats.total as well, for the collector counted it.
add-slice FULL 90s..100.4s 500 is a straddler, add-slice FULL 109.5s..110.5s 0 a slice over E.`,
		run: (*builder).cmdAddSlice,
	}, {
		name:  "set-slices",
		usage: "SERIES RANGE start|end|total=VALUE...",
		doc:   "Changes the slices that lie within RANGE; stats.total stays. start and end are times, or any other JSON value.",
		run:   (*builder).cmdSetSlices,
	}, {
		name:  "drop-slices",
		usage: "SERIES RANGE|all|key",
		doc:   "Removes the slices that lie within RANGE: a gap. all leaves an empty list, key leaves no timeslices at all. stats.total stays.",
		run:   (*builder).cmdDropSlices,
	}, {
		name:  "shift",
		usage: "SERIES DURATION",
		doc:   "Moves every edge but the last by DURATION: shift * 0.1s is the grid of a collector that first scrapes 0.1 s after S. Totals stay.",
		run:   (*builder).cmdShift,
	}, {
		name:  "reverse",
		usage: "SERIES",
		doc:   "Writes the slices in the opposite order.",
		run:   (*builder).cmdReverse,
	}}
}

// parseRange reads START..END.
func parseRange(text string) (span, error) {
	from, to, ok := strings.Cut(text, "..")
	if !ok {
		return span{}, fmt.Errorf("%w: %q is not a range like 100s..101.5s", errUsage, text)
	}
	start, err := parseTime(from)
	if err != nil {
		return span{}, err
	}
	end, err := parseTime(to)
	return span{start, end}, err
}

func (b *builder) cmdAddSlice(args []string) error {
	if len(args) != 3 {
		return errUsage
	}
	at, err := parseRange(args[1])
	if err != nil {
		return err
	}
	return b.each(args[0], func(s *series) error { return s.add(at, jsonText(args[2])) })
}

// add inserts a slice in the order of time.
func (s *series) add(at span, total string) error {
	for i := range s.slices {
		old, ok := s.slices[i].bounds()
		switch {
		case !ok || old.end <= at.start || old.start >= at.end:
		case at.start <= old.start && old.end > at.end:
			s.slices[i].start = ns(at.end)
		case old.start < at.start && old.end <= at.end:
			s.slices[i].end = ns(at.start)
		default:
			return fmt.Errorf("the slice %d..%d cannot give way: drop it first", old.start, old.end)
		}
	}
	i := slices.IndexFunc(s.slices, func(old slice) bool {
		b, ok := old.bounds()
		return ok && b.start >= at.end
	})
	if i < 0 {
		i = len(s.slices)
	}
	s.slices = slices.Insert(s.slices, i, slice{start: ns(at.start), end: ns(at.end), total: total})
	s.noSlices = false
	s.total = sum(s.total, total)
	return nil
}

// sum adds two JSON numbers; where one is not a number the first stays.
func sum(a, b string) string {
	var x, y float64
	if _, err := fmt.Sscanf(a+" "+b, "%g %g", &x, &y); err != nil || y != y {
		return a
	}
	return float(x + y)
}

// within returns the indices of the slices that lie in a range.
func (s *series) within(text string) ([]int, error) {
	at, err := parseRange(text)
	if err != nil {
		return nil, err
	}
	var found []int
	for i, sl := range s.slices {
		if b, ok := sl.bounds(); ok && b.start >= at.start && b.end <= at.end {
			found = append(found, i)
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("no slice lies within %s", text)
	}
	return found, nil
}

func (b *builder) cmdSetSlices(args []string) error {
	if len(args) < 3 {
		return errUsage
	}
	edits, err := pairs(args[2:], "start", "end", "total")
	if err != nil {
		return err
	}
	return b.each(args[0], func(s *series) error {
		found, err := s.within(args[1])
		for _, i := range found {
			s.slices[i].set(edits)
		}
		return err
	})
}

func (s *slice) set(edits [][2]string) {
	for _, e := range edits {
		text := jsonText(e[1])
		if t, err := parseTime(e[1]); err == nil && e[0] != "total" {
			text = ns(t)
		}
		switch e[0] {
		case "start":
			s.start = text
		case "end":
			s.end = text
		case "total":
			s.total = text
		}
	}
}

func (b *builder) cmdDropSlices(args []string) error {
	if len(args) != 2 {
		return errUsage
	}
	return b.each(args[0], func(s *series) error {
		if args[1] == "all" || args[1] == "key" {
			s.slices, s.noSlices = nil, args[1] == "key"
			return nil
		}
		found, err := s.within(args[1])
		if err != nil {
			return err
		}
		s.slices = slices.Delete(s.slices, found[0], found[len(found)-1]+1)
		return nil
	})
}

func (b *builder) cmdShift(args []string) error {
	if len(args) != 2 {
		return errUsage
	}
	by, err := parseTime(args[1])
	if err != nil {
		return err
	}
	return b.each(args[0], func(s *series) error {
		for i := range s.slices {
			at, ok := s.slices[i].bounds()
			if !ok {
				return fmt.Errorf("slice %d has no integer ends", i)
			}
			s.slices[i].start = ns(at.start + by)
			if i < len(s.slices)-1 {
				s.slices[i].end = ns(at.end + by)
			}
		}
		return nil
	})
}

func (b *builder) cmdReverse(args []string) error {
	if len(args) != 1 {
		return errUsage
	}
	return b.each(args[0], func(s *series) error { slices.Reverse(s.slices); return nil })
}
