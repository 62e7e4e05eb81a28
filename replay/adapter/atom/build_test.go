package atom

import (
	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// The clean run of the accounting matrix, built in memory: ten admissions of
// 100 tokens (60 from HBM, 20 from the CPU tier, LOADED 35), one slice a
// second, window [100 s, 110 s), one unified endpoint.

const second = int64(1e9)

func cleanRun() *aiperf.Run {
	e := &aiperf.Export{
		File:      "server_metrics_export.json",
		Profiling: &aiperf.Range{Start: 100 * second, End: 110 * second},
	}
	for _, c := range []struct {
		stem string
		per  float64
	}{
		{"prefix_cache_full_tokens", 100},
		{"prefix_cache_cached_tokens", 60},
		{"prefix_cache_offload_tokens", 20},
		{"lmcache_loaded_tokens", 35},
		{"prefix_cache_requests", 1},
	} {
		e.Metrics = append(e.Metrics, aiperf.Family{
			Name: "atom:" + c.stem, Type: "counter",
			Series: []aiperf.Series{series("http://p:9/metrics", c.per)},
		})
		e.Names = append(e.Names, "atom:"+c.stem)
	}
	return &aiperf.Run{
		Env: aiperf.Env{
			"FRAMEWORK": "atom", "DISAGG": "false", "KV_OFFLOADING": "dram",
			"AGENTX_HARNESS_VERSION": "1.0.12", "SRT_AGG_ENDPOINTS": "p:9",
		},
		Export:  e,
		Records: tenRecords(),
	}
}

// series is one counter of one endpoint with ten slices of per each.
func series(endpoint string, per float64) aiperf.Series {
	s := aiperf.Series{Endpoint: endpoint, HasSlices: true, Stats: aiperf.Stats{Total: aiperf.NumberValue(10 * per)}}
	for i := range int64(10) {
		s.Slices = append(s.Slices, aiperf.Slice{
			Start: (100 + i) * second, End: (101 + i) * second, Value: aiperf.NumberValue(per),
		})
	}
	return s
}

func tenRecords() *aiperf.Records {
	none := 0
	r := &aiperf.Records{Accounting: aiperf.Accounting{Total: 10, Profiled: 10, ProfilingErrors: &none}}
	for i := range int64(10) {
		r.List = append(r.List, aiperf.Record{
			Line: int(i) + 1, Phase: "profiling",
			Start: (100+i)*second + 5e6, End: (100+i)*second + 405e6,
			PromptTokens: aiperf.NumberValue(100),
		})
	}
	return r
}

// family finds a family of the run's export by its stem.
func family(run *aiperf.Run, stem string) *aiperf.Family {
	for i := range run.Export.Metrics {
		if run.Export.Metrics[i].Name == "atom:"+stem {
			return &run.Export.Metrics[i]
		}
	}
	panic("the clean run has no " + stem)
}

func version(name string) Version {
	for _, v := range Versions() {
		if v.Name == name {
			return v
		}
	}
	panic("no version " + name)
}
