package shrink

import "iter"

// A Chunk is a part of a list: the elements from Lo to Hi, Hi excluded.
type Chunk struct{ Lo, Hi int }

// Chunks yields the parts of a list of n elements to leave out, each with its
// level: all of it, then chunks of half its length and so on down to single
// elements, each size from the end to the front (what comes last often depends
// on what comes first). Lengths are powers of two, so that a level means the
// same after the list has lost some elements.
func Chunks(n int) iter.Seq2[int, Chunk] {
	const largest = 62
	return func(yield func(int, Chunk) bool) {
		if n > 1 && !yield(0, Chunk{0, n}) {
			return
		}
		for bit := largest; bit >= 0; bit-- {
			size := 1 << bit
			if size > n || size == n && n > 1 {
				continue
			}
			for hi := n; hi > 0; hi -= size {
				if !yield(1+largest-bit, Chunk{max(0, hi-size), hi}) {
					return
				}
			}
		}
	}
}

// Without returns a copy of the list without the chunk.
func Without[E any](list []E, c Chunk) []E {
	return append(append(make([]E, 0, len(list)-(c.Hi-c.Lo)), list[:c.Lo]...), list[c.Hi:]...)
}

// Towards yields the numbers that v may be made smaller to: the target itself,
// then ever closer to v by halves. A v that is at the target, or on its other
// side, has none.
func Towards(v, target int64) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		for gap := v - target; gap > 0; gap /= 2 {
			if !yield(v - gap) {
				return
			}
		}
	}
}
