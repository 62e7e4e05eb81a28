// Package aiperf is the ground floor: one run's files and environment, read
// streaming and written byte-faithfully. It knows no engine and no rule.
//
//   - [Run] is one benchmark point with all its files; [Export], [Records],
//     [Aggregate] and [Row] are what was kept of each.
//   - [Value] keeps what a file said where a number was expected.
//   - [Selection] bounds what is kept of an export.
package aiperf
