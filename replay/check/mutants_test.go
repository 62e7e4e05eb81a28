package check

import (
	"context"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/pdreplay/pdreplay/replay"
	"github.com/pdreplay/pdreplay/replay/adapter"
	"github.com/pdreplay/pdreplay/replay/adapter/atom"
	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// A mutation is one bug that a producer could have: the right adapter with one
// field of its version changed, or looking at a run of which one thing is
// otherwise, or saying one thing otherwise. Nothing outside of the tests knows
// of them.
type mutation struct {
	name  string
	about string // rule, row of accounting.md section 7, or neighbours in the status order
	base  string // "" for atom@review

	version func(*atom.Version)
	when    func(*aiperf.Run) bool // nil: always
	edit    func(*aiperf.Run)      // of a copy
	answer  func(*aiperf.Run, *adapter.Answer)
}

// A mutated is a mutation as an adapter.
type mutated struct {
	mutation
	right adapter.Adapter
}

func (m mutation) adapter() adapter.Adapter {
	base := m.base
	if base == "" {
		base = "atom@review"
	}
	for _, a := range replay.BuiltinAdapters() {
		if a.Name() == base {
			return mutated{m, a}
		}
	}
	return nil // not built in yet
}

func (m mutated) Name() string   { return m.Engine() + "@" + m.name }
func (m mutated) Engine() string { return m.right.Engine() }

func (m mutated) Derive(ctx context.Context, run *aiperf.Run) (adapter.Answer, error) {
	if m.edit != nil {
		run = deepCopy(run)
		m.edit(run)
	}
	derive := func() (adapter.Answer, error) { return m.right.Derive(ctx, run) }
	if m.version != nil && (m.when == nil || m.when(run)) {
		v := review()
		m.version(&v)
		derive = func() (adapter.Answer, error) { return v.Derive(run) }
	}
	a, err := derive()
	if err == nil && m.answer != nil {
		m.answer(run, &a)
	}
	return a, err
}

// mutations are the bugs that check and the scenarios must catch.
func mutations() []mutation {
	field := func(name, about string, change func(*atom.Version)) mutation {
		return mutation{name: name, about: about, version: change}
	}
	edit := func(name, about string, do func(*aiperf.Run)) mutation {
		return mutation{name: name, about: about, edit: do}
	}
	answer := func(name, about string, do func(*aiperf.Run, *adapter.Answer)) mutation {
		return mutation{name: name, about: about, answer: do}
	}
	return slices.Concat([]mutation{
		edit("endpoints-all", "row endpoints", decodeAsPrefill),
		{
			name: "numbers-from-totals", about: "row numbers from, rule 5", version: func(v *atom.Version) { v.Numbers = atom.StatsTotal },
			when: func(run *aiperf.Run) bool { return run.Env["AGENTX_HARNESS_VERSION"] == "1.0.12" },
		},
		field("cpu-from-loaded", "row cpu", func(v *atom.Version) { v.CPU = atom.LoadedOverFull }),
		field("overall-is-gpu", "row overall", func(v *atom.Version) { v.Overall = atom.OverallGPU }),
		field("leading-gap-nulls", "row leading gap, rule 14", func(v *atom.Version) { v.LeadingGap = atom.LeadingGapNull }),
		field("gap-ignored", "row interior/trailing gap, rule 6", func(v *atom.Version) { v.OtherGap = atom.OtherGapIgnored }),
		edit("warmup-included", "row straddler = warmup", func(run *aiperf.Run) { includeStraddlers(run, true) }),
		field("straddler-priced", "row straddler != warmup, rule 7", func(v *atom.Version) { v.Straddler = atom.StraddlerIncluded }),
		edit("straddler-included", "row straddler != warmup, rule 7", func(run *aiperf.Run) { includeStraddlers(run, false) }),
		field("loaded-nulls-all", "row LOADED, rule 13", func(v *atom.Version) { v.Loaded = atom.LoadedNullsAll }),
		field("requests-null-all", "row REQUESTS, rule 13", func(v *atom.Version) { v.Requests = atom.RequestsNullsAll }),
		field("labels-are-duplicates", "row same name, other labels", func(v *atom.Version) { v.OtherLabels = atom.OtherLabelsInvalid }),
		field("spellings-added", "row two spellings, rule 11", func(v *atom.Version) { v.TwoSpellings = atom.TwoSpellingsDoubled }),
		{name: "errors-of-all-phases", about: "row errors that block, rule 15", version: func(v *atom.Version) { v.Errors = atom.AllErrors }},
		answer("shown-is-priced", "row validity record", shownIsPriced),
		field("offload-unknown-priced", "row OFFLOAD unknown, rule 12", func(v *atom.Version) { v.OffloadUnknown = atom.OffloadGPUOnly }),
		field("old-collector-never", "row old-collector run priced, rule 8", func(v *atom.Version) { v.OldCollector = atom.OldNever }),
		field("new-collector-never", "row 1.0.12 run priced, rule 8", func(v *atom.Version) { v.NewCollector = atom.NewNever }),
		edit("hits-clamped", "row bounds, rule 9", clampHits),

		edit("roles-forgiving", "rule 1", forgiveLists),
		edit("roles-decode-alone", "rule 1", decodeAlone),
		edit("urls-ignored", "rule 2", func(run *aiperf.Run) { delete(run.Env, "AIPERF_SERVER_METRICS_URLS") }),
		edit("front-end-ignored", "rule 2", func(run *aiperf.Run) { delete(run.Env, "SRTCTL_FRONTEND_TYPE") }),
		{name: "unset-is-unified", about: "rule 3", edit: func(run *aiperf.Run) {
			if run.Env["DISAGG"] == "" {
				run.Env["DISAGG"] = "false"
			}
		}},
		edit("missing-endpoint-ignored", "rule 4", dropMissing),
		edit("no-window-from-totals", "rule 5", windowFromSlices),
		edit("null-slice-is-zero", "rule 6", nullIsZero),
		edit("trailing-gap-stretched", "rule 6", stretchLast),
		edit("slice-over-end-dropped", "rule 7", dropOverEnd),
		edit("partial-sum", "rule 10", dropWithoutCached),
		edit("first-spelling-taken", "rule 11", firstSpelling),
		edit("absent-offload-is-none", "rule 12", func(run *aiperf.Run) { run.Env["KV_OFFLOADING"] = "none" }),
		field("scope-not-asked", "rule 14", func(v *atom.Version) { v.Requests = atom.RequestsNotRead }),
		edit("cancelled-ignored", "rule 14", func(run *aiperf.Run) {
			eachRecord(run, func(r *aiperf.Record) { r.Cancelled = false })
		}),
		edit("phase-missing-is-warmup", "rule 16", func(run *aiperf.Run) {
			eachRecord(run, func(r *aiperf.Record) { r.Warmup = r.Warmup || r.Phase == "" })
		}),
		field("profiling-error-priced", "rule 17", func(v *atom.Version) { v.Errors = atom.NoErrors }),

		edit("roles-after-counters", "order ROLES, INVALID_COUNTER", rolesAfterCounters),
		answer("window-before-invalid", "order INVALID_COUNTER, WINDOW (null)", reword("INVALID_COUNTER", "rule 6:", "WINDOW_UNRESOLVED")),
		answer("missing-before-window", "order WINDOW (null), COUNTER_MISSING", reword("WINDOW_UNRESOLVED", "rule 10:", "COUNTER_MISSING")),
		answer("window-before-missing", "order COUNTER_MISSING, WINDOW (reported)", showWhatIsLeft),
		answer("cpu-before-window", "order WINDOW (reported), CPU", reword("WINDOW_UNRESOLVED", "rule 12:", "CPU_UNRESOLVED")),
		answer("scope-before-cpu", "order CPU, REQUEST_SCOPE", scopeShape),
	}, vllmMutations(), sglangMutations(), trtllmMutations(), dynamoMutations())
}

func vllmMutations() []mutation {
	return []mutation{
		{name: "endpoints-all", about: "roles", base: "vllm@corrected", edit: decodeAsPrefill},
		{name: "warmup-included", about: "window", base: "vllm@corrected", edit: func(run *aiperf.Run) { includeStraddlers(run, true) }},
		{name: "lookups-trusted", about: "denominator", base: "vllm@corrected", edit: lookupsTrusted},
		{name: "overall-is-gpu", about: "tiers", base: "vllm@corrected", answer: func(_ *aiperf.Run, a *adapter.Answer) { a.Rates.Overall = a.Rates.GPU }},
	}
}

func sglangMutations() []mutation {
	return []mutation{
		{name: "endpoints-all", about: "roles", base: "sglang@corrected", edit: decodeAsPrefill},
		{name: "warmup-included", about: "window", base: "sglang@corrected", edit: func(run *aiperf.Run) { includeStraddlers(run, true) }},
		{name: "storage-left-out", about: "tiers", base: "sglang@corrected", answer: func(_ *aiperf.Run, a *adapter.Answer) { a.Rates.External = a.Rates.CPU }},
		{name: "overall-is-gpu", about: "tiers", base: "sglang@corrected", answer: func(_ *aiperf.Run, a *adapter.Answer) { a.Rates.Overall = a.Rates.GPU }},
		{name: "shown-is-priced", about: "validity record", base: "sglang@corrected", answer: shownIsPriced},
	}
}

func trtllmMutations() []mutation {
	return []mutation{
		{name: "endpoints-all", about: "roles", base: "trtllm@corrected", edit: decodeAsPrefill},
		{name: "warmup-included", about: "window", base: "trtllm@corrected", edit: func(run *aiperf.Run) { includeStraddlers(run, true) }},
		{name: "shown-is-priced", about: "order REQUEST_SCOPE, INTERVAL_TELEMETRY", base: "trtllm@corrected", answer: shownIsPriced},
		{name: "interval-before-scope", about: "order REQUEST_SCOPE, INTERVAL_TELEMETRY", base: "trtllm@corrected", answer: func(_ *aiperf.Run, a *adapter.Answer) {
			if a.Status == "REQUEST_SCOPE_UNRESOLVED" {
				a.Status = "INTERVAL_TELEMETRY"
			}
		}},
		{name: "gap-ignored", about: "rule 6", base: "trtllm@corrected", edit: stretchLast},
	}
}

func dynamoMutations() []mutation {
	return []mutation{
		{name: "warmup-included", about: "window", base: "dynamo@corrected", edit: func(run *aiperf.Run) { includeStraddlers(run, true) }},
		{name: "slice-over-end-dropped", about: "window", base: "dynamo@corrected", edit: dropOverEnd},
		{name: "overall-is-gpu", about: "tiers", base: "dynamo@corrected", answer: func(_ *aiperf.Run, a *adapter.Answer) { a.Rates.GPU = a.Rates.Overall }},
		{name: "eligible", about: "validity record", base: "dynamo@corrected", answer: func(_ *aiperf.Run, a *adapter.Answer) {
			if yes := true; a.Rates.Overall != nil {
				a.Eligible = &yes
			}
		}},
		{name: "gap-ignored", about: "rule 6", base: "dynamo@corrected", edit: stretchLast},
	}
}

func deepCopy(run *aiperf.Run) *aiperf.Run {
	other := *run
	other.Env = maps.Clone(run.Env)
	if run.Export != nil {
		export := *run.Export
		export.Metrics = copyFamilies(export.Metrics)
		other.Export = &export
	}
	if run.Records != nil {
		records := *run.Records
		records.List = slices.Clone(records.List)
		other.Records = &records
	}
	return &other
}

func copyFamilies(list []aiperf.Family) []aiperf.Family {
	list = slices.Clone(list)
	for i := range list {
		list[i].Series = slices.Clone(list[i].Series)
		for j := range list[i].Series {
			s := &list[i].Series[j]
			s.Slices = slices.Clone(s.Slices)
		}
	}
	return list
}

// eachRecord changes every record.
func eachRecord(run *aiperf.Run, do func(*aiperf.Record)) {
	if run.Records == nil {
		return
	}
	for i := range run.Records.List {
		do(&run.Records.List[i])
	}
}

// series changes every series of the JSON export.
func series(run *aiperf.Run, do func(f *aiperf.Family, s *aiperf.Series)) {
	if run.Export == nil {
		return
	}
	for i := range run.Export.Metrics {
		f := &run.Export.Metrics[i]
		for j := range f.Series {
			do(f, &f.Series[j])
		}
	}
}

// decodeAsPrefill adds decode workers up with the others.
func decodeAsPrefill(run *aiperf.Run) {
	if decode := run.Env["SRT_DECODE_ENDPOINTS"]; decode != "" && run.Env["SRT_PREFILL_ENDPOINTS"] != "" {
		run.Env["SRT_PREFILL_ENDPOINTS"] += "," + decode
		delete(run.Env, "SRT_DECODE_ENDPOINTS")
	}
}

// includeStraddlers lets slices over S begin at S: those that warmup_metrics
// proves to be warmup, or the others.
func includeStraddlers(run *aiperf.Run, proven bool) {
	if run.Export == nil || run.Export.Profiling == nil {
		return
	}
	s0 := run.Export.Profiling.Start
	series(run, func(f *aiperf.Family, s *aiperf.Series) {
		for i := range s.Slices {
			if sl := &s.Slices[i]; sl.Start < s0 && s0 < sl.End && isWarmup(run, f.Name, s, sl.Value) == proven {
				sl.Start = s0
			}
		}
	})
}

func isWarmup(run *aiperf.Run, family string, s *aiperf.Series, v aiperf.Value) bool {
	x, ok := v.Float()
	if !ok || x == 0 {
		return ok
	}
	for _, f := range run.Export.WarmupMetrics {
		for _, w := range f.Series {
			total, isCounter := w.Stats.Total.Float()
			if !isCounter {
				total, _ = w.Stats.Sum.Float() // histograms
			}
			if f.Name == family && w.Endpoint == s.Endpoint && maps.Equal(w.Labels, s.Labels) && total == x {
				return true
			}
		}
	}
	return false
}

// shownIsPriced calls every row with an h eligible.
func shownIsPriced(_ *aiperf.Run, a *adapter.Answer) {
	if _, ok := a.Rates.Hit(); ok && a.Eligible != nil {
		yes := true
		a.Eligible = &yes
	}
}

// clampHits cuts each slice of CACHED to that of FULL beside it.
func clampHits(run *aiperf.Run) {
	full := map[string][]aiperf.Slice{}
	key := func(s *aiperf.Series) string {
		return s.Endpoint + "\n" + s.Labels["dp_rank"] + s.Labels["worker_addr"]
	}
	series(run, func(f *aiperf.Family, s *aiperf.Series) {
		if strings.Contains(f.Name, "prefix_cache_full_tokens") {
			full[key(s)] = s.Slices
		}
	})
	series(run, func(f *aiperf.Family, s *aiperf.Series) {
		if !strings.Contains(f.Name, "prefix_cache_cached_tokens") {
			return
		}
		for i := range s.Slices {
			x, ok := s.Slices[i].Value.Float()
			for _, beside := range full[key(s)] {
				if most, known := beside.Value.Float(); ok && known && beside.Start == s.Slices[i].Start && x > most {
					s.Slices[i].Value = aiperf.NumberValue(math.Max(0, most))
				}
			}
		}
	})
}

// lists changes the role lists.
func lists(run *aiperf.Run, keep func(element string) bool) {
	for _, name := range []string{"SRT_AGG_ENDPOINTS", "SRT_PREFILL_ENDPOINTS", "SRT_DECODE_ENDPOINTS"} {
		if run.Env[name] == "" {
			continue
		}
		var kept []string
		for e := range strings.SplitSeq(run.Env[name], ",") {
			if e = strings.TrimSpace(e); e != "" && keep(e) {
				kept = append(kept, e)
			}
		}
		run.Env[name] = strings.Join(kept, ",")
	}
}

// forgiveLists drops empty elements and white space.
func forgiveLists(run *aiperf.Run) { lists(run, func(string) bool { return true }) }

// decodeAlone takes everybody else for prefill where only a decode list stands.
func decodeAlone(run *aiperf.Run) {
	if run.Env["SRT_AGG_ENDPOINTS"]+run.Env["SRT_PREFILL_ENDPOINTS"] != "" || run.Env["SRT_DECODE_ENDPOINTS"] == "" {
		return
	}
	decode := strings.Split(run.Env["SRT_DECODE_ENDPOINTS"], ",")
	others := slices.DeleteFunc(hosts(run), func(e string) bool { return slices.Contains(decode, e) })
	run.Env["SRT_PREFILL_ENDPOINTS"] = strings.Join(others, ",")
}

// hosts are the endpoints of the export as lists name them.
func hosts(run *aiperf.Run) []string {
	var all []string
	series(run, func(_ *aiperf.Family, s *aiperf.Series) {
		host := strings.TrimSuffix(strings.TrimPrefix(s.Endpoint, "http://"), "/metrics")
		if !slices.Contains(all, host) {
			all = append(all, host)
		}
	})
	return all
}

// dropMissing takes endpoints off the lists that the export does not have.
func dropMissing(run *aiperf.Run) {
	if run.Export != nil {
		there := hosts(run)
		lists(run, func(e string) bool { return slices.Contains(there, e) })
	}
}

// windowFromSlices takes the span of the slices for a window that is missing.
func windowFromSlices(run *aiperf.Run) {
	if run.Export == nil || run.Export.Profiling != nil {
		return
	}
	w := aiperf.Range{Start: math.MinInt64, End: math.MaxInt64}
	series(run, func(_ *aiperf.Family, s *aiperf.Series) {
		if n := len(s.Slices); n > 0 {
			w.Start, w.End = max(w.Start, s.Slices[0].Start), min(w.End, s.Slices[n-1].End)
		}
	})
	if w.Start > math.MinInt64 && w.Start < w.End {
		run.Export.Profiling = &w
	}
}

func nullIsZero(run *aiperf.Run) {
	series(run, func(_ *aiperf.Family, s *aiperf.Series) {
		for i := range s.Slices {
			if s.Slices[i].Value.Kind() == aiperf.Null {
				s.Slices[i].Value = aiperf.NumberValue(0)
			}
		}
	})
}

// stretchLast lets the last slice inside the window end at E.
func stretchLast(run *aiperf.Run) {
	if run.Export == nil || run.Export.Profiling == nil {
		return
	}
	series(run, func(_ *aiperf.Family, s *aiperf.Series) {
		if n := len(s.Slices); n > 0 && s.Slices[n-1].End < run.Export.Profiling.End {
			s.Slices[n-1].End = run.Export.Profiling.End
		}
	})
}

func dropOverEnd(run *aiperf.Run) {
	if run.Export == nil || run.Export.Profiling == nil {
		return
	}
	e := run.Export.Profiling.End
	series(run, func(_ *aiperf.Family, s *aiperf.Series) {
		for i := range s.Slices {
			if sl := &s.Slices[i]; sl.Start < e && e < sl.End {
				sl.Value = aiperf.NumberValue(0)
			}
		}
	})
}

// dropWithoutCached counts only endpoints that have CACHED.
func dropWithoutCached(run *aiperf.Run) {
	var have []string
	series(run, func(f *aiperf.Family, s *aiperf.Series) {
		if strings.Contains(f.Name, "prefix_cache_cached_tokens") {
			have = append(have, strings.TrimSuffix(strings.TrimPrefix(s.Endpoint, "http://"), "/metrics"))
		}
	})
	if len(have) > 0 {
		lists(run, func(e string) bool { return slices.Contains(have, e) || !slices.Contains(hosts(run), e) })
	}
}

// firstSpelling forgets a counter that an endpoint has under a name before.
func firstSpelling(run *aiperf.Run) {
	if run.Export == nil {
		return
	}
	seen := map[string]string{}
	for i := range run.Export.Metrics {
		f := &run.Export.Metrics[i]
		bare := strings.TrimSuffix(strings.NewReplacer("atom:", "", "atom_", "").Replace(f.Name), "_total")
		f.Series = slices.DeleteFunc(f.Series, func(s aiperf.Series) bool {
			key := bare + "\n" + s.Endpoint + "\n" + s.Labels["worker_addr"]
			first, ok := seen[key]
			if !ok {
				seen[key] = f.Name
			}
			return ok && first != f.Name
		})
	}
}

// rolesAfterCounters takes every endpoint for a unified one where the roles are
// not resolved.
func rolesAfterCounters(run *aiperf.Run) {
	if run.Env["SRT_AGG_ENDPOINTS"]+run.Env["SRT_PREFILL_ENDPOINTS"]+run.Env["SRT_DECODE_ENDPOINTS"] == "" {
		run.Env["SRT_AGG_ENDPOINTS"] = strings.Join(hosts(run), ",")
	}
}

// reword gives a status another word where a reason that comes later in the
// order is there too.
func reword(status, reason, other string) func(*aiperf.Run, *adapter.Answer) {
	return func(_ *aiperf.Run, a *adapter.Answer) {
		later := slices.ContainsFunc(a.Reasons, func(r string) bool { return strings.HasPrefix(r, reason) })
		if a.Status == status && later {
			a.Status = other
		}
	}
}

// showWhatIsLeft shows the CPU tier where CACHED is missing and the window is
// unresolved.
func showWhatIsLeft(_ *aiperf.Run, a *adapter.Answer) {
	window := slices.ContainsFunc(a.Reasons, func(r string) bool {
		return strings.HasPrefix(r, "rule 7:") || strings.HasPrefix(r, "rule 14:")
	})
	var full, offload *float64
	for i, c := range a.Counters {
		switch c.Name {
		case "FULL":
			full = &a.Counters[i].Value
		case "OFFLOAD":
			offload = &a.Counters[i].Value
		}
	}
	if a.Status == "COUNTER_MISSING" && window && full != nil && offload != nil {
		a.Status = "WINDOW_UNRESOLVED"
		a.Rates.CPU = adapter.Rounded(adapter.Ratio(offload, full))
		a.Rates.External = a.Rates.CPU
	}
}

// scopeShape shows all rates, the unknown tier as 0, where the scope is
// unresolved too.
func scopeShape(_ *aiperf.Run, a *adapter.Answer) {
	scope := slices.ContainsFunc(a.Reasons, func(r string) bool {
		return strings.HasPrefix(r, "rule 13:") || strings.HasPrefix(r, "rule 14:") || strings.HasPrefix(r, "rule 15:")
	})
	if a.Status == "CPU_UNRESOLVED" && scope && a.Rates.GPU != nil {
		var none float64
		a.Status, a.Rates.CPU, a.Rates.External, a.Rates.Overall = "REQUEST_SCOPE_UNRESOLVED", &none, &none, a.Rates.GPU
	}
}

// lookupsTrusted takes lookups for prompt tokens.
func lookupsTrusted(run *aiperf.Run) {
	if run.Export == nil {
		return
	}
	var queries []aiperf.Series
	series(run, func(f *aiperf.Family, s *aiperf.Series) {
		if f.Name == "vllm:prefix_cache_queries" {
			queries = append(queries, *s)
		}
	})
	for i := range run.Export.Metrics {
		if f := &run.Export.Metrics[i]; f.Name == "vllm:prompt_tokens" {
			f.Series = queries
		}
	}
}
