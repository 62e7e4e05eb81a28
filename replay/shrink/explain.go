package shrink

import "context"

// A Part is something of a value that could be otherwise.
type Part[T any] struct {
	Name     string
	Variants []T // the value with that part changed, in as many ways as are worth trying
}

// A Matter says whether a part of a value matters to the case.
type Matter struct {
	Part  string
	Tried int // variants
	Kept  int // of these, how many still are the case
}

// Irrelevant reports whether every variant still was the case.
func (m Matter) Irrelevant() bool { return m.Tried > 0 && m.Kept == m.Tried }

// Explain tries every variant of every part and says which keep the case. The
// error is keep's or that of ctx.
func Explain[T any](ctx context.Context, parts []Part[T], keep Predicate[T], jobs int) ([]Matter, error) {
	var matters []Matter
	for _, p := range parts {
		m := Matter{Part: p.Name, Tried: len(p.Variants)}
		for i := 0; i < len(p.Variants); i += max(1, jobs) {
			kept, err := evaluate(ctx, keep, p.Variants[i:min(len(p.Variants), i+max(1, jobs))])
			if err != nil {
				return matters, err
			}
			for _, ok := range kept {
				if ok {
					m.Kept++
				}
			}
		}
		matters = append(matters, m)
	}
	return matters, nil
}
