package generator

// environmentKinds are faults of what the launcher and the producer had set.
func environmentKinds() []Kind {
	env := func(slug string, tag Tag, doc string, needs func(Spec) string, do func(b *build)) Kind {
		return Kind{Slug: slug, Layer: LayerEnvironment, Tag: tag, Doc: doc, needs: needs, inject: func(b *build, _ int64) { do(b) }}
	}
	agentX := func(s Spec) string {
		if s.Collector.Version != V1011 && s.Collector.Version != V1012 {
			return "an AgentX collector"
		}
		return ""
	}
	return []Kind{
		env("decode-list-only", Visible, "rule 1: a decode list without a prefill list", needsDecode, func(b *build) { delete(b.env, "SRT_PREFILL_ENDPOINTS") }),
		env("disagg-unset", Visible, "rule 3: no role lists and DISAGG unset, which is no declaration", nil, func(b *build) {
			b.unsetRoles()
			delete(b.env, "DISAGG")
		}),
		env("dynamo-frontend", Visible, "rule 2: SRTCTL_FRONTEND_TYPE=dynamo, so the role lists map nothing", nil, func(b *build) { b.env["SRTCTL_FRONTEND_TYPE"] = "dynamo" }),
		env("harness-unset", Visible, "AGENTX_HARNESS_VERSION is not set", agentX, func(b *build) { delete(b.env, "AGENTX_HARNESS_VERSION") }),
		env("missing-decode", Visible, "rule 4: the decode list names an endpoint that the export does not have", needsDecode, func(b *build) { b.env["SRT_DECODE_ENDPOINTS"] += ",gone0:8000" }),
		env("missing-endpoint", Visible, "rule 4: the role list names an endpoint that the export does not have", nil, func(b *build) { b.env[b.accountedList()] += ",gone0:8000" }),
		env("offload-undeclared", Silent, "rule 12: KV_OFFLOADING=none although a tier is at work", needsOffload, func(b *build) {
			b.env["KV_OFFLOADING"] = "none"
			delete(b.env, "KV_OFFLOAD_BACKEND")
			delete(b.env, "KV_OFFLOAD_BACKEND_METADATA")
		}),
		env("role-missing", Visible, "rule 3: no role lists; only a single endpoint with DISAGG=false is still unified", nil, (*build).unsetRoles),
		env("roles-broken-list", Visible, "rule 1: the role list has an element of white space", nil, func(b *build) {
			b.env[b.accountedList()] += ", ," + b.env[b.accountedList()] // only the element is wrong
		}),
		env("roles-by-url", Visible, "rule 2: AIPERF_SERVER_METRICS_URLS is set, so the role lists map nothing", nil, func(b *build) { b.env["AIPERF_SERVER_METRICS_URLS"] = b.endpoints[0].url }),
		env("roles-overlap", Visible, "rule 1: an endpoint stands in both role lists", needsDecode, func(b *build) {
			b.env["SRT_DECODE_ENDPOINTS"] += "," + b.spec.address(b.top, 0, 0)
		}),
		env("roles-swapped", Silent, "the prefill list names the decode workers and the other way round", needsDecode, func(b *build) {
			p, d := b.env["SRT_PREFILL_ENDPOINTS"], b.env["SRT_DECODE_ENDPOINTS"]
			b.env["SRT_PREFILL_ENDPOINTS"], b.env["SRT_DECODE_ENDPOINTS"] = d, p
		}),
	}
}

func (b *build) unsetRoles() {
	for _, name := range []string{"SRT_AGG_ENDPOINTS", "SRT_PREFILL_ENDPOINTS", "SRT_DECODE_ENDPOINTS"} {
		delete(b.env, name)
	}
}

// accountedList is the variable that lists the accounted workers.
func (b *build) accountedList() string {
	if b.top.decode > 0 {
		return "SRT_PREFILL_ENDPOINTS"
	}
	return "SRT_AGG_ENDPOINTS"
}
