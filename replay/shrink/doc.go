// Package shrink makes a failing case small: one engine, whatever the cases
// are made of.
//
//   - A [Pass] proposes smaller candidates of a value. [Shrink] keeps the first
//     of them that still satisfies a [Predicate], until no pass finds another or
//     the [Budget] is spent. [Chunks] is delta debugging's order for lists,
//     [Towards] its like for numbers.
//   - [Explain] changes the parts of the smallest value in turn and says which of
//     them do not matter.
//
// The result is the same whatever the number of workers: they look ahead, but
// candidates are accepted in the order in which they were proposed.
package shrink
