package atom

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pdreplay/pdreplay/replay/adapter"
	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// show writes an answer as the accounting matrix does, with all four rates.
func show(a adapter.Answer) string {
	var b strings.Builder
	b.WriteString(cmpOr(a.Status, "-"))
	if a.Eligible != nil && *a.Eligible {
		b.WriteString(" ok")
	}
	for i, r := range a.Rates.List() {
		b.WriteString([]string{" ", "/", "/", "/"}[i])
		if r == nil {
			b.WriteString("null")
		} else {
			fmt.Fprint(&b, *r)
		}
	}
	return b.String()
}

func cmpOr(s, or string) string {
	if s == "" {
		return or
	}
	return s
}

func derive(t *testing.T, name string, run *aiperf.Run) string {
	t.Helper()
	a, err := version(name).Derive(run)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if (a.Status == "") != (a.Eligible == nil) && version(name).Validity != RefusalsOnly {
		t.Errorf("%s: status %q with eligibility %v", name, a.Status, a.Eligible)
	}
	if a.Eligible != nil && !*a.Eligible && len(a.Reasons) == 0 {
		t.Errorf("%s: refused without a reason", name)
	}
	return show(a)
}

const (
	good     = "VALID_COMPLETE ok 0.6/0.2/0.2/0.8"
	allNull  = " null/null/null/null"
	shown    = " 0.6/0.2/0.2/0.8"
	gpuShown = " 0.6/null/null/null"
)

