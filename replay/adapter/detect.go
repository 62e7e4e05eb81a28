package adapter

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// The adapters that the producer's detection can pick (producer.md section 6).
const (
	PickDynamo = "dynamo-vllm"
	PickAtom   = "atom"
	PickSGLang = "sglang"
	PickVLLM   = "vllm"
	PickNone   = "" // no family and no framework that it knows: no rates
)

// A detection tries adapters in order; the first one that owns a family wins.
type detection []struct {
	pick     string
	prefixes []string
}

// detect returns the first adapter with a family of its own, "" for none.
func (d detection) detect(families []string) string {
	for _, c := range d {
		for _, p := range c.prefixes {
			if slices.ContainsFunc(families, func(name string) bool { return strings.HasPrefix(name, p) }) {
				return c.pick
			}
		}
	}
	return ""
}

// Detect returns the engine whose counters an export has: atom, sglang,
// trtllm, vllm, or dynamo for a front end without its workers; "" for none.
// Workers go before a front end because only they tell tiers apart; FRAMEWORK
// is not asked, because dynamo-sglang names both (accounting.md D8).
func Detect(families []string) string {
	return detection{
		{"atom", []string{"atom:", "atom_"}},
		{"sglang", []string{"sglang:", "sglang_"}},
		{"trtllm", []string{"trtllm_", "trtllm:"}},
		{"vllm", []string{"vllm:"}},
		{"dynamo", []string{"dynamo_"}},
	}.detect(families)
}

// Pick returns the adapter that the producer's detection picks for a run. The
// framework goes first for Dynamo, and elsewhere speaks only for an export
// without families. The error is the producer's own, when families are there
// and none is known to it.
func Pick(run *aiperf.Run) (string, error) {
	framework := strings.ToLower(Framework(run))
	export := run.Metrics()
	if strings.HasPrefix(framework, "dynamo") {
		return PickDynamo, nil
	}
	if export == nil || len(export.Names) == 0 {
		if slices.Contains([]string{PickAtom, PickSGLang, PickVLLM}, framework) {
			return framework, nil
		}
		return PickNone, nil
	}
	pick := detection{
		{PickDynamo, []string{"dynamo_"}},
		{PickAtom, []string{"atom:", "atom_"}},
		{PickSGLang, []string{"sglang:"}},
		{PickVLLM, []string{"vllm:"}},
	}.detect(export.Names)
	if pick == "" {
		names := slices.Sorted(slices.Values(export.Names))
		return "", fmt.Errorf("detecting the engine of %s: ValueError: Unsupported agentic server metrics backend; framework='%s', metric_names=[%s]",
			export.File, framework, strings.Join(names[:min(10, len(names))], ", "))
	}
	return pick, nil
}

// Framework is what the run says that it ran: FRAMEWORK of its environment, or
// else the framework of its published row.
func Framework(run *aiperf.Run) string {
	if f := run.Env["FRAMEWORK"]; f != "" || run.Published == nil {
		return f
	}
	return run.Published.Framework
}

// PickedElse is the reason of an @main adapter whose run the producer's
// detection gives to another adapter, which finds none of its counters there.
func PickedElse(run *aiperf.Run, pick string) string {
	if pick == PickNone {
		return "the producer's detection picks no adapter: the export has no metrics"
	}
	return fmt.Sprintf("the producer's detection picks its adapter %s (FRAMEWORK=%q), which finds none of its counters here", pick, Framework(run))
}
