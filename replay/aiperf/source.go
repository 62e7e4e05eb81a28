package aiperf

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
)

// wrapRead says which file could not be read.
func wrapRead(name string, err error) error {
	return fmt.Errorf("read %s: %w", name, withoutPath(err))
}

// openFile opens a regular file of a run. What it is is asked first: opening a
// named pipe waits for somebody who writes into it.
func openFile(fsys fs.FS, name string) (fs.File, error) {
	info, err := fs.Stat(fsys, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = cmp.Or(dangling(fsys, name), err)
	case err != nil:
	case info.IsDir():
		err = errors.New("is a directory, not a file")
	case !info.Mode().IsRegular():
		err = errors.New("is a pipe, socket or device, not a file")
	}
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", name, withoutPath(err))
	}
	f, err := fsys.Open(name)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", name, withoutPath(err))
	}
	return f, nil
}

// dangling returns an error about a link that leads nowhere, nil when name is
// none. What a tool such as git-annex has not fetched looks so; without a word
// it would pass for a file that the run never had.
func dangling(fsys fs.FS, name string) error {
	info, err := fs.Lstat(fsys, name)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return nil
	}
	target, err := fs.ReadLink(fsys, name)
	if err != nil {
		return err
	}
	return fmt.Errorf("a dangling link, to %s: fetch what it stands for, or remove it", target)
}

// withoutPath takes off the path that fs errors carry, which would say the
// name twice.
func withoutPath(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// readJSON runs read on the one JSON value that a file holds.
func readJSON(fsys fs.FS, name string, n *notes, read func(*scanner)) error {
	f, err := openFile(fsys, name)
	if err != nil {
		return err
	}
	defer f.Close()
	s := newScanner(f, windowFor(f), n)
	s.begin()
	if s.err == nil {
		read(s)
	}
	s.end()
	return s.located(fsys, name)
}

// windowFor returns the size of a window on a file: small for a small one.
func windowFor(f fs.File) int {
	info, err := f.Stat()
	if err != nil {
		return windowSize
	}
	// One more byte, so that the end is found without the window growing.
	return int(min(max(info.Size()+1, 512), windowSize))
}

// begin refuses what is not worth a grammatical message.
func (s *scanner) begin() {
	switch {
	case s.at(0) == 0xef && s.at(1) == 0xbb && s.at(2) == 0xbf:
		s.fail(0, "begins with a byte-order mark: remove the first three bytes")
	case s.peek() == 0 && s.pos >= len(s.buf):
		s.fail(0, "the file is empty")
	}
}

// located returns the scanner's error with file and place.
func (s *scanner) located(fsys fs.FS, name string) error {
	syntax, ok := s.err.(*SyntaxError)
	switch {
	case s.err == nil:
		return nil
	case !ok:
		return wrapRead(name, s.err)
	}
	syntax.File = name
	syntax.locate(fsys, s.bad)
	return syntax
}
