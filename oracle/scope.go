package oracle

import (
	"fmt"
	"math"

	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// A scope is the client's side of rule 14.
type scope struct {
	read       bool    // there are records
	successful int     // profiling records without an error
	prompt     float64 // sum of usage_prompt_tokens over them
	without    int     // of these, records without a usable usage_prompt_tokens
	firstLine  int     // line of the first one without
	errors     int     // errors that block (rule 15)
	cancelled  int     // cancelled profiling records
	file       string
}

func readScope(run *aiperf.Run) scope {
	if run.Records == nil {
		return scope{}
	}
	s := scope{read: true, file: base(run.Records.File), errors: run.Records.Accounting.BlockingErrors()}
	for _, r := range run.Records.List {
		if !r.Warmup && r.Cancelled {
			s.cancelled++
		}
		if !r.Successful() {
			continue
		}
		s.successful++
		prompt, ok := r.PromptTokens.Float()
		if !ok || prompt < 0 {
			if s.without++; s.without == 1 {
				s.firstLine = r.Line
			}
			continue
		}
		s.prompt += prompt
	}
	return s
}

// problems are the ways in which the requests and tokens that the server
// counted differ from the records (rule 14).
func (s scope) problems(requests, prompts claim) []Reason {
	if !s.read {
		return []Reason{scopeReason("there is no profile_export.jsonl to hold the counters against", "")}
	}
	var out []Reason
	add := func(at, format string, args ...any) { out = append(out, scopeReason(fmt.Sprintf(format, args...), at)) }
	if s.errors > 0 {
		add(s.file, "%d profiling errors: their prompts may have been counted", s.errors)
	}
	if s.cancelled > 0 {
		add(s.file, "%d cancelled profiling records: their prompts may have been counted", s.cancelled)
	}
	if s.without > 0 {
		add(fmt.Sprintf("%s:%d", s.file, s.firstLine), "%d successful records have no usage_prompt_tokens", s.without)
	}
	for _, c := range []struct {
		claim
		want float64
		of   string
	}{{requests, float64(s.successful), "successful profiling records"}, {prompts, s.prompt, "prompt tokens in the records"}} {
		switch {
		case c.unknown != "":
			add("", "%s is unknown: %s", c.name, c.unknown)
		case math.IsInf(c.value, 1):
			add("", "%s adds up to more than a number can hold, the client has %s %s", c.name, tokens(c.want), c.of)
		case c.value != c.want && (c.of != "prompt tokens in the records" || s.without == 0):
			add("", "%s is %s, the client has %s %s", c.name, tokens(c.value), tokens(c.want), c.of)
		}
	}
	return out
}

// A claim is a server-side number that the records can confirm.
type claim struct {
	name    string
	value   float64
	unknown string // why there is no number
}

func scopeReason(text, at string) Reason {
	return Reason{Rule: 14, Status: ScopeUnresolved, Text: text, At: at}
}
