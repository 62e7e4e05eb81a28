package external

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// Worktree is the revision word for the tree of a clone as it lies, changes
// that are not committed included.
const Worktree = "worktree"

// A gitClone is a local clone. It is only read.
type gitClone struct {
	path    string
	environ []string
}

// git prepares a git command in the clone. GIT_* of our environment stays out:
// inside a git hook GIT_DIR would name another repository.
func (g gitClone) git(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", g.path}, args...)...)
	cmd.Env = []string{"GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0"}
	for _, entry := range g.environ {
		if !strings.HasPrefix(entry, "GIT_") {
			cmd.Env = append(cmd.Env, entry)
		}
	}
	return cmd
}

// resolve returns the commit id of rev. If the clone has no such revision the
// error says how to fetch it.
func (g gitClone) resolve(ctx context.Context, rev string) (string, error) {
	var stderr tail
	probe := g.git(ctx, "rev-parse", "--git-dir")
	probe.Stderr = &stderr
	if err := probe.Run(); err != nil {
		return "", fmt.Errorf("looking at the clone %s: %w: %s", g.path, err, strings.Join(stderr.lines(), " "))
	}
	out, err := g.git(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", rev+"^{commit}").Output()
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil {
		return "", fmt.Errorf("the clone %s has no revision %q; fetch it: %s", g.path, rev, g.fetchHint(rev))
	}
	return strings.TrimSpace(string(out)), nil
}

var (
	pullRevision   = regexp.MustCompile(`^(?:refs/)?pull/(\d+)/(?:head|merge)$`)
	commitRevision = regexp.MustCompile(`^[0-9a-f]{7,64}$`)
)

// fetchHint returns the command that would bring rev. A head of a pull request
// is fetched under its own name, or the same word would still not be found.
func (g gitClone) fetchHint(rev string) string {
	if m := pullRevision.FindStringSubmatch(rev); m != nil {
		ref := "refs/" + strings.TrimPrefix(rev, "refs/")
		return fmt.Sprintf("git -C %s fetch origin %s:%s", g.path, ref, ref)
	}
	if commitRevision.MatchString(rev) {
		return fmt.Sprintf("git -C %s fetch origin %s (the full id), or the pull request it belongs to: git -C %s fetch origin refs/pull/N/head",
			g.path, rev, g.path)
	}
	return fmt.Sprintf("git -C %s fetch origin %s:%s, or for a pull request refs/pull/N/head:refs/pull/N/head", g.path, rev, rev)
}

// unpack returns the directory that holds the tree of commit, below cacheDir.
// A tree appears whole or not at all, by a rename: calls at the same time, in
// other processes too, at most do the work twice.
func (g gitClone) unpack(ctx context.Context, cacheDir, commit string) (string, error) {
	if cacheDir == "" {
		return "", errors.New("there is no cache directory to unpack a revision into")
	}
	trees := filepath.Join(cacheDir, "trees")
	tree := filepath.Join(trees, commit)
	if _, err := os.Stat(tree); err == nil {
		return tree, nil
	}
	if err := os.MkdirAll(trees, 0o777); err != nil {
		return "", err
	}
	tmp, err := os.MkdirTemp(trees, ".unpacking-")
	if err != nil {
		return "", err
	}
	if err := g.archive(ctx, commit, tmp); err != nil {
		return "", errors.Join(fmt.Errorf("unpacking %s of %s: %w", commit, g.path, err), removeAll(tmp))
	}
	err = os.Rename(tmp, tree)
	if _, there := os.Stat(tree); err != nil && there == nil {
		return tree, removeAll(tmp) // another call was faster
	}
	return tree, err
}

func (g gitClone) archive(ctx context.Context, commit, dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends git when reading fails
	cmd := g.git(ctx, "archive", "--format=tar", commit)
	var stderr tail
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	if err := untar(root, out); err != nil {
		cancel()
		return errors.Join(err, cmd.Wait())
	}
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("git archive: %w: %s", err, strings.Join(stderr.lines(), " "))
	}
	return nil
}

// untar unpacks files, directories and links. The root keeps every name inside.
func untar(root *os.Root, r io.Reader) error {
	archive := tar.NewReader(r)
	for {
		header, err := archive.Next()
		if err == io.EOF {
			// What follows the end mark is padding; git must get rid of it.
			_, err = io.Copy(io.Discard, r)
			return err
		}
		if err != nil {
			return err
		}
		if err := untarEntry(root, header, archive); err != nil {
			return err
		}
	}
}

func untarEntry(root *os.Root, header *tar.Header, content io.Reader) error {
	name := path.Clean(header.Name)
	switch header.Typeflag {
	case tar.TypeXGlobalHeader: // git's comment: the commit id
		return nil
	case tar.TypeDir:
		return root.MkdirAll(name, 0o777)
	case tar.TypeSymlink:
		return root.Symlink(header.Linkname, name)
	case tar.TypeReg:
	default:
		return fmt.Errorf("%s has the type %q, which git archive never writes", header.Name, header.Typeflag)
	}
	if err := root.MkdirAll(path.Dir(name), 0o777); err != nil {
		return err
	}
	file, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, header.FileInfo().Mode().Perm())
	if err != nil {
		return err
	}
	if _, err := io.Copy(file, content); err != nil {
		return errors.Join(err, file.Close())
	}
	return file.Close()
}
