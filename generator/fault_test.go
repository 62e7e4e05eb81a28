package generator

import (
	"bytes"
	"strings"
	"testing"
)

// bases are specs that together can take every fault.
func bases() []Spec {
	atomA := demo(ATOM, "1p1d", V1012)
	atomA.Generation = GenA
	wide := demo(ATOM, "2p2d", V1012)
	wide.Ranks, wide.Witness, wide.Duration = 2, true, Duration(20*second)
	wide.Profiling.Requests = 0
	slow := demo(ATOM, "1p1d", V1012)
	slow.Refresh = Duration(5 * second)
	mesh := demo(ATOM, "2p1d", Upstream)
	mesh.Mesh = true
	era1 := demo(VLLM, "unified", Upstream)
	era1.Generation = Era1
	deep := demo(VLLM, "2p2d", V1011)
	deep.Ranks = 2
	behind := demo(SGLANG, "2p1d", V1012)
	behind.Dynamo = true
	ranked := demo(SGLANG, "unified", Upstream)
	ranked.Ranks = 2
	return []Spec{demo(ATOM, "unified", V1012), demo(ATOM, "1p1d", V1011), slow, atomA, wide, mesh, demo(VLLM, "1p1d", V1012), era1, deep,
		demo(SGLANG, "1p1d", V1012), behind, ranked, demo(TRTLLM, "1p1d", Upstream), demo(DYNAMO, "2p1d", V1012)}
}

// Every fault can be injected into some base, changes what a reader sees or
// what is true, and stands in the truth.
func TestEveryFaultActs(t *testing.T) {
	specs := bases()
	clean := make([]*Output, len(specs))
	for i, s := range specs {
		clean[i] = generate(t, s)
	}
	for _, k := range Kinds() {
		t.Run(k.Slug, func(t *testing.T) {
			acted := false
			for i, s := range specs {
				if acted || k.Fits(s) != "" {
					continue
				}
				s.Faults = []Fault{{Slug: k.Slug}}
				out := generate(t, s)
				acted = !out.LooksLike(clean[i]) || out.Truth.Tokens != clean[i].Truth.Tokens ||
					out.Truth.GPU != clean[i].Truth.GPU || out.Truth.CPU != clean[i].Truth.CPU
				if f := out.Truth.Faults; len(f) != 1 || f[0].Slug != k.Slug || f[0].Tag != k.Tag || f[0].Layer != k.Layer {
					t.Errorf("the truth says %v", f)
				}
				if !bytes.Contains(out.file("truth.json"), []byte(`"`+k.Slug+`"`)) {
					t.Error("truth.json does not name the fault")
				}
			}
			// A constant in the raw counters is the one that must not be seen.
			if harmless := k.Slug == "dead-worker-files"; acted == harmless {
				t.Errorf("acted: %v", acted)
			}
		})
	}
}

func TestKindsAreWellFormed(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range Kinds() {
		if seen[k.Slug] {
			t.Errorf("%s stands twice", k.Slug)
		}
		seen[k.Slug] = true
		if k.Doc == "" || strings.Contains(k.Doc, "\n") || k.inject == nil {
			t.Errorf("%s: want a one-line doc and an injection", k.Slug)
		}
		if (k.Unit != "") != (k.Default > 0) || k.Unit != "" && (k.Default < k.Least || k.Default > k.Most) {
			t.Errorf("%s: size %d of %d to %d %q", k.Slug, k.Default, k.Least, k.Most, k.Unit)
		}
		if k.Tag != Visible && k.Tag != Bounded && k.Tag != Silent {
			t.Errorf("%s has the tag %q", k.Slug, k.Tag)
		}
	}
}

// Faults compose without touching each other's work: a constant in every
// counter is invisible also when the hits are published apart from the rest.
func TestConstantBesideSplitSnapshot(t *testing.T) {
	s := demo(ATOM, "1p1d", V1012)
	s.Refresh = Duration(5 * second)
	s.Faults = []Fault{{Slug: "split-snapshot"}}
	split := generate(t, s)
	s.Faults = append(s.Faults, Fault{Slug: "dead-worker-files"})
	if !generate(t, s).LooksLike(split) {
		t.Error("the constant shows")
	}
}
