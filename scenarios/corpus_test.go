package scenarios

import (
	"testing"

	"github.com/pdreplay/pdreplay/oracle"
)

// TestOracle holds every want against the oracle: two derivations of the same
// rules, one by hand and one by program.
func TestOracle(t *testing.T) {
	for _, s := range All() {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			c, err := s.Build(nil)
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Want.Check(oracle.Examine(c.Run, oracle.Options{})); err != nil {
				t.Errorf("%s: %v", s.File(), err)
			}
		})
	}
}