// Each case changes one thing of the clean run; the wants follow the numbered
// rules (accounting.md), not the program.
func TestReviewByRule(t *testing.T) {
	env := func(pairs ...string) func(*aiperf.Run) {
		return func(r *aiperf.Run) {
			for i := 0; i < len(pairs); i += 2 {
				r.Env[pairs[i]] = pairs[i+1]
			}
		}
	}
	noRoles := func(pairs ...string) func(*aiperf.Run) {
		return func(r *aiperf.Run) {
			delete(r.Env, "SRT_AGG_ENDPOINTS")
			env(pairs...)(r)
		}
	}
	slices0 := func(stem string, change func(s *aiperf.Series)) func(*aiperf.Run) {
		return func(r *aiperf.Run) { change(&family(r, stem).Series[0]) }
	}
	const (
		fullT, cachedT, offT = "prefix_cache_full_tokens", "prefix_cache_cached_tokens", "prefix_cache_offload_tokens"
		loadedT, reqT        = "lmcache_loaded_tokens", "prefix_cache_requests"
	)
	lead := func(s *aiperf.Series) { s.Slices[0].Start += 1e8 }
	straddle := func(total float64) func(s *aiperf.Series) {
		return func(s *aiperf.Series) {
			s.Slices = append([]aiperf.Slice{{Start: 90 * second, End: 100*second + 1, Value: aiperf.NumberValue(total)}}, s.Slices...)
			s.Slices[1].Start++
		}
	}
	over := func(total float64) func(s *aiperf.Series) {
		return func(s *aiperf.Series) {
			s.Slices[9].End -= 5e8
			s.Slices = append(s.Slices, aiperf.Slice{Start: s.Slices[9].End, End: 111 * second, Value: aiperf.NumberValue(total)})
		}
	}
	warm := func(name string, total aiperf.Value, labels map[string]string) func(*aiperf.Run) {
		return func(r *aiperf.Run) {
			r.Export.HasWarmup = true
			r.Export.WarmupMetrics = append(r.Export.WarmupMetrics, aiperf.Family{Name: name, Series: []aiperf.Series{{
				Endpoint: "http://p:9/metrics", Labels: labels, Stats: aiperf.Stats{Total: total},
			}}})
		}
	}
	drop := func(stem string) func(*aiperf.Run) {
		return func(r *aiperf.Run) {
			r.Export.Metrics = slices.DeleteFunc(r.Export.Metrics, func(f aiperf.Family) bool { return f.Name == "atom:"+stem })
		}
	}
	second9 := func(stem, endpoint string, per float64) func(*aiperf.Run) {
		return func(r *aiperf.Run) {
			f := family(r, stem)
			f.Series = append(f.Series, series(endpoint, per))
		}
	}
	spelled := func(stem, as string) func(*aiperf.Run) {
		return func(r *aiperf.Run) {
			f := *family(r, stem)
			f.Name = as
			r.Export.Metrics = append(r.Export.Metrics, f)
		}
	}
	records := func(change func(*aiperf.Records)) func(*aiperf.Run) {
		return func(r *aiperf.Run) { change(r.Records) }
	}
	value := func(i int, v aiperf.Value) func(s *aiperf.Series) {
		return func(s *aiperf.Series) { s.Slices[i].Value = v }
	}
	all := func(changes ...func(*aiperf.Run)) func(*aiperf.Run) {
		return func(r *aiperf.Run) {
			for _, c := range changes {
				c(r)
			}
		}
	}
	rank := func(key, a, b string, stems ...string) func(*aiperf.Run) {
		return func(r *aiperf.Run) {
			for _, stem := range stems {
				f := family(r, stem)
				half, _ := f.Series[0].Slices[0].Value.Float()
				f.Series = []aiperf.Series{series("http://p:9/metrics", half/2), series("http://p:9/metrics", half/2)}
				f.Series[0].Labels = map[string]string{key: a}
				f.Series[1].Labels = map[string]string{key: b}
			}
		}
	}
	everything := []string{fullT, cachedT, offT, loadedT, reqT}

	for _, tt := range []struct {
		name   string
		change func(*aiperf.Run)
		want   string
		reason string // a part of one reason, "" for none
	}{
		{"clean", env(), good, ""},
		{"rule 1: AGG wins", env("SRT_PREFILL_ENDPOINTS", "x:1", "SRT_DECODE_ENDPOINTS", "p:9"), good, ""},
		{"rule 1: one trailing comma", env("SRT_AGG_ENDPOINTS", "p:9,"), good, ""},
		{"rule 1: two trailing commas", env("SRT_AGG_ENDPOINTS", "p:9,,"), "ROLES_UNRESOLVED" + allNull, `element ""`},
		{"rule 1: white space", env("SRT_AGG_ENDPOINTS", "p:9, q:9"), "ROLES_UNRESOLVED" + allNull, `element " q:9"`},
		{"rule 1: prefill alone", noRoles("SRT_PREFILL_ENDPOINTS", "p:9"), good, ""},
		{"rule 1: decode alone", noRoles("SRT_DECODE_ENDPOINTS", "p:9"), "ROLES_UNRESOLVED" + allNull, "without SRT_PREFILL_ENDPOINTS"},
		{"rule 1: in both lists", noRoles("SRT_PREFILL_ENDPOINTS", "p:9", "SRT_DECODE_ENDPOINTS", "p:9"), "ROLES_UNRESOLVED" + allNull, "in both"},
		{"rule 2: explicit URLs", env("AIPERF_SERVER_METRICS_URLS", "http://x", "DISAGG", "true"), "ROLES_UNRESOLVED" + allNull, "AIPERF_SERVER_METRICS_URLS"},
		{"rule 2: dynamo front end", env("SRTCTL_FRONTEND_TYPE", "dynamo", "DISAGG", "true"), "ROLES_UNRESOLVED" + allNull, "SRTCTL_FRONTEND_TYPE"},
		{"rule 2, 3: explicit URLs fall back", env("AIPERF_SERVER_METRICS_URLS", "http://x"), good, ""},
		{"rule 3: declared", noRoles(), good, ""},
		{"rule 3: empty is no declaration", noRoles("DISAGG", ""), "ROLES_UNRESOLVED" + allNull, "DISAGG=false"},
		{"rule 3: disaggregated", noRoles("DISAGG", "true"), "ROLES_UNRESOLVED" + allNull, "DISAGG=false"},
		{"rule 3: published row declares", all(noRoles("DISAGG", ""), func(r *aiperf.Run) { r.Published = &aiperf.Row{Disagg: new(bool)} }), good, ""},
		{"rule 3: two endpoints", all(noRoles(), second9(fullT, "http://q:9/metrics", 0)), "ROLES_UNRESOLVED" + allNull, "2 endpoints"},
		{"rule 4: listed, not exported", env("SRT_AGG_ENDPOINTS", "p:9,q:9"), "COUNTER_MISSING" + allNull, "q:9"},
		{"rule 4: decode not exported", all(noRoles("SRT_PREFILL_ENDPOINTS", "p:9", "SRT_DECODE_ENDPOINTS", "d:9"), env("DISAGG", "true")), good, "d:9"},
		{"rule 4: in no list", second9(fullT, "http://x:9/metrics", 7), good, "x:9"},
		{"rule 5: no profiling range", func(r *aiperf.Run) { r.Export.Profiling = nil }, "WINDOW_UNRESOLVED" + allNull, "no profiling range"},
		{"rule 5: no profiling range, FULL twice", all(func(r *aiperf.Run) { r.Export.Profiling = nil }, spelled(fullT, "atom_"+fullT)), "INVALID_COUNTER" + allNull, "no profiling range"},
		{"rule 5: empty window", func(r *aiperf.Run) { r.Export.Profiling.End = r.Export.Profiling.Start }, "WINDOW_UNRESOLVED" + allNull, ""},
		{"rule 6: no slices", slices0(cachedT, func(s *aiperf.Series) { s.Slices, s.HasSlices = nil, false }), "WINDOW_UNRESOLVED" + allNull, "no slices"},
		{"rule 6: null total", slices0(fullT, value(3, aiperf.NullValue())), "WINDOW_UNRESOLVED" + allNull, "slice 3"},
		{"rule 6: text total", slices0(fullT, value(3, aiperf.OtherValue(`"100"`))), "WINDOW_UNRESOLVED" + allNull, ""},
		{"rule 6: negative total", slices0(offT, value(0, aiperf.NumberValue(-1))), "WINDOW_UNRESOLVED" + allNull, ""},
		{"rule 6: no end", slices0(fullT, func(s *aiperf.Series) { s.Slices[9].End = aiperf.NoTime }), "WINDOW_UNRESOLVED" + allNull, ""},
		{"rule 6: start = end", slices0(fullT, func(s *aiperf.Series) { s.Slices[9].End = s.Slices[9].Start }), "WINDOW_UNRESOLVED" + allNull, ""},
		{"rule 6: overlap", slices0(fullT, func(s *aiperf.Series) { s.Slices[4].End++ }), "WINDOW_UNRESOLVED" + allNull, "overlap"},
		{"rule 6: any order", slices0(fullT, func(s *aiperf.Series) { slices.Reverse(s.Slices) }), good, ""},
		{"rule 6: broken outside the window", slices0(fullT, func(s *aiperf.Series) {
			s.Slices = append(s.Slices, aiperf.Slice{Start: 120 * second, End: 121 * second})
		}), "WINDOW_UNRESOLVED" + allNull, "slice 10"},
		{"rule 6: outside the window", slices0(fullT, func(s *aiperf.Series) {
			s.Slices = append(s.Slices, aiperf.Slice{Start: 120 * second, End: 121 * second, Value: aiperf.NumberValue(9)})
		}), good, ""},
		{"rule 6: missing", slices0(fullT, func(s *aiperf.Series) {
			s.Slices = []aiperf.Slice{{Start: 90 * second, End: 100 * second, Value: aiperf.NumberValue(9)}}
		}), "WINDOW_UNRESOLVED" + allNull, "missing"},
		{"rule 6: interior gap of 1 ns", slices0(cachedT, func(s *aiperf.Series) { s.Slices[4].End-- }), "WINDOW_UNRESOLVED" + allNull, "interior gap"},
		{"rule 6: trailing gap of 1 ns", slices0(cachedT, func(s *aiperf.Series) { s.Slices[9].End-- }), "WINDOW_UNRESOLVED" + allNull, "trailing gap"},
		{"rule 7: zero straddler", slices0(fullT, straddle(0)), good, ""},
		{"rule 7: proven", all(slices0(fullT, straddle(500)), warm("atom:"+fullT, aiperf.NumberValue(500), nil)), good, ""},
		{"rule 7: proven under another spelling", all(slices0(fullT, straddle(500)), warm("atom_"+fullT+"_total", aiperf.NumberValue(500), nil)), good, ""},
		{"rule 7: the same name goes before another spelling", all(slices0(fullT, straddle(500)), warm("atom_"+fullT, aiperf.NumberValue(1), nil), warm("atom:"+fullT, aiperf.NumberValue(500), nil)), good, ""},
		{"rule 7: two other spellings disagree", all(slices0(fullT, straddle(500)), warm("atom_"+fullT, aiperf.NumberValue(500), nil), warm("atom_"+fullT+"_total", aiperf.NumberValue(1), nil)), "WINDOW_UNRESOLVED" + shown, "500"},
		{"rule 7: other labels prove nothing", all(slices0(fullT, straddle(500)), warm("atom:"+fullT, aiperf.NumberValue(500), map[string]string{"dp": "0"})), "WINDOW_UNRESOLVED" + shown, ""},
		{"rule 7: no warmup_metrics", slices0(fullT, straddle(500)), "WINDOW_UNRESOLVED" + shown, "rule 7"},
		{"rule 7: zero over E", slices0(fullT, over(0)), good, ""},
		{"rule 7: nonzero over E", slices0(cachedT, over(5)), "WINDOW_UNRESOLVED" + shown, "holds 5"},
		{"rule 9: FULL 0", slices0(fullT, func(s *aiperf.Series) {
			for i := range s.Slices {
				s.Slices[i].Value = aiperf.NumberValue(0)
			}
		}), "INVALID_COUNTER" + allNull, "FULL is 0"},
		{"rule 9: CACHED above FULL", slices0(cachedT, value(0, aiperf.NumberValue(1000))), "INVALID_COUNTER" + allNull, "CACHED 1540 is above FULL 1000"},
		{"rule 9: both above FULL", slices0(offT, value(0, aiperf.NumberValue(400))), "INVALID_COUNTER" + allNull, "CACHED + OFFLOAD together 1180"},
		{"rule 10: CACHED absent", drop(cachedT), "COUNTER_MISSING" + allNull, "CACHED is unknown"},
		{"rule 10: CACHED on one of two", all(env("SRT_AGG_ENDPOINTS", "p:9,q:9"), second9(fullT, "http://q:9/metrics", 0)), "COUNTER_MISSING" + allNull, "q:9"},
		{"rule 10: OFFLOAD on one of two, none declared", all(env("SRT_AGG_ENDPOINTS", "p:9,q:9", "KV_OFFLOADING", "none"),
			second9(fullT, "http://q:9/metrics", 0), second9(cachedT, "http://q:9/metrics", 0), second9(reqT, "http://q:9/metrics", 0)), "CPU_UNRESOLVED" + gpuShown, "q:9"},
		{"rule 11: FULL twice", spelled(fullT, "atom_"+fullT), "INVALID_COUNTER" + allNull, "atom_" + fullT},
		{"rule 11: one spelling on each endpoint", all(env("SRT_AGG_ENDPOINTS", "p:9,q:9"), func(r *aiperf.Run) {
			for _, stem := range everything {
				r.Export.Metrics = append(r.Export.Metrics, aiperf.Family{Name: "atom_" + stem + "_total", Series: []aiperf.Series{series("http://q:9/metrics", 0)}})
			}
		}), good, ""},
		{"rule 11: ranks", rank("dp", "0", "1", everything...), good, ""},
		{"rule 11: merged workers without roles", rank("worker_addr", "http://a:1", "http://b:1", everything...), "ROLES_UNRESOLVED" + allNull, "http://a:1"},
		{"rule 11: merged workers with roles", all(rank("worker_addr", "http://a:1", "http://b:1", everything...), noRoles("SRT_AGG_ENDPOINTS", "a:1,b:1")), good, ""},
		{"rule 11: merged decode worker", all(rank("worker_addr", "http://a:1", "http://b:1", everything...), noRoles("SRT_PREFILL_ENDPOINTS", "a:1", "SRT_DECODE_ENDPOINTS", "b:1"),
			records(func(r *aiperf.Records) { r.List = r.List[:5]; r.Accounting.Profiled = 5 })), good, ""},
		{"rule 12: absent, tier declared", drop(offT), "CPU_UNRESOLVED" + gpuShown, "rule 12"},
		{"rule 12: absent, nothing declared", all(drop(offT), env("KV_OFFLOADING", "")), "CPU_UNRESOLVED" + gpuShown, ""},
		{"rule 12: the published row declares none", all(drop(offT), env("KV_OFFLOADING", ""), func(r *aiperf.Run) {
			r.Published = &aiperf.Row{Fields: map[string]string{"kv_offloading": `"none"`}}
		}), "VALID_COMPLETE ok 0.6/0/0/0.6", ""},
		{"rule 10: a gap of an unknown tier", all(env("SRT_AGG_ENDPOINTS", "p:9,q:9"), slices0(offT, func(s *aiperf.Series) { s.Slices[4].End-- }),
			second9(fullT, "http://q:9/metrics", 0), second9(cachedT, "http://q:9/metrics", 0), second9(reqT, "http://q:9/metrics", 0)), "CPU_UNRESOLVED" + gpuShown, "q:9"},
		{"rule 14: negative usage", records(func(r *aiperf.Records) { r.List[3].PromptTokens = aiperf.NumberValue(-100) }), "REQUEST_SCOPE_UNRESOLVED" + shown, "usage_prompt_tokens"},
		{"rule 12: absent, none declared", all(drop(offT), env("KV_OFFLOADING", "none")), "VALID_COMPLETE ok 0.6/0/0/0.6", ""},
		{"rule 13: REQUESTS absent", drop(reqT), "REQUEST_SCOPE_UNRESOLVED" + shown, "REQUESTS"},
		{"rule 13: REQUESTS twice", spelled(reqT, "atom_"+reqT), "REQUEST_SCOPE_UNRESOLVED" + shown, ""},
		{"rule 13: REQUESTS twice, once 0", func(r *aiperf.Run) {
			r.Export.Metrics = append(r.Export.Metrics, aiperf.Family{Name: "atom_" + reqT, Series: []aiperf.Series{series("http://p:9/metrics", 0)}})
		}, "REQUEST_SCOPE_UNRESOLVED" + shown, "REQUESTS is unknown"},
		{"rule 13: REQUESTS interior gap", slices0(reqT, func(s *aiperf.Series) { s.Slices[4].End-- }), "REQUEST_SCOPE_UNRESOLVED" + shown, ""},
		{"rule 13: REQUESTS leading gap, all counted", slices0(reqT, lead), good, ""},
		{"rule 13: REQUESTS straddler", slices0(reqT, straddle(4)), good, ""},
		{"rule 13: LOADED interior gap", slices0(loadedT, func(s *aiperf.Series) { s.Slices[4].End-- }), good, ""},
		{"rule 13: LOADED absent", drop(loadedT), good, ""},
		{"rule 14: leading gap, conserved", slices0(fullT, lead), good, ""},
		{"rule 14: leading gap, not conserved", all(slices0(offT, lead), slices0(reqT, value(0, aiperf.NumberValue(0)))), "WINDOW_UNRESOLVED" + shown, "not conserved"},
		{"rule 14: one token too many", records(func(r *aiperf.Records) { r.List[3].PromptTokens = aiperf.NumberValue(101) }), "REQUEST_SCOPE_UNRESOLVED" + shown, "1001"},
		{"rule 14: no usage", records(func(r *aiperf.Records) { r.List[3].PromptTokens = aiperf.Value{} }), "REQUEST_SCOPE_UNRESOLVED" + shown, "usage_prompt_tokens"},
		{"rule 14: cancelled", records(func(r *aiperf.Records) { r.List[3].Cancelled = true }), "REQUEST_SCOPE_UNRESOLVED" + shown, "cancelled"},
		{"rule 14: cancelled warmup", records(func(r *aiperf.Records) {
			r.List = append(r.List, aiperf.Record{Warmup: true, Cancelled: true})
		}), good, ""},
		{"rule 14: no records", func(r *aiperf.Run) { r.Records = nil }, "REQUEST_SCOPE_UNRESOLVED" + shown, "profile_export.jsonl"},
		{"rule 15: profiling error", records(func(r *aiperf.Records) { r.Accounting.ErrorDropped, *r.Accounting.ProfilingErrors = 1, 1 }), "REQUEST_SCOPE_UNRESOLVED" + shown, "1 requests failed"},
		{"rule 15: warmup error", records(func(r *aiperf.Records) { r.Accounting.ErrorDropped = 1 }), good, ""},
		{"order: invalid counter before window", all(slices0(fullT, func(s *aiperf.Series) { s.Slices[4].End-- }), spelled(cachedT, "atom_"+cachedT)), "INVALID_COUNTER" + allNull, "interior gap"},
		{"order: window before scope", all(slices0(fullT, straddle(500)), drop(reqT)), "WINDOW_UNRESOLVED" + shown, "REQUESTS"},
		{"order: window before CPU", all(slices0(fullT, straddle(500)), drop(offT)), "WINDOW_UNRESOLVED" + gpuShown, "OFFLOAD"},
		{"order: CPU before scope", all(drop(offT), drop(reqT)), "CPU_UNRESOLVED" + gpuShown, "REQUESTS"},
		{"no metrics", func(r *aiperf.Run) { r.Export = nil }, "COUNTER_MISSING" + allNull, "no server metrics"},
		{"totals only", func(r *aiperf.Run) {
			r.Totals, r.Export = r.Export, nil
			r.Totals.Profiling = nil
		}, "WINDOW_UNRESOLVED" + allNull, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			run := cleanRun()
			tt.change(run)
			if got := derive(t, "review", run); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			a, _ := version("review").Derive(run)
			if all := strings.Join(a.Reasons, "\n"); !strings.Contains(all, tt.reason) {
				t.Errorf("no reason says %q:\n%s", tt.reason, all)
			}
			if tt.reason == "" && tt.want == good && len(a.Reasons) > 0 {
				t.Errorf("a clean run has reasons: %q", a.Reasons)
			}
		})
	}
}

