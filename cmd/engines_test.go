package cmd

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/pdreplay/pdreplay/generator"
	"github.com/pdreplay/pdreplay/oracle"
	"github.com/pdreplay/pdreplay/replay"
	"github.com/pdreplay/pdreplay/replay/adapter"
	"github.com/pdreplay/pdreplay/replay/aiperf"
)

var update = flag.Bool("update", false, "rewrite the table of the README (make golden)")

// The table stands in the README between these lines.
const (
	tableBegin = "<!-- one workload, five engines: made by make golden -->\n"
	tableEnd   = "<!-- end -->\n"
)

// served is one engine as the table has it.
type served struct {
	name, engine, published, right string
	dynamo                         bool
}

func servedEngines() []served {
	return []served{
		{"ATOM", generator.ATOM, "atom@main", "atom@review", false},
		{"vLLM", generator.VLLM, "vllm@main", "vllm@corrected", false},
		{"vLLM behind Dynamo", generator.VLLM, "vllm@main", "vllm@corrected", true},
		{"SGLang", generator.SGLANG, "sglang@main", "sglang@corrected", false},
		{"SGLang behind Dynamo", generator.SGLANG, "sglang@main", "sglang@corrected", true},
		{"TensorRT-LLM", generator.TRTLLM, "trtllm@main", "trtllm@corrected", false},
		{"Dynamo, front end alone", generator.DYNAMO, "dynamo@main", "dynamo@corrected", false},
	}
}

// workload is the same requests for every engine: a cold warmup, then prompts
// of which most was seen before.
func (s served) workload(topology, collector string) generator.Spec {
	ms := func(n int) generator.Duration { return generator.Duration(time.Duration(n) * time.Millisecond) }
	return generator.Spec{
		Version: generator.FormatVersion, Seed: 11, Engine: s.engine, Topology: topology, Dynamo: s.dynamo, Offload: true,
		Collector: generator.Collector{Version: collector, Straddle: ms(100), Handover: ms(400)},
		Warmup:    &generator.Load{Requests: 8, Concurrency: 4, Prompt: generator.Dist{2000, 4000}, Prefill: generator.Dist{300}, Decode: generator.Dist{700}},
		Profiling: &generator.Load{Requests: 40, Concurrency: 4, Prompt: generator.Dist{2000, 6000}, Output: generator.Dist{20, 60},
			GPU: generator.Dist{650, 750}, CPU: generator.Dist{400, 600}, First: generator.Dist{1500},
			Prefill: generator.Dist{100, 300}, Decode: generator.Dist{900, 1500}},
	}
}

// The audit's asymmetry, reproduced: one workload and one true rate, and what
// each engine's adapter publishes of it. The corrected ones price the truth or
// refuse, in every cell.
func TestGoldenEngines(t *testing.T) {
	table := enginesTable(t)
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(text), tableBegin)
	old, tail, ok2 := strings.Cut(rest, tableEnd)
	switch {
	case !ok || !ok2:
		t.Fatalf("README.md lacks the lines %q and %q", tableBegin, tableEnd)
	case old == table:
	case *update:
		if err := os.WriteFile("../README.md", []byte(head+tableBegin+table+tableEnd+tail), 0o666); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("the table of README.md is stale: run make golden; want\n%s", table)
	}
}

func enginesTable(t *testing.T) string {
	t.Helper()
	topologies, collectors := []string{"unified", "1p1d", "1p7d"}, []string{generator.V1012, generator.V1011}
	var b strings.Builder
	b.WriteString("| engine | published by |")
	for _, topology := range topologies {
		for _, collector := range collectors {
			fmt.Fprintf(&b, " %s, %s |", topology, collector)
		}
	}
	b.WriteString("\n|---|---|" + strings.Repeat("---|", len(topologies)*len(collectors)) + "\n")
	truth := -1.0
	for _, s := range servedEngines() {
		fmt.Fprintf(&b, "| %s | `%s` |", s.name, s.published)
		for _, topology := range topologies {
			for _, collector := range collectors {
				cell, rate := s.cell(t, topology, collector)
				if truth < 0 {
					truth = rate
				}
				if rate != truth {
					t.Errorf("%s %s %s: the true rate is %v, elsewhere %v", s.name, topology, collector, rate, truth)
				}
				b.WriteString(" " + cell + " |")
			}
		}
		b.WriteString("\n")
	}
	return fmt.Sprintf("True rate everywhere: %.4f, price factor %.4f.\n\n", truth, replay.PriceFactor(truth)) + b.String()
}

// cell is the published rate that is priced and what the price is off by.
func (s served) cell(t *testing.T, topology, collector string) (text string, truth float64) {
	t.Helper()
	out, err := generator.Generate(s.workload(topology, collector))
	if err != nil {
		t.Fatal(err)
	}
	rates, _ := out.Truth.Rates()
	truth = rates[3]
	run, err := aiperf.Open(out.FS(), ".", replay.Selects)
	if err != nil {
		t.Fatal(err)
	}
	point := oracle.Interval{Lo: truth, Hi: truth}
	if right := s.answer(t, s.right, run); right.Eligible == nil || *right.Eligible && replay.PriceError(right.Rates, point) != 0 {
		t.Errorf("%s on %s %s: %+v, want the truth %v or a refusal", s.right, topology, collector, right, truth)
	}
	got := s.answer(t, s.published, run)
	off := fmt.Sprintf("%+.0f %%", replay.PriceError(got.Rates, point))
	if off == "+0 %" || off == "-0 %" {
		off = "right"
	}
	h, ok := got.Rates.Hit()
	if !ok {
		return "no rate, " + off, truth
	}
	return fmt.Sprintf("%.3f, %s", h, off), truth
}

func (s served) answer(t *testing.T, name string, run *aiperf.Run) adapter.Answer {
	t.Helper()
	for _, a := range replay.BuiltinAdapters() {
		if a.Name() == name {
			answer, err := a.Derive(t.Context(), run)
			if err != nil {
				t.Fatal(err)
			}
			return answer
		}
	}
	t.Fatalf("there is no %s", name)
	return adapter.Answer{}
}
