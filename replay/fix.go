package replay

import (
	"bytes"
	"fmt"
)

// Fix returns the text of an expectation list after a whole replay: lines
// whose deviation no longer happens are gone, and each unlisted failure has a
// new line if add is set. The new lines' reason is [Unedited]: they fail until
// somebody says why. All else is kept as it stands.
func Fix(file string, text []byte, results []Result, add bool) []byte {
	stale := map[string]bool{}
	var fresh []Result
	for _, r := range results {
		listed := r.Listed != nil
		if listed && r.Outcome == Answered && Word(r.Listed.Class) != r.Class {
			stale[r.Listed.At] = true
			listed = false
		}
		if !listed && r.Outcome == Answered && r.failing() {
			fresh = append(fresh, r)
		}
	}
	var out bytes.Buffer
	n := 0
	for line := range bytes.Lines(text) {
		n++
		if !stale[Entry{File: file, Line: n}.At()] {
			out.Write(line)
		}
	}
	if b := out.Bytes(); len(b) > 0 && b[len(b)-1] != '\n' {
		out.WriteByte('\n')
	}
	for _, r := range fresh {
		if add {
			fmt.Fprintf(&out, "%s  %s  %s  # %s\n", r.Adapter, r.Run, r.Class, Unedited)
		}
	}
	return out.Bytes()
}

// failing reports whether the class fails where nothing is listed.
func (r Result) failing() bool { return r.Class != Word(Correct) && r.Class != Word(Undecided) }
