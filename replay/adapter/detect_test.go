package adapter

import (
	"strings"
	"testing"

	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// The order of producer.md section 6, and the engine that is right.
func TestDetection(t *testing.T) {
	for _, tt := range []struct {
		framework string
		families  string
		pick      string
		engine    string
	}{
		{"atom", "atom:x", "atom", "atom"},
		{"vllm", "vllm:x atom_x", "atom", "atom"}, // one ATOM-named metric beats the framework
		{"", "sglang:x vllm:x", "sglang", "sglang"},
		{"", "vllm:x", "vllm", "vllm"},
		{"dynamo-sglang", "sglang:x", "dynamo-vllm", "sglang"}, // D8
		{"Dynamo-TRT", "trtllm_x", "dynamo-vllm", "trtllm"},
		{"dynamo-atom", "atom:x", "dynamo-vllm", "atom"},
		{"", "dynamo_frontend_x vllm:x", "dynamo-vllm", "vllm"},
		{"vllm", "dynamo_frontend_x", "dynamo-vllm", "dynamo"},
		{"", "sglang_x", "error", "sglang"},
		{"vllm", "trtllm_x", "error", "trtllm"},
		{"vllm", "python_gc", "error", ""},
		{"ATOM", "", "atom", ""},
		{"trtllm", "", "", ""},
	} {
		families := strings.Fields(tt.families)
		run := &aiperf.Run{Env: aiperf.Env{"FRAMEWORK": tt.framework}, Export: &aiperf.Export{Names: families}}
		pick, err := Pick(run)
		if err != nil {
			pick = "error"
		}
		if pick != tt.pick {
			t.Errorf("FRAMEWORK=%s, %s: the producer picks %q, want %q", tt.framework, tt.families, pick, tt.pick)
		}
		if got := Detect(families); got != tt.engine {
			t.Errorf("%s: detected %q, want %q", tt.families, got, tt.engine)
		}
	}
}

func TestFramework(t *testing.T) {
	row := &aiperf.Row{Framework: "vllm"}
	if got := Framework(&aiperf.Run{Env: aiperf.Env{}, Published: row}); got != "vllm" {
		t.Errorf("from the row: got %q", got)
	}
	if got := Framework(&aiperf.Run{Env: aiperf.Env{"FRAMEWORK": "atom"}, Published: row}); got != "atom" {
		t.Errorf("from the environment: got %q", got)
	}
}
