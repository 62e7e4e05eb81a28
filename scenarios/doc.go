// Package scenarios is the corpus: small stories about one run each, and what
// every adapter must say about it.
//
//   - A [Scenario] is one corpus/*.txtar file: a script that builds a run by
//     edits of a base run, and one want. It never names an adapter. [All] lists
//     them, [ID] identifies the corpus.
//   - [Scenario.Build] runs the script and gives a [Case]: the run as any reader
//     meets it (files in memory, read by aiperf.Open) and its [Want].
//   - [Case.Check] holds the want against the oracle; [Case.Write] writes a plain
//     run directory with want.json, for suites in other languages.
//   - [Run] puts one adapter under the whole corpus inside go test.
//
// The script commands stand in README.md, which is made from their own usage
// texts (commands.go and edits.go). Every want is derived from the rules by
// hand, never from the output of a program.
package scenarios
