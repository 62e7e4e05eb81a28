package check

import (
	"context"
	"fmt"
	"hash/fnv"
	"strings"

	"github.com/pdreplay/pdreplay/replay"
	"github.com/pdreplay/pdreplay/replay/adapter"
	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// everyNth is how often a run is asked about twice: often enough that an
// answer which changes is met within seconds, seldom enough that an external
// adapter is not slowed down.
const everyNth = 8

// A repeated adapter is asked a second time about some of the runs. It fails
// where the second answer is another.
type repeated struct{ adapter.Adapter }

func twice(list []adapter.Adapter) []adapter.Adapter {
	var all []adapter.Adapter
	for _, a := range list {
		all = append(all, repeated{a})
	}
	return all
}

// Derive implements [adapter.Adapter].
func (r repeated) Derive(ctx context.Context, run *aiperf.Run) (adapter.Answer, error) {
	first, err := r.Adapter.Derive(ctx, run)
	hash := fnv.New32a()
	hash.Write([]byte(run.ID)) // never fails
	if err != nil || hash.Sum32()%everyNth != 0 {
		return first, err
	}
	second, err := r.Adapter.Derive(ctx, run)
	if err != nil {
		return first, fmt.Errorf("%sit answered %s, then failed: %w", flakyPrefix, words(first), err)
	}
	if a, b := words(first), words(second); a != b {
		return first, fmt.Errorf("%sit answered %s, then %s", flakyPrefix, a, b)
	}
	return first, nil
}

// flakyPrefix begins the error of an adapter that answers differently when it
// is asked again.
const flakyPrefix = "flaky, two identical calls: "

func flaky(r replay.Result) bool {
	return r.Outcome == replay.Failed && strings.HasPrefix(string(r.Error), flakyPrefix)
}

// words are what counts of an answer.
func words(a adapter.Answer) string {
	var b strings.Builder
	for i, rate := range a.Rates.List() {
		text := "null"
		if rate != nil {
			text = fmt.Sprint(adapter.Round(*rate))
		}
		fmt.Fprintf(&b, "%s %s ", adapter.RateNames[i], text)
	}
	status, priced := a.Status, "without a record"
	if status == "" {
		status = "no status"
	}
	if a.Eligible != nil {
		priced = fmt.Sprintf("priced %t", *a.Eligible)
	}
	fmt.Fprintf(&b, "%s, %s", status, priced)
	return b.String()
}
