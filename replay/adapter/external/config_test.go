//go:build unix

package external

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParseOneOff(t *testing.T) {
	for _, test := range []struct {
		arg  string
		want []string
		err  string
	}{
		{arg: `mine=python3 -m "my producer" --x='a b' # no comment`, want: []string{"python3", "-m", "my producer", "--x=a b"}},
		{arg: `mine=sh -c 'echo $HOME; ls | wc' $HOME *`, want: []string{"sh", "-c", "echo $HOME; ls | wc", "$HOME", "*"}},
		{arg: `mine=a=b`, want: []string{"a=b"}},
		{arg: "mine", err: "want NAME=COMMAND"},
		{arg: "mine=", err: "the command is empty"},
		{arg: "mine='unclosed", err: "splitting the command"},
		{arg: "=x", err: "adapter name"},
		{arg: "a b=x", err: "adapter name"},
	} {
		spec, err := ParseOneOff(test.arg)
		if test.err != "" {
			if err == nil || !strings.Contains(err.Error(), test.err) {
				t.Errorf("%s: got %v, want %q", test.arg, err, test.err)
			}
			continue
		}
		if err != nil || spec.Name != "mine" {
			t.Errorf("%s: got %+v, %v", test.arg, spec, err)
		}
		if diff := cmp.Diff(test.want, spec.Args); diff != "" {
			t.Errorf("%s: %s", test.arg, diff)
		}
	}
}

func writeConfig(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), ConfigFile)
	check(os.WriteFile(name, []byte(text), 0o666))
	return name
}

func TestConfigNamesAdapters(t *testing.T) {
	name := writeConfig(t, `
adapters:
  mine:
    kind: worker
    command: python3 {config}/worker.py 'my producer'
    dir: sub
    engine: atom
    timeout: 1m30s
    env:
      pass: []
      set: {A: "1"}
      run: [MY_*]
    output:
      gpu: /rates/0
  plain@1:
    command: ./run
`)
	dir := filepath.Dir(name)
	check(os.Mkdir(filepath.Join(dir, "sub"), 0o777))
	c, err := ReadConfig(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"mine", "plain@1"}, c.Names()); diff != "" {
		t.Error(diff)
	}
	want := Spec{
		Name: "mine", Engine: "atom", Kind: Worker, Timeout: 90 * time.Second, Dir: filepath.Join(dir, "sub"),
		Args:   []string{"python3", dir + "/worker.py", "my producer"},
		Env:    Environment{Pass: []string{}, Set: map[string]string{"A": "1"}, Run: []string{"MY_*"}},
		Output: Output{GPU: "/rates/0"},
	}
	got, err := c.Spec(t.Context(), Host{}, "mine")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if plain, err := c.Spec(t.Context(), Host{}, "plain@1"); err != nil || plain.Dir != dir || plain.Env.Pass != nil {
		t.Errorf("got %+v, %v", plain, err)
	}
	if _, err := c.Spec(t.Context(), Host{}, "other"); !errors.Is(err, ErrUnknownName) {
		t.Errorf("got %v, want ErrUnknownName", err)
	}
}

