package oracle

import "fmt"

// A Witness is the client's own account of cached tokens: the second witness,
// and the theoretical rate of an infinite cache as a ceiling.
type Witness struct {
	Has         bool    // every successful record carries usage_prompt_cache_read_tokens
	Rate        float64 // their sum over the prompt tokens
	Contradicts bool    // it lies outside the true interval of overall
	Ceiling     float64 // theoretical rate, 0 when the aggregate has none
	Notes       []string
}

func (ev *Evidence) hearWitness() Witness {
	var w Witness
	if ev.run.Records == nil || ev.scope.successful == 0 || ev.scope.without > 0 || ev.scope.prompt <= 0 {
		return w
	}
	var cached float64
	w.Has = true
	for _, r := range ev.run.Records.List {
		if !r.Successful() {
			continue
		}
		c, ok := r.CacheReadTokens.Float()
		w.Has = w.Has && ok
		cached += c
	}
	if w.Has {
		w.Rate = cached / ev.scope.prompt
		if t := ev.True; t.Why == "" && !(w.Rate >= t.Rates.Overall.Lo && w.Rate <= t.Rates.Overall.Hi) {
			w.Contradicts = true
			w.Notes = append(w.Notes, fmt.Sprintf("the client reports %s of its prompt tokens as cached, the counters allow %s: one of them is wrong",
				formatRate(w.Rate), t.Rates.Overall))
		}
	}
	if a := ev.run.Aggregate; a != nil {
		hits, ok1 := a.TheoreticalHits.Float()
		blocks, ok2 := a.TheoreticalBlocks.Float()
		if ok1 && ok2 && blocks > 0 {
			w.Ceiling = hits / blocks
			if low := ev.Observed.Overall.Lo; ev.observedWhy == "" && low > w.Ceiling {
				w.Notes = append(w.Notes, fmt.Sprintf("the observed rate is at least %s, above the theoretical %s of an infinite cache", formatRate(low), formatRate(w.Ceiling)))
			}
		}
	}
	return w
}
