package window

import (
	"fmt"

	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// Requests are the successful profiling requests as the client recorded them.
type Requests struct {
	Count     int
	Tokens    float64 // sum of usage_prompt_tokens
	Unmetered int     // successful records without a usage_prompt_tokens that counts
	Cancelled int     // cancelled profiling records, failed ones included
}

// CountRequests adds up the profiling records.
func CountRequests(records *aiperf.Records) Requests {
	var q Requests
	for _, r := range records.List {
		if !r.Warmup && r.Cancelled {
			q.Cancelled++
		}
		if !r.Successful() {
			continue
		}
		q.Count++
		if f, ok := r.PromptTokens.Float(); ok && f >= 0 {
			q.Tokens += f
		} else {
			q.Unmetered++
		}
	}
	return q
}

// CheckScope holds the two counters of the request scope against the records
// (rule 14) and returns what does not fit; nothing means conserved. errors is
// the number of failed requests that block, as the adapter counts them.
func CheckScope(run *aiperf.Run, requests, tokens Reading, errors int) Refusals {
	var rs Refusals
	unfit := func(rule int, format string, args ...any) { rs.Add(ScopeUnresolved, rule, "", format, args...) }
	if run.Records == nil {
		unfit(14, "there is no profile_export.jsonl to hold the counters against")
		return rs
	}
	q := CountRequests(run.Records)
	if errors > 0 {
		unfit(15, "%d requests failed", errors)
	}
	if q.Cancelled > 0 {
		unfit(14, "%d profiling requests were cancelled", q.Cancelled)
	}
	if q.Unmetered > 0 {
		unfit(14, "%d successful records have no usage_prompt_tokens", q.Unmetered)
	}
	if !requests.Known() {
		unfit(13, "%s is unknown: %s", requests.Counter.Name, requests.Unknown())
	} else if requests.Sum != float64(q.Count) {
		unfit(14, "%s is %s, %d profiling records succeeded", requests.Counter.Name, Number(requests.Sum), q.Count)
	}
	if !tokens.Known() {
		unfit(14, "%s is unknown: %s", tokens.Counter.Name, tokens.Unknown())
	} else if q.Unmetered == 0 && tokens.Sum != q.Tokens {
		unfit(14, "%s is %s, the successful records hold %s usage_prompt_tokens", tokens.Counter.Name, Number(tokens.Sum), Number(q.Tokens))
	}
	return rs
}

// Unknown says why a reading is not Known.
func (r Reading) Unknown() string {
	if r.Absent() {
		return "no accounted endpoint has it"
	}
	if len(r.Missing) > 0 {
		return fmt.Sprintf("%s does not have it, or not all of it", r.Missing[0])
	}
	if len(r.Doubled) > 0 {
		return r.Doubled[0]
	}
	for _, p := range r.Places {
		if p.Fit.Bad != "" {
			return fmt.Sprintf("%s at %s, %s", p.Fit.Bad, p.Endpoint, p.At)
		}
	}
	return ""
}
