package replay

import (
	"testing"

	"github.com/pdreplay/pdreplay/replay/adapter"
	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// On GB300 alone the theoretical rate stands in for a missing one: 97 of 100
// blocks make 1 - 0.9 * 0.97 = 0.127 (accounting.md section 9).
func TestTheoreticalStandsInOnGB300(t *testing.T) {
	run := &aiperf.Run{Env: aiperf.Env{"RUNNER_TYPE": "GB300-nv"}, Aggregate: &aiperf.Aggregate{
		TheoreticalHits: aiperf.NumberValue(97), TheoreticalBlocks: aiperf.NumberValue(100)}}
	if p := priceOf(pointOf(run, adapter.Answer{})); p.App != 0.127 || p.Guarded != nil {
		t.Errorf("on GB300: %+v", p)
	}
	run.Env = aiperf.Env{"RUNNER_TYPE": "mi355x"}
	run.Published = &aiperf.Row{Fields: map[string]string{"hw": `"gb300"`}}
	if p := priceOf(pointOf(run, adapter.Answer{})); p.App != 1 {
		t.Errorf("the environment goes before the row: %+v", p)
	}
	run.Env = nil
	if p := priceOf(pointOf(run, adapter.Answer{})); p.App != 0.127 {
		t.Errorf("by the row: %+v", p)
	}
}
