package generator

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
)

// FormatVersion is the version of the spec format that this package reads and
// writes.
const FormatVersion = 1

// The engines and their generations.
const (
	ATOM   = "atom"
	VLLM   = "vllm"
	SGLANG = "sglang"
	TRTLLM = "trtllm"
	DYNAMO = "dynamo" // a Dynamo front end whose workers are not scraped

	GenA = "A"    // ATOM of August 2026: CACHED holds the CPU tier, no OFFLOAD
	GenB = "B"    // ATOM of September 2026
	Era1 = "era1" // vLLM whose sources sum to T+1 when everything was cached
	Era2 = "era2" // vLLM whose sources sum to T
)

// The collector generations.
const (
	V1011    = "1.0.11"       // AgentX 1.0.11: the first slice straddles S and holds the warmup
	V1012    = "1.0.12"       // AgentX 1.0.12: slices start at the first scrape of profiling
	Upstream = "upstream"     // AIPerf 0.12: slices start at S, warmup_metrics
	V10      = "upstream-1.0" // AIPerf up to 0.11: schema 1.0, no phase ranges
)

// How data-parallel ranks appear.
const (
	RanksSummed    = "summed"    // one series, the ranks added (ATOM)
	RanksLabels    = "labels"    // one series a rank on the worker's endpoint
	RanksEndpoints = "endpoints" // one endpoint a rank
)

// Outcomes of a request. One that still runs 30 s after the configured
// duration is cancelled by AIPerf and has no record, whatever it says here.
const (
	OK        = "ok"
	Failed    = "failed"    // recorded with an error
	Cancelled = "cancelled" // recorded with was_cancelled and error 499
)

// A Spec describes one synthesized run. The zero value of a field is its
// default; [Generate] says which defaults there are. Times are relative to the
// start of the profiling phase, S.
type Spec struct {
	Version int    `yaml:"version"` // FormatVersion
	Seed    uint64 `yaml:"seed,omitempty"`

	Engine     string `yaml:"engine"`
	Generation string `yaml:"generation,omitempty"` // default: the newest
	Topology   string `yaml:"topology"`             // unified, unified:N, nPmD as in 2p3d
	Ranks      int    `yaml:"ranks,omitempty"`      // data-parallel ranks a worker, default 1
	RanksAs    string `yaml:"ranks_as,omitempty"`   // default: summed (atom), labels (vllm)
	Mesh       bool   `yaml:"mesh,omitempty"`       // ATOM: scraped through Atomesh, one endpoint for all workers
	Dynamo     bool   `yaml:"dynamo,omitempty"`     // vllm, sglang, trtllm: behind a Dynamo front end, which is scraped too
	Offload    bool   `yaml:"offload,omitempty"`    // an offload connector exists
	Witness    bool   `yaml:"witness,omitempty"`    // records carry usage_prompt_cache_read_tokens

	Refresh   Duration  `yaml:"refresh,omitempty"` // how often the engine publishes, 0: at once
	Tick      Duration  `yaml:"tick,omitempty"`    // when the workers refresh, after S; default: each when it likes
	Collector Collector `yaml:"collector"`

	Start    int64    `yaml:"start,omitempty"`    // S, ns since the Unix epoch
	Duration Duration `yaml:"duration,omitempty"` // configured benchmark duration, 0: none

	Warmup    *Load     `yaml:"warmup,omitempty"`    // drawn requests of the warmup
	Profiling *Load     `yaml:"profiling,omitempty"` // drawn requests of the profiling phase
	Requests  []Request `yaml:"requests,omitempty"`  // and these

	Series []Series `yaml:"series,omitempty"` // hand-made counters instead of the engine's
	Faults []Fault  `yaml:"faults,omitempty"`
}

// A Collector says how AIPerf scraped.
type Collector struct {
	Version  string     `yaml:"version"`
	Interval Duration   `yaml:"interval,omitempty"` // default 333ms
	Latency  []Duration `yaml:"latency,omitempty"`  // least and most from request to first byte, default 2ms to 9ms
	Skew     []Duration `yaml:"skew,omitempty"`     // delay of each endpoint's clock, in order of the endpoints; missing ones are 0
	Slice    Duration   `yaml:"slice,omitempty"`    // default 1s
	NoSlices bool       `yaml:"no_slices,omitempty"`
	Straddle Duration   `yaml:"straddle,omitempty"` // 1.0.11: how far before S the first slice starts; default: drawn
	Handover Duration   `yaml:"handover,omitempty"` // from the end of the warmup to S, default 120ms
	Final    Duration   `yaml:"final,omitempty"`    // from E to the final scrape, default 150ms
}

