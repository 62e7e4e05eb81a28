package aiperf

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/sync/errgroup"
)

// benchMB sizes the generated export of the benchmarks. The target holds at
// 200 and at 2000.
var benchMB = flag.Int("export.mb", 200, "size of the benchmarks' export in MB")

// An exportModel writes an export like a long run of one vLLM engine on one
// endpoint: 13 gauges, 32 counters and 17 histograms with 4 to 23 buckets, a
// slice a second, indented by two as AIPerf does (export.md section 7 has the
// sizes of such a file). The file grows with the number of slices.
type exportModel struct {
	*bufio.Writer
	rng   *rand.Rand
	slice int // number of slices of a series
}

const modelStart = 1800000000000000000

func writeExport(w io.Writer, slices int) error {
	m := exportModel{bufio.NewWriterSize(w, 1<<20), rand.New(rand.NewPCG(1, 2)), slices}
	m.WriteString("{\n  \"schema_version\": \"1.1\",\n  \"aiperf_version\": \"0.12.0\",\n  \"benchmark_id\": \"0a1b2c3d4e5f\",\n" +
		"  \"summary\": {\n    \"endpoints_configured\": [\n      \"http://localhost:9000/metrics\"\n    ]\n  },\n  \"metrics\": {\n")
	for i := range 62 {
		if i > 0 {
			m.WriteString(",\n")
		}
		switch {
		case i < 13:
			m.family(fmt.Sprintf("vllm:gauge_%02d", i), "gauge", m.gauge)
		case i < 45:
			m.family(fmt.Sprintf("vllm:counter_%02d_tokens", i), "counter", m.counter)
		default:
			buckets := 4 + (i-45)*19/16
			m.family(fmt.Sprintf("vllm:histogram_%02d_seconds", i), "histogram", func() { m.histogram(buckets) })
		}
	}
	m.WriteString("\n  },\n  \"input_config\": {}\n}")
	return m.Flush()
}

func (m *exportModel) family(name, kind string, values func()) {
	fmt.Fprintf(m, "    %q: {\n      \"type\": %q,\n      \"description\": \"A made-up family, for measuring.\",\n      \"unit\": \"tokens\",\n"+
		"      \"series\": [\n        {\n          \"endpoint_url\": \"http://localhost:9000/metrics\",\n          \"labels\": {\n"+
		"            \"engine\": \"0\",\n            \"model_name\": \"m\"\n          },\n          \"stats\": {\n            \"total\": 123456.0\n          },\n"+
		"          \"timeslices\": [", name, kind)
	for i := range m.slice {
		if i > 0 {
			m.WriteByte(',')
		}
		start := modelStart + int64(i)*1e9
		fmt.Fprintf(m, "\n            {\n              \"start_ns\": %d,\n              \"end_ns\": %d", start, start+1e9)
		values()
		m.WriteString("\n            }")
	}
	m.WriteString("\n          ]\n        }\n      ]\n    }")
}

func (m *exportModel) number(name string, f float64) {
	text := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	fmt.Fprintf(m, ",\n              %q: %s", name, text)
}

func (m *exportModel) gauge() {
	m.number("avg", m.rng.Float64())
	m.number("min", m.rng.Float64())
	m.number("max", m.rng.Float64())
}

func (m *exportModel) counter() {
	total := float64(m.rng.IntN(30000))
	m.number("total", total)
	m.number("rate", total)
}

func (m *exportModel) histogram(buckets int) {
	count := m.rng.IntN(100)
	fmt.Fprintf(m, ",\n              \"count\": %d", count)
	m.number("sum", m.rng.Float64()*100)
	m.number("avg", m.rng.Float64())
	m.WriteString(",\n              \"buckets\": {")
	for b := range buckets {
		fmt.Fprintf(m, "\n                \"%g.0\": %d,", float64(int(1)<<b), count*(b+1)/buckets)
	}
	fmt.Fprintf(m, "\n                \"+Inf\": %d\n              }", count)
}

// bytesPerSlice is what one more second makes the model's file longer.
const bytesPerSlice = 20600

