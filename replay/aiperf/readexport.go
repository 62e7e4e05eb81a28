package aiperf

import (
	"io/fs"
	"slices"
)

// ReadExport reads server_metrics_export.json from the file name of fsys in one
// pass. It keeps the families that sel selects and checks the syntax of all
// else. The notes say what was kept although AIPerf does not write it.
//
// What is no JSON, is cut short, goes on behind its end, has a container of
// the wrong kind, two members of one name in an object that is read, or a time
// beyond int64 is a [*SyntaxError].
func ReadExport(fsys fs.FS, name string, sel Selection) (*Export, []Note, error) {
	e := &exportReader{export: &Export{File: name}, sel: sel}
	n := &notes{file: name}
	err := readJSON(fsys, name, n, func(s *scanner) {
		e.scanner = s
		e.root()
	})
	if err != nil {
		return nil, nil, err
	}
	return e.export, n.all(), nil
}

type exportReader struct {
	*scanner
	export *Export
	sel    Selection
	room   int // slices to make room for: as many as the series before had, within reason
}

func (r *exportReader) root() {
	e := r.export
	for name := range r.object() {
		switch name {
		case "schema_version":
			e.SchemaVersion = r.text()
		case "aiperf_version":
			e.AIPerfVersion = r.text()
		case "benchmark_id":
			e.BenchmarkID = r.text()
		case "summary":
			r.summary()
		case "metrics":
			e.Metrics = r.families(true)
		case "warmup_metrics":
			if !r.nothing() {
				e.HasWarmup = true
				e.WarmupMetrics = r.families(false)
			}
		case "input_config":
			e.BenchmarkDuration = r.configuredDuration()
		default:
			r.pass()
		}
	}
}

func (r *exportReader) summary() {
	e := r.export
	for name := range r.objectOrNothing() {
		switch name {
		case "endpoints_configured":
			for range r.arrayOrNothing() {
				e.EndpointsConfigured = append(e.EndpointsConfigured, r.text())
			}
		case "endpoint_info":
			for url := range r.objectOrNothing() {
				e.EndpointInfo = append(e.EndpointInfo, r.endpointInfo(url))
			}
		case "phase_time_ranges":
			r.phases()
		default:
			r.pass()
		}
	}
}

func (r *exportReader) endpointInfo(url string) EndpointInfo {
	info := EndpointInfo{URL: url, FirstFetch: NoTime, LastFetch: NoTime}
	for name := range r.objectOrNothing() {
		switch name {
		case "first_fetch_ns":
			info.FirstFetch = r.time()
		case "last_fetch_ns":
			info.LastFetch = r.time()
		case "median_update_interval_ms":
			info.MedianUpdateIntervalMS = r.value()
		default:
			r.pass()
		}
	}
	return info
}

func (r *exportReader) phases() {
	for name := range r.objectOrNothing() {
		switch name {
		case "profiling":
			r.export.Profiling = r.phase()
		case "warmup":
			r.export.Warmup = r.phase()
		default:
			r.pass()
		}
	}
}

func (r *exportReader) phase() *Range {
	if r.nothing() {
		return nil
	}
	p := &Range{NoTime, NoTime}
	for name := range r.object() {
		switch name {
		case "start_ns":
			p.Start = r.time()
		case "end_ns":
			p.End = r.time()
		default:
			r.pass()
		}
	}
	return p
}

// families reads metrics, or warmup_metrics without slices and without names.
func (r *exportReader) families(profiling bool) []Family {
	var list []Family
	for name := range r.objectOrNothing() {
		if profiling {
			r.export.Names = append(r.export.Names, name)
		}
		if r.sel != nil && !r.sel(name) {
			r.pass()
			continue
		}
		list = append(list, r.family(name, profiling))
	}
	return list
}