// Overall is summed first and divided once: the rounded tiers need not add up
// to it, and 1/24 + 1/24 has another fifth decimal than 2/24 after rounding.
func TestOverallDividesOnce(t *testing.T) {
	run := cleanRun()
	for stem, total := range map[string]float64{"prefix_cache_full_tokens": 240, "prefix_cache_cached_tokens": 10, "prefix_cache_offload_tokens": 10} {
		family(run, stem).Series[0] = series("http://p:9/metrics", total/10)
	}
	if got, want := derive(t, "review", run), "REQUEST_SCOPE_UNRESOLVED 0.04167/0.04167/0.04167/0.08333"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// The versions differ from review where their rows say so; each case is one
// cell of the table that no fixture of the matrix reaches.
func TestVersionsByRow(t *testing.T) {
	const loadedT, reqT, fullT = "lmcache_loaded_tokens", "prefix_cache_requests", "prefix_cache_full_tokens"
	interior := func(stem string) func(*aiperf.Run) {
		return func(r *aiperf.Run) { family(r, stem).Series[0].Slices[4].End-- }
	}
	total := func(stem string, v aiperf.Value) func(*aiperf.Run) {
		return func(r *aiperf.Run) { family(r, stem).Series[0].Stats.Total = v }
	}
	double := func(stem string) func(*aiperf.Run) {
		return func(r *aiperf.Run) {
			f := *family(r, stem)
			f.Name = "atom_" + stem
			r.Export.Metrics = append(r.Export.Metrics, f)
		}
	}
	harness := func(v string) func(*aiperf.Run) {
		return func(r *aiperf.Run) { r.Env["AGENTX_HARNESS_VERSION"] = v }
	}
	absent := func(stem string) func(*aiperf.Run) {
		return func(r *aiperf.Run) {
			r.Export.Metrics = slices.DeleteFunc(r.Export.Metrics, func(f aiperf.Family) bool { return f.Name == "atom:"+stem })
		}
	}
	for _, tt := range []struct {
		version string
		name    string
		change  func(*aiperf.Run)
		want    string
	}{
		{"0842d829", "LOADED interior gap", interior(loadedT), "WINDOW_UNRESOLVED" + allNull},
		{"0842d829", "LOADED absent", absent(loadedT), good},
		{"0842d829", "REQUESTS interior gap", interior(reqT), "WINDOW_UNRESOLVED" + allNull},
		{"0842d829", "REQUESTS duplicate", double(reqT), "INVALID_COUNTER" + allNull},
		{"0842d829", "REQUESTS absent", absent(reqT), "REQUEST_SCOPE_UNRESOLVED" + shown},
		{"4405", "REQUESTS interior gap", interior(reqT), good},
		{"4405", "REQUESTS duplicate", double(reqT), "REQUEST_SCOPE_UNRESOLVED" + shown},
		{"4405", "REQUESTS absent", absent(reqT), "REQUEST_SCOPE_UNRESOLVED" + shown},
		{"4405", "LOADED duplicate", double(loadedT), good},
		{"4405", "old collector", harness("1.0.11"), "WINDOW_UNRESOLVED" + shown},
		{"4405", "no collector version", harness(""), "WINDOW_UNRESOLVED" + shown},
		{"4405", "no number", harness("1.0.x"), "WINDOW_UNRESOLVED" + shown},
		{"4405", "1.1", harness("1.1"), good},
		{"4405", "newer", harness("1.0.13"), good},
		{"4405", "2.0.0", harness("2.0.0"), good},
		{"4405", "1.0.9", harness("1.0.9"), "WINDOW_UNRESOLVED" + shown},
		{"4405", "NaN total", total(fullT, aiperf.OtherValue("NaN")), "INVALID_COUNTER" + allNull},
		{"4405", "negative total", total(fullT, aiperf.NumberValue(-5)), "INVALID_COUNTER" + allNull},
		{"4405", "CACHED above FULL", total("prefix_cache_cached_tokens", aiperf.NumberValue(1200)), "INVALID_COUNTER" + allNull},
		{"4397", "NaN total", total(fullT, aiperf.OtherValue("NaN")), "INVALID_COUNTER" + allNull},
		{"4397", "counter missing", absent(fullT), "COUNTER_MISSING" + allNull},
		{"4397", "REQUESTS absent", absent(reqT), "-" + shown},
		{"4397", "no records", func(r *aiperf.Run) { r.Records = nil }, "-" + shown},
		{"4397", "old collector", harness("1.0.11"), "-" + shown},
	} {
		t.Run(tt.version+" "+tt.name, func(t *testing.T) {
			run := cleanRun()
			tt.change(run)
			if got := derive(t, tt.version, run); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// Row 19 of the matrix: one failed request in an accounting without the split.
// Rule 15 falls back to the total, so every version with a scope is blocked.
func TestBlockingErrors(t *testing.T) {
	two, none := 2, 0
	for _, tt := range []struct {
		name       string
		accounting aiperf.Accounting
		want       [6]int // in the order of Versions
	}{
		{"19 old accounting (no split), one error", aiperf.Accounting{ErrorDropped: 1}, [6]int{0, 1, 1, 1, 0, 1}},
		{"no errors, no split", aiperf.Accounting{}, [6]int{}},
		{"three, two of them profiling", aiperf.Accounting{ErrorDropped: 3, ProfilingErrors: &two}, [6]int{0, 3, 2, 2, 0, 2}},
		{"one in warmup", aiperf.Accounting{ErrorDropped: 1, ProfilingErrors: &none}, [6]int{0, 1, 0, 0, 0, 0}},
	} {
		for i, v := range Versions() {
			if got := v.blocking(tt.accounting); got != tt.want[i] {
				t.Errorf("%s: %s is blocked by %d errors, want %d", tt.name, v.Name, got, tt.want[i])
			}
		}
	}
}

// The whole of row 19: a clean run whose accounting has no split and one error.
func TestOldAccountingRun(t *testing.T) {
	for i, want := range []string{
		"- 0.6/0.35/0.35/0.6",
		"REQUEST_SCOPE_UNRESOLVED" + shown, "REQUEST_SCOPE_UNRESOLVED" + shown, "REQUEST_SCOPE_UNRESOLVED" + shown,
		"-" + shown, "REQUEST_SCOPE_UNRESOLVED" + shown,
	} {
		run := cleanRun()
		run.Records.Accounting.ErrorDropped, run.Records.Accounting.ProfilingErrors = 1, nil
		if got := derive(t, Versions()[i].Name, run); got != want {
			t.Errorf("%s: got %s, want %s", Versions()[i].Name, got, want)
		}
	}
}

// totals is a run of one endpoint and one series a family, as main sees it.
func totals(pairs ...any) *aiperf.Run {
	e := &aiperf.Export{File: "server_metrics_export.json"}
	for i := 0; i < len(pairs); i += 2 {
		var v aiperf.Value
		switch x := pairs[i+1].(type) {
		case int:
			v = aiperf.NumberValue(float64(x))
		case string:
			v = aiperf.OtherValue(x)
		}
		e.Metrics = append(e.Metrics, aiperf.Family{Name: pairs[i].(string), Series: []aiperf.Series{{
			Endpoint: "http://p:9/metrics", Stats: aiperf.Stats{Total: v},
		}}})
		e.Names = append(e.Names, pairs[i].(string))
	}
	return &aiperf.Run{Env: aiperf.Env{}, Export: e, Records: tenRecords()}
}

// The quirks of the producer (producer.md section 8, accounting.md D6, D9, D10).
func TestMainQuirks(t *testing.T) {
	const f, c, l = "atom:prefix_cache_full_tokens", "atom:prefix_cache_cached_tokens", "atom:lmcache_loaded_tokens"
	stats := func(s aiperf.Stats) *aiperf.Run {
		run := totals(f, 100, c, 0)
		run.Export.Metrics[1].Series[0].Stats = s
		return run
	}
	num := aiperf.NumberValue
	pd := totals(f, 1000, c, 600, "atom:prefix_cache_offload_tokens", 200, l, 900)
	pd.Export.Metrics[0].Series = append(pd.Export.Metrics[0].Series, aiperf.Series{
		Endpoint: "http://d:9/metrics", Stats: aiperf.Stats{Total: num(1000)},
	})
	for _, tt := range []struct {
		name string
		run  *aiperf.Run
		want string
	}{
		{"D6 P/D", pd, "- 0.3/0.45/0.45/0.3"},
		{"D9 FULL twice", totals(f, 1000, "atom_prefix_cache_full_tokens", 1000, c, 600), "- 0.3/null/null/0.3"},
		{"four spellings", totals(f, 10, "atom_prefix_cache_full_tokens", 10, f+"_total", 10, "atom_prefix_cache_full_tokens_total", 10, c, 6), "- 0.15/null/null/0.15"},
		{"D10 negative hits", totals(f, 100, c, -50), "- -0.5/null/null/-0.5"},
		{"D10 hits above", totals(f, 100, c, 150), "- 1.5/null/null/1.5"},
		{"D10 NaN", totals(f, 100, c, "NaN"), "- NaN/null/null/NaN"},
		{"text NaN", totals(f, 100, c, `"nan"`), "- NaN/null/null/NaN"},
		{"infinite", totals(f, 100, c, "Infinity"), "- +Inf/null/null/+Inf"},
		{"infinite FULL", totals(f, "Infinity", c, 5), "- 0/null/null/0"},
		{"FULL 0", totals(f, 0, c, 50), "-" + allNull},
		{"FULL negative", totals(f, -1, c, 50), "-" + allNull},
		{"FULL absent", totals(c, 50), "-" + allNull},
		{"text", totals(f, `"100"`, c, `"80"`), "- 0.8/null/null/0.8"},
		{"text with white space and underscore", totals(f, 100, c, `" 1_0 "`), "- 0.1/null/null/0.1"},
		{"true", totals(f, 4, c, "true"), "- 0.25/null/null/0.25"},
		{"no statistic", totals(f, 100, c, nil), "-" + allNull},
		{"an array is skipped", totals(f, 100, c, "[1]"), "-" + allNull},
		{"rounding to even", totals(f, 64, c, 1), "- 0.01562/null/null/0.01562"},
		{"sum before max and avg", stats(aiperf.Stats{Sum: num(30), Max: num(40), Avg: num(50)}), "- 0.3/null/null/0.3"},
		{"max before avg", stats(aiperf.Stats{Total: aiperf.NullValue(), Max: num(40), Avg: num(50)}), "- 0.4/null/null/0.4"},
		{"avg last", stats(aiperf.Stats{Total: aiperf.OtherValue(`"x"`), Avg: num(50)}), "- 0.5/null/null/0.5"},
		{"no metrics", &aiperf.Run{Env: aiperf.Env{}, Records: tenRecords()}, "-" + allNull},
	} {
		if got := derive(t, "main", tt.run); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

// main sums the prompt and generation totals into its row, and a NaN or an
// infinity there costs the whole point (producer.md section 7).
func TestMainDies(t *testing.T) {
	for text, want := range map[string]string{
		"NaN":                          "cannot convert float NaN to integer",
		"Infinity":                     "cannot convert float infinity to integer",
		"1" + strings.Repeat("0", 400): "int too large to convert to float",
	} {
		for _, name := range []string{"atom:prompt_tokens", "atom_generation_tokens_total"} {
			_, err := version("main").Derive(totals(name, text))
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s %.10s: got error %v, want %q", name, text, err, want)
			}
		}
	}
}

func TestMainSaysWhatItLacks(t *testing.T) {
	run := totals("atom:prefix_cache_full_tokens", 1)
	run.Records = nil
	run.Totals, run.Export = run.Export, nil
	a, err := version("main").Derive(run)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{adapter.NoRecords, adapter.CSVOnly}; !slices.Equal(a.Reasons, want) {
		t.Errorf("got reasons %q, want %q", a.Reasons, want)
	}
}

func TestAccountingSplit(t *testing.T) {
	for i, split := range []bool{false, false, true, true, false, true} {
		v := Versions()[i]
		a, _ := v.Derive(cleanRun())
		if got := a.Accounting.ProfilingErrors != nil; got != split {
			t.Errorf("%s: records_profiling_error_dropped is there: %v, want %v", v.Name, got, split)
		}
	}
}

func TestCountersUsed(t *testing.T) {
	a, _ := version("review").Derive(cleanRun())
	want := []adapter.Counter{{Name: "FULL", Value: 1000}, {Name: "CACHED", Value: 600}, {Name: "OFFLOAD", Value: 200}, {Name: "LOADED", Value: 350}, {Name: "REQUESTS", Value: 10}}
	if !slices.Equal(a.Counters, want) {
		t.Errorf("got %v, want %v", a.Counters, want)
	}
}

func TestNames(t *testing.T) {
	var names []string
	for _, a := range Adapters() {
		names = append(names, a.Name())
	}
	if got, want := strings.Join(names, " "), "atom@main atom@2db01926 atom@0842d829 atom@review atom@4397 atom@4405"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
