package generator

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

const good = `version: 1
engine: atom
topology: 1p1d
collector:
  version: 1.0.12
requests:
- at: 0s
  prefill: 100ms
  decode: 1s
  prompt: 100
`

// A bad spec gets one error that says where and what is allowed.
func TestBadSpecs(t *testing.T) {
	for _, tt := range []struct{ name, from, to, want string }{
		{"engine", "engine: atom", "engine: atoms", `x.yaml:2:9: $.engine: "atoms" is not allowed: want one of atom, vllm`},
		{"topology", "1p1d", "1p", `x.yaml:3:11: $.topology: unknown topology "1p": want unified, unified:N or nPmD as in 2p3d, with at most 64 workers a role`},
		{"collector", "1.0.12", "1.0.13", `x.yaml:5:12: $.collector.version: "1.0.13" is not allowed: want one of 1.0.11, 1.0.12, upstream, upstream-1.0`},
		{"version", "version: 1\n", "version: 2\n", `x.yaml:1:10: $.version: format version 2 is unknown: this program reads version 1`},
		{"unknown field", "engine: atom", "engine: atom\nengin: x", `x.yaml:3:1: unknown field "engin"`},
		{"duration", "1s", "1 second", `x.yaml:9:11: "1 second" is no duration: write it like 333ms, 1.5s or -2s`},
		{"distribution", "requests:", "profiling: {prompt: [1, two], prefill: 5, requests: 1}\nrequests:", `x.yaml:6:25: `},
		{"negative prompt", "prompt: 100", "prompt: 0", `x.yaml:10:11: $.requests[0].prompt: 0 is not allowed: want 1 to 2^40 tokens`},
		{"hits", "prompt: 100", "prompt: 100\n  gpu: 101", `x.yaml:11:8: $.requests[0].gpu: hits 101 + 0 + 0 are not within the prompt of 100 tokens`},
		{"worker", "prompt: 100", "prompt: 100\n  worker: 1", `x.yaml:11:11: $.requests[0].worker: 1 is not allowed: want 0 to 0`},
		{"fault", "requests:", "faults:\n- fault: no-such\nrequests:", `x.yaml:7:10: $.faults[0].fault: "no-such" is not allowed: want one of abort-after-admission, `},
		{"fault needs", "requests:", "faults:\n- fault: late-rank\nrequests:", `x.yaml:7:10: $.faults[0].fault: "late-rank" needs at least 2 ranks`},
		{"fault size", "requests:", "faults:\n- {fault: restart, size: 1000}\nrequests:", `x.yaml:7:26: $.faults[0].size: 1000 is not allowed: want 1 to 999 thousandths of the window`},
		{"series", "requests:", "series:\n- {endpoint: 0, name: x, values: 1 2y}\nrequests:", `x.yaml:7:34: $.series[0].values: reading the series values at "2y": "2y" is no whole number`},
		{"empty", good, "", `reading the spec x.yaml: it is empty`},
		{"two documents", "requests:", "---\nrequests:", `reading the spec x.yaml: want one YAML document, found 2`},
		{"syntax", "engine: atom", "engine: [", `reading the spec x.yaml:`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := strings.Replace(good, tt.from, tt.to, 1)
			if text == good {
				t.Fatal("nothing was replaced")
			}
			_, err := Parse("x.yaml", []byte(text))
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got  %v\nwant one line with %s", err, tt.want)
			}
		})
	}
	if _, err := Parse("x.yaml", []byte(good)); err != nil {
		t.Errorf("the good spec: %v", err)
	}
	var field *FieldError
	if _, err := Generate(Spec{}); !errors.As(err, &field) || field.Path != "$.version" {
		t.Errorf("the zero spec: %v", err)
	}
}

func TestNotation(t *testing.T) {
	const none = -1
	for _, tt := range []struct {
		text string
		want []int64
	}{
		{"5", []int64{5}},
		{"0+100x3", []int64{0, 100, 200, 300}},
		{"0+100x2 _x3 5", []int64{0, 100, 200, none, none, none, 5}},
		{"9-3x2 _", []int64{9, 6, 3, none}},
		{"7x2", []int64{7, 7, 7}},
		{"100+50x1 0+10x1", []int64{100, 150, 0, 10}}, // a reset
	} {
		values, absent, err := ParseValues(tt.text)
		for i := range absent {
			if absent[i] {
				values[i] = none
			}
		}
		if err != nil || !slices.Equal(values, tt.want) {
			t.Errorf("%q gives %v (%v), want %v", tt.text, values, err, tt.want)
		}
	}
	for _, text := range []string{"x", "1+x3", "1x", "1x-1", "_x", "1.5", "-5", "5-3x2", "1+9999999999999x999999", "0x99999999", "nan"} {
		if values, _, err := ParseValues(text); err == nil {
			t.Errorf("%q gives %v", text, values)
		}
	}
}

func TestTopologies(t *testing.T) {
	for text, want := range map[string]topology{
		"unified": {unified: 1}, "unified:3": {unified: 3}, "1p7d": {prefill: 1, decode: 7}, "2P3D": {prefill: 2, decode: 3},
	} {
		if got, err := parseTopology(text); err != nil || got != want {
			t.Errorf("%q is %v (%v), want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "unified:", "unified:0", "p", "1p", "1d", "0p1d", "1p0d", "65p1d", "1p1", "1p1d1"} {
		if got, err := parseTopology(text); err == nil {
			t.Errorf("%q is accepted as %v", text, got)
		}
	}
}
