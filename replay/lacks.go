package replay

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/pdreplay/pdreplay/oracle"
	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// lacks says what a run does not have that would settle it, each with the flag
// that supplies it, and what in the export hints at it. Artifacts store no
// roles (accounting.md, H8), so those above all. A hint is never used unasked.
func lacks(ev *oracle.Evidence, run *aiperf.Run, contract string) []string {
	var list []string
	for _, r := range ev.Verdict(oracle.Contracts()[0]).Reasons {
		switch {
		case r.Status == oracle.RolesUnresolved:
			list = append(list, lackedRoles(run))
			list = append(list, roleHints(ev.Engine, run)...)
		case r.Status == oracle.CPUUnresolved && run.Env["KV_OFFLOADING"] == "":
			list = append(list, "lacks whether a CPU tier was configured: --env KV_OFFLOADING=none, or dram")
		}
	}
	if contract == "4405" && run.Env["AGENTX_HARNESS_VERSION"] == "" {
		list = append(list, "lacks the collector's version, which contract 4405 takes for an old one: --env AGENTX_HARNESS_VERSION=1.0.12")
	}
	return slices.Compact(list)
}

func lackedRoles(run *aiperf.Run) string {
	endpoints := endpointsOf(run.Metrics())
	text := "lacks roles: --env SRT_PREFILL_ENDPOINTS=HOST:PORT,... and --env SRT_DECODE_ENDPOINTS=HOST:PORT,..., or --env SRT_AGG_ENDPOINTS=HOST:PORT,... where each endpoint does both"
	if len(endpoints) == 1 {
		text += ", or --env DISAGG=false"
	}
	for _, key := range []string{"AIPERF_SERVER_METRICS_URLS", "SRTCTL_FRONTEND_TYPE"} {
		if v := run.Env[key]; v != "" && (key != "SRTCTL_FRONTEND_TYPE" || v == "dynamo") {
			text += fmt.Sprintf("; with --env %s= too, which turns them off", key)
		}
	}
	return text + "; the export has " + strings.Join(endpoints, ", ")
}

