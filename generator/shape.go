package generator

// A shape is a collector generation applied to one run: which window and which
// samples each phase's statistics are made of (export.md 2.5).
type shape struct {
	version  string // a collector name: 1.0.11, 1.0.12, upstream, upstream-1.0
	phases   phases
	slice    int64 // ns, 0: off
	straddle int64 // start of the 1.0.11 grid, S - slice < straddle < S
	byTag    bool  // some endpoint has a scrape tagged profiling
}

// phases are the times of one run in ns: the bounds of the credit phases.
// Without a warmup w0 = w1 = 0.
type phases struct{ w0, w1, s, e int64 }

func (p phases) warm() bool { return p.w0 < p.w1 }

// profiling returns the samples that the statistics of a series over the
// profiling phase are made of, and their window; lastUpdate is that of its
// endpoint. It is false when the series has no sample in the phase.
func (h shape) profiling(s samples, lastUpdate int64) (samples, window, bool) {
	end := max(h.phases.e, lastUpdate)
	switch {
	case h.version == V1012 && h.byTag:
		return byTag(s, profiling, h.slice)
	case h.version == V1011 && h.phases.warm() && h.slice > 0:
		return h.straddling(s), window{h.straddle, end, h.slice}, true
	}
	return s, window{h.phases.s, end, h.slice}, true
}

// straddling returns the samples of the reported 1.0.11 shape: the last one
// before the warmup and those from S on, so that the first slice swallows the
// whole warmup.
func (h shape) straddling(s samples) samples {
	ref, from := s.before(h.phases.w0)-1, s.before(h.phases.s)
	if ref < 0 {
		return s.from(from, s.len())
	}
	n := s.len() - from + 1
	out := samples{make([]int64, 0, n), make([]phase, 0, n), make([]int64, 0, n)}
	for _, part := range []samples{s.from(ref, ref+1), s.from(from, s.len())} {
		out.ts, out.tag, out.v = append(out.ts, part.ts...), append(out.tag, part.tag...), append(out.v, part.v...)
	}
	return out
}

// warmup returns the samples and the window of a series over the warmup, for
// warmup_metrics. forced is the timestamp of the endpoint's end-of-warmup
// scrape, 0 when it failed.
func (h shape) warmup(s samples, forced int64) (samples, window, bool) {
	if !h.phases.warm() {
		return samples{}, window{}, false
	}
	switch h.version {
	case V10:
		return samples{}, window{}, false
	case V1012:
		return byTag(s, warmup, h.slice)
	case V1011:
		return s, window{h.phases.w0, max(h.phases.w1, forced), h.slice}, true
	}
	return s, window{h.phases.w0, h.phases.w1, h.slice}, true
}

func byTag(s samples, p phase, slice int64) (samples, window, bool) {
	use := s.tagged(p)
	n := use.len()
	if n == 0 {
		return samples{}, window{}, false
	}
	a := use.ts[0]
	if use.tag[0] != p {
		a = use.ts[1]
	}
	return use, window{a, use.ts[n-1], slice}, true
}
