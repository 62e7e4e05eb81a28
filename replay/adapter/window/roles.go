package window

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// Roles says which endpoints count (rules 1 to 4).
type Roles struct {
	Source    string   // the variable that the roles come from, or "DISAGG=false"
	Accounted []string // prefill and unified endpoints as [Key] has them, in the order of the list
	Decode    []string // decode endpoints as Key has them
	Refusal   string   // why the roles are unresolved, "" when they are resolved
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
// endpoint: endpoints are those with series of the engine's counters.
func ResolveRoles(run *aiperf.Run, endpoints []string) Roles {
	roles, mapped := launcherRoles(run.Env)
	if mapped {
		return roles
	}
	switch {
	case !unified(run):
		return Roles{Refusal: roles.Refusal + "no SRT_*_ENDPOINTS names the roles and the run does not declare DISAGG=false"}
	case len(endpoints) != 1:
		return Roles{Refusal: fmt.Sprintf("%sno SRT_*_ENDPOINTS names the roles and %d endpoints have series of these counters, not one", roles.Refusal, len(endpoints))}
	}
	return Roles{Source: "DISAGG=false", Accounted: endpoints}
}

// launcherRoles is false when the launcher's variables map no roles; Refusal
// then holds the beginning of a sentence that says why, or "".
func launcherRoles(env aiperf.Env) (Roles, bool) {
	switch {
	case env["AIPERF_SERVER_METRICS_URLS"] != "":
		return Roles{Refusal: "AIPERF_SERVER_METRICS_URLS is set, so "}, false
	case env["SRTCTL_FRONTEND_TYPE"] == "dynamo":
		return Roles{Refusal: "SRTCTL_FRONTEND_TYPE is dynamo, so "}, false
	case env["SRT_AGG_ENDPOINTS"] != "":
		return listed("SRT_AGG_ENDPOINTS", env, ""), true
	case env["SRT_PREFILL_ENDPOINTS"] != "":
		return listed("SRT_PREFILL_ENDPOINTS", env, "SRT_DECODE_ENDPOINTS"), true
	case env["SRT_DECODE_ENDPOINTS"] != "":
		return Roles{Refusal: "SRT_DECODE_ENDPOINTS is set without SRT_PREFILL_ENDPOINTS"}, true
	}
	return Roles{}, false
}

func listed(accounted string, env aiperf.Env, decode string) Roles {
	roles := Roles{Source: accounted}
	var err error
	if roles.Accounted, err = endpointList(env[accounted]); err != nil {
		return Roles{Refusal: fmt.Sprintf("%s: %v", accounted, err)}
	}
	if decode == "" || env[decode] == "" {
		return roles
	}
	if roles.Decode, err = endpointList(env[decode]); err != nil {
		return Roles{Refusal: fmt.Sprintf("%s: %v", decode, err)}
	}
	for _, e := range roles.Decode {
		if slices.Contains(roles.Accounted, e) {
			return Roles{Refusal: fmt.Sprintf("%q is in both %s and %s", e, accounted, decode)}
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
