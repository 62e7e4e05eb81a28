package aiperf

import "io/fs"

// ReadRow reads a published aggregate row from the file name of fsys. A JSON
// object without request_metrics and server_metrics is no row: the Row is nil
// and the error too. Errors and notes are as in [ReadExport].
func ReadRow(fsys fs.FS, name string) (*Row, []Note, error) {
	r := &rowReader{row: &Row{File: name, Fields: make(map[string]string)}}
	n := &notes{file: name}
	err := readJSON(fsys, name, n, func(s *scanner) {
		r.scanner = s
		r.root()
	})
	switch {
	case err != nil && (r.requests || r.server):
		return nil, nil, err
	case err != nil && !isSyntax(err):
		return nil, nil, err
	case !r.requests || !r.server:
		// Broken or not: a JSON file of something else, no part of the run.
		return nil, nil, nil
	}
	return r.row, n.all(), nil
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

func (r *rowReader) serverMetrics() {
	for name := range r.object() {
		switch {
		case name == "adapter":
			r.row.Adapter = r.text()
		case name == "cache" && !r.nothing():
			r.cache()
		case name == "cache_validity" && !r.nothing():
			r.validity()
		case name != "cache" && name != "cache_validity":
			r.pass()
		}
	}
}

func (r *rowReader) cache() {
	for name := range r.object() {
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
	for name := range r.object() {
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
