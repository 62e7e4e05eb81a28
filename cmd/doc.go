// Package cmd is the command line of pdreplay, one verb a file.
//
//   - [Main] is what main and the scripts of testdata/script call.
//   - judging.go holds what the verbs that judge share: their flags, and the way
//     from sources to reports and exit code.
package cmd
