// Package gentest draws generator specs in property tests. It stands apart from
// package generator so that the program does not link the testing library.
package gentest

import (
	"pgregory.net/rapid"

	"github.com/pdreplay/pdreplay/generator"
)

// Draw draws a spec; rapid shrinks it one choice at a time. Options whose
// faults cannot be had together fail the test.
func Draw(t *rapid.T, o generator.Options) generator.Spec {
	s, err := generator.Draw(source{t}, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

type source struct{ t *rapid.T }

func (s source) Int(label string, lo, hi int) int { return rapid.IntRange(lo, hi).Draw(s.t, label) }
