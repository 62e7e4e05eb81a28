package external

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// rowName is RESULT_FILENAME: ours, because the run's could name a place
// outside of the output directory.
const rowName = "row"

// A room is the temporary directory in which an adapter meets one run, laid
// out as the producer expects it whatever layout the run came in.
type room struct {
	root   string
	result string // RESULT_DIR
	out    string // AGENTIC_OUTPUT_DIR
	tmp    string // TMPDIR of a command
	noHub  string // HF_HUB_CACHE: a directory that does not exist
}

// layOut makes the room of one run below tempDir. Files of the operating
// system's file system are linked, others are copied. The published row is
// left out: an adapter must not find the answer.
func layOut(tempDir string, run *aiperf.Run) (*room, error) {
	root, err := os.MkdirTemp(tempDir, "pdreplay-run-")
	if err != nil {
		return nil, err
	}
	if root, err = filepath.Abs(root); err != nil {
		return nil, err
	}
	r := &room{
		root: root,
		// The producer looks for logs in three directories above RESULT_DIR;
		// all of them are ours and empty.
		result: filepath.Join(root, "up3", "up2", "up1", "result"),
		out:    filepath.Join(root, "out"),
		tmp:    filepath.Join(root, "tmp"),
		noHub:  filepath.Join(root, "no-hub"),
	}
	if err := r.fill(run); err != nil {
		return nil, errors.Join(err, r.remove())
	}
	return r, nil
}

func (r *room) fill(run *aiperf.Run) error {
	artifacts := filepath.Join(r.result, "aiperf_artifacts")
	for _, dir := range []string{artifacts, r.out, r.tmp} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return err
		}
	}
	places := map[string]string{
		run.Files.Records:   filepath.Join(artifacts, "profile_export.jsonl"),
		run.Files.Aggregate: filepath.Join(artifacts, "profile_export_aiperf.json"),
		run.Files.Export:    filepath.Join(artifacts, "server_metrics_export.json"),
		run.Files.Totals:    filepath.Join(artifacts, "server_metrics_export.csv"),
	}
	for _, name := range serverLogs(run) {
		places[name] = filepath.Join(r.result, path.Base(name))
	}
	for name, place := range places {
		if name == "" {
			continue
		}
		if err := provide(run.FS, name, place); err != nil {
			return err
		}
	}
	return nil
}

// serverLogs are the logs beside the artifacts that the producer reads the KV
// capacity from. Those of directories above the run are not the run's.
func serverLogs(run *aiperf.Run) []string {
	names, err := fs.Glob(run.FS, path.Join(escapeGlob(run.Dir), "watchtower-*.out"))
	if err != nil {
		panic("a constant pattern after an escaped directory is bad: " + err.Error()) // cannot happen
	}
	log := path.Join(run.Dir, "server.log")
	if info, err := fs.Stat(run.FS, log); err == nil && info.Mode().IsRegular() {
		names = append(names, log)
	}
	return names
}

// provide makes the file name of fsys appear at place.
func provide(fsys fs.FS, name, place string) error {
	src, err := fsys.Open(name)
	if err != nil {
		return err
	}
	defer src.Close()
	if real, ok := osPath(src); ok {
		if err := os.Symlink(real, place); err == nil {
			return nil
		} // else the system allows no links: copy
	}
	dst, err := os.Create(place)
	if err != nil {
		return err
	}
	if _, err := io.Copy(dst, src); err != nil {
		return errors.Join(fmt.Errorf("copying %s: %w", name, err), dst.Close())
	}
	return dst.Close()
}

// osPath returns the absolute path of a file that lies in the operating
// system's file system: what os.DirFS opens is an *os.File that knows its path.
func osPath(f fs.File) (string, bool) {
	file, ok := f.(*os.File)
	if !ok {
		return "", false
	}
	abs, err := filepath.Abs(file.Name())
	if err != nil {
		return "", false
	}
	there, err := os.Stat(abs)
	if err != nil {
		return "", false
	}
	here, err := file.Stat()
	return abs, err == nil && os.SameFile(here, there)
}

func escapeGlob(name string) string {
	var escaped []byte
	for i := range len(name) {
		if c := name[i]; c == '*' || c == '?' || c == '[' || c == '\\' {
			escaped = append(escaped, '\\')
		}
		escaped = append(escaped, name[i])
	}
	return string(escaped)
}

// readRow reads the row that the adapter wrote.
func (r *room) readRow() ([]byte, error) {
	name := filepath.Join(r.out, rowName+".json")
	info, err := os.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, errors.New("it ended without an error, but wrote no $AGENTIC_OUTPUT_DIR/$RESULT_FILENAME.json")
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		// Opening a named pipe would wait for ever.
		return nil, fmt.Errorf("its $AGENTIC_OUTPUT_DIR/$RESULT_FILENAME.json is %s, not a file", kindOf(info.Mode()))
	case info.Size() > maxRow:
		return nil, fmt.Errorf("its row has %d bytes; more than %d are not read", info.Size(), maxRow)
	}
	return os.ReadFile(name)
}

func kindOf(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "a directory"
	case m&fs.ModeSymlink != 0:
		return "a link"
	}
	return "a pipe, socket or device"
}

func (r *room) remove() error { return removeAll(r.root) }

// removeAll removes a tree, also where an adapter took away its permissions.
func removeAll(root string) error {
	if err := os.RemoveAll(root); err == nil {
		return nil
	}
	// Errors of the walk are those that RemoveAll reports again.
	_ = filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if entry != nil && entry.IsDir() {
			return os.Chmod(name, 0o700)
		}
		return nil
	})
	return os.RemoveAll(root)
}
