package generator

import (
	"strconv"
	"strings"

	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// environment is what the launcher and the producer of the run had set: the
// roles above all, which stand in no artifact.
func environment(s Spec, t topology) aiperf.Env {
	env := aiperf.Env{
		"RESULT_FILENAME": "agg",
		"FRAMEWORK":       s.framework(),
		"MODEL":           model,
		"CONC":            "1",
		"DISAGG":          strconv.FormatBool(t.decode > 0),
		"KV_OFFLOADING":   "none",
	}
	if s.Profiling != nil {
		env["CONC"] = strconv.Itoa(max(s.Profiling.Concurrency, 1))
	}
	if s.Offload {
		env["KV_OFFLOADING"] = "dram"
		env["KV_OFFLOAD_BACKEND"] = "lmcache"
		env["KV_OFFLOAD_BACKEND_METADATA"] = `{"name":"lmcache"}`
	}
	if v := s.Collector.Version; v == V1011 || v == V1012 {
		env["AGENTX_HARNESS_VERSION"] = v
	}
	if s.Engine == DYNAMO {
		env["SRTCTL_FRONTEND_TYPE"] = "dynamo"
	}
	prefill := s.addresses(t, 0, t.accounted())
	if t.decode > 0 {
		env["SRT_PREFILL_ENDPOINTS"] = prefill
		env["SRT_DECODE_ENDPOINTS"] = s.addresses(t, t.accounted(), t.accounted()+t.decode)
	} else {
		env["SRT_AGG_ENDPOINTS"] = prefill
	}
	return env
}

// framework is what the launcher calls what it started.
func (s Spec) framework() string {
	switch {
	case s.Engine == DYNAMO:
		return "dynamo-vllm" // its workers are not scraped, so they may be any
	case s.Dynamo && s.Engine == TRTLLM:
		return "dynamo-trt"
	case s.Dynamo:
		return "dynamo-" + s.Engine
	}
	return s.Engine
}

// addresses lists the endpoints of the workers from lo to hi.
func (s Spec) addresses(t topology, lo, hi int) string {
	var out []string
	for w := lo; w < hi; w++ {
		out = append(out, s.address(t, w, 0))
		for r := 1; r < s.Ranks && s.RanksAs == RanksEndpoints; r++ {
			out = append(out, s.address(t, w, r))
		}
	}
	return strings.Join(out, ",")
}
