package archive_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pdreplay/pdreplay/replay/archive"
)

// A member is one entry of an archive that a test packs.
type member struct {
	name string
	body string
	mode fs.FileMode // 0: a plain file
	link string
}

func zipped(t *testing.T, members ...member) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, m := range members {
		h := &zip.FileHeader{Name: m.name, Method: zip.Deflate}
		h.SetMode(m.mode | 0o644)
		f, err := w.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(f, m.body+m.link); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func tarred(t *testing.T, members ...member) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, m := range members {
		h := &tar.Header{Name: m.name, Mode: 0o644, Typeflag: tar.TypeReg, Size: int64(len(m.body)), Linkname: m.link}
		switch m.mode {
		case fs.ModeDir:
			h.Typeflag = tar.TypeDir
		case fs.ModeSymlink:
			h.Typeflag = tar.TypeSymlink
		case fs.ModeIrregular: // a hard link
			h.Typeflag = tar.TypeLink
		case fs.ModeDevice:
			h.Typeflag = tar.TypeBlock
		case fs.ModeNamedPipe:
			h.Typeflag = tar.TypeFifo
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, m.body); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func gzipped(t *testing.T, body string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := io.WriteString(z, body); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// write writes files into a new directory.
func write(t *testing.T, files map[string][]byte) string {
	t.Helper()
	dir := t.TempDir()
	for name, data := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func open(t *testing.T, path string) (*archive.FS, string) {
	t.Helper()
	f, at, err := archive.Open(path, archive.DefaultLimit)
	if err != nil {
		t.Fatal(err)
	}
	return f, at
}

func read(t *testing.T, fsys fs.FS, name string) string {
	t.Helper()
	data, err := fs.ReadFile(fsys, name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// Everything that a download can be made of is one file system.
func TestFSOfADownload(t *testing.T) {
	long := strings.Repeat("0123456789abcdef", 3<<15) // 1.5 MiB: read ahead
	inner := zipped(t, member{name: "in/er.txt", body: "inner"})
	dir := write(t, map[string][]byte{
		"plain/a.json":        []byte("plain"),
		"one.zip":             zipped(t, member{name: "d/"}, member{name: "d/x.json", body: long}, member{name: "y.zip", body: string(inner)}),
		"two.tar.gz":          tarred(t, member{name: "./", mode: fs.ModeDir}, member{name: "./p/q.json", body: long}, member{name: "./p/r.json", body: "r"}),
		"three.tgz":           tarred(t, member{name: "s.json.gz", body: string(gzipped(t, "s"))}),
		"loose/big.jsonl.gz":  gzipped(t, long),
		"both/b.json":         []byte("plain b"),
		"both/b.json.gz":      gzipped(t, "gzipped b"),
		"named.zip/real.json": []byte("a directory that is only named like an archive"),
	})
	f, at := open(t, dir)
	if at != "." {
		t.Errorf("a directory is at %q", at)
	}
	want := map[string]string{
		"plain/a.json":            "plain",
		"one.zip/d/x.json":        long,
		"one.zip/y.zip/in/er.txt": "inner",
		"two.tar.gz/p/q.json":     long,
		"two.tar.gz/p/r.json":     "r",
		"three.tgz/s.json":        "s",
		"loose/big.jsonl":         long,
		"both/b.json":             "plain b",
		"named.zip/real.json":     "a directory that is only named like an archive",
	}
	var names []string
	for name, body := range want {
		if got := read(t, f, name); got != body {
			t.Errorf("%s: %d bytes, want %d", name, len(got), len(body))
		}
		if len(body) < len(long) {
			names = append(names, name)
		}
	}
	if err := fstest.TestFS(f, names...); err != nil {
		t.Error(err)
	}
	sub, err := f.Sub("one.zip/d")
	if err != nil {
		t.Fatal(err)
	}
	if got := read(t, sub, "x.json"); got != long {
		t.Error("a sub-tree reads another file")
	}
	for path, place := range map[string]string{
		"one.zip": "one.zip", "one.zip/d": "one.zip/d", "one.zip/y.zip/in": "one.zip/y.zip/in",
		"loose/big.jsonl.gz": "big.jsonl", "plain/a.json": "a.json",
	} {
		if _, at := open(t, filepath.Join(dir, path)); at != place {
			t.Errorf("%s is at %q, want %q", path, at, place)
		}
	}
	for _, path := range []string{"absent", "one.zip/absent", "plain/a.json/x"} {
		if _, _, err := archive.Open(filepath.Join(dir, path), archive.DefaultLimit); err == nil {
			t.Errorf("%s was opened", path)
		}
	}
}

// A file of the operating system stays an *os.File, so that others can link it.
func TestFSKeepsOSFiles(t *testing.T) {
	f, _ := open(t, write(t, map[string][]byte{"a.json": nil}))
	file, err := f.Open("a.json")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, ok := file.(*os.File); !ok {
		t.Errorf("a plain file is a %T", file)
	}
}

// mangle changes every header of a zip: local ones begin with PK\3\4, those of
// the directory with PK\1\2.
func mangle(data []byte, change func(local, central []byte)) []byte {
	data = bytes.Clone(data)
	l, c := bytes.Index(data, []byte("PK\x03\x04")), bytes.Index(data, []byte("PK\x01\x02"))
	change(data[l:], data[c:])
	return data
}

func TestHostileArchives(t *testing.T) {
	body := strings.Repeat("x", 5000)
	plain := zipped(t, member{name: "a.json", body: body})
	tarball := tarred(t, member{name: "a.json", body: body})
	nested := plain
	for range 4 {
		nested = zipped(t, member{name: "in.zip", body: string(nested)})
	}
	for _, tt := range []struct {
		name, suffix string
		data         []byte
		why          string
	}{
		{"zip: climbs", ".zip", zipped(t, member{name: "../../etc/a.json"}), "climbs out"},
		{"zip: climbs in the middle", ".zip", zipped(t, member{name: "a/../../b.json"}), "climbs out"},
		{"zip: absolute", ".zip", zipped(t, member{name: "/etc/a.json"}), "absolute"},
		{"zip: drive", ".zip", zipped(t, member{name: "C:/a.json"}), "absolute"},
		{"zip: backslash", ".zip", zipped(t, member{name: `..\a.json`}), "backslash"},
		{"zip: link", ".zip", zipped(t, member{name: "a.json", mode: fs.ModeSymlink, link: "/etc/passwd"}), "is a link"},
		{"zip: device", ".zip", zipped(t, member{name: "a.json", mode: fs.ModeDevice}), "is a device"},
		{"zip: pipe", ".zip", zipped(t, member{name: "a.json", mode: fs.ModeNamedPipe}), "is a named pipe"},
		{"zip: twice", ".zip", zipped(t, member{name: "a.json"}, member{name: "./a.json"}), "stands twice"},
		{"zip: file and directory", ".zip", zipped(t, member{name: "a"}, member{name: "a/b.json"}), "file and a directory"},
		{"zip: not UTF-8", ".zip", zipped(t, member{name: "a\xff.json"}), "not UTF-8"},
		{"zip: cut short", ".zip", plain[:len(plain)-10], "no whole zip"},
		{"zip: empty", ".zip", nil, "no whole zip"},
		{"zip: no zip", ".zip", []byte(body), "no whole zip"},
		{"zip: encrypted", ".zip", mangle(plain, func(l, c []byte) { l[6] |= 1; c[8] |= 1 }), "is encrypted"},
		{"zip: method", ".zip", mangle(plain, func(l, c []byte) { l[8], c[10] = 14, 14 }), "method 14"},
		{"zip: member beyond the end", ".zip", mangle(plain, func(_, c []byte) { binary.LittleEndian.PutUint32(c[20:], 1<<20) }), "cut short"},
		{"zip: overlapping members", ".zip", overlapping(t, body), "overlaps"},
		{"zip: too deep", ".zip", nested, "archives in each other"},
		{"zip: too much", ".zip", zipped(t, member{name: "a.json", body: strings.Repeat("0", 20_001)}), "--max-unpacked"},
		{"zip: too much together", ".zip", zipped(t, member{name: "a", body: strings.Repeat("0", 15_000)}, member{name: "b", body: strings.Repeat("0", 15_000)}), "--max-unpacked"},
		{"zip: too much in an inner one", ".zip", zipped(t, member{name: "in.zip", body: string(zipped(t, member{name: "a", body: strings.Repeat("0", 20_001)}))}), "--max-unpacked"},
		{"tar: climbs", ".tar.gz", tarred(t, member{name: "../a.json"}), "climbs out"},
		{"tar: absolute", ".tar.gz", tarred(t, member{name: "/a.json"}), "absolute"},
		{"tar: link", ".tgz", tarred(t, member{name: "a.json", mode: fs.ModeSymlink, link: "../../b"}), "is a link"},
		{"tar: hard link", ".tgz", tarred(t, member{name: "a.json", mode: fs.ModeIrregular, link: "b"}), "is a link"},
		{"tar: device", ".tgz", tarred(t, member{name: "a.json", mode: fs.ModeDevice}), "is a device"},
		{"tar: pipe", ".tgz", tarred(t, member{name: "a.json", mode: fs.ModeNamedPipe}), "is a device"},
		{"tar: twice", ".tgz", tarred(t, member{name: "a.json"}, member{name: "a.json"}), "stands twice"},
		{"tar: cut short", ".tgz", tarball[:len(tarball)-20], "cut short"},
		{"tar: not gzipped", ".tgz", []byte(strings.Repeat("x", 100)), "not gzipped"},
		{"tar: too much", ".tgz", tarred(t, member{name: "a.json", body: strings.Repeat("0", 20_001)}), "--max-unpacked"},
		{"tar: sparse", ".tgz", sparse(t), "sparse"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := write(t, map[string][]byte{"h" + tt.suffix: tt.data})
			f, _, err := archive.Open(dir, 20_000)
			if err != nil {
				t.Fatal(err)
			}
			var refused error
			if err := fs.WalkDir(f, ".", func(_ string, _ fs.DirEntry, err error) error {
				refused = errors.Join(refused, err)
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			var reason *archive.RefusedError
			if !errors.As(refused, &reason) || !strings.Contains(reason.Error(), tt.why) {
				t.Errorf("got %v, want a refusal with %q", refused, tt.why)
			}
			entries, err := os.ReadDir(dir)
			if err != nil || len(entries) != 1 {
				t.Errorf("something was written: %v %v", entries, err)
			}
		})
	}
}

// A directory of a thousand downloads must not take a thousand open files.
func TestFSHoldsNothingOpen(t *testing.T) {
	open := func() int {
		entries, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip("no /proc/self/fd to count in")
		}
		return len(entries)
	}
	files := map[string][]byte{}
	for i := range 40 {
		files[fmt.Sprintf("%d.zip", i)] = zipped(t, member{name: "a.json", body: "a"})
		files[fmt.Sprintf("%d.tgz", i)] = tarred(t, member{name: "a.json", body: "a"})
		files[fmt.Sprintf("%d-refused.zip", i)] = zipped(t, member{name: "../a.json"})
	}
	f, _, err := archive.Open(write(t, files), archive.DefaultLimit)
	if err != nil {
		t.Fatal(err)
	}
	before := open()
	refused := 0
	err = fs.WalkDir(f, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			refused++
			return nil
		}
		if !d.IsDir() && read(t, f, name) != "a" {
			t.Errorf("%s is another file", name)
		}
		return nil
	})
	if after := open(); err != nil || after > before+5 || refused != 40 {
		t.Errorf("%d files are open, %d were before; %d archives were refused, want 40; %v", after, before, refused, err)
	}
}

// The limit is one archive's, whatever lies beside it.
func TestLimitIsOfOneArchive(t *testing.T) {
	full := zipped(t, member{name: "a.json", body: strings.Repeat("0", 15_000)})
	f, _, err := archive.Open(write(t, map[string][]byte{"a.zip": full, "b.zip": full}), 20_000)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a.zip/a.json", "b.zip/a.json"} {
		if got := read(t, f, name); len(got) != 15_000 {
			t.Errorf("%s: %d bytes", name, len(got))
		}
	}
}

// overlapping packs two members whose directory entries point at the same bytes.
func overlapping(t *testing.T, body string) []byte {
	data := zipped(t, member{name: "a.json", body: body}, member{name: "b.json", body: body})
	last := bytes.LastIndex(data, []byte("PK\x01\x02"))
	binary.LittleEndian.PutUint32(data[last+42:], 0) // offset of its local header
	return data
}

// sparse is a tar whose one member says that it is a hole of a terabyte. It is
// written by hand: Go writes none.
func sparse(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	content := "0\n" // GNU 1.0: no data regions
	content += strings.Repeat("\x00", 512-len(content))
	err := w.WriteHeader(&tar.Header{Name: "a.json", Mode: 0o644, Size: int64(len(content)), Typeflag: tar.TypeReg, Format: tar.FormatPAX,
		PAXRecords: map[string]string{"VENDOR.x": "y"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, content); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	// Put the GNU keys in the place of the vendor's.
	raw, err := gzip.NewReader(&b)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(raw)
	if err != nil {
		t.Fatal(err)
	}
	records := "22 GNU.sparse.major=1\n" + "22 GNU.sparse.minor=0\n" + "26 GNU.sparse.name=a.json\n" + "37 GNU.sparse.realsize=1099511627776\n"
	at := bytes.Index(plain, []byte("VENDOR.x=y"))
	start := at - 3 // "14 "
	copy(plain[start:], records)
	header := plain[start/512*512-512:]
	copy(header[124:136], []byte("00000000153\x00")) // octal 107: the size of the records
	sum := 0
	copy(header[148:156], "        ")
	for _, c := range header[:512] {
		sum += int(c)
	}
	copy(header[148:156], []byte{byte('0' + sum>>15&7), byte('0' + sum>>12&7), byte('0' + sum>>9&7), byte('0' + sum>>6&7), byte('0' + sum>>3&7), byte('0' + sum&7), 0, ' '})
	return gzipped(t, string(plain))
}

// A member whose bytes are not what the directory says fails when it is read,
// and so does a gzipped file that holds too much or is cut short.
func TestDamagedMembers(t *testing.T) {
	good := zipped(t, member{name: "a.json", body: strings.Repeat("ab", 1000)})
	wrongSum := mangle(good, func(_, c []byte) { c[16] ^= 1 })
	lies := mangle(good, func(_, c []byte) { binary.LittleEndian.PutUint32(c[24:], 100) })
	dir := write(t, map[string][]byte{
		"sum.zip": wrongSum, "lies.zip": lies,
		"big.json.gz": gzipped(t, strings.Repeat("0", 20_001)),
		"cut.json.gz": gzipped(t, strings.Repeat("0", 10_000))[:20],
		"not.json.gz": []byte("no gzip"),
	})
	f, _, err := archive.Open(dir, 20_000)
	if err != nil {
		t.Fatal(err)
	}
	for name, why := range map[string]string{
		"sum.zip/a.json": "checksum", "lies.zip/a.json": "holds more than",
		"big.json": "--max-unpacked", "cut.json": "unexpected EOF", "not.json": "cut short",
	} {
		if _, err := fs.ReadFile(f, name); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v, want %q", name, err, why)
		}
	}
}

// A reader that stops in the middle leaves no goroutine behind: the race
// detector and the closed source would show one.
func TestCloseInTheMiddle(t *testing.T) {
	dir := write(t, map[string][]byte{"a.zip": zipped(t, member{name: "a.json", body: strings.Repeat("x", 3<<20)})})
	f, _ := open(t, dir)
	for range 5 {
		file, err := f.Open("a.zip/a.json")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := file.Read(make([]byte, 10)); err != nil {
			t.Fatal(err)
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestMemory(t *testing.T) {
	f, err := archive.Memory([]archive.File{{"a/b", []byte("x")}, {"c", nil}})
	if err != nil {
		t.Fatal(err)
	}
	if err := fstest.TestFS(f, "a/b", "c"); err != nil {
		t.Error(err)
	}
	if _, err := archive.Memory([]archive.File{{"a", nil}, {"a", nil}}); err == nil {
		t.Error("a path that stands twice was taken")
	}
}
