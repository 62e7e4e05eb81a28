//go:build unix

package external

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A testClone is a git repository with two commits: the first has old/run, the
// second new/run, both scripts that write a row with another gpu rate.
type testClone struct {
	path          string
	first, second string
	environ       []string
}

func newTestClone(t *testing.T) testClone {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed: NAME@REV cannot be tested")
	}
	c := testClone{path: filepath.Join(t.TempDir(), "clone with a space"), environ: []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GIT_DIR=/nowhere",
	}}
	check(os.Mkdir(c.path, 0o777))
	c.git(t, "init", "-q", "-b", "main")
	c.write("old/run", script("0.25"), 0o777)
	c.first = c.commit(t)
	check(os.RemoveAll(filepath.Join(c.path, "old")))
	c.write("new/run", script("0.5"), 0o777)
	c.write("new/data", "data", 0o666)
	check(os.Symlink("data", filepath.Join(c.path, "new", "link")))
	c.second = c.commit(t)
	return c
}

func script(gpu string) string {
	row := strings.Replace(oneLine.Replace(goodRow), "0.6", gpu, 1)
	return "#!/bin/sh\necho '" + row + "' > \"$AGENTIC_OUTPUT_DIR/$RESULT_FILENAME.json\"\n"
}

func (c testClone) write(name, text string, mode os.FileMode) {
	check(os.MkdirAll(filepath.Join(c.path, filepath.Dir(name)), 0o777))
	check(os.WriteFile(filepath.Join(c.path, name), []byte(text), mode))
}

func (c testClone) git(t *testing.T, args ...string) string {
	t.Helper()
	cmd := gitClone{path: c.path, environ: c.environ}.git(t.Context(), args...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (c testClone) commit(t *testing.T) string {
	c.git(t, "add", "-A")
	c.git(t, "-c", "user.name=t", "-c", "user.email=t@t", "commit", "-q", "-m", "x")
	return c.git(t, "rev-parse", "HEAD")
}

// snapshot is every name, mode, time and content below dir.
func snapshot(dir string) map[string]string {
	files := map[string]string{}
	check(filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		check(err)
		info := must(entry.Info())
		files[name] = fmt.Sprint(info.Mode(), info.ModTime().UnixNano())
		if info.Mode().IsRegular() {
			files[name] += fmt.Sprintf(" %x", sha256.Sum256(must(os.ReadFile(name))))
		}
		return nil
	}))
	return files
}

func (c testClone) config(t *testing.T) *Config {
	t.Helper()
	return must(ReadConfig(writeConfig(t, fmt.Sprintf(`
clones:
  repo:
    path: %s
    engine: atom
    revisions:
      - {match: "%s*", command: ./old/run}
      - {match: main, command: ./run, dir: new}
      - {match: worktree, command: ./run, dir: new}
`, c.path, c.first[:12]))))
}

func TestRevisionsOfAClone(t *testing.T) {
	c := newTestClone(t)
	host := Host{Environ: c.environ, TempDir: t.TempDir(), CacheDir: t.TempDir()}
	before := snapshot(c.path)
	for _, test := range []struct {
		name string
		gpu  float64
	}{
		{"repo@" + c.first, 0.25}, {"repo@" + c.first[:10], 0.25}, {"repo@main", 0.5}, {"repo@main", 0.5}, {"repo@main~1", 0.25},
	} {
		spec, err := c.config(t).Spec(t.Context(), host, test.name)
		if err != nil {
			t.Fatal(err)
		}
		a := must(New(host, spec))
		got, err := a.Derive(t.Context(), memoryRun())
		if err != nil {
			t.Fatal(err)
		}
		if a.Name() != test.name || a.Engine() != "atom" || *got.Rates.GPU != test.gpu {
			t.Errorf("%s: got name %s, engine %s, gpu %v", test.name, a.Name(), a.Engine(), *got.Rates.GPU)
		}
	}
	if diff := cmp.Diff(before, snapshot(c.path)); diff != "" {
		t.Errorf("the clone was touched: %s", diff)
	}
	trees := must(filepath.Glob(filepath.Join(host.CacheDir, "trees", "*")))
	if len(trees) != 2 {
		t.Errorf("the cache has %v, want one tree for each of the two commits", trees)
	}
	link := filepath.Join(host.CacheDir, "trees", c.second, "new", "link")
	if target, err := os.Readlink(link); err != nil || target != "data" {
		t.Errorf("the link is %q, %v", target, err)
	}
}

func TestWorktreeRunsTheTreeAsItLies(t *testing.T) {
	c := newTestClone(t)
	c.write("new/run", script("0.75"), 0o777)
	host := Host{Environ: c.environ, TempDir: t.TempDir(), CacheDir: t.TempDir()}
	a := must(New(host, must(c.config(t).Spec(t.Context(), host, "repo@worktree"))))
	got, err := a.Derive(t.Context(), memoryRun())
	if err != nil || *got.Rates.GPU != 0.75 {
		t.Errorf("got %+v, %v", got, err)
	}
}

