// Package replay is the engine: it finds runs, lets adapters answer for them,
// holds each answer against what the oracle proves and a contract expects, and
// says so as events.
//
//   - [Find] lists the runs under paths as [Source]s, archives included, pairs
//     them with published rows that lie elsewhere (rows.go) and rebuilds from
//     these the environment (rebuild.go); the scenarios make Sources too.
//   - [Run] opens each source, derives with every adapter, judges, and emits one
//     [Result] a run and adapter; [Tally] adds them up into a [Summary].
//   - [Judge] puts one answer into one [Class].
//   - [Expectations] are the deviations that are known, each with a reason.
//   - [Builtin] lists the engines and their in-process adapters.
package replay