// exportFile returns a directory with a generated export of about mb MB.
func exportFile(tb testing.TB, mb int) (dir string, size int64) {
	dir = tb.TempDir()
	f, err := os.Create(filepath.Join(dir, exportName))
	if err != nil {
		tb.Fatal(err)
	}
	if err := writeExport(f, mb*1e6/bytesPerSlice); err != nil {
		tb.Fatal(err)
	}
	size, err = f.Seek(0, io.SeekEnd)
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		tb.Fatal(err)
	}
	return dir, size
}

// fivePercent selects 5 % of the bytes: 6 of 32 counters.
func fivePercent(name string) bool {
	i, ok := strings.CutPrefix(name, "vllm:counter_")
	return ok && i < "19"
}

// writeRecords writes n records of about 2 kB, as fork-0.8 writes them: half of
// the bytes are inter_chunk_latency, one in fifty failed.
func writeRecords(w io.Writer, n int) error {
	out := bufio.NewWriterSize(w, 1<<20)
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range n {
		start := modelStart + int64(i)*36e6
		fmt.Fprintf(out, `{"metadata":{"session_num":%d,"x_request_id":"00000000-0000-4000-8000-%012d","x_correlation_id":"00000000-0000-4000-8000-0000000000a1",`+
			`"conversation_id":"c-%d","turn_index":2,"source_kind":"weka_main","agent_depth":0,"credit_issued_ns":%d,"request_start_ns":%d,"request_ack_ns":%d,`+
			`"request_end_ns":%d,"worker_id":"worker_1a2b3c4d","record_processor_id":"record_processor_5e6f7a8b","benchmark_phase":"profiling","was_cancelled":false},"metrics":{`,
			i, i, i%400, start-4e6, start, start+1e8, start+13e8)
		if i%50 == 49 {
			out.WriteString(`"error_isl":{"value":400,"unit":"tokens"}},"error":{"code":503,"type":"HTTPError","message":"busy: \"later\""}}` + "\n")
			continue
		}
		for _, name := range []string{"output_sequence_length", "input_sequence_length", "output_token_count", "usage_prompt_tokens", "usage_prompt_cache_read_tokens"} {
			fmt.Fprintf(out, `%q:{"value":%d,"unit":"tokens"},`, name, rng.IntN(100000))
		}
		for _, name := range []string{"request_latency", "time_to_first_token", "time_to_second_token", "inter_token_latency", "http_req_waiting"} {
			fmt.Fprintf(out, `%q:{"value":%v,"unit":"ms"},`, name, rng.Float64()*1000)
		}
		out.WriteString(`"inter_chunk_latency":{"value":[`)
		for j := range 55 {
			if j > 0 {
				out.WriteByte(',')
			}
			fmt.Fprint(out, rng.Float64()*30)
		}
		out.WriteString(`],"unit":"ms"}}}` + "\n")
	}
	return out.Flush()
}

// BenchmarkRecords reads 100,000 records.
func BenchmarkRecords(b *testing.B) {
	dir := b.TempDir()
	f, err := os.Create(filepath.Join(dir, recordsName))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	if err := writeRecords(f, 100_000); err != nil {
		b.Fatal(err)
	}
	size, _ := f.Seek(0, io.SeekEnd)
	fsys := os.DirFS(dir)
	b.SetBytes(size)
	b.ReportAllocs()
	start := cpuSeconds(b)
	for b.Loop() {
		r, _, err := ReadRecords(fsys, recordsName)
		if err != nil || r.Accounting.Total != 100_000 || r.Accounting.ErrorDropped != 2_000 {
			b.Fatal(err, r.Accounting)
		}
	}
	b.ReportMetric(float64(size)*float64(b.N)/1e6/(cpuSeconds(b)-start), "MB/cpu-s")
}

// BenchmarkExport reads a generated export of which 5 % are selected, and beside
// it reports the peak memory of a process that does nothing else, and what
// Python's json.load makes of the same file.
func BenchmarkExport(b *testing.B) {
	dir, size := exportFile(b, *benchMB)
	fsys := os.DirFS(dir)
	b.SetBytes(size)
	b.ReportAllocs()
	start := cpuSeconds(b)
	for b.Loop() {
		if _, _, err := ReadExport(fsys, exportName, fivePercent); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(size)*float64(b.N)/1e6/(cpuSeconds(b)-start), "MB/cpu-s")
	b.ReportMetric(peakMemory(b, dir), "peak-MB")
	if seconds, ok := pythonLoad(filepath.Join(dir, exportName)); ok {
		b.ReportMetric(float64(size)/1e6/seconds, "python-MB/s")
	}
}

