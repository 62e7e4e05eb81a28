package aiperf

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// ReadTotals reads server_metrics_export.csv from the file name of fsys: the
// statistics of the selected families over the profiling phase, endpoints as
// host:port. The file has no slices, no window and no warmup. Of its info
// section only the names are kept.
//
// A row that does not fit its section's header, a section without the columns
// that tell its kind, and text that is not UTF-8 are a [*SyntaxError].
func ReadTotals(fsys fs.FS, name string, sel Selection) (*Export, []Note, error) {
	f, err := openFile(fsys, name)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	t := &totalsReader{export: &Export{File: name}, sel: sel, notes: &notes{file: name}, families: make(map[string]int)}
	if err := t.read(f); err != nil {
		return nil, nil, t.located(err)
	}
	return t.export, t.notes.all(), nil
}

type totalsReader struct {
	export   *Export
	sel      Selection
	notes    *notes
	families map[string]int // name -> place in Metrics, -1 when it is only a name
	section  section
	line     int // of the row that is being read
}

// A section is what the header of a section of the CSV says.
type section struct {
	columns                []string
	endpoint, metric, kind int // places of the columns; kind is -1 in the info section
	labels                 []int
	stats                  []int
}

// read reads head and sections. Errors of the file's text are SyntaxErrors
// without the file.
func (t *totalsReader) read(src io.Reader) error {
	limited := &recordLimit{src: src, left: maxToken}
	in := bufio.NewReader(limited)
	switch start, _ := in.Peek(3); {
	case string(start) == "\xef\xbb\xbf":
		return &SyntaxError{Line: 1, Col: 1, Msg: "begins with a byte-order mark: remove the first three bytes"}
	case len(start) == 0 && limited.err == io.EOF:
		return &SyntaxError{Msg: "the file is empty"}
	}
	head, err := t.head(in)
	if err != nil {
		return err
	}
	rows := csv.NewReader(in)
	rows.FieldsPerRecord = -1
	rows.ReuseRecord = true
	for {
		limited.left = maxToken
		row, err := rows.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return csvError(err, head)
		}
		line, _ := rows.FieldPos(0)
		t.line = head + line
		if err := t.row(row); err != nil {
			return err
		}
	}
	if t.section.columns == nil {
		return &SyntaxError{Line: head + 1, Msg: "the file ends before the header of a section, which has the columns Endpoint and Metric"}
	}
	if limited.last != '\n' {
		t.notes.add("line "+strconv.Itoa(t.line), "the last line has no end: the file may be cut short")
	}
	return nil
}

// head reads the comment lines at the beginning and returns their number.
func (t *totalsReader) head(in *bufio.Reader) (lines int, err error) {
	for {
		if c, err := in.Peek(1); err != nil || c[0] != '#' {
			if err == io.EOF {
				err = nil
			}
			return lines, err
		}
		text, err := in.ReadString('\n')
		if err != nil && err != io.EOF {
			return lines, err
		}
		lines++
		if !utf8.ValidString(text) {
			return lines, &SyntaxError{Line: lines, Msg: "not valid UTF-8"}
		}
		key, value, _ := strings.Cut(strings.TrimLeft(text, "# "), ":")
		value = strings.TrimSpace(value)
		switch key {
		case "aiperf_version":
			t.export.AIPerfVersion = value
		case "schema_version":
			t.export.SchemaVersion = value
		case "benchmark_id":
			t.export.BenchmarkID = value
		}
	}
}

// row takes a row of a section, or the header of the next one.
func (t *totalsReader) row(row []string) error {
	for i, field := range row {
		if !utf8.ValidString(field) {
			return t.wrong("column %d is not valid UTF-8", i+1)
		}
	}
	if slices.Contains(row, "Endpoint") && slices.Contains(row, "Metric") {
		return t.header(slices.Clone(row))
	}
	s := t.section
	if s.columns == nil {
		return t.wrong("found a row before the first header, which has the columns Endpoint and Metric")
	}
	if len(row) != len(s.columns) {
		return t.wrong("found %d columns where the section's header has %d", len(row), len(s.columns))
	}
	t.series(row)
	return nil
}

// The columns that are no labels, by what tells the kind of the section.
var (
	commonColumns    = []string{"Endpoint", "Type", "Metric", "Unit", "Description"}
	counterColumns   = []string{"total", "rate", "rate_avg", "rate_min", "rate_max", "rate_std"}
	gaugeColumns     = []string{"avg", "min", "max", "std", "p1", "p5", "p10", "p25", "p50", "p75", "p90", "p95", "p99"}
	histogramColumns = []string{"count", "count_rate", "sum", "sum_rate", "avg", "p1_estimate", "p5_estimate", "p10_estimate",
		"p25_estimate", "p50_estimate", "p75_estimate", "p90_estimate", "p95_estimate", "p99_estimate", "buckets"}
)

