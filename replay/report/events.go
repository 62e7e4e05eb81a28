package report

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/go-json-experiment/json"

	"github.com/pdreplay/pdreplay/replay"
)

// Events are what one replay emitted: what [JSON] writes, read back.
type Events struct {
	Name    string // of the file, for errors
	Runs    []replay.RunEvent
	Results []replay.Result
	Summary replay.Summary
}

// Each calls run and result with the events in the order in which a replay
// emits them: each run before its results.
func (e Events) Each(run func(replay.RunEvent) error, result func(replay.Result) error) error {
	runs := e.Runs
	upTo := func(n int) error {
		for _, r := range runs[:n] {
			if err := run(r); err != nil {
				return err
			}
		}
		runs = runs[n:]
		return nil
	}
	for _, r := range e.Results {
		if err := upTo(1 + slices.IndexFunc(runs, func(x replay.RunEvent) bool { return x.Run == r.Run })); err != nil {
			return err
		}
		if err := result(r); err != nil {
			return err
		}
	}
	return upTo(len(runs))
}

// Read reads the events of one replay or, where files were put behind each
// other, of several. An error names file and line: a line that is no event, an
// event of another version, results without a summary behind them, or with one
// that counts something else. Fields that this version does not know are
// passed over, as [replay.EventVersion] has it.
func Read(r io.Reader, name string) ([]Events, error) {
	var all []Events
	e := Events{Name: name}
	lines := bufio.NewReader(r)
	for n := 1; ; n++ {
		line, err := lines.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("reading events: %w", err)
		}
		if len(bytes.TrimSpace(line)) > 0 {
			whole, lineErr := e.add(line)
			if lineErr != nil {
				return nil, fmt.Errorf("%s:%d: %w", name, n, lineErr)
			}
			if whole {
				all, e = append(all, e), Events{Name: name}
			}
		}
		if err != nil {
			break
		}
	}
	switch {
	case len(e.Results)+len(e.Runs) > 0:
		return nil, fmt.Errorf("%s: no summary behind the last %s: the replay or its file was cut off", name, count(len(e.Results), "result"))
	case len(all) == 0:
		return nil, fmt.Errorf("%s: no events: want what --format json writes", name)
	}
	return all, nil
}

// add takes one line, and says whether the events are whole with it.
func (e *Events) add(line []byte) (whole bool, err error) {
	var head struct {
		V    int    `json:"v"`
		Type string `json:"type"`
	}
	if err := json.Unmarshal(line, &head); err != nil {
		return false, fmt.Errorf("no event: want what --format json writes: %w", err)
	}
	if head.V != replay.EventVersion {
		return false, fmt.Errorf("an event of version %d: this pdreplay reads version %d", head.V, replay.EventVersion)
	}
	switch head.Type {
	case "run":
		var r replay.RunEvent
		if err := json.Unmarshal(line, &r); err != nil {
			return false, fmt.Errorf("reading a run: %w", err)
		}
		e.Runs = append(e.Runs, r)
		return false, nil
	case "result":
		var r replay.Result
		if err := json.Unmarshal(line, &r); err != nil {
			return false, fmt.Errorf("reading a result: %w", err)
		}
		if err := check(r); err != nil {
			return false, err
		}
		e.Results = append(e.Results, r)
		return false, nil
	case "summary":
		if err := json.Unmarshal(line, &e.Summary); err != nil {
			return false, fmt.Errorf("reading a summary: %w", err)
		}
		return true, e.checkSums()
	}
	return false, fmt.Errorf("an event of type %q: this pdreplay reads run, result and summary", head.Type)
}

// check refuses what no replay emits and reports cannot show.
func check(r replay.Result) error {
	outcomes := []replay.Outcome{replay.Answered, replay.Failed, replay.TimedOut, replay.Skipped}
	switch {
	case !slices.Contains(outcomes, r.Outcome):
		return fmt.Errorf("a result with the outcome %q", r.Outcome)
	case r.Outcome != replay.Answered:
		return nil
	case !slices.Contains(replay.Classes(), replay.Class(r.Class)):
		return fmt.Errorf("a result of the class %q", r.Class)
	case r.Oracle == nil:
		return errors.New("a judged result without what it was judged by (oracle)")
	}
	return nil
}

// checkSums finds lines that were lost or doubled.
func (e *Events) checkSums() error {
	var t replay.Tally
	for _, r := range e.Results {
		t.Add(r)
	}
	got, want := sums(t.Summary()), sums(e.Summary)
	if got != want {
		return fmt.Errorf("the summary counts %s, the results above it are %s: lines were lost or added", want, got)
	}
	return nil
}

func sums(s replay.Summary) string {
	return fmt.Sprintf("%d passed, %d failed, %d skipped, %d undecided, %d errors, %d rows reproduced, %d not",
		s.Passed, s.Failed, s.Skipped, s.Undecided, s.Errors, s.ParityHeld, s.ParityBroken)
}