// BenchmarkTwoExports reads two exports at once: on two cores this takes as
// long as one, for readers share nothing.
func BenchmarkTwoExports(b *testing.B) {
	dir, size := exportFile(b, *benchMB)
	fsys := os.DirFS(dir)
	b.SetBytes(2 * size)
	for b.Loop() {
		var g errgroup.Group
		for range 2 {
			g.Go(func() error {
				_, _, err := ReadExport(fsys, exportName, fivePercent)
				return err
			})
		}
		if err := g.Wait(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSkip checks an export without keeping anything, by this package's
// scanner and by jsontext: why the package has a scanner of its own.
func BenchmarkSkip(b *testing.B) {
	dir, size := exportFile(b, *benchMB)
	for _, way := range []struct {
		name string
		skip func(io.Reader) error
	}{
		{"scanner", func(r io.Reader) error {
			s := newScanner(r, windowSize, &notes{})
			s.skip()
			s.end()
			return s.err
		}},
		{"jsontext", func(r io.Reader) error {
			return jsontext.NewDecoder(r, jsontext.AllowDuplicateNames(true)).SkipValue()
		}},
	} {
		b.Run(way.name, func(b *testing.B) {
			b.SetBytes(size)
			for b.Loop() {
				f, err := os.Open(filepath.Join(dir, exportName))
				if err != nil {
					b.Fatal(err)
				}
				if err := way.skip(f); err != nil {
					b.Fatal(err)
				}
				f.Close()
			}
		})
	}
}

// TestPeakMemory: reading takes less memory than the file has bytes, and less
// than the limit that the big ones are held to.
func TestPeakMemory(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector takes memory of its own")
	}
	dir, size := exportFile(t, 70)
	if size < 65e6 {
		t.Fatalf("the export has %d bytes", size)
	}
	if peak := peakMemory(t, dir); peak > 64 {
		t.Errorf("peak memory %.0f MB, want no more than 64", peak)
	}
}

// cpuSeconds returns the CPU time of this process, which says more than the
// clock on a machine that others use too.
func cpuSeconds(tb testing.TB) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		tb.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// childDir tells a child process of peakMemory what to read.
const childDir = "AIPERF_TEST_CHILD_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		if err := readAndPrintPeak(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// readAndPrintPeak reads the export and prints the most memory in kB that the
// process ever had resident, as Linux counts it.
func readAndPrintPeak(dir string) error {
	e, _, err := ReadExport(os.DirFS(dir), exportName, fivePercent)
	if err != nil {
		return err
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return err
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	fmt.Println(strings.Fields(rest)[0], len(e.Metrics))
	return nil
}

// peakMemory returns the peak memory in MB of a child process that reads the
// export in dir.
func peakMemory(tb testing.TB, dir string) float64 {
	tb.Helper()
	if runtime.GOOS != "linux" {
		tb.Skip("the peak memory of a process is read from /proc")
	}
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childDir+"="+dir)
	child.Stderr = os.Stderr
	out, err := child.Output()
	if err != nil {
		tb.Fatal(err)
	}
	var kB, families int
	if _, err := fmt.Sscan(string(out), &kB, &families); err != nil || families != 6 {
		tb.Fatalf("the child printed %q: %v", out, err)
	}
	return float64(kB) / 1024
}

// pythonLoad returns how long json.load takes for the file, false without
// Python, and for a file that would fill the memory of this machine: json.load
// takes about five times the size of the file.
func pythonLoad(file string) (seconds float64, ok bool) {
	python, err := exec.LookPath("python3")
	if info, statErr := os.Stat(file); err != nil || statErr != nil || info.Size() > 500e6 {
		return 0, false
	}
	out, err := exec.Command(python, "-c", "import json, sys, time; t = time.perf_counter(); json.load(open(sys.argv[1])); print(time.perf_counter() - t)", file).Output()
	if err != nil {
		return 0, false
	}
	_, err = fmt.Sscan(string(out), &seconds)
	return seconds, err == nil
}