func (t *totalsReader) header(columns []string) error {
	for i, column := range columns {
		if slices.Contains(columns[:i], column) {
			return t.wrong("the column %s stands twice in the header", column)
		}
	}
	s := section{
		columns:  columns,
		endpoint: slices.Index(columns, "Endpoint"),
		metric:   slices.Index(columns, "Metric"),
		kind:     slices.Index(columns, "Type"),
	}
	var stats []string
	has := func(column string) bool { return slices.Contains(columns, column) }
	switch {
	case s.kind < 0 && has("Key") && has("Value"):
		t.section = s
		return nil
	case has("total"):
		stats = counterColumns
	case has("count") && has("sum"):
		stats = histogramColumns
	case has("avg") && has("min") && has("max"):
		stats = gaugeColumns
	}
	if s.kind < 0 || stats == nil {
		return t.wrong("found a header that is none of a gauge, counter, histogram or info section")
	}
	for i, column := range columns {
		switch {
		case slices.Contains(stats, column):
			s.stats = append(s.stats, i)
		case !slices.Contains(commonColumns, column):
			s.labels = append(s.labels, i)
		}
	}
	t.section = s
	return nil
}

// series takes a row that fits its header.
func (t *totalsReader) series(row []string) {
	s := t.section
	name := row[s.metric]
	i, known := t.families[name]
	if !known {
		name = strings.Clone(name) // or it would keep its whole row in memory
		t.export.Names = append(t.export.Names, name)
		i = -1
		if s.kind >= 0 && (t.sel == nil || t.sel(name)) {
			i = len(t.export.Metrics)
			t.export.Metrics = append(t.export.Metrics, Family{Name: name, Type: row[s.kind]})
		}
		t.families[name] = i
	}
	if i < 0 || s.kind < 0 {
		return
	}
	series := Series{Endpoint: row[s.endpoint], At: t.at()}
	for _, column := range s.labels {
		if row[column] != "" {
			if series.Labels == nil {
				series.Labels = make(map[string]string)
			}
			series.Labels[s.columns[column]] = row[column]
		}
	}
	for _, column := range s.stats {
		t.stat(&series.Stats, s.columns[column], row[column])
	}
	t.export.Metrics[i].Series = append(t.export.Metrics[i].Series, series)
}

func (t *totalsReader) stat(s *Stats, column, text string) {
	switch column {
	case "total":
		s.Total = t.value(text)
	case "sum":
		s.Sum = t.value(text)
	case "count":
		s.Count = t.value(text)
	case "max":
		s.Max = t.value(text)
	case "avg":
		s.Avg = t.value(text)
	case "rate":
		s.Rate = t.value(text)
	}
}

// value reads a statistic, which is empty where the series has none.
func (t *totalsReader) value(text string) Value {
	if text == "" {
		return Value{}
	}
	s := scanner{buf: []byte(text), notes: t.notes}
	if c := text[0]; c == '-' || '0' <= c && c <= '9' {
		token, bare := s.number()
		if s.err == nil && !bare && len(token) == len(text) {
			if f, err := strconv.ParseFloat(text, 64); err == nil {
				return NumberValue(f)
			}
		}
	}
	t.notes.add(t.at(), "text where a number should be")
	return OtherValue(text)
}

func (t *totalsReader) at() string { return "line " + strconv.Itoa(t.line) }

func (t *totalsReader) wrong(format string, args ...any) error {
	return &SyntaxError{Line: t.line, Msg: fmt.Sprintf(format, args...)}
}

// csvError says where encoding/csv, which began behind the head, gave up.
func csvError(err error, head int) error {
	var parse *csv.ParseError
	if errors.As(err, &parse) {
		return &SyntaxError{Line: head + parse.Line, Col: parse.Column, Msg: parse.Err.Error()}
	}
	return err
}

// located adds the file to an error.
func (t *totalsReader) located(err error) error {
	if syntax, ok := err.(*SyntaxError); ok {
		syntax.File = t.export.File
		return syntax
	}
	if errors.Is(err, errLongRow) {
		return &SyntaxError{File: t.export.File, Line: t.line + 1, Msg: errLongRow.Error()}
	}
	return wrapRead(t.export.File, err)
}

// A recordLimit refuses a file that gives more than a record may have before
// its reader sets left again: encoding/csv would take a quoted field of any
// length into memory.
type recordLimit struct {
	src  io.Reader
	left int
	last byte  // the last byte that was read
	err  error // of src
}

var errLongRow = fmt.Errorf("a row is longer than %d MiB", maxToken>>20)

func (l *recordLimit) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, errLongRow
	}
	n, err := l.src.Read(p)
	if n > 0 {
		l.left, l.last = l.left-n, p[n-1]
	}
	l.err = err
	return n, err
}