// A pattern of commits also takes the tree that was checked out from one.
func TestWorktreeIsOfItsCommit(t *testing.T) {
	c := newTestClone(t)
	config := must(ReadConfig(writeConfig(t, fmt.Sprintf(`
clones:
  repo:
    path: %s
    engine: atom
    revisions:
      - {match: "%s*", command: ./run, dir: new}
      - {match: "*", command: ./elsewhere}
`, c.path, c.second[:12]))))
	spec, err := config.Spec(t.Context(), Host{Environ: c.environ, CacheDir: t.TempDir()}, "repo@worktree")
	if want := filepath.Join(c.path, "new"); err != nil || spec.Dir != want {
		t.Errorf("runs in %q, %v; want %q", spec.Dir, err, want)
	}
}

func TestMissingRevisionSaysHowToFetchIt(t *testing.T) {
	c := newTestClone(t)
	host := Host{Environ: c.environ, CacheDir: t.TempDir()}
	for _, test := range []struct{ name, want string }{
		{"repo@refs/pull/3964/head", "fetch origin refs/pull/3964/head:refs/pull/3964/head"},
		{"repo@pull/3964/head", "fetch origin refs/pull/3964/head:refs/pull/3964/head"},
		{"repo@0123456789", "fetch origin 0123456789 (the full id), or the pull request it belongs to: "},
		{"repo@release", "fetch origin release:release, or for a pull request refs/pull/N/head:refs/pull/N/head"},
		{"repo@--output=x", `no revision "--output=x"`},
		{"repo@main:new", `no revision "main:new"`},
		{"repo@", "repo@REV or repo@worktree"},
		{"repo", "repo@REV or repo@worktree"},
	} {
		_, err := c.config(t).Spec(t.Context(), host, test.name)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %q", test.name, err, test.want)
		}
	}
	empty := gitClone{path: t.TempDir(), environ: c.environ}
	if _, err := empty.resolve(t.Context(), "main"); err == nil || !strings.Contains(err.Error(), "not a git repository") {
		t.Errorf("got %v", err)
	}
}

// The command that the error names brings the revision under the same word.
func TestFetchHintWorks(t *testing.T) {
	origin := newTestClone(t)
	origin.git(t, "update-ref", "refs/pull/7/head", origin.first)
	clone := testClone{path: filepath.Join(t.TempDir(), "clone"), environ: origin.environ}
	check(os.Mkdir(clone.path, 0o777))
	clone.git(t, "init", "-q")
	clone.git(t, "remote", "add", "origin", origin.path)
	g := gitClone{path: clone.path, environ: clone.environ}
	_, err := g.resolve(t.Context(), "refs/pull/7/head")
	if err == nil {
		t.Fatal("the revision is there already")
	}
	_, command, _ := strings.Cut(err.Error(), "git -C "+clone.path+" ")
	clone.git(t, strings.Fields(command)...)
	if commit, err := g.resolve(t.Context(), "refs/pull/7/head"); err != nil || commit != origin.first {
		t.Errorf("got %s, %v, want %s", commit, err, origin.first)
	}
}

// A revision is unpacked whole and leaves no other file, however many calls and
// processes want it at the same time.
func TestUnpackInParallel(t *testing.T) {
	c := newTestClone(t)
	cache := t.TempDir()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			g := gitClone{path: c.path, environ: c.environ}
			tree, err := g.unpack(t.Context(), cache, c.second)
			if err != nil {
				t.Error(err)
				return
			}
			if text, err := os.ReadFile(filepath.Join(tree, "new", "run")); err != nil || string(text) != script("0.5") {
				t.Errorf("the tree has %q, %v", text, err)
			}
		})
	}
	for range 4 {
		all.Go(func() {
			cmd := exec.Command(must(os.Executable()), "hostile", "unpack")
			cmd.Env = append([]string{"CLONE=" + c.path, "CACHE=" + cache, "COMMIT=" + c.second}, c.environ...)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("another process: %v: %s", err, out)
			}
		})
	}
	all.Wait()
	if names := must(filepath.Glob(filepath.Join(cache, "trees", "*"))); len(names) != 1 || filepath.Base(names[0]) != c.second {
		t.Errorf("the cache has %v, want one tree", names)
	}
}

func TestUnpackFailsWhole(t *testing.T) {
	c := newTestClone(t)
	cache := t.TempDir()
	g := gitClone{path: c.path, environ: c.environ}
	if _, err := g.unpack(t.Context(), cache, strings.Repeat("0", 40)); err == nil || !strings.Contains(err.Error(), "git archive") {
		t.Errorf("got %v", err)
	}
	if left := must(os.ReadDir(filepath.Join(cache, "trees"))); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
