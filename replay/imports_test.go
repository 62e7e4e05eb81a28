package replay_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pdreplay/pdreplay/replay"
)

const module = "github.com/pdreplay/pdreplay"

// layers are the arrows of design.md, "The house": a package may import those
// that its pattern lists, and what these may import. A pattern is one of
// path.Match for the whole path inside the module.
var layers = []struct {
	pkg     string
	imports []string
}{
	{"cmd/pdreplay", []string{"cmd"}},
	{"cmd", []string{"scenarios", "replay/check", "replay/fixture", "replay/report", "generator"}},
	{"scenarios", []string{"replay", "generator"}},
	{"replay/check", []string{"replay", "generator", "replay/shrink"}},
	{"replay/fixture", []string{"replay", "replay/shrink"}},
	{"replay/report", []string{"replay"}},
	{"replay/shrink", nil},
	{"replay/archive", nil},
	{"replay", []string{"replay/adapter/*", "oracle", "replay/archive"}},
	// Reference adapters share packages of their own kind (window, corrected),
	// and a front end is made of its workers' engines.
	{"replay/adapter/*", []string{"replay/adapter", "replay/adapter/*"}},
	{"replay/adapter", []string{"replay/aiperf"}},
	{"oracle", []string{"replay/aiperf"}},
	{"generator/gentest", []string{"generator"}}, // draws specs in tests
	{"generator", []string{"replay/aiperf"}},
	{"replay/aiperf", nil},
}

func TestImports(t *testing.T) {
	for pkg, imports := range packages(t) {
		allowed, known := reach(pkg)
		if !known {
			t.Errorf("%s stands in no layer: add it to layers with the arrows of design.md", pkg)
			continue
		}
		for _, imported := range imports {
			if !slices.ContainsFunc(allowed, func(p string) bool { return matches(p, imported) }) {
				t.Errorf("%s imports %s, which no arrow of design.md allows", pkg, imported)
			}
		}
	}
}

// An engine that can be called is one file in each of adapter, oracle and
// generator and a line in builtin.go; in only some it would be judged by half.
func TestEnginesAreWhole(t *testing.T) {
	builtin := map[string]bool{}
	for _, e := range replay.Builtin() {
		builtin[e.Name] = true
		for _, a := range e.Adapters {
			if a.Engine() != e.Name || !strings.HasPrefix(a.Name(), e.Name+"@") {
				t.Errorf("adapter %s of engine %s answers for %q", a.Name(), e.Name, a.Engine())
			}
		}
	}
	for _, name := range []string{"atom", "vllm", "sglang", "trtllm", "dynamo"} { // the words of design.md
		places := map[string]bool{
			"replay/adapter/" + name:    exists("replay/adapter/" + name),
			"oracle/" + name + ".go":    exists("oracle/" + name + ".go"),
			"generator/" + name + ".go": exists("generator/" + name + ".go"),
			"replay/builtin.go":         builtin[name],
		}
		n := 0
		for _, there := range places {
			if there {
				n++
			}
		}
		switch {
		case n == 0 || n == len(places):
		case builtin[name]:
			t.Errorf("engine %s lives in only some places: %v", name, places)
		default:
			t.Logf("engine %s is under way, nobody can call it yet: %v", name, places)
		}
	}
}

func exists(name string) bool {
	_, err := os.Stat(filepath.Join("..", name))
	return err == nil
}

// reach returns the patterns of everything that a package may import.
func reach(pkg string) (patterns []string, known bool) {
	for _, l := range layers {
		if !matches(l.pkg, pkg) {
			continue
		}
		for _, p := range l.imports {
			patterns = append(patterns, p)
			if p != l.pkg {
				below, _ := reach(p)
				patterns = append(patterns, below...)
			}
		}
		return patterns, true
	}
	return nil, false
}

func matches(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return ok && err == nil
}

// packages are the packages of the module and what each imports of it, tests
// left out: those bind packages from outside.
func packages(t *testing.T) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	err := filepath.WalkDir("..", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && d.Name() != "..") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel("..", filepath.Dir(file))
		pkg := filepath.ToSlash(rel)
		found[pkg] = append(found[pkg], []string{}...)
		for _, i := range f.Imports {
			if inside, ok := strings.CutPrefix(strings.Trim(i.Path.Value, `"`), module+"/"); ok {
				found[pkg] = append(found[pkg], inside)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(found) < 8 || !slices.Contains(found["replay"], "oracle") {
		t.Fatalf("the module was not read: %v", found)
	}
	return found
}
