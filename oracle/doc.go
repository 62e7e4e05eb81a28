// Package oracle says what an export proves about the cache rates of its run,
// as intervals with reasons, and what a contract lets be priced. It shares no
// rule with any adapter: endpoint roles, slice sums and request scope are its
// own on purpose, so that an error in one does not excuse the same in the other.
//
//   - [Examine] reads a run and returns [Evidence]: observed intervals and basis.
//   - [Evidence.Verdict] holds the evidence against a [Contract].
//   - [Explain] prints how it came about, each number with its address.
//   - One file an engine (atom.go, vllm.go) says which series are which counter.
package oracle
