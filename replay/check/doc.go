// Package check property-tests adapters: it judges them on thousands of
// synthesized runs whose truth is known, and hands back the smallest run that
// breaks each promise.
//
//   - [Options] say what is drawn and who is asked; [Run] judges and gives a
//     [Report].
//   - The plan (plan.go) is balanced: every fault alone, every pair that can meet
//     at an edge of the window (edge.go), then mixtures.
//   - A failure is shrunk (minimize.go, candidates.go) to the smallest spec with
//     the same adapter, class and first differing rule, and its parts are varied
//     to see which matter (parts.go).
//   - Each distinct [Failure] gets a directory (directory.go) with all that its
//     author needs, and a scenario that is ready to commit (scenario.go).
//   - The truth is held against the oracle (source.go): a [Contradiction] is a
//     run where the truth lies outside what the oracle says, a [Hole] is one that
//     the contract itself prices away from the truth.
//   - The [Scorecard] counts classes by fault and adapter.
//
// Run i of a seed is the same run on every machine, whatever the number of
// jobs, shards and runs.
package check
