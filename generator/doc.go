// Package generator synthesizes AIPerf runs whose true cache rates are known.
//
// [Generate] turns a [Spec] into an [Output]: the files of a run and its
// [Truth]. Its layers are small functions, each of the one above:
//
//   - workload: requests with their times, prompts and hits ([Load], [Request])
//   - engine: what each worker counts for a request (atom.go, vllm.go), as
//     increments in time, and when they become visible
//   - collector: when AIPerf scrapes, which scrapes belong to a phase, and the
//     statistics and timeslices of each series (collector.go, shape.go)
//   - files: exports, records, aggregate, run.env and truth.json
//
// A [Kind] is a fault that can be injected into one of these layers; [Kinds]
// lists them. The truth is that of the successful profiling records, per tier,
// as exact integers: everything else that a server counts is foreign to it.
//
// A spec and its seed give the same bytes on every machine: times and tokens
// are whole numbers up to the last operation, and no order comes from a map.
package generator
