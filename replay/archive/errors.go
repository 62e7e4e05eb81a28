package archive

import "fmt"

// A RefusedError says which archive was refused, for which member, and why.
type RefusedError struct {
	Archive string // slash-separated path of the archive
	Member  string // name as the archive has it; "" for the archive itself
	Why     string
}

// Error returns "archive ARCHIVE refused: member MEMBER WHY".
func (e *RefusedError) Error() string {
	if e.Member == "" {
		return fmt.Sprintf("archive %s refused: %s", e.Archive, e.Why)
	}
	return fmt.Sprintf("archive %s refused: member %q %s", e.Archive, e.Member, e.Why)
}
