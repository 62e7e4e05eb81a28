package generator

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// A row is one line of the records with the request that it is about.
type row struct {
	aiperf.RecordRow
	request *request // nil: a record of nothing the server saw
}

// successful reports whether the line counts for the request scope: rules 14
// and 16 of accounting.md, which the generator has to know on its own.
func (r *row) successful() bool {
	return r.Error == nil && (r.Phase == "" || r.Phase == "profiling")
}

// records are the client's records in the order of their ends.
func records(s Spec, requests []request) []row {
	rng := layerRand(s.Seed, 5)
	worker, processor := "worker_"+hex(rng, 8), "record_processor_"+hex(rng, 8)
	rows := make([]row, 0, len(requests))
	for i := range requests {
		r := &requests[i]
		if r.lost {
			continue
		}
		rec := aiperf.RecordRow{
			Session: i, RequestID: uuid(rng), CorrelationID: uuid(rng), Conversation: "c-" + strconv.Itoa(i),
			Issued: r.start - 4_000_000, Start: r.start, Ack: min(r.start+2_000_000, r.end), End: r.end,
			Worker: worker, Processor: processor, Phase: "profiling",
		}
		if r.warm {
			rec.Phase = "warmup"
		}
		switch r.outcome {
		case Failed:
			rec.Ack = 0
			rec.Error = &aiperf.RecordError{Type: "ClientPayloadError", Message: "response payload is not completed"}
		case Cancelled:
			rec.Cancelled, rec.CancelledAt = true, r.end
			rec.Error = &aiperf.RecordError{Code: 499, Type: "RequestCancellationError", Message: "cancelled by the client"}
		}
		rec.Metrics = recordMetrics(s, r)
		rows = append(rows, row{rec, r})
	}
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(a.End, b.End) })
	return rows
}

func whole(name string, n int64, unit string) aiperf.RecordMetric {
	return aiperf.RecordMetric{Name: name, Value: aiperf.NumberValue(float64(n)), Whole: true, Unit: unit}
}

func span(name string, ns int64) aiperf.RecordMetric {
	return aiperf.RecordMetric{Name: name, Value: aiperf.NumberValue(float64(ns) / 1e6), Unit: "ms"}
}

// recordMetrics are the metrics of a record; a failed one has only its length.
func recordMetrics(s Spec, r *request) []aiperf.RecordMetric {
	if r.outcome != OK {
		return []aiperf.RecordMetric{whole("error_isl", r.prompt, "tokens")}
	}
	prompt := r.prompt
	if r.clientPrompt > 0 {
		prompt = r.clientPrompt
	}
	m := make([]aiperf.RecordMetric, 0, 10)
	m = append(m,
		whole("output_sequence_length", r.output, "tokens"),
		whole("input_sequence_length", prompt, "tokens"),
		span("time_to_first_token", r.first-r.start),
		whole("output_token_count", r.output, "tokens"),
		span("request_latency", r.end-r.start))
	if r.output > 1 {
		m = append(m, aiperf.RecordMetric{Name: "inter_token_latency", Unit: "ms",
			Value: aiperf.NumberValue(float64(r.end-r.first) / 1e6 / float64(r.output-1))})
	}
	m = append(m,
		whole("usage_prompt_tokens", prompt, "tokens"),
		whole("usage_completion_tokens", r.output, "tokens"),
		whole("usage_total_tokens", prompt+r.output, "tokens"))
	if s.Witness {
		m = append(m, whole("usage_prompt_cache_read_tokens", r.gpu+r.cpu+r.store, "tokens"))
	}
	return m
}

// metric returns the record's metric of the name, or nil.
func (r *row) metric(name string) *aiperf.RecordMetric {
	for i := range r.Metrics {
		if r.Metrics[i].Name == name {
			return &r.Metrics[i]
		}
	}
	return nil
}

// hex returns n hexadecimal digits.
func hex(rng *rand.Rand, n int) string {
	const digits = "0123456789abcdef"
	b := make([]byte, n)
	v := rng.Uint64()
	for i := range b {
		if i%16 == 0 && i > 0 {
			v = rng.Uint64()
		}
		b[i] = digits[v&15]
		v >>= 4
	}
	return string(b)
}

// uuid returns a random UUID (version 4).
func uuid(rng *rand.Rand) string {
	b := []byte(hex(rng, 32))
	b[12] = '4'
	b[16] = "89ab"[b[16]&3]
	return string(b[:8]) + "-" + string(b[8:12]) + "-" + string(b[12:16]) + "-" + string(b[16:20]) + "-" + string(b[20:])
}
