package generator

import (
	"os"
	"strings"
	"testing"
)

// The spec in the package documentation is one that Parse takes.
func TestDocumentedSpec(t *testing.T) {
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	var spec []string
	for _, line := range strings.Split(string(text), "\n") {
		if code, ok := strings.CutPrefix(line, "//\t"); ok {
			spec = append(spec, code)
		}
	}
	s, err := Parse("doc.go", []byte(strings.Join(spec, "\n")))
	if err != nil {
		t.Fatal(err)
	}
	if s.Ranks != 2 || len(s.Requests) != 2 || len(s.Series) != 1 || len(s.Faults) != 1 || s.Warmup == nil {
		t.Errorf("the documented spec reads as %+v", s)
	}
	generate(t, s)
}
