package aiperf

import (
	"io/fs"
	"strconv"
)

// ReadRow reads a published aggregate row from the file name of fsys. A JSON
// object without request_metrics and server_metrics is no row: the Row is nil
// and the error too. Errors and notes are as in [ReadExport].
func ReadRow(fsys fs.FS, name string) (*Row, []Note, error) {
	rows, notes, err := readRows(fsys, name, false)
	if err != nil || len(rows) == 0 {
		return nil, nil, err
	}
	return rows[0], notes, nil
}

// ReadRows reads the published rows of the file name of fsys: one row, or an
// array of them as agg_bmk.json has it, whose elements of another kind are left
// out. The File of a row in an array ends with its JSON pointer. A file without
// a row gives none, and no error. Errors and notes are as in [ReadExport].
func ReadRows(fsys fs.FS, name string) ([]*Row, []Note, error) {
	return readRows(fsys, name, true)
}

func readRows(fsys fs.FS, name string, arrays bool) ([]*Row, []Note, error) {
	var rows []*Row
	begun := false // something of a row was read
	one := func(s *scanner, file string) {
		r := rowReader{scanner: s, row: &Row{File: file, Fields: make(map[string]string)}}
		r.root()
		begun = begun || r.requests || r.server
		if r.requests && r.server && s.err == nil {
			rows = append(rows, r.row)
		}
	}
	n := &notes{file: name}
	err := readJSON(fsys, name, n, func(s *scanner) {
		switch {
		case s.peek() != '[' || !arrays:
			one(s, name)
		default:
			for i := range s.array() {
				if s.peek() != '{' {
					s.pass()
					continue
				}
				one(s, name+"#/"+strconv.Itoa(i))
			}
		}
	})
	switch {
	case err != nil && (begun || !isSyntax(err)):
		return nil, nil, err
	case err != nil:
		// A broken JSON file of something else, no part of the run.
		return nil, nil, nil
	}
	return rows, n.all(), nil
}

func isSyntax(err error) bool {
	_, ok := err.(*SyntaxError)
	return ok
}

type rowReader struct {
	*scanner
	row              *Row
	requests, server bool // the two keys that make it a row
}

func (r *rowReader) root() {
	for name := range r.object() {
		switch c := r.peek(); {
		case name == "request_metrics":
			r.requests = true
			r.pass()
		case name == "server_metrics":
			r.server = true
			r.serverMetrics()
		case c == '{' && (name == "kv_offload_backend" || name == "router"):
			r.row.Fields[name] = r.flat()
		case c == '{' || c == '[':
			r.pass()
		default:
			r.field(name)
		}
	}
}

// field keeps a scalar of the row.
func (r *rowReader) field(name string) {
	text := string(r.raw())
	r.row.Fields[name] = text
	switch {
	case name == "framework" && len(text) > 1 && text[0] == '"':
		r.row.Framework = string(unquote(nil, []byte(text)))
	case name == "disagg" && (text == "true" || text == "false"):
		disagg := text == "true"
		r.row.Disagg = &disagg
	}
}

// flat reads an object of scalars and returns it as compact JSON.
func (r *rowReader) flat() string {
	text := []byte{'{'}
	for name := range r.object() {
		if len(text) > 1 {
			text = append(text, ',')
		}
		text = append(append(appendString(text, name), ':'), r.raw()...)
	}
	return string(append(text, '}'))
}

func (r *rowReader) serverMetrics() {
	for name := range r.object() {
		switch name {
		case "adapter":
			r.row.Adapter = r.text()
		case "cache":
			r.cache()
		case "cache_validity":
			r.validity()
		default:
			r.pass()
		}
	}
}

func (r *rowReader) cache() {
	for name := range r.objectOrNothing() {
		switch name {
		case "gpu_cache_hit_rate":
			r.row.GPU = r.rate()
		case "cpu_cache_hit_rate":
			r.row.CPU = r.rate()
		case "external_cache_hit_rate":
			r.row.External = r.rate()
		case "overall_cache_hit_rate":
			r.row.Overall = r.rate()
		default:
			r.pass()
		}
	}
}

// rate reads a rate, which the producer writes as null when it is not known.
func (r *rowReader) rate() Value {
	if r.null() {
		return NullValue()
	}
	return r.value()
}

func (r *rowReader) validity() {
	for name := range r.objectOrNothing() {
		switch name {
		case "status":
			r.row.Status = r.text()
		case "pricing_eligible":
			switch r.peek() {
			case 't', 'f':
				eligible := string(r.raw()) == "true"
				r.row.Eligible = &eligible
			default:
				r.note("pricing_eligible is not a boolean, read as absent")
				r.pass()
			}
		default:
			r.pass()
		}
	}
}
