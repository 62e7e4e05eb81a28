package aiperf

// A RecordRow is one line of profile_export.jsonl, for writing: what AIPerf
// writes of a request, where [Record] is what a reader kept. Times are
// nanoseconds since the Unix epoch, 0 is left out; an Absent value is too.
type RecordRow struct {
	Session                  int
	RequestID, CorrelationID string
	Conversation             string // "" is left out
	Turn                     int
	Issued, Start, Ack, End  int64
	Worker, Processor        string
	Phase                    string // "" is left out
	Cancelled                bool
	CancelledAt              int64

	Metrics []RecordMetric // in emission order
	Error   *RecordError
}

// A RecordMetric is one entry of a record's metrics. Whole marks JSON ints.
type RecordMetric struct {
	Name  string
	Value Value
	Whole bool
	Unit  string
}

// A RecordError is a record's error. A zero Code is left out, as AIPerf does
// for connect errors.
type RecordError struct {
	Code          int
	Type, Message string
}

// AppendRecord appends one line, its newline included.
func AppendRecord(dst []byte, r *RecordRow) []byte {
	p := &printer{buf: dst, compact: true}
	p.open('{')
	p.key("metadata")
	r.printMetadata(p)
	p.key("metrics")
	p.open('{')
	for _, m := range r.Metrics {
		if m.Value.Kind() == Absent {
			continue
		}
		p.key(m.Name)
		p.open('{')
		Stat{"value", m.Value, m.Whole}.print(p)
		p.text("unit", m.Unit)
		p.close('}')
	}
	p.close('}')
	if r.Error != nil {
		p.key("error")
		r.Error.print(p)
	}
	p.close('}')
	return append(p.buf, '\n')
}

func (r *RecordRow) printMetadata(p *printer) {
	p.open('{')
	p.integer("session_num", int64(r.Session))
	p.text("x_request_id", r.RequestID)
	p.text("x_correlation_id", r.CorrelationID)
	if r.Conversation != "" {
		p.text("conversation_id", r.Conversation)
	}
	p.integer("turn_index", int64(r.Turn))
	if r.Issued != 0 {
		p.integer("credit_issued_ns", r.Issued)
	}
	p.integer("request_start_ns", r.Start)
	if r.Ack != 0 {
		p.integer("request_ack_ns", r.Ack)
	}
	p.integer("request_end_ns", r.End)
	p.text("worker_id", r.Worker)
	p.text("record_processor_id", r.Processor)
	if r.Phase != "" {
		p.text("benchmark_phase", r.Phase)
	}
	p.key("was_cancelled")
	p.bool(r.Cancelled)
	if r.CancelledAt != 0 {
		p.integer("cancellation_time_ns", r.CancelledAt)
	}
	p.close('}')
}

func (e *RecordError) print(p *printer) {
	p.open('{')
	if e.Code != 0 {
		p.integer("code", int64(e.Code))
	}
	p.text("type", e.Type)
	p.text("message", e.Message)
	p.close('}')
}
