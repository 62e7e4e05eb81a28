// Package aiperf is the ground floor: one run's files and environment, read
// streaming and written byte-faithfully. It knows no engine and no rule.
//
//   - [Run] is one benchmark point with all its files; [Export], [Records],
//     [Aggregate] and [Row] are what was kept of each.
//   - [Value] keeps what a file said where a number was expected.
//   - [Selection] bounds what is kept of an export.
//   - [Open] reads a run, [IsRun] looks for one. [ReadExport], [ReadTotals],
//     [ReadRecords], [ReadAggregate], [ReadRow] and [ReadEnv] read one file.
//
// # What is refused, noted and accepted
//
// A file that cannot be trusted is refused with one [SyntaxError]: text that
// is no JSON anywhere in it, is cut short or goes on behind its end; broken
// UTF-8 and byte-order marks; a container of the wrong kind; two members of
// one name in an object that is read; a time beyond int64; nesting more than
// 1000 deep, strings and CSV rows of more than 4 MiB, lines of more than 16 MiB.
//
// What AIPerf does not write but a reader can keep is kept as it stands and
// noted once a kind ([Run.Notes]): strings, booleans and nulls for numbers, bare
// NaN and Infinity, times that are no integers, slices without ends, nulls for
// containers, an empty jsonl.
//
// Line ends, unknown keys, the order of keys and families, integers written as
// floats or with exponents, and schema versions mean nothing to the readers.
//
// # How
//
// All JSON goes through one scanner, which accepts what jsontext accepts and
// bare numbers (the tests hold it to that). It has a window of 128 KiB on the
// file; what no one selected is checked by a loop of its own and not kept, at
// about twice the speed of jsontext. Line, column and pointer of an error are
// found in a second pass, so that good files do not pay for them. Readers share
// no state: several files are read at once as fast as the cores allow.
package aiperf
