package oracle_test

import (
	"strings"
	"testing"

	"github.com/pdreplay/pdreplay/oracle"
)

// Names in an export are strangers' text: none may move a terminal's cursor or
// forge a line of the explanation.
func TestExplainPrintsNoControlCharacters(t *testing.T) {
	run := sglangRun(sglangSeries{"sglang:prompt_tokens", map[string]string{"tp\x1b[2J\nproven: overall is 1": "x\r"}, 1000}, cached("device\x07", 5))
	run.ID = "run\x1b[31m"
	run.Env["SRT_AGG_ENDPOINTS"] = "u\x1b[0m:1"
	ev := oracle.Examine(run, oracle.Options{})
	v := ev.Verdict(contract("review"))
	var text strings.Builder
	if err := oracle.Explain(&text, ev, v); err != nil {
		t.Fatal(err)
	}
	for _, r := range v.Reasons {
		text.WriteString(r.String())
	}
	if i := strings.IndexFunc(text.String(), func(r rune) bool { return r < ' ' && r != '\n' }); i >= 0 {
		t.Errorf("a control character in %q", text.String()[max(0, i-40):i+1])
	}
	if strings.Contains(text.String(), "\nproven:") {
		t.Error("a label forged a line")
	}
}
