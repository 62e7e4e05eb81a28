package aiperf

import (
	"bytes"
	"io/fs"
)

// ReadRecords reads profile_export.jsonl from the file name of fsys in one
// pass, a line at a time. Blank lines do not count. The accounting is the
// producer's request_accounting, with the split of errors by phase.
//
// A line that is not one whole JSON object is a [*SyntaxError], for the
// producer refuses such a file too; so are a metadata or metrics that is no
// object, two members of one name in an object that is read, and a time beyond
// int64. An empty file is noted.
func ReadRecords(fsys fs.FS, name string) (*Records, []Note, error) {
	f, err := openFile(fsys, name)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	n := &notes{file: name}
	r := recordReader{scanner: &scanner{notes: n}, records: &Records{File: name}}
	lines := newLineReader(f)
	for lines.next() {
		if err := r.line(lines.number, lines.line); err != nil {
			return nil, nil, err
		}
	}
	if err := lines.failure(name); err != nil {
		return nil, nil, err
	}
	if len(r.records.List) == 0 {
		n.add("", "no records")
	}
	r.records.Accounting = r.accounting()
	return r.records, n.all(), nil
}

// A recordReader reads lines into records.
type recordReader struct {
	*scanner
	records    *Records
	categories map[string]int
}

// line reads one line without its end.
func (r *recordReader) line(number int, text []byte) error {
	r.scanner.reset(number, text)
	if r.peek() == 0 && r.pos == len(text) {
		return nil
	}
	if number == 1 && bytes.HasPrefix(text, []byte("\xef\xbb\xbf")) {
		r.fail(0, "begins with a byte-order mark: remove the first three bytes")
	}
	record := r.record()
	r.end()
	if r.err != nil {
		syntax := r.err.(*SyntaxError) // there is no other kind without a source
		syntax.File, syntax.Line = r.records.File, number
		syntax.locateIn(text[:r.bad])
		return syntax
	}
	r.records.List = append(r.records.List, record)
	return nil
}

// reset makes the scanner read a text that is in memory.
func (s *scanner) reset(line int, text []byte) {
	s.buf, s.pos, s.base, s.err, s.depth = text, 0, 0, nil, 0
	s.path, s.line = s.path[:0], line
}

func (r *recordReader) record() Record {
	t := Record{Line: r.scanner.line, Start: NoTime, Ack: NoTime, End: NoTime}
	for name := range r.object() {
		switch name {
		case "metadata":
			r.metadata(&t)
		case "metrics":
			r.metrics(&t)
		case "error":
			e := r.tree()
			if t.Failed = e.truthy(); t.Failed && r.err == nil {
				t.Category = errorCategory(e)
				r.count(t.Category)
			}
		default:
			r.pass()
		}
	}
	return t
}

func (r *recordReader) count(category string) {
	if r.categories == nil {
		r.categories = make(map[string]int)
	}
	r.categories[category]++
}

func (r *recordReader) metadata(t *Record) {
	for name := range r.object() {
		switch name {
		case "benchmark_phase":
			if !r.null() {
				t.Phase = r.text()
				t.Warmup = t.Phase != "profiling"
			}
		case "was_cancelled":
			t.Cancelled = r.cancelled()
		case "request_start_ns":
			t.Start = r.recordTime()
		case "request_ack_ns":
			t.Ack = r.recordTime()
		case "request_end_ns":
			t.End = r.recordTime()
		default:
			r.pass()
		}
	}
}

// cancelled reads was_cancelled, which old records write as null.
func (r *recordReader) cancelled() bool {
	switch r.peek() {
	case 't', 'f':
		return string(r.raw()) == "true"
	case 'n':
		r.null()
		return false
	}
	e := r.tree()
	r.note("was_cancelled is not a boolean, read by its truth in Python")
	return e.truthy()
}

// recordTime reads a time that old records write as null when there is none.
func (r *recordReader) recordTime() int64 {
	if r.null() {
		return NoTime
	}
	return r.time()
}

func (r *recordReader) metrics(t *Record) {
	for name := range r.object() {
		switch name {
		case "time_to_first_token":
			t.TTFT = r.measure()
		case "input_sequence_length":
			t.InputLength = r.measure()
		case "output_sequence_length":
			t.OutputLength = r.measure()
		case "usage_prompt_tokens":
			t.PromptTokens = r.measure()
		case "usage_prompt_cache_read_tokens":
			t.CacheReadTokens = r.measure()
		default:
			r.pass()
		}
	}
}

// measure reads a metric of a record: an object with a value, or, as the
// producer allows, the value itself.
func (r *recordReader) measure() (v Value) {
	if r.peek() != '{' {
		return r.value()
	}
	for name := range r.object() {
		if name == "value" {
			v = r.value()
		} else {
			r.pass()
		}
	}
	return v
}

// accounting counts as the producer does: a failed warmup record goes into
// both counts of dropped records.
func (r *recordReader) accounting() Accounting {
	profilingErrors := 0
	a := Accounting{Total: len(r.records.List), ProfilingErrors: &profilingErrors, ErrorCategories: r.categories}
	if a.ErrorCategories == nil {
		a.ErrorCategories = make(map[string]int)
	}
	for _, t := range r.records.List {
		if t.Successful() {
			a.Profiled++
		}
		if t.Warmup {
			a.WarmupDropped++
		}
		if t.Failed {
			a.ErrorDropped++
		}
		if t.Failed && !t.Warmup {
			profilingErrors++
		}
	}
	a.Dropped = a.Total - a.Profiled
	return a
}
