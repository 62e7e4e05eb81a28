package scenarios

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/pdreplay/pdreplay/replay/adapter"
)

const helper = "PDREPLAY_SCENARIOS_HELPER" // says which adapter TestHelper hands to Run

// A stranger is an adapter of an engine that no scenario has.
type stranger struct{ answering }

func (stranger) Engine() string { return "cray" }

// TestHelper is not a test: TestRunFails runs it in a process of its own.
func TestHelper(t *testing.T) {
	share, none := 0.03684, 0.0
	wrong := answering{Rates: adapter.Rates{GPU: &share, CPU: &none, External: &none, Overall: &share}}
	switch os.Getenv(helper) {
	case "wrong":
		Run(t, wrong)
	case "stranger":
		Run(t, stranger{wrong})
	default:
		t.Skip("run by TestRunFails")
	}
}

// TestRunFails: a wrong adapter fails with want before got and the reasons; an
// adapter that no scenario asks fails too, for nothing was judged.
func TestRunFails(t *testing.T) {
	tests := []struct {
		adapter string
		want    []string
	}{
		{"wrong", []string{
			"--- FAIL: TestHelper/conc16-by-source",
			"answering: mispriced\n",
			"want  status=VALID_COMPLETE priced=true gpu=0.09426",
			"got   h 0.03684 is outside overall's observed 0.87625\n",
			"--- SKIP: TestHelper/conc16-without-by-source",
			"undecided: gpu 0.03684 lies in the observed [0, 1]",
			"--- SKIP: TestHelper/rule01-unified", // it answers for vllm
		}},
		{"stranger", []string{`answering was judged by no scenario: is its engine right? Engine() is "cray"`}},
	}
	for _, test := range tests {
		cmd := exec.Command(os.Args[0], "-test.run=^TestHelper$", "-test.v")
		cmd.Env = append(os.Environ(), helper+"="+test.adapter)
		out, err := cmd.CombinedOutput()
		if _, failed := err.(*exec.ExitError); !failed {
			t.Errorf("%s: ended with %v, want a failure", test.adapter, err)
		}
		for _, want := range test.want {
			if !strings.Contains(string(out), want) {
				t.Errorf("%s: no %q in the output:\n%s", test.adapter, want, out)
			}
		}
	}
}
