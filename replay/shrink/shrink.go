package shrink

import (
	"context"
	"iter"
	"time"

	"golang.org/x/sync/errgroup"
)

// A Predicate reports whether a value still is the case that is shrunk. It must
// be the same for the same value and safe for concurrent use. An error ends the
// shrinking; a value that cannot be had at all is just false.
type Predicate[T any] func(ctx context.Context, value T) (bool, error)

// A Pass proposes candidates of one kind, each simpler than the value, the
// most promising first. It must end: a chain of candidates of candidates may
// not return to a value.
//
// The number that comes with a candidate is its level: after one is accepted
// the pass goes on with the new value at the same level, so that a list that
// cannot lose halves any more is not asked for halves after each single
// element. Levels ascend. A pass that has none yields 0.
type Pass[T any] struct {
	Name       string
	Candidates func(T) iter.Seq2[int, T]
}

// A Budget limits the work.
type Budget struct {
	Evaluations int              // of the predicate, 0: any number
	Time        time.Duration    // 0: any time; the result then depends on the machine
	Jobs        int              // evaluations at a time, at least 1
	Now         func() time.Time // the clock of Time
}

// Stats say how a shrinking went.
type Stats struct {
	Evaluations int  // of candidates up to each accepted one; what was looked at ahead is not counted
	Accepted    int  // steps that made the value smaller
	Exhausted   bool // the budget ended it: a smaller value may exist
}

// Shrink returns the smallest value that it found from start on, which must
// satisfy keep. The error is keep's or that of ctx; the value is then the best
// one so far.
func Shrink[T any](ctx context.Context, start T, passes []Pass[T], keep Predicate[T], b Budget) (T, Stats, error) {
	s := search[T]{value: start, keep: keep, budget: b}
	if b.Time > 0 {
		s.deadline = b.Now().Add(b.Time)
	}
	for again := true; again; {
		before := s.stats.Accepted
		for _, p := range passes {
			if err := s.sweep(ctx, p); err != nil {
				return s.value, s.stats, err
			}
		}
		again = s.stats.Accepted > before && !s.stats.Exhausted
	}
	return s.value, s.stats, nil
}

type search[T any] struct {
	value    T
	keep     Predicate[T]
	budget   Budget
	deadline time.Time // zero: none
	stats    Stats
}

// sweep goes once through a pass, from the new value at the same level after
// each success.
func (s *search[T]) sweep(ctx context.Context, p Pass[T]) error {
	level := 0
	for {
		accepted, at, err := s.step(ctx, p, level)
		if err != nil || !accepted {
			return err
		}
		level = at
	}
}

// step looks for the first candidate from a level on that keeps the case, and
// takes it.
func (s *search[T]) step(ctx context.Context, p Pass[T], from int) (accepted bool, level int, err error) {
	next, stop := iter.Pull2(p.Candidates(s.value))
	defer stop()
	for {
		levels, batch, more := s.take(next, from)
		kept, err := s.evaluate(ctx, batch)
		if err != nil {
			return false, 0, err
		}
		for i, ok := range kept {
			s.stats.Evaluations++
			if ok {
				s.value = batch[i]
				s.stats.Accepted++
				return true, levels[i], nil
			}
		}
		if !more {
			return false, 0, nil
		}
	}
}

// take pulls as many candidates as are evaluated at a time and the budget has
// left. It is false when there are no more to come.
func (s *search[T]) take(next func() (int, T, bool), from int) (levels []int, batch []T, more bool) {
	for len(batch) < max(1, s.budget.Jobs) {
		level, value, ok := next()
		switch {
		case !ok:
			return levels, batch, false
		case level < from:
			continue
		case s.spent(len(batch)):
			s.stats.Exhausted = true
			return levels, batch, false
		}
		levels, batch = append(levels, level), append(batch, value)
	}
	return levels, batch, true
}

// spent reports whether the budget ends before one more than ahead evaluations.
func (s *search[T]) spent(ahead int) bool {
	if n := s.budget.Evaluations; n > 0 && s.stats.Evaluations+ahead >= n {
		return true
	}
	return !s.deadline.IsZero() && !s.budget.Now().Before(s.deadline)
}

func (s *search[T]) evaluate(ctx context.Context, batch []T) ([]bool, error) {
	return evaluate(ctx, s.keep, batch)
}

// evaluate asks the predicate about all values at once.
func evaluate[T any](ctx context.Context, keep Predicate[T], batch []T) ([]bool, error) {
	kept := make([]bool, len(batch))
	group, ctx := errgroup.WithContext(ctx)
	for i, value := range batch {
		group.Go(func() (err error) {
			if err = ctx.Err(); err == nil {
				kept[i], err = keep(ctx, value)
			}
			return err
		})
	}
	return kept, group.Wait()
}
