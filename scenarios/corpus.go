package scenarios

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

//go:embed corpus/*.txtar
var files embed.FS

// A Scenario is one story: a script that builds a run, and one expectation.
type Scenario struct {
	Name  string // file name without ".txtar": "rule07-straddler-unproven"
	Story string // first comment line, without "# "
	Want  string // arguments of the want command, as the file has them

	src []byte
}

// File returns the scenario's path in the repository, for error messages.
func (s Scenario) File() string { return "scenarios/corpus/" + s.Name + ".txtar" }

// All returns the embedded corpus, sorted by name.
func All() []Scenario {
	all, err := load(files, "corpus")
	if err != nil {
		panic("the embedded corpus cannot be read: " + err.Error()) // only if the build is broken
	}
	return all
}

// Under returns the scenarios whose want is stated under a contract. Under
// "none" only facts count, and they hold whatever a scenario's contract is: all.
func Under(contract string) []Scenario {
	return slices.DeleteFunc(All(), func(s Scenario) bool { return contract != "none" && s.Contract() != contract })
}

// Contract returns the name of the contract that the want is stated under.
func (s Scenario) Contract() string {
	for word := range strings.FieldsSeq(s.Want) {
		if name, ok := strings.CutPrefix(word, "contract="); ok {
			return name
		}
	}
	return defaultContract
}

// load returns the scenarios of a directory, sorted by name.
func load(fsys fs.FS, dir string) ([]Scenario, error) {
	names, err := fs.Glob(fsys, dir+"/*.txtar")
	if err != nil {
		return nil, err
	}
	all := make([]Scenario, 0, len(names))
	for _, name := range names {
		src, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, err
		}
		s, err := Parse(strings.TrimSuffix(path.Base(name), ".txtar"), src)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// Parse reads one scenario file, as far as its story and its want; its script runs
// in [Scenario.Build]. Scenarios of others need not be in the corpus.
func Parse(name string, src []byte) (Scenario, error) {
	s := Scenario{Name: name, src: src}
	first, _, _ := strings.Cut(string(src), "\n")
	story, ok := strings.CutPrefix(first, "# ")
	if !ok || strings.TrimSpace(story) == "" {
		return s, fmt.Errorf("%s:1: the first line must be a comment that tells the story", s.File())
	}
	s.Story = story
	for line := range strings.Lines(string(src)) {
		if want, ok := strings.CutPrefix(line, "want "); ok {
			s.Want = strings.TrimSpace(want)
			break
		}
	}
	return s, nil
}

// ID identifies the corpus: the first 12 hex digits of a SHA-256 over the names
// and contents of its files. Results of two builds can be compared if it is equal.
func ID() string { return id(All()) }

func id(all []Scenario) string {
	h := sha256.New()
	for _, s := range all {
		fmt.Fprintf(h, "%s %d\n", s.Name, len(s.src))
		h.Write(s.src)
	}
	return hex.EncodeToString(h.Sum(nil))[:12]
}
