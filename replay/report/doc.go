// Package report turns the events of a replay into what people and programs
// read. Each format is a [Reporter]: [Text], [JSON], [JUnit], [GitHub], [HTML].
// [Read] reads events back, [Merge] adds up those of several replays.
package report
