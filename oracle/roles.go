package oracle

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// roles says which workers count. The adapters read the same variables with
// code of their own: see the package comment.
type roles struct {
	source    string            // where they come from, for people
	accounted []string          // prefill and unified workers, as host:port, in the order given
	words     map[string]string // worker -> prefill, decode, unified
	problem   *Reason           // set when they are unresolved
	ignored   []string          // remarks: missing decode endpoints, endpoints in no list

	worker func(s *aiperf.Series) string // the worker that a series belongs to, as host:port
}

// resolveRoles applies rules 1 to 4 and the worker_addr part of rule 11.
func resolveRoles(run *aiperf.Run, e engine) roles {
	r := roles{words: map[string]string{}}
	if e.frontend {
		seen := workersIn(run.Metrics(), e, nil)
		r.worker, r.accounted, r.source = seen.worker, seen.list, "the front end, which counts each client request once"
		for _, w := range seen.list {
			r.words[w] = "front end"
		}
		return r
	}
	mapped := listedRoles(run.Env, &r)
	seen := workersIn(run.Metrics(), e, r.words)
	r.worker = seen.worker
	if !mapped {
		fallBackToUnified(run, seen, &r)
	}
	if r.problem == nil {
		r.checkSeen(seen)
	}
	return r
}

// listedRoles reads the launcher's lists (rules 1 and 2). It reports whether
// there is a mapping.
func listedRoles(env aiperf.Env, r *roles) bool {
	if env["AIPERF_SERVER_METRICS_URLS"] != "" {
		r.ignored = append(r.ignored, "AIPERF_SERVER_METRICS_URLS is set: the SRT lists name no scraped endpoint (rule 2)")
		return false
	}
	if env["SRTCTL_FRONTEND_TYPE"] == "dynamo" {
		r.ignored = append(r.ignored, "SRTCTL_FRONTEND_TYPE=dynamo: the SRT lists name no scraped endpoint (rule 2)")
		return false
	}
	lists := []struct{ name, role string }{{"SRT_AGG_ENDPOINTS", "unified"}}
	if env["SRT_AGG_ENDPOINTS"] == "" {
		lists = []struct{ name, role string }{{"SRT_PREFILL_ENDPOINTS", "prefill"}, {"SRT_DECODE_ENDPOINTS", "decode"}}
	}
	for _, list := range lists {
		if env[list.name] == "" {
			continue
		}
		r.source = joinNonEmpty(r.source, list.name)
		for _, worker := range strings.Split(strings.TrimSuffix(env[list.name], ","), ",") {
			if worker == "" || strings.ContainsFunc(worker, unicode.IsSpace) {
				r.fail(1, fmt.Sprintf("%s has the element %q: want host:port without white space", list.name, worker))
				return true
			}
			if role, dup := r.words[worker]; dup && role != list.role {
				r.fail(1, fmt.Sprintf("%s stands in the prefill and in the decode list", worker))
				return true
			}
			if _, dup := r.words[worker]; !dup && list.role != "decode" {
				r.accounted = append(r.accounted, worker)
			}
			r.words[worker] = list.role
		}
	}
	if len(r.words) > 0 && len(r.accounted) == 0 {
		r.fail(1, "SRT_DECODE_ENDPOINTS without SRT_PREFILL_ENDPOINTS: no endpoint runs prefill")
	}
	return len(r.words) > 0
}

// fallBackToUnified applies rule 3.
func fallBackToUnified(run *aiperf.Run, seen workers, r *roles) {
	declared, by := declaredUnified(run)
	switch {
	case !declared:
		r.fail(3, "no SRT_*_ENDPOINTS and no declaration DISAGG=false: nothing says which endpoints run prefill")
	case len(seen.endpoints) != 1:
		r.fail(3, fmt.Sprintf("no SRT_*_ENDPOINTS, and %d endpoints have series of this engine: only one could be taken as unified", len(seen.endpoints)))
	case len(seen.addrs) > 1:
		r.fail(11, fmt.Sprintf("one endpoint merges %d workers (worker_addr) and none has a role", len(seen.addrs)))
	default:
		r.source = by
		worker := seen.list[0]
		r.accounted, r.words[worker] = []string{worker}, "unified"
	}
}

func declaredUnified(run *aiperf.Run) (bool, string) {
	switch strings.ToLower(run.Env["DISAGG"]) {
	case "false", "0", "no", "off":
		return true, "DISAGG=false and one endpoint"
	case "":
		if run.Published != nil && run.Published.Disagg != nil && !*run.Published.Disagg {
			return true, "disagg false in the published row and one endpoint"
		}
	}
	return false, ""
}

// checkSeen holds the roles against the workers that the export has.
func (r *roles) checkSeen(seen workers) {
	for _, addr := range seen.addrs {
		if len(seen.addrs) > 1 && r.words[addr] == "" {
			r.fail(11, fmt.Sprintf("worker_addr %s has no role", addr))
			return
		}
	}
	for _, w := range seen.list {
		if r.words[w] == "" {
			r.ignored = append(r.ignored, fmt.Sprintf("endpoint %s is in no list: ignored (rule 4)", w))
		}
	}
	for _, w := range sortedKeys(r.words) {
		if r.words[w] == "decode" && !slices.Contains(seen.list, w) {
			r.ignored = append(r.ignored, fmt.Sprintf("decode endpoint %s is not in the export: ignored (rule 4)", w))
		}
	}
}

func (r *roles) fail(rule int, text string) {
	r.problem = &Reason{Rule: rule, Status: RolesUnresolved, Null: true, Text: text}
}

// workers are those that an export has series of one engine for.
type workers struct {
	endpoints []string // endpoint_url, in file order
	addrs     []string // worker_addr, as host:port, in file order
	list      []string // workers as host:port: the addresses of a merged endpoint, else the endpoint
	merged    map[string]bool
}

func workersIn(export *aiperf.Export, e engine, listed map[string]string) workers {
	w := workers{merged: map[string]bool{}}
	var series []*aiperf.Series
	for i := range export.Metrics {
		if e.owns(export.Metrics[i].Name) && slices.Contains(e.selects, export.Metrics[i].Name) {
			for j := range export.Metrics[i].Series {
				series = append(series, &export.Metrics[i].Series[j])
			}
		}
	}
	addrs := map[string][]string{}
	for _, s := range series {
		w.endpoints = appendNew(w.endpoints, s.Endpoint)
		if addr := s.Labels["worker_addr"]; addr != "" {
			addrs[s.Endpoint] = appendNew(addrs[s.Endpoint], hostPort(addr))
		}
	}
	for _, endpoint := range w.endpoints {
		// One address alone may be the endpoint's own name for itself, unless a
		// list knows it.
		of := addrs[endpoint]
		if w.merged[endpoint] = len(of) > 1 || len(of) == 1 && listed[of[0]] != ""; w.merged[endpoint] {
			w.addrs = append(w.addrs, of...)
			w.list = append(w.list, of...)
		} else {
			w.list = append(w.list, hostPort(endpoint))
		}
	}
	return w
}

func (w workers) worker(s *aiperf.Series) string {
	if addr := s.Labels["worker_addr"]; addr != "" && w.merged[s.Endpoint] {
		return hostPort(addr)
	}
	return hostPort(s.Endpoint)
}

// hostPort undoes the launcher's mapping host:port -> http://host:port/metrics.
// The CSV has host:port already, worker_addr has no path. Any other URL stays
// as it is, so that it matches no list.
func hostPort(url string) string {
	return strings.TrimSuffix(strings.TrimPrefix(url, "http://"), "/metrics")
}
