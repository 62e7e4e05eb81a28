package window

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// Roles says which endpoints count (rules 1 to 4).
type Roles struct {
	Source    string   // the variable that the roles come from, or "DISAGG=false"
	Accounted []string // prefill and unified endpoints as [Key] has them, in the order of the list
	Decode    []string // decode endpoints as Key has them
	Refusal   *Refusal // why the roles are unresolved, nil when they are resolved
}

// Key returns the host:port of an endpoint: the JSON export names it
// http://host:port/metrics and the CSV host:port. What has another form stays
// as it is, and so matches no element of a role list.
func Key(endpoint string) string {
	rest, ok := strings.CutPrefix(endpoint, "http://")
	if !ok {
		return endpoint
	}
	if host, ok := strings.CutSuffix(rest, "/metrics"); ok && !strings.Contains(host, "/") {
		return host
	}
	return endpoint
}

// ResolveRoles reads the launcher's variables of the run. Without them the one
// fallback is a run that declares that it is not disaggregated and has one
// endpoint with series of the counters.
func ResolveRoles(run *aiperf.Run, metrics []aiperf.Family, counters []Counter) Roles {
	roles, why := launcherRoles(run.Env)
	if why != "" {
		roles = fallBack(run, endpoints(metrics, counters), why)
	}
	if roles.Refusal == nil {
		if text := roles.workers(metrics, counters); text != "" {
			return unresolved(11, text)
		}
	}
	return roles
}

func fallBack(run *aiperf.Run, endpoints []string, why string) Roles {
	switch {
	case !unified(run):
		return unresolved(3, why+" and the run does not declare DISAGG=false")
	case len(endpoints) != 1:
		return unresolved(3, fmt.Sprintf("%s and %d endpoints have series of these counters, not one", why, len(endpoints)))
	}
	return Roles{Source: "DISAGG=false", Accounted: endpoints}
}

func unresolved(rule int, text string) Roles {
	return Roles{Refusal: &Refusal{Status: RolesUnresolved, Null: true, Rule: rule, Text: text}}
}

// launcherRoles returns the roles of the launcher's lists, or why there is no
// mapping.
func launcherRoles(env aiperf.Env) (Roles, string) {
	switch {
	case env["AIPERF_SERVER_METRICS_URLS"] != "":
		return Roles{}, "AIPERF_SERVER_METRICS_URLS is set, so no SRT_*_ENDPOINTS names the roles,"
	case env["SRTCTL_FRONTEND_TYPE"] == "dynamo":
		return Roles{}, "SRTCTL_FRONTEND_TYPE is dynamo, so no SRT_*_ENDPOINTS names the roles,"
	case env["SRT_AGG_ENDPOINTS"] != "":
		return listed("SRT_AGG_ENDPOINTS", env, ""), ""
	case env["SRT_PREFILL_ENDPOINTS"] != "":
		return listed("SRT_PREFILL_ENDPOINTS", env, "SRT_DECODE_ENDPOINTS"), ""
	case env["SRT_DECODE_ENDPOINTS"] != "":
		return unresolved(1, "SRT_DECODE_ENDPOINTS is set without SRT_PREFILL_ENDPOINTS"), ""
	}
	return Roles{}, "no SRT_*_ENDPOINTS names the roles"
}

func listed(accounted string, env aiperf.Env, decode string) Roles {
	roles := Roles{Source: accounted}
	var err error
	if roles.Accounted, err = endpointList(env[accounted]); err != nil {
		return unresolved(1, fmt.Sprintf("%s: %v", accounted, err))
	}
	if decode == "" || env[decode] == "" {
		return roles
	}
	if roles.Decode, err = endpointList(env[decode]); err != nil {
		return unresolved(1, fmt.Sprintf("%s: %v", decode, err))
	}
	for _, e := range roles.Decode {
		if slices.Contains(roles.Accounted, e) {
			return unresolved(1, fmt.Sprintf("%q is in both %s and %s", e, accounted, decode))
		}
	}
	return roles
}

// endpointList splits a list of host:port; one trailing comma is dropped. An
// endpoint that stands twice counts once.
func endpointList(text string) ([]string, error) {
	var list []string
	for e := range strings.SplitSeq(strings.TrimSuffix(text, ","), ",") {
		if e == "" || strings.ContainsFunc(e, unicode.IsSpace) {
			return nil, fmt.Errorf("the element %q of %q is not a host:port", e, text)
		}
		if !slices.Contains(list, e) {
			list = append(list, e)
		}
	}
	return list, nil
}

// unified reports whether the run declares that it is not disaggregated: in
// its environment, or else in its published row. Unset, empty or another word
// is not a declaration [ours].
func unified(run *aiperf.Run) bool {
	if word := run.Env["DISAGG"]; word != "" {
		switch strings.ToLower(word) {
		case "false", "0", "no", "off":
			return true
		}
		return false
	}
	return run.Published != nil && run.Published.Disagg != nil && !*run.Published.Disagg
}

// NoCPUTier reports whether the run declares that there is no tier beside the
// GPU: KV_OFFLOADING=none in its environment, or else in its published row.
func NoCPUTier(run *aiperf.Run) bool { return KVOffloading(run) == "none" }

// KVOffloading is the tier that the run declares, "" when it declares nothing.
func KVOffloading(run *aiperf.Run) string {
	if kv := run.Env["KV_OFFLOADING"]; kv != "" || run.Published == nil {
		return kv
	}
	kv, err := strconv.Unquote(run.Published.Fields["kv_offloading"])
	if err != nil {
		return "" // absent, or no string
	}
	return kv
}
