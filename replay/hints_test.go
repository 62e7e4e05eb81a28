package replay_test

import (
	"strings"
	"testing"
	"time"

	"github.com/pdreplay/pdreplay/generator"
	"github.com/pdreplay/pdreplay/oracle"
	"github.com/pdreplay/pdreplay/replay"
	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// TestCountHints: where an export hints at roles by what endpoints count again,
// the roles that it proposes are those of the synthesized fleet.
func TestCountHints(t *testing.T) {
	for _, engine := range []string{generator.ATOM, generator.VLLM} {
		hinted := 0
		for i := range uint64(30) {
			spec, err := generator.Draw(generator.NewSource(4, i), generator.Options{Engines: []string{engine}, Topologies: []string{"1p1d", "2p1d", "2p3d"}, Collectors: []string{generator.Upstream}})
			if err != nil {
				t.Fatal(err)
			}
			if spec.Mesh || spec.Ranks > 1 {
				continue // several series or workers behind one endpoint
			}
			for i := range spec.Requests {
				spec.Requests[i].Local = 0 // with hits of its own a decode worker looks like any other
			}
			out, err := generator.Generate(spec)
			if err != nil {
				t.Fatal(err)
			}
			run, err := aiperf.Open(out.FS(), ".", replay.Selects)
			if err != nil {
				t.Fatal(err)
			}
			want := "--env SRT_PREFILL_ENDPOINTS=" + run.Env["SRT_PREFILL_ENDPOINTS"] + " --env SRT_DECODE_ENDPOINTS=" + run.Env["SRT_DECODE_ENDPOINTS"]
			delete(run.Env, "SRT_PREFILL_ENDPOINTS")
			delete(run.Env, "SRT_DECODE_ENDPOINTS")
			source := replay.Source{ID: "run", Open: func() (*aiperf.Run, error) { return run, nil }}
			o := replay.Options{Contract: oracle.Contracts()[0], Jobs: 1, Timeout: time.Minute, Now: time.Now}
			_, err = replay.Run(t.Context(), []replay.Source{source}, o, func(r replay.Result) error {
				for _, text := range r.Lacks {
					if _, flags, ok := strings.Cut(text, "count again what those count; if that is so: "); ok {
						hinted++
						if flags != want {
							t.Errorf("%s run %d: hint %q, the fleet is %q", engine, i, flags, want)
						}
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		if hinted == 0 {
			t.Errorf("%s: no export hinted at roles", engine)
		}
	}
}
