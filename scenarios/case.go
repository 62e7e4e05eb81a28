package scenarios

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/pdreplay/pdreplay/oracle"
	"github.com/pdreplay/pdreplay/replay"
	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// RunID is how events and expectation lists name the scenario's run.
func (s Scenario) RunID() string { return "scenarios/" + s.Name }

// A Case is a scenario whose script has run.
type Case struct {
	Scenario
	Run   *aiperf.Run // read by aiperf.Open from files in memory
	Files fs.FS       // of a run directory
	Want  Want
}

// Build runs the script, writes the run's files into memory and reads them as
// any run is read; sel is aiperf.Open's. An error is a mistake in the scenario.
func (s Scenario) Build(sel aiperf.Selection) (*Case, error) {
	r, want, err := s.play()
	if err != nil {
		return nil, err
	}
	return s.read(r, want, sel)
}

func (s Scenario) read(r *run, want Want, sel aiperf.Selection) (*Case, error) {
	c := &Case{Scenario: s, Files: r.fs(), Want: want}
	var err error
	if c.Run, err = aiperf.Open(c.Files, ".", sel); err != nil {
		return nil, fmt.Errorf("%s: reading the run that it built: %w", s.File(), err)
	}
	c.Run.ID = s.RunID()
	return c, nil
}

// Source is the scenario as replay.Run takes it: the run is built when it is
// opened, and the want is held against the oracle.
func (s Scenario) Source() replay.Source {
	src := replay.Source{
		ID:    s.RunID(),
		Again: []string{"pdreplay", "test", "--run", "^" + regexp.QuoteMeta(s.Name) + "$"},
	}
	r, want, err := s.play()
	if err != nil {
		src.Open = func() (*aiperf.Run, error) { return nil, err }
		return src
	}
	src.Open = func() (*aiperf.Run, error) {
		c, err := s.read(r, want, replay.Selects)
		if err != nil {
			return nil, err
		}
		return c.Run, nil
	}
	src.Check = func(ev *oracle.Evidence, _ oracle.Verdict) error {
		if err := want.Check(ev); err != nil {
			return fmt.Errorf("%s: %w", s.File(), err)
		}
		return nil
	}
	return src
}

// Write writes the run as a plain directory: the files that any reader of
// AIPerf's artifacts takes, run.env, want.json and the story in story.txt. The
// directory must not exist yet.
func (c *Case) Write(dir string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		return fmt.Errorf("writing scenario %s: %w", c.Name, err)
	}
	if err := os.Mkdir(dir, 0o777); err != nil {
		return fmt.Errorf("writing scenario %s: %w", c.Name, err)
	}
	extra := map[string][]byte{
		"want.json": append(pretty(c.Want.json()), '\n'),
		"story.txt": []byte(c.Story + "\n"),
	}
	if err := os.CopyFS(dir, c.Files); err != nil {
		return fmt.Errorf("writing scenario %s: %w", c.Name, err)
	}
	for _, name := range slices.Sorted(maps.Keys(extra)) {
		if err := os.WriteFile(filepath.Join(dir, name), extra[name], 0o666); err != nil {
			return fmt.Errorf("writing scenario %s: %w", c.Name, err)
		}
	}
	return nil
}
