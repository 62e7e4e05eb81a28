package generator

import (
	"fmt"
	"maps"
	"slices"

	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// checkSeries checks the hand-made series.
func (s Spec) checkSeries() error {
	if len(s.Series) == 0 {
		return nil
	}
	t := s.scraped()
	n := t.accounted() + t.decode
	switch {
	case s.Mesh:
		n = 1
	case s.RanksAs == RanksEndpoints:
		n *= s.Ranks
	}
	if s.Dynamo {
		n++
	}
	for i, m := range s.Series {
		at := func(name string) string { return fmt.Sprintf("series[%d].%s", i, name) }
		if m.Endpoint < 0 || m.Endpoint >= n {
			return wrong(at("endpoint"), "%d is not allowed: want 0 to %d", m.Endpoint, n-1)
		}
		if m.Name == "" {
			return wrong(at("name"), "want the name of a counter without _total, as it stands in the export")
		}
		if values, err := parseValues(m.Values); err != nil {
			return wrong(at("values"), "%v", err)
		} else if len(values) == 0 {
			return wrong(at("values"), `want at least one value, as in "0+100x10 _x3 5"`)
		}
	}
	return nil
}

// handMade replaces the engine's series by the spec's. The requests then only
// make the records.
func (b *build) handMade() {
	if len(b.spec.Series) == 0 {
		return
	}
	help := map[string]counterDef{}
	for _, def := range b.fleet.counters {
		help[def.name] = def
	}
	for i := range b.endpoints {
		b.endpoints[i].series = nil
	}
	for _, m := range b.spec.Series {
		def := help[m.Name]
		def.name, def.labels = m.Name, nil
		for _, name := range slices.Sorted(maps.Keys(m.Labels)) {
			def.labels = append(def.labels, aiperf.Label{Name: name, Value: m.Labels[name]})
		}
		values, err := parseValues(m.Values)
		if err != nil {
			panic("hand-made values were checked: " + err.Error()) // cannot happen
		}
		e := &b.endpoints[m.Endpoint]
		e.series = append(e.series, seriesRef{def: def, made: values})
	}
}
