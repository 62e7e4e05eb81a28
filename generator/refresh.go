package generator

// A refresh is how an engine publishes its counters: what /metrics shows at t
// is the state of the last tick at or before t (export.md 3, item 10). The zero
// refresh shows every event at once.
type refresh struct{ period, offset int64 } // ns

// shown returns the time whose state is visible at t.
func (r refresh) shown(t int64) int64 {
	if r.period <= 0 {
		return t
	}
	d := (t - r.offset) % r.period
	if d < 0 {
		d += r.period
	}
	return t - d
}
