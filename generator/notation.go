package generator

import (
	"fmt"
	"strconv"
	"strings"
)

// maxValues bounds a hand-made series, so that a typing error does not fill
// the memory.
const maxValues = 1_000_000

// A point is one value of a hand-made series, or none.
type point struct {
	v      int64
	absent bool
}

// ParseValues reads promtool's notation of a series, in whole numbers: "5" is
// one value, "5x3" that value four times, "0+100x10" eleven values from 0 in
// steps of 100, "9-3x2" is 9 6 3, "_" no value and "_x3" three times none. A
// value below the one before is a counter reset.
func ParseValues(text string) (values []int64, absent []bool, err error) {
	points, err := parseValues(text)
	if err != nil {
		return nil, nil, err
	}
	for _, p := range points {
		values, absent = append(values, p.v), append(absent, p.absent)
	}
	return values, absent, nil
}

func parseValues(text string) ([]point, error) {
	var out []point
	for _, word := range strings.Fields(text) {
		run, err := parseWord(word)
		if err != nil {
			return nil, fmt.Errorf("reading the series values at %q: %w", word, err)
		}
		if len(out)+len(run) > maxValues {
			return nil, fmt.Errorf("reading the series values at %q: more than %d values", word, maxValues)
		}
		out = append(out, run...)
	}
	return out, nil
}

func parseWord(word string) ([]point, error) {
	head, times, repeated := strings.Cut(word, "x")
	n := 0
	if repeated {
		var err error
		if n, err = strconv.Atoi(times); err != nil || n < 0 || n > maxValues {
			return nil, fmt.Errorf("%q is no number of repetitions", times)
		}
	}
	if head == "_" {
		if !repeated {
			n = 1
		}
		out := make([]point, n)
		for i := range out {
			out[i].absent = true
		}
		return out, nil
	}
	start, step, err := parseStep(head)
	if err != nil {
		return nil, err
	}
	out := make([]point, n+1)
	for i := range out {
		out[i].v = start + int64(i)*step
		if out[i].v < 0 || out[i].v > 1<<53 {
			return nil, fmt.Errorf("a counter value of %d is not allowed: want 0 to 2^53", out[i].v)
		}
	}
	return out, nil
}

// parseStep splits "0+100" into its start and step; without a sign the step is 0.
func parseStep(head string) (start, step int64, err error) {
	i := strings.IndexAny(head, "+-")
	if i < 0 {
		i = len(head)
	}
	if start, err = strconv.ParseInt(head[:i], 10, 54); err != nil {
		return 0, 0, fmt.Errorf("%q is no whole number", head[:i])
	}
	if i == len(head) {
		return start, 0, nil
	}
	if step, err = strconv.ParseInt(head[i:], 10, 44); err != nil {
		return 0, 0, fmt.Errorf("%q is no step", head[i:])
	}
	return start, step, nil
}
