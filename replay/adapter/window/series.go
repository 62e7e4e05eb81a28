package window

import (
	"cmp"
	"fmt"
	"math"
	"path"
	"slices"

	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// A Fit is one series laid over the profiling window (rules 6 and 7).
type Fit struct {
	Inside float64 // sum of the slices that lie inside
	All    float64 // sum of all slices
	// Bad says why the series gives no in-window sum: it is invalid or missing,
	// or has an interior or a trailing gap. "" when it gives one.
	Bad     string
	Leading int64 // ns from S to the first slice, 0 when it begins in time

	Straddler *aiperf.Slice // start < S < end, left out of Inside
	Over      *aiperf.Slice // start < E < end, left out of Inside
}

// Lay lays the slices of one series over the window; they may be in any order.
func Lay(series []aiperf.Slice, w aiperf.Range) Fit {
	if bad := invalid(series); bad != "" {
		return Fit{Bad: bad}
	}
	byStart := func(a, b aiperf.Slice) int { return cmp.Compare(a.Start, b.Start) }
	sorted := series
	if !slices.IsSortedFunc(sorted, byStart) { // AIPerf's always are
		sorted = slices.Clone(series)
		slices.SortFunc(sorted, byStart)
	}
	for i := 1; i < len(sorted); i++ {
		if sorted[i].Start < sorted[i-1].End {
			return Fit{Bad: fmt.Sprintf("invalid: slices [%d, %d) and [%d, %d) overlap",
				sorted[i-1].Start, sorted[i-1].End, sorted[i].Start, sorted[i].End)}
		}
	}
	return tile(sorted, w)
}

// invalid says what is wrong with a slice of the series, before any cutting.
func invalid(series []aiperf.Slice) string {
	if len(series) == 0 {
		return "invalid: no slices"
	}
	for i, s := range series {
		if s.Start == aiperf.NoTime || s.End == aiperf.NoTime {
			return fmt.Sprintf("invalid: slice %d has no integer start_ns and end_ns", i)
		}
		if s.Start >= s.End {
			return fmt.Sprintf("invalid: slice %d starts at %d and ends at %d", i, s.Start, s.End)
		}
		f, ok := s.Value.Float()
		switch {
		case !ok:
			return fmt.Sprintf("invalid: slice %d has no number", i)
		case math.IsNaN(f) || math.IsInf(f, 0) || f < 0:
			return fmt.Sprintf("invalid: slice %d has %v", i, f)
		}
	}
	return ""
}

func tile(sorted []aiperf.Slice, w aiperf.Range) Fit {
	// None overlaps another, so those that overlap the window stand together.
	first := slices.IndexFunc(sorted, func(s aiperf.Slice) bool { return s.End > w.Start })
	if first < 0 {
		first = len(sorted)
	}
	cut := sorted[first:]
	if past := slices.IndexFunc(cut, func(s aiperf.Slice) bool { return s.Start >= w.End }); past >= 0 {
		cut = cut[:past]
	}
	if len(cut) == 0 {
		return Fit{Bad: "missing: no slice overlaps the window"}
	}
	fit := Fit{Leading: max(0, cut[0].Start-w.Start)}
	for _, s := range sorted {
		f, _ := s.Value.Float() // invalid saw to it
		fit.All += f
	}
	for i, s := range cut {
		if i > 0 && s.Start != cut[i-1].End {
			fit.Bad = fmt.Sprintf("interior gap [%d, %d)", cut[i-1].End, s.Start)
			return fit
		}
	}
	if last := cut[len(cut)-1]; last.End < w.End {
		fit.Bad = fmt.Sprintf("trailing gap [%d, %d)", last.End, w.End)
		return fit
	}
	for i, s := range cut {
		straddles, over := s.Start < w.Start, s.End > w.End
		if straddles {
			fit.Straddler = &cut[i]
		}
		if over {
			fit.Over = &cut[i]
		}
		if !straddles && !over {
			f, _ := s.Value.Float()
			fit.Inside += f
		}
	}
	return fit
}

// Proven reports whether the straddler, if there is one, is warmup: its delta
// is 0, or equals the total of the same series in warmup_metrics (rule 7).
func (f Fit) Proven(warmup aiperf.Value) bool {
	if f.Straddler == nil {
		return true
	}
	delta, _ := f.Straddler.Value.Float()
	total, ok := warmup.Float()
	return delta == 0 || ok && total == delta
}

// Overrun is what the slice over E holds, 0 without one.
func (f Fit) Overrun() float64 {
	if f.Over == nil {
		return 0
	}
	v, _ := f.Over.Value.Float()
	return v
}

// profiling returns the profiling phase of an export, and false when it has
// none that begins before it ends.
func profiling(e *aiperf.Export) (aiperf.Range, bool) {
	p := e.Profiling
	if p == nil || p.Start == aiperf.NoTime || p.End == aiperf.NoTime || p.Start >= p.End {
		return aiperf.Range{}, false
	}
	return *p, true
}

// InWindow lays the slices of each series over the profiling range of the
// export. Without one it refuses (rule 5), and no series has a sum.
func (rs *Refusals) InWindow(e *aiperf.Export) func(Counter, *aiperf.Series) Fit {
	w, ok := profiling(e)
	if !ok {
		rs.Nullify(WindowUnresolved, 5, path.Base(e.File)+"#/summary/phase_time_ranges", "the export has no profiling range")
		return func(Counter, *aiperf.Series) Fit { return Fit{Bad: "there is no window"} }
	}
	return func(c Counter, s *aiperf.Series) Fit { return Lay(c.slices(s), w) }
}
