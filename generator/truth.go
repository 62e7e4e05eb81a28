package generator

import (
	"bytes"
	"encoding/json"
)

// A Truth is what really happened in a run: the successful profiling records,
// per tier, as exact integers, and what was injected.
type Truth struct {
	Version    int    `json:"version"`
	Engine     string `json:"engine"`
	Generation string `json:"generation"`
	Topology   string `json:"topology"`
	Collector  string `json:"collector"`

	Requests int64 `json:"requests"` // successful profiling records
	Tokens   int64 `json:"tokens"`   // sum of their prompts
	GPU      int64 `json:"gpu"`      // tokens found in GPU memory at the place where prefill ran
	CPU      int64 `json:"cpu"`      // tokens found in the CPU tier beyond that
	Store    int64 `json:"store"`    // tokens found in a remote store beyond that

	// Staleness is the longest time, in ns, from an event to the first scrape
	// that can show it. An oracle whose lag is shorter may be wrong.
	Staleness int64 `json:"staleness_ns"`

	Faults []Injected `json:"faults"`
	// Broken lists the oracle's named assumptions that the faults break:
	// snapshot, lag, prompt.
	Broken []string `json:"broken"`
}

// An Injected is one fault as it was injected.
type Injected struct {
	Slug  string `json:"fault"`
	Layer Layer  `json:"layer"`
	Tag   Tag    `json:"tag"`
	Size  int64  `json:"size"`
}

// Silent reports whether a fault was injected that no reader of the export can
// know.
func (t Truth) Silent() bool {
	for _, f := range t.Faults {
		if f.Tag == Silent {
			return true
		}
	}
	return false
}

// Rates returns the true rates as fractions, in the order gpu, cpu, external,
// overall; false when no token was asked for. External is cpu and store; where
// the engine tells the two apart (SGLang, TensorRT-LLM), cpu is without store.
func (t Truth) Rates() ([4]float64, bool) {
	if t.Tokens == 0 {
		return [4]float64{}, false
	}
	n := float64(t.Tokens)
	external := float64(t.CPU+t.Store) / n
	cpu := external
	if t.Engine != ATOM && t.Engine != VLLM {
		cpu = float64(t.CPU) / n
	}
	return [4]float64{float64(t.GPU) / n, cpu, external, float64(t.GPU+t.CPU+t.Store) / n}, true
}

// count adds up the successful profiling records.
func (t *Truth) count(rows []row) {
	for i := range rows {
		r := rows[i].request
		if r == nil || !rows[i].successful() {
			continue
		}
		t.Requests++
		t.Tokens += r.prompt
		t.GPU += r.gpu
		t.CPU += r.cpu
		t.Store += r.store
	}
}

// json returns truth.json.
func (t Truth) json() ([]byte, error) {
	if t.Faults == nil {
		t.Faults = []Injected{}
	}
	if t.Broken == nil {
		t.Broken = []string{}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", "  ")
	err := e.Encode(t)
	return b.Bytes(), err
}
