package scenarios

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A selector names series: NAMES[@HOST:PORT][{label=value,...}].
type selector struct {
	names    []string // words of counterWords or family names; nil is *
	endpoint string   // host:port, "" is any
	labels   []pair   // all of them must match
}

// counterWords are the short names of families, in the order of README.md. The
// first five are ATOM counters and find all four spellings.
func counterWords() []pair {
	return []pair{
		{"FULL", "prefix_cache_full_tokens"},
		{"CACHED", "prefix_cache_cached_tokens"},
		{"OFFLOAD", "prefix_cache_offload_tokens"},
		{"LOADED", "lmcache_loaded_tokens"},
		{"REQUESTS", "prefix_cache_requests"},

		{"QUERIES", "vllm:prefix_cache_queries"},
		{"HITS", "vllm:prefix_cache_hits"},
		{"EXTERNAL_QUERIES", "vllm:external_prefix_cache_queries"},
		{"EXTERNAL_HITS", "vllm:external_prefix_cache_hits"},
		{"PROMPT", "vllm:prompt_tokens"},
		{"BY_SOURCE", "vllm:prompt_tokens_by_source"},
		{"SUCCESS", "vllm:request_success"},
	}
}

// family returns the family that a word stands for, "" for what is no word.
func family(word string) string {
	for _, w := range counterWords() {
		if w.key == word {
			return w.value
		}
	}
	return ""
}

func parseSelector(text string) (selector, error) {
	var sel selector
	rest, labels, ok := strings.Cut(text, "{")
	if ok {
		inner, closed := strings.CutSuffix(labels, "}")
		if !closed {
			return sel, fmt.Errorf("%w: %q has no closing brace", errUsage, text)
		}
		list, err := pairs(strings.Split(inner, ","))
		if err != nil {
			return sel, err
		}
		for _, p := range list {
			sel.labels = append(sel.labels, pair{p[0], p[1]})
		}
	}
	names, endpoint, _ := strings.Cut(rest, "@")
	sel.endpoint = endpoint
	if names != "*" && names != "" {
		sel.names = strings.Split(names, ",")
	}
	return sel, nil
}

// find returns the series of metrics that a selector names. None is an error:
// an edit that changes nothing is a mistake in the scenario.
func (r *run) find(text string) ([]*series, error) {
	sel, err := parseSelector(text)
	if err != nil {
		return nil, err
	}
	var found []*series
	for _, s := range r.metrics {
		if sel.matches(s) {
			found = append(found, s)
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("no series matches %s", text)
	}
	return found, nil
}

func (sel selector) matches(s *series) bool {
	if sel.names != nil && !slices.ContainsFunc(sel.names, s.isNamed) {
		return false
	}
	if sel.endpoint != "" && s.endpoint != url(sel.endpoint) {
		return false
	}
	for _, want := range sel.labels {
		if !slices.Contains(s.labels, want) {
			return false
		}
	}
	return true
}

// isNamed reports whether a word or family name means the series.
func (s *series) isNamed(name string) bool {
	meant := family(name)
	return s.name == name || (meant != "" && (s.name == meant || bareName(s.name) == meant))
}

// bareName strips what ATOM's four spellings differ in.
func bareName(name string) string {
	for _, prefix := range []string{"atom:", "atom_"} {
		if bare, ok := strings.CutPrefix(name, prefix); ok {
			return strings.TrimSuffix(bare, "_total")
		}
	}
	return name
}

// retarget gives a series another name, endpoint or labels; what the target
// does not say stays. A * in its name stands for the bare name.
func (s *series) retarget(text string) error {
	to, err := parseSelector(text)
	if err != nil {
		return err
	}
	if len(to.names) > 1 {
		return fmt.Errorf("%w: %q has more than one name", errUsage, text)
	}
	for _, name := range to.names {
		if family(name) == "" {
			s.name = strings.ReplaceAll(name, "*", bareName(s.name))
		} else if !s.isNamed(name) {
			return fmt.Errorf("%s is a word for any spelling: write the family's name in full", name)
		}
	}
	if to.endpoint != "" {
		s.endpoint = url(to.endpoint)
	}
	for _, p := range to.labels {
		s.labels = slices.DeleteFunc(slices.Clone(s.labels), func(old pair) bool { return old.key == p.key })
		s.labels = sortedLabels(append(s.labels, p))
	}
	return nil
}

func (s *series) clone() *series {
	c := *s
	c.labels, c.slices = slices.Clone(s.labels), slices.Clone(s.slices)
	return &c
}

func sortedLabels(labels []pair) []pair {
	slices.SortFunc(labels, func(a, b pair) int { return cmp.Compare(a.key, b.key) })
	return labels
}

// sort puts families into the order of the file, by code point, and the series
// of one family behind each other; within a family the order stays.
func (r *run) sort() {
	byName := func(a, b *series) int { return cmp.Compare(a.name, b.name) }
	slices.SortStableFunc(r.metrics, byName)
	slices.SortStableFunc(r.warmupMetrics, byName)
}
