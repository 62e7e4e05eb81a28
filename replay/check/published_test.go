package check

import (
	"os"
	"strings"
	"testing"

	"github.com/pdreplay/pdreplay/replay"
	"github.com/pdreplay/pdreplay/replay/adapter"
)

// The published adapters deviate on runs without a fault where their list says,
// and nowhere else; each of its lines is met. That nothing that the corrected
// ones say is wrong is TestNoFalseAlarm.
func TestPublishedDeviateAsListed(t *testing.T) {
	const file = "testdata/main.txt"
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	known, err := replay.ReadExpectations(f, file)
	if err != nil {
		t.Fatal(err)
	}
	var list []adapter.Adapter
	for _, e := range replay.Builtin() {
		for _, a := range e.Adapters {
			if strings.HasSuffix(a.Name(), "@main") {
				list = append(list, a)
			}
		}
	}
	o := options(list...)
	o.Expect, o.Faults, o.Runs = known, []string{"true-zero"}, 900
	r := run(t, o)
	if code := r.Exit(); code != replay.ExitOK {
		t.Errorf("exit %d\n%s", code, text(t, r))
	}
}