// A Request is one request. Hits are tokens of the prompt: what was found in
// GPU memory, beyond that in the CPU tier, and beyond that in a remote store
// (vLLM).
type Request struct {
	Warmup  bool     `yaml:"warmup,omitempty"`
	At      Duration `yaml:"at"` // client start after S; negative for warmup
	Queue   Duration `yaml:"queue,omitempty"`
	Prefill Duration `yaml:"prefill"` // from admission to the first token
	Decode  Duration `yaml:"decode"`  // from the first token to the end
	Prompt  int64    `yaml:"prompt"`
	Output  int64    `yaml:"output,omitempty"` // default 1
	GPU     int64    `yaml:"gpu,omitempty"`
	CPU     int64    `yaml:"cpu,omitempty"`
	Store   int64    `yaml:"store,omitempty"`
	Local   int64    `yaml:"local,omitempty"` // P/D: tokens the decode worker held already; no hit
	Outcome string   `yaml:"outcome,omitempty"`
	Worker  int      `yaml:"worker,omitempty"` // prefill or unified worker, from 0
	Rank    int      `yaml:"rank,omitempty"`
}

// A Series is one hand-made counter: its raw values at each scrape interval
// from the first scrape on, in promtool's notation (see [ParseValues]).
type Series struct {
	Endpoint int               `yaml:"endpoint"` // position in the run's endpoints
	Name     string            `yaml:"name"`
	Labels   map[string]string `yaml:"labels,omitempty"`
	Values   string            `yaml:"values"`
}

// A Fault is one injected fault: its slug and, where the fault has one, its
// size.
type Fault struct {
	Slug string `yaml:"fault"`
	Size int64  `yaml:"size,omitempty"` // 0: the fault's default
}

// A Duration is a time span in a spec, written as Go writes it ("333ms").
type Duration time.Duration

// MarshalYAML writes the duration as text.
func (d Duration) MarshalYAML() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// UnmarshalYAML reads the duration from text; its error has line and column.
func (d *Duration) UnmarshalYAML(node ast.Node) error {
	text := strings.Trim(strings.TrimSpace(node.String()), `"'`)
	v, err := time.ParseDuration(text)
	if err != nil {
		return &yaml.SyntaxError{Message: fmt.Sprintf("%q is no duration: write it like 333ms, 1.5s or -2s", text), Token: node.GetToken()}
	}
	*d = Duration(v)
	return nil
}

// A topology is a parsed Spec.Topology: so many unified workers, or prefill
// and decode workers.
type topology struct{ unified, prefill, decode int }

const maxWorkers = 64

// CheckTopology returns an error that says what a topology is written like,
// unless s is one.
func CheckTopology(s string) error {
	_, err := parseTopology(s)
	return err
}

func parseTopology(s string) (topology, error) {
	bad := fmt.Errorf("unknown topology %q: want unified, unified:N or nPmD as in 2p3d, with at most %d workers a role", s, maxWorkers)
	count := func(text string) int {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > maxWorkers {
			return 0
		}
		return n
	}
	if s == "unified" {
		return topology{unified: 1}, nil
	}
	if n, ok := strings.CutPrefix(s, "unified:"); ok && count(n) > 0 {
		return topology{unified: count(n)}, nil
	}
	p, d, ok := strings.Cut(strings.ToLower(s), "p")
	d, isD := strings.CutSuffix(d, "d")
	if !ok || !isD || count(p) == 0 || count(d) == 0 {
		return topology{}, bad
	}
	return topology{prefill: count(p), decode: count(d)}, nil
}

// accounted returns the number of workers that run prefill.
func (t topology) accounted() int { return t.unified + t.prefill }

// scraped is the topology of what is scraped: of a Dynamo run only the front
// end, whatever stands behind it.
func (s Spec) scraped() topology {
	if s.Engine == DYNAMO {
		return topology{unified: 1}
	}
	t, _ := parseTopology(s.Topology)
	return t
}

// withDefaults returns the spec with every default filled in.
func (s Spec) withDefaults() Spec {
	def := func(p *string, v string) {
		if *p == "" {
			*p = v
		}
	}
	span := func(p *Duration, v time.Duration) {
		if *p == 0 {
			*p = Duration(v)
		}
	}
	switch s.Engine {
	case VLLM:
		def(&s.Generation, Era2)
		def(&s.RanksAs, RanksLabels)
	case ATOM:
		def(&s.Generation, GenB)
		def(&s.RanksAs, RanksSummed)
	default:
		def(&s.RanksAs, RanksLabels)
	}
	s.Ranks = max(s.Ranks, 1)
	c := &s.Collector
	span(&c.Interval, 333*time.Millisecond)
	span(&c.Slice, time.Second)
	span(&c.Handover, 120*time.Millisecond)
	span(&c.Final, 150*time.Millisecond)
	if len(c.Latency) == 0 {
		c.Latency = []Duration{Duration(2 * time.Millisecond), Duration(9 * time.Millisecond)}
	}
	if s.Start == 0 {
		s.Start = defaultStart
	}
	s.Requests = slices.Clone(s.Requests)
	for i := range s.Requests {
		def(&s.Requests[i].Outcome, OK)
		s.Requests[i].Output = max(s.Requests[i].Output, 1)
	}
	return s
}

// defaultStart is S of a run that does not say: 2027-01-15T08:00:10 and an odd
// number of nanoseconds, so that no edge lies on a round number by chance.
const defaultStart = 1_800_000_010_123_456_789
