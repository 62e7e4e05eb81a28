package generator

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// A FieldError says what is wrong with a spec and where: Path is the place as
// a YAML path, "$.collector.version".
type FieldError struct {
	Path string
	Text string
}

func (e *FieldError) Error() string { return e.Path + ": " + e.Text }

func wrong(path, format string, args ...any) error {
	return &FieldError{"$." + path, fmt.Sprintf(format, args...)}
}

// oneOf refuses a word that is not on the list, and names the list.
func oneOf(path, word string, allowed ...string) error {
	if slices.Contains(allowed, word) {
		return nil
	}
	return wrong(path, "%q is not allowed: want one of %s", word, strings.Join(allowed, ", "))
}

// Check reports the first thing that is wrong with the spec, as a *FieldError.
func (s Spec) Check() error {
	s = s.withDefaults()
	for _, check := range []func() error{s.checkEngine, s.checkCollector, s.checkTimes, s.checkLoads, s.checkRequests, s.checkSeries, s.checkFaults} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (s Spec) checkEngine() error {
	if s.Version != FormatVersion {
		return wrong("version", "format version %d is unknown: this program reads version %d", s.Version, FormatVersion)
	}
	if err := oneOf("engine", s.Engine, Engines()...); err != nil {
		return err
	}
	if _, err := parseTopology(s.Topology); err != nil {
		return wrong("topology", "%v", err)
	}
	generations, modes := []string{GenA, GenB}, []string{RanksSummed, RanksLabels, RanksEndpoints}
	switch s.Engine {
	case ATOM:
	case VLLM:
		generations, modes = []string{Era1, Era2}, []string{RanksLabels, RanksEndpoints}
	default:
		generations, modes = []string{""}, []string{RanksLabels}
	}
	if err := oneOf("generation", s.Generation, generations...); err != nil {
		return err
	}
	if err := oneOf("ranks_as", s.RanksAs, modes...); err != nil {
		return err
	}
	if s.Ranks > maxWorkers {
		return wrong("ranks", "%d ranks are too many: want at most %d", s.Ranks, maxWorkers)
	}
	if s.Ranks > 1 && (s.Engine == TRTLLM || s.Engine == DYNAMO) {
		return wrong("ranks", "%s shows no data-parallel ranks: want 1", s.Engine)
	}
	if s.Dynamo && (s.Engine == ATOM || s.Engine == DYNAMO) {
		return wrong("dynamo", "%s has no Dynamo front end beside its workers: want vllm, sglang or trtllm", s.Engine)
	}
	if s.Mesh && s.Engine != ATOM {
		return wrong("mesh", "only atom is served through Atomesh")
	}
	if s.Mesh && s.RanksAs == RanksEndpoints {
		return wrong("ranks_as", "Atomesh merges all workers into one endpoint: want summed or labels")
	}
	if s.Engine != ATOM && s.Refresh != 0 {
		return wrong("refresh", "%s shows every event at once: want 0s", s.Engine)
	}
	return nil
}

func (s Spec) checkCollector() error {
	c := s.Collector
	if err := oneOf("collector.version", c.Version, V1011, V1012, Upstream, V10); err != nil {
		return err
	}
	const most = Duration(10 * time.Minute)
	for _, d := range []struct {
		name      string
		v, lo, hi Duration
	}{
		{"interval", c.Interval, Duration(10 * time.Millisecond), most},
		{"slice", c.Slice, Duration(time.Millisecond), most},
		{"handover", c.Handover, 1, most},
		{"final", c.Final, 1, most},
		{"straddle", c.Straddle, 0, c.Slice - 1},
	} {
		if d.v < d.lo || d.v > d.hi {
			return wrong("collector."+d.name, "%v is not allowed: want %v to %v", time.Duration(d.v), time.Duration(d.lo), time.Duration(d.hi))
		}
	}
	if len(c.Latency) != 2 || c.Latency[0] < 0 || c.Latency[0] > c.Latency[1] || c.Latency[1] > most {
		return wrong("collector.latency", "want the least and the most, as in [2ms, 9ms]")
	}
	for i, d := range c.Skew {
		if d < 0 || d > c.Interval {
			return wrong(fmt.Sprintf("collector.skew[%d]", i), "%v is not allowed: want 0s to the interval", time.Duration(d))
		}
	}
	return nil
}

func (s Spec) checkTimes() error {
	if s.Start < int64(time.Hour) || s.Start > 1<<62 {
		return wrong("start", "%d is not allowed: want nanoseconds since 1970", s.Start)
	}
	if s.Duration < 0 || s.Duration > Duration(24*time.Hour) {
		return wrong("duration", "%v is not allowed: want 0s to 24h", time.Duration(s.Duration))
	}
	if s.Refresh < 0 || s.Refresh > Duration(10*time.Minute) {
		return wrong("refresh", "%v is not allowed: want 0s to 10m", time.Duration(s.Refresh))
	}
	if s.Tick < 0 || s.Tick > s.Refresh {
		return wrong("tick", "%v is not allowed: want 0s to the refresh", time.Duration(s.Tick))
	}
	if s.Profiling == nil && len(s.Requests) == 0 && len(s.Series) == 0 {
		return wrong("profiling", "the run has no requests: want profiling, requests or series")
	}
	return nil
}

func (s Spec) checkRequests() error {
	t, _ := parseTopology(s.Topology)
	for i, r := range s.Requests {
		at := func(name string) string { return fmt.Sprintf("requests[%d].%s", i, name) }
		if err := oneOf(at("outcome"), r.Outcome, OK, Failed, Cancelled); err != nil {
			return err
		}
		const hour = Duration(time.Hour)
		for _, d := range []struct {
			name string
			v    Duration
		}{{"queue", r.Queue}, {"prefill", r.Prefill}, {"decode", r.Decode}} {
			if d.v < 0 || d.v > hour {
				return wrong(at(d.name), "%v is not allowed: want 0s to 1h", time.Duration(d.v))
			}
		}
		end := r.At + r.Queue + r.Prefill + r.Decode
		switch {
		case r.At < -24*hour || r.At > 24*hour:
			return wrong(at("at"), "%v is not allowed: want -24h to 24h", time.Duration(r.At))
		case r.Warmup && end > -s.Collector.Handover:
			return wrong(at("at"), "a warmup request must end by -%v (the handover), this one ends at %v", time.Duration(s.Collector.Handover), time.Duration(end))
		case !r.Warmup && r.At < 0:
			return wrong(at("at"), "%v is before the profiling phase: want 0s or later, or warmup: true", time.Duration(r.At))
		case r.Prompt < 1 || r.Prompt > 1<<40:
			return wrong(at("prompt"), "%d is not allowed: want 1 to 2^40 tokens", r.Prompt)
		case r.GPU < 0 || r.CPU < 0 || r.Store < 0 || r.GPU+r.CPU+r.Store > r.Prompt:
			return wrong(at("gpu"), "hits %d + %d + %d are not within the prompt of %d tokens", r.GPU, r.CPU, r.Store, r.Prompt)
		case r.Local < 0 || r.Local > r.Prompt:
			return wrong(at("local"), "%d is not within the prompt of %d tokens", r.Local, r.Prompt)
		case r.CPU+r.Store > 0 && !s.Offload:
			return wrong(at("cpu"), "a CPU or store hit needs offload: true")
		case r.Store > 0 && s.Engine == ATOM:
			return wrong(at("store"), "atom has no remote store")
		case r.Worker < 0 || r.Worker >= t.accounted():
			return wrong(at("worker"), "%d is not allowed: want 0 to %d", r.Worker, t.accounted()-1)
		case r.Rank < 0 || r.Rank >= s.Ranks:
			return wrong(at("rank"), "%d is not allowed: want 0 to %d", r.Rank, s.Ranks-1)
		}
	}
	return nil
}
