package report

import (
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/pdreplay/pdreplay/replay"
)

// JSON writes one event a line (NDJSON). The fields are those of
// [replay.RunEvent], [replay.Result] and [replay.Summary]. Text of a run or an adapter that is no
// UTF-8, as no JSON may hold it, has U+FFFD where it is not.
type JSON struct{ w io.Writer }

// NewJSON returns a reporter that writes to w.
func NewJSON(w io.Writer) *JSON { return &JSON{w} }

// Run writes the event of one run.
func (j *JSON) Run(r replay.RunEvent) error { return j.event(r) }

// Result writes one result.
func (j *JSON) Result(r replay.Result) error { return j.event(r) }

// Summary writes the summary.
func (j *JSON) Summary(s replay.Summary) error { return j.event(s) }

func (j *JSON) event(e any) error {
	line, err := json.Marshal(e, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return err
	}
	_, err = j.w.Write(append(line, '\n'))
	return err
}
