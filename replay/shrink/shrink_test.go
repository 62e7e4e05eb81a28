package shrink

import (
	"context"
	"errors"
	"iter"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"time"
)

// numbers are the passes of a list of numbers: fewer of them, then smaller ones.
func numbers() []Pass[[]int64] {
	return []Pass[[]int64]{
		{"elements", func(v []int64) iter.Seq2[int, []int64] {
			return func(yield func(int, []int64) bool) {
				for level, c := range Chunks(len(v)) {
					if !yield(level, Without(v, c)) {
						return
					}
				}
			}
		}},
		{"values", func(v []int64) iter.Seq2[int, []int64] {
			return func(yield func(int, []int64) bool) {
				for i := range v {
					for x := range Towards(v[i], 0) {
						w := slices.Clone(v)
						w[i] = x
						if !yield(i, w) {
							return
						}
					}
				}
			}
		}},
	}
}

func sum(v []int64) (s int64) {
	for _, x := range v {
		s += x
	}
	return s
}

func drawn(seed uint64, n int) []int64 {
	rng := rand.New(rand.NewPCG(seed, 1))
	v := make([]int64, n)
	for i := range v {
		v[i] = rng.Int64N(1000)
	}
	return v
}

// The smallest lists of their kind are known, and every start comes to them.
func TestShrinkFindsTheSmallest(t *testing.T) {
	for _, tc := range []struct {
		name string
		keep func([]int64) bool
		want []int64
	}{
		{"one large element", func(v []int64) bool { return slices.ContainsFunc(v, func(x int64) bool { return x >= 17 }) }, []int64{17}},
		{"two that ascend", func(v []int64) bool {
			return len(v) > 1 && slices.ContainsFunc(v[1:], func(x int64) bool { return x > v[0] })
		}, []int64{0, 1}},
		{"nothing at all", func([]int64) bool { return true }, nil},
		{"three elements", func(v []int64) bool { return len(v) >= 3 }, []int64{0, 0, 0}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for seed := range uint64(10) {
				start := drawn(seed, 40)
				start[0] = 0
				got, stats, err := Shrink(t.Context(), start, numbers(), func(_ context.Context, v []int64) (bool, error) { return tc.keep(v), nil }, Budget{})
				if err != nil || stats.Exhausted {
					t.Fatal(err, stats)
				}
				if !slices.Equal(got, tc.want) {
					t.Errorf("seed %d: %v, want %v", seed, got, tc.want)
				}
			}
		})
	}
}

// However many look ahead, what comes out and what is counted stay the same,
// also when the budget ends in the middle.
func TestShrinkIsTheSameWithAnyNumberOfWorkers(t *testing.T) {
	keep := func(_ context.Context, v []int64) (bool, error) { return sum(v)%7 == 3 && sum(v) > 100, nil }
	for seed := range uint64(20) {
		start := drawn(seed, 30)
		start = append(start, (3+7*100000-sum(start))%7)
		for _, evaluations := range []int{0, 1, 13, 50} {
			one, first, err := Shrink(t.Context(), start, numbers(), keep, Budget{Evaluations: evaluations, Jobs: 1})
			if err != nil {
				t.Fatal(err)
			}
			if evaluations > 0 && first.Evaluations > evaluations {
				t.Errorf("%d evaluations of %d", first.Evaluations, evaluations)
			}
			for _, jobs := range []int{2, 3, 8} {
				got, stats, err := Shrink(t.Context(), start, numbers(), keep, Budget{Evaluations: evaluations, Jobs: jobs})
				if err != nil || !slices.Equal(got, one) || stats != first {
					t.Errorf("seed %d, %d jobs: %v %+v %v, want %v %+v", seed, jobs, got, stats, err, one, first)
				}
			}
		}
	}
}

// A long list that needs one element from its front and one from its end comes
// down in far fewer steps than elements squared.
func TestShrinkGoesByHalves(t *testing.T) {
	start := make([]int64, 1000)
	start[0], start[999] = 1, 1
	got, stats, err := Shrink(t.Context(), start, numbers()[:1], func(_ context.Context, v []int64) (bool, error) { return sum(v) == 2, nil }, Budget{})
	if err != nil || !slices.Equal(got, []int64{1, 1}) {
		t.Fatal(got, err)
	}
	if stats.Evaluations > 200 {
		t.Errorf("%d evaluations", stats.Evaluations)
	}
}

func TestShrinkStopsInTime(t *testing.T) {
	var ticks atomic.Int64
	clock := func() time.Time { return time.Unix(ticks.Add(1), 0) }
	keep := func(context.Context, []int64) (bool, error) { return false, nil }
	_, stats, err := Shrink(t.Context(), drawn(1, 100), numbers(), keep, Budget{Time: 10 * time.Second, Now: clock})
	if err != nil || !stats.Exhausted || stats.Evaluations == 0 || stats.Evaluations > 10 {
		t.Errorf("%+v %v", stats, err)
	}
}

func TestShrinkEndsWithThePredicatesError(t *testing.T) {
	broken := errors.New("the adapter is gone")
	n := 0
	got, _, err := Shrink(t.Context(), drawn(3, 64), numbers(), func(_ context.Context, v []int64) (bool, error) {
		if n++; n == 5 {
			return false, broken
		}
		return len(v) >= 32, nil
	}, Budget{})
	if !errors.Is(err, broken) || len(got) != 32 {
		t.Errorf("%d elements, %v", len(got), err)
	}
}

func TestShrinkEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	_, _, err := Shrink(ctx, drawn(3, 64), numbers(), func(context.Context, []int64) (bool, error) { cancel(); return false, nil }, Budget{})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestExplainTellsWhatMatters(t *testing.T) {
	parts := []Part[[]int64]{
		{"first", [][]int64{{5, 9}, {7, 9}}},
		{"second", [][]int64{{1, 8}, {1, 0}}},
		{"nothing", nil},
	}
	got, err := Explain(t.Context(), parts, func(_ context.Context, v []int64) (bool, error) { return v[1] > 7, nil }, 2)
	want := []Matter{{"first", 2, 2}, {"second", 2, 1}, {"nothing", 0, 0}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v %v", got, err)
	}
	if !got[0].Irrelevant() || got[1].Irrelevant() || got[2].Irrelevant() {
		t.Error("only the first part does not matter")
	}
}
