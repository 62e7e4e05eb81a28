package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/pdreplay/pdreplay/replay"
)

// Merge adds up the events of replays that divided the work between them, by
// runs (--shard) or by adapters. The results of several come in the order of
// the runs' names, those of one stay as they are. What does not add up is
// refused: another corpus, seed or contract, or a result that stands twice.
func Merge(parts []Events) (Events, error) {
	if len(parts) == 1 {
		return parts[0], nil
	}
	m := merger{first: parts[0], runs: map[string]bool{}, seen: map[[2]string]placed{}}
	for _, p := range parts {
		if err := m.add(p); err != nil {
			return Events{}, fmt.Errorf("merging %s: %w", p.Name, err)
		}
	}
	if err := m.whole(); err != nil {
		return Events{}, err
	}
	slices.SortStableFunc(m.sum.Results, func(a, b replay.Result) int { return cmp.Compare(a.Run, b.Run) })
	slices.SortStableFunc(m.sum.Runs, func(a, b replay.RunEvent) int { return cmp.Compare(a.Run, b.Run) })
	s := m.tally.Summary()
	s.Corpus, s.Seed = m.first.Summary.Corpus, m.first.Summary.Seed
	s.Contradictions = append(s.Contradictions, m.sum.Summary.Contradictions...)
	s.Interrupted, s.Stopped = m.sum.Summary.Interrupted, m.sum.Summary.Stopped
	m.sum.Summary = s
	return m.sum, nil
}

type merger struct {
	first Events
	sum   Events
	tally replay.Tally
	runs  map[string]bool
	seen  map[[2]string]placed // by run and adapter

	shards []int // how often each part stands
}

// A placed result is one that was seen, and where.
type placed struct {
	replay.Result
	file string
}

func (m *merger) add(p Events) error {
	if err := m.fits(p); err != nil {
		return err
	}
	if err := m.countShard(p); err != nil {
		return err
	}
	for _, r := range p.Runs {
		if !m.runs[r.Run] { // replays of several adapters share the runs
			m.runs[r.Run] = true
			m.sum.Runs = append(m.sum.Runs, r)
		}
	}
	for _, r := range p.Results {
		key := [2]string{r.Run, string(r.Adapter)}
		before, twice := m.seen[key]
		if twice && sameRunAlone(before.Result, r) {
			continue // about the run, which both replays met
		}
		if twice {
			return fmt.Errorf("%s stands in %s already and would count twice", what(r), before.file)
		}
		m.seen[key] = placed{r, p.Name}
		m.sum.Results = append(m.sum.Results, r)
		m.tally.Add(r)
	}
	s := &m.sum.Summary
	for _, c := range p.Summary.Contradictions {
		if !slices.Contains(s.Contradictions, c) { // replays of several adapters share the oracle
			s.Contradictions = append(s.Contradictions, c)
		}
	}
	s.Interrupted = s.Interrupted || p.Summary.Interrupted
	s.Stopped = s.Stopped || p.Summary.Stopped
	return nil
}

// fits reports why a part does not belong to the first one.
func (m *merger) fits(p Events) error {
	a, b := m.first.Summary, p.Summary
	if a.Corpus != b.Corpus {
		return m.other("corpus", string(a.Corpus), string(b.Corpus))
	}
	if seedText(a.Seed) != seedText(b.Seed) {
		return m.other("seed", seedText(a.Seed), seedText(b.Seed))
	}
	if len(p.Results) > 0 && len(m.sum.Results) > 0 && p.Results[0].Contract != m.sum.Results[0].Contract {
		return m.other("contract", m.sum.Results[0].Contract, p.Results[0].Contract)
	}
	return nil
}

// countShard notes which part of how many the events are.
func (m *merger) countShard(p Events) error {
	if p.Summary.Shard == "" {
		return nil
	}
	var i, n int
	if _, err := fmt.Sscanf(string(p.Summary.Shard), "%d/%d", &i, &n); err != nil || i < 1 || i > n || n > mostShards {
		return fmt.Errorf("its shard is %q, not I/N", p.Summary.Shard)
	}
	if m.shards == nil {
		m.shards = make([]int, n)
	}
	if n != len(m.shards) {
		return fmt.Errorf("its shard is one of %d, others are of %d", n, len(m.shards))
	}
	m.shards[i-1]++
	return nil
}

// mostShards keeps a summary that somebody wrote by hand from taking memory.
const mostShards = 100_000

// whole finds a shard that is missing: a sum without it looks like the whole.
// Replays that divide adapters too have each shard once an adapter.
func (m *merger) whole() error {
	for i, n := range m.shards {
		if most := slices.Max(m.shards); n < most {
			return fmt.Errorf("merging: shard %d/%d is missing (it stands %d times, others %d): the sum would look whole", i+1, len(m.shards), n, most)
		}
	}
	return nil
}

func (m *merger) other(thing, a, b string) error {
	return fmt.Errorf("its %s is %s, that of %s is %s: only results of one %s add up", thing, cmp.Or(b, "none"), m.first.Name, cmp.Or(a, "none"), thing)
}

func seedText(seed *uint64) string {
	if seed == nil {
		return ""
	}
	return strconv.FormatUint(*seed, 10)
}

// sameRunAlone reports whether both results are about a run that no adapter
// was asked about, and say the same of it.
func sameRunAlone(a, b replay.Result) bool {
	return b.Adapter == "" && a.Outcome == b.Outcome && a.Error == b.Error && slices.Equal(a.Reasons, b.Reasons)
}

func what(r replay.Result) string {
	if r.Adapter == "" {
		return r.Run
	}
	return fmt.Sprintf("%s of %s", r.Run, r.Adapter)
}
