package replay

import (
	"io/fs"
	"path"

	"github.com/go-json-experiment/json"

	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// faultsOf returns what a generator did to the run. It only sorts reports: a
// truth.json that cannot be read as one tells nothing, and no judgement hears
// of it.
func faultsOf(s Source, run *aiperf.Run) []string {
	if s.Faults != nil || run.FS == nil {
		return append([]string{}, s.Faults...)
	}
	slugs := []string{}
	text, err := fs.ReadFile(run.FS, path.Join(run.Dir, "truth.json"))
	if err != nil {
		return slugs
	}
	var truth struct {
		Faults []struct {
			Slug string `json:"fault"`
		} `json:"faults"`
	}
	if json.Unmarshal(text, &truth) != nil {
		return slugs
	}
	for _, f := range truth.Faults {
		slugs = append(slugs, f.Slug)
	}
	return slugs
}
