package replay

import (
	"os/exec"
	"testing"
	"unicode"
	"unicode/utf8"
)

// What a shell reads back is what was quoted, and no character of it is one
// that a terminal acts on.
func TestShellWords(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash to read the words back")
	}
	for _, w := range []string{"", "a/b-1.2", "a b", "it's", `$x \ "`, "\x1b[2Jé 1\n\u202e'\\8", "ü", "\xff1"} {
		quoted := shellWords([]string{"printf", "%s", w})
		for _, r := range quoted {
			if !unicode.IsPrint(r) || r == utf8.RuneError {
				t.Errorf("%q: %q holds %q", w, quoted, r)
			}
		}
		got, err := exec.Command(bash, "-c", quoted).Output()
		if err != nil || string(got) != w {
			t.Errorf("%s gives %q, %v, want %q", quoted, got, err, w)
		}
	}
}