func (r *exportReader) family(name string, slices bool) Family {
	f := familyReader{exportReader: r, Family: Family{Name: name}, slices: slices}
	for member := range r.objectOrNothing() {
		switch member {
		case "type":
			f.Type = r.text()
			f.typed = true
		case "series":
			for range r.arrayOrNothing() {
				f.series()
			}
		default:
			r.pass()
		}
	}
	f.settle()
	return f.Family
}

// A familyReader reads one family. A slice has total, sum or avg by the
// family's type; the type stands first in every file that AIPerf writes, but
// where it does not, the three are kept until it is known.
type familyReader struct {
	*exportReader
	Family
	slices  bool
	typed   bool
	untyped [][]sliceValues // by series, what was read before the type
}

// sliceValues are the statistics of one slice.
type sliceValues struct{ total, sum, avg, count Value }

func (f *familyReader) series() {
	s := Series{At: f.pointer()}
	var untyped []sliceValues
	for name := range f.object() {
		switch {
		case name == "endpoint_url":
			s.Endpoint = f.text()
		case name == "labels":
			s.Labels = f.labels()
		case name == "stats":
			s.Stats = f.stats()
		case name == "timeslices" && f.slices:
			if s.HasSlices = !f.nothing(); s.HasSlices {
				untyped = f.timeslices(&s)
			}
		default:
			f.pass()
		}
	}
	f.Series = append(f.Series, s)
	f.untyped = append(f.untyped, untyped)
}

func (r *exportReader) labels() map[string]string {
	var labels map[string]string
	for name := range r.objectOrNothing() {
		if labels == nil {
			labels = make(map[string]string)
		}
		labels[name] = r.text()
	}
	return labels
}

func (r *exportReader) stats() Stats {
	var s Stats
	for name := range r.objectOrNothing() {
		switch name {
		case "total":
			s.Total = r.value()
		case "sum":
			s.Sum = r.value()
		case "count":
			s.Count = r.value()
		case "max":
			s.Max = r.value()
		case "avg":
			s.Avg = r.value()
		case "rate":
			s.Rate = r.value()
		default:
			r.pass()
		}
	}
	return s
}

func (f *familyReader) timeslices(s *Series) (untyped []sliceValues) {
	for range f.array() {
		slice, values := f.slice()
		if s.Slices == nil {
			s.Slices = make([]Slice, 0, f.room)
		}
		s.Slices = append(s.Slices, slice)
		if f.typed {
			f.place(s, len(s.Slices)-1, values)
		} else {
			untyped = append(untyped, values)
		}
	}
	// Few, or a file of many short series after a long one would take more
	// memory than it holds.
	f.room = min(len(s.Slices), 64)
	s.Slices = slices.Clip(s.Slices)
	return untyped
}

func (f *familyReader) slice() (Slice, sliceValues) {
	t := Slice{Start: NoTime, End: NoTime}
	var v sliceValues
	var start, end bool
	for name := range f.object() {
		switch name {
		case "start_ns":
			t.Start, start = f.time(), true
		case "end_ns":
			t.End, end = f.time(), true
		case "total":
			v.total = f.value()
		case "sum":
			v.sum = f.value()
		case "avg":
			v.avg = f.value()
		case "count":
			v.count = f.value()
		default:
			f.pass()
		}
	}
	if !start || !end {
		f.note("a time slice without start_ns or end_ns")
	}
	return t, v
}

// place puts the statistics of slice i where the family's type has them.
func (f *familyReader) place(s *Series, i int, v sliceValues) {
	switch f.Type {
	case "counter":
		s.Slices[i].Value = v.total
	case "histogram":
		s.Slices[i].Value = v.sum
		s.Counts = append(s.Counts, v.count)
	default:
		s.Slices[i].Value = v.avg
	}
}

// settle places what was read before the type was known.
func (f *familyReader) settle() {
	for i := range f.Series {
		for j, v := range f.untyped[i] {
			f.place(&f.Series[i], j, v)
		}
	}
}
