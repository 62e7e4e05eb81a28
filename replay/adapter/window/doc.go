// Package window is what the adapters that read time slices share: the roles
// of endpoints, one series laid over the profiling window, the request scope,
// and the statuses of a validity record with their order. Rule numbers are
// those of accounting.md.
//
// The oracle has its own of each on purpose: an error here must not excuse
// itself there.
package window
