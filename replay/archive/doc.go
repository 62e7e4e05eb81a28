// Package archive shows what a person downloaded as one read-only file system:
// directories, zip and tar.gz archives in them (and archives in archives), and
// single gzipped files. Nothing is unpacked to disk; a member is inflated while
// it is read.
//
//   - [Open] takes a path as it is given on a command line, also one that goes
//     on inside an archive.
//   - [FS] shows archives as directories and X.json.gz as X.json.
//   - [Tree] is a file system whose listing is known: an archive's members, or
//     files in memory ([Memory]).
//
// An archive is refused as a whole, with a [*RefusedError], when it holds what
// no tool that publishes results writes: names that climb out of it, links,
// devices, names that stand twice, encrypted members, or more bytes than the
// limit allows. One that is cut short is refused too.
package archive