// endpointsOf are the endpoints that have series, as a role list names them.
func endpointsOf(export *aiperf.Export) []string {
	found := map[string]bool{}
	for _, f := range export.Metrics {
		for _, s := range f.Series {
			found[listed(s.Endpoint)] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// listed is how a role list names an endpoint.
func listed(endpoint string) string {
	return strings.TrimSuffix(strings.TrimPrefix(endpoint, "http://"), "/metrics")
}

// roleHints are what the export says of who does what, with where it says so.
func roleHints(engine string, run *aiperf.Run) []string {
	return append(labelHints(run.Metrics()), countHints(engine, run.Metrics())...)
}

// roleLabels are labels whose values are words for roles; roleWords says which.
var roleLabels = []string{"dynamo_component", "component", "disaggregation_mode", "engine_type", "engine_role"}

func roleWord(value string) string {
	switch strings.ToLower(value) {
	case "prefill", "context", "ctx", "kv_producer":
		return "prefill"
	case "decode", "backend", "generation", "gen", "kv_consumer":
		return "decode"
	case "unified", "agg", "aggregated", "null":
		return "unified"
	}
	return ""
}

// labelHints look for labels that name roles, and for the workers that one
// endpoint merges.
func labelHints(export *aiperf.Export) []string {
	var hints []string
	for _, label := range append(slices.Clone(roleLabels), "worker_addr") {
		at := map[string]string{}             // value -> address of the first series
		where := map[string]map[string]bool{} // value -> endpoints
		eachSeries(export, func(_ string, s aiperf.Series) {
			value, ok := s.Labels[label]
			if !ok {
				return
			}
			if where[value] == nil {
				where[value], at[value] = map[string]bool{}, s.At
			}
			where[value][listed(s.Endpoint)] = true
		})
		roles := map[string][]string{}
		var said []string
		for _, value := range slices.Sorted(maps.Keys(where)) {
			endpoints := slices.Sorted(maps.Keys(where[value]))
			said = append(said, fmt.Sprintf("%s=%q at %s (%s#%s)", label, value, strings.Join(endpoints, ", "), path.Base(export.File), at[value]))
			if word := roleWord(value); word != "" {
				roles[word] = append(roles[word], endpoints...)
			}
		}
		switch {
		case len(said) == 0, label == "worker_addr" && len(said) == 1:
		case label == "worker_addr":
			hints = append(hints, "hint: one endpoint merges several workers, which the lists then name: "+strings.Join(said, "; "))
		default:
			hints = append(hints, "hint: labels "+strings.Join(said, "; ")+proposal(roles))
		}
	}
	return hints
}

func eachSeries(export *aiperf.Export, f func(family string, s aiperf.Series)) {
	for _, family := range export.Metrics {
		for _, s := range family.Series {
			f(family.Name, s)
		}
	}
}

// proposal is the flags for roles, if they are those that somebody meant.
func proposal(roles map[string][]string) string {
	var flags []string
	for _, r := range [][2]string{{"prefill", "SRT_PREFILL_ENDPOINTS"}, {"decode", "SRT_DECODE_ENDPOINTS"}, {"unified", "SRT_AGG_ENDPOINTS"}} {
		if list := roles[r[0]]; len(list) > 0 {
			flags = append(flags, "--env "+r[1]+"="+strings.Join(list, ","))
		}
	}
	if len(flags) == 0 {
		return ""
	}
	return "; if that is so: " + strings.Join(flags, " ")
}

// prompts says which families count an engine's prompt tokens and its hits.
type prompts struct {
	whole, hits func(family string, labels map[string]string) bool
}

func promptsOf(engine string) (prompts, bool) {
	stem := func(stems ...string) func(string, map[string]string) bool {
		return func(family string, _ map[string]string) bool {
			name := strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(family, "atom:"), "atom_"), "_total") // ATOM's four spellings
			return slices.Contains(stems, name)
		}
	}
	switch engine {
	case "atom":
		return prompts{stem("prefix_cache_full_tokens"), stem("prefix_cache_cached_tokens", "prefix_cache_offload_tokens")}, true
	case "vllm":
		return prompts{stem("vllm:prompt_tokens"), func(family string, labels map[string]string) bool {
			return family == "vllm:prompt_tokens_by_source" && labels["source"] != "local_compute"
		}}, true
	case "trtllm":
		return prompts{stem("trtllm_prompt_tokens"), stem("trtllm_prompt_cached_tokens")}, true
	}
	return prompts{}, false
}

// countHints look for endpoints that only count again what others count: as
// many prompt tokens, and of these nothing or everything a hit. That is what a
// decode worker does with what it was sent (engines.md, "What each role counts").
func countHints(engine string, export *aiperf.Export) []string {
	p, ok := promptsOf(engine)
	if !ok {
		return nil
	}
	whole, hits, at := map[string]float64{}, map[string]float64{}, map[string]string{}
	eachSeries(export, func(family string, s aiperf.Series) {
		total, _ := s.Stats.Total.Float()
		switch e := listed(s.Endpoint); {
		case p.whole(family, s.Labels):
			whole[e] += total
			at[e] = s.At
		case p.hits(family, s.Labels):
			hits[e] += total
		}
	})
	roles := map[string][]string{}
	sums := map[string]float64{}
	var said []string
	for _, e := range slices.Sorted(maps.Keys(whole)) {
		if whole[e] == 0 {
			return nil // it did nothing, so nothing tells what it is
		}
		role := "prefill"
		if hits[e] == 0 || hits[e] >= 0.98*whole[e] {
			role = "decode"
			said = append(said, fmt.Sprintf("%s counts %s prompt tokens, %s of them as hits (%s#%s)", e, count(whole[e]), count(hits[e]), path.Base(export.File), at[e]))
		}
		roles[role] = append(roles[role], e)
		sums[role] += whole[e]
	}
	a, b := sums["prefill"], sums["decode"]
	if a == 0 || b == 0 || b < 0.98*a || b > 1.02*a {
		return nil
	}
	return []string{fmt.Sprintf("hint: %s, and %s at the others (%s): they may only count again what those count%s",
		strings.Join(said, ", "), count(a), strings.Join(roles["prefill"], ", "), proposal(roles))}
}

func count(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
