package generator

import (
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "rewrite testdata/golden.json")

// goldenRuns are one run an engine generation and collector, with a P/D
// topology and a refresh where the engine has one.
func goldenRuns() map[string]Spec {
	runs := map[string]Spec{}
	for _, e := range []struct{ engine, generation string }{{ATOM, GenA}, {ATOM, GenB}, {VLLM, Era1}, {VLLM, Era2}, {SGLANG, ""}, {TRTLLM, ""}, {DYNAMO, ""}} {
		for _, version := range Collectors() {
			s := demo(e.engine, "2p1d", version)
			s.Generation, s.Witness = e.generation, true
			if e.engine == ATOM {
				s.Refresh = Duration(second)
			}
			s.Dynamo = e.engine == SGLANG
			runs[e.engine+"/"+e.generation+"/"+version] = s
		}
	}
	return runs
}

// Same spec and seed, same bytes, on every machine: the hashes are in the
// repository. After a deliberate change of the format run
//
//	go test ./generator -run TestGolden -update
//
// and say in the commit what changed.
func TestGolden(t *testing.T) {
	const file = "testdata/golden.json"
	got := map[string]string{}
	for name, s := range goldenRuns() {
		h := sha256.New()
		for _, f := range generate(t, s).Files {
			fmt.Fprintf(h, "%s %d\n", f.Path, len(f.Data))
			h.Write(f.Data)
		}
		got[name] = fmt.Sprintf("%x", h.Sum(nil))
	}
	if *update {
		text, err := json.MarshalIndent(got, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, append(text, '\n'), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	for name := range want {
		if got[name] == "" {
			t.Errorf("%s: no such run any more", name)
		}
	}
	for name, hash := range got {
		if want[name] != hash {
			t.Errorf("%s: %s, want %s", name, hash, want[name])
		}
	}
}