func TestConfigIsStrict(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"adapter:\n  x: {command: y}\n", `line 1, column 1: unknown key "adapter"; known here: adapters, clones`},
		{"adapters:\n  x:\n    command: y\n    cmd: z\n",
			`line 4, column 5: unknown key "cmd"; known here: kind, command, dir, engine, timeout, env, output`},
		{"adapters:\n  x: {command: y, env: {passs: [A]}}\n", `line 2, column 25: unknown key "passs"; known here: pass, set, run`},
		{"adapters:\n  x:\n    command: y\n    output: {gpus: /a}\n",
			`line 4, column 14: unknown key "gpus"; known here: gpu, cpu, external, overall, status, pricing_eligible, reasons, request_accounting`},
		{"clones:\n  x:\n    path: .\n    revisions:\n      - match: a\n        command: b\n      - mach: a\n",
			`line 7, column 9: unknown key "mach"; known here: match, kind, command, dir`},
		{"adapters:\n  x: {command: y}\n  x: {command: z}\n", "line 3, column 3: "},
		{"adapters:\n  x: {command: y, timeout: soon}\n", "line 2, column 28: timeout: want a time with its unit, such as 90s or 2m, have soon"},
		{"adapters:\n  x: {command: y, timeout: 5}\n", "line 2, column 28: timeout: want a time with its unit, such as 90s or 2m, have 5"},
		{"adapters:\n  x: {command: y, timeout: [5s]}\n", "line 2, column 28: timeout: want a time with its unit, such as 90s or 2m, have ["},
		{"adapters:\n  x: {command: [y]}\n", "line 2, column 16: command: want text, have ["},
		{"adapters:\n  x: {command: y, env: {set: {A: 010}}}\n", "line 2, column 34: A: want text: put it in quotes, have 010"},
		{"adapters:\n  x: {command: y, env: {pass: A}}\n", "line 2, column 31: pass: want a list, have A"},
		{"adapters:\n  x: y\n", "line 2, column 6: x: want keys with values, have y"},
		{"- adapters\n", "line 1, column 1: the file: want keys with values, have -"},
		{"adapters:\n  x: &a {command: y, cmd: z}\n", `line 2, column 22: unknown key "cmd"; known here: kind, command`},
		{"adapters:\n  x: &a {command: y}\nclones:\n  y: *a\n", `line 2, column 10: unknown key "command"; known here: path, revisions`},
		{"adapters:\n  x: *a\n", "line 2, column 6: x: want an anchor that stands before it, have *a"},
		{"adapters: &a\n  x: *a\n", "line 2, column 6: x: want an anchor that stands before it, have *a"},
		{"adapters: [\n", "line 1, column "},
		{"adapters: {}\n---\nclones: {}\n", "a second document"},
		{"adapters:\n  x: {dir: y}\n", "adapters: x: no command"},
		{"clones:\n  x: {revisions: []}\n", "clones: x: no path"},
		{"clones:\n  x: {path: ., revisions: [{match: a}]}\n", "entry 1 needs match and command"},
		{"clones:\n  x@y: {path: .}\n", "cannot be part of the name"},
	} {
		name := writeConfig(t, test.text)
		_, err := ReadConfig(name)
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.HasPrefix(err.Error(), name+": ") {
			t.Errorf("%q:\ngot  %v\nwant %s: ...%s", test.text, err, name, test.want)
		}
	}
	for _, text := range []string{"", "# nothing\n", "adapters:\n", "adapters:\n  x: &a {command: 5, env: {set: {A: true}}}\n  z: *a\n"} {
		if _, err := ReadConfig(writeConfig(t, text)); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// What can be known before a run must fail before it.
func TestSpecChecks(t *testing.T) {
	for _, test := range []struct {
		adapter string
		want    string
	}{
		{"{command: y, kind: server}", "want command or worker"},
		{"{command: y, timeout: -1s}", "timeout -1s is negative"},
		{"{command: y, dir: nowhere}", "working directory"},
		{"{command: y, dir: pdreplay.yaml}", "is not a directory"},
		{"{command: y, output: {gpu: rates.gpu}}", "is no JSON pointer"},
		{"{command: y, env: {pass: [A=B]}}", "no name of an environment variable"},
		{"{command: \"'y\"}", "splitting the command"},
	} {
		c, err := ReadConfig(writeConfig(t, "adapters:\n  x: "+test.adapter+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Spec(t.Context(), Host{}, "x"); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %q", test.adapter, err, test.want)
		}
	}
}

func TestMatchRevision(t *testing.T) {
	for _, test := range []struct {
		pattern, rev string
		want         bool
	}{
		{"*", "refs/pull/1/head", true},
		{"843c6254*", "843c62541234", true},
		{"refs/pull/*", "refs/pull/3964/head", true},
		{"v1.*", "v10", false},
		{"v1.*", "v1.2", true},
		{"main", "maintenance", false},
	} {
		if got := matchRevision(test.pattern, test.rev); got != test.want {
			t.Errorf("%s on %s: %t", test.pattern, test.rev, got)
		}
	}
}
