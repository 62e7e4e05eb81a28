// Package report turns the events of a replay into what people and programs
// read. Each format is a [Reporter]: [Text], [JSON].
package report
