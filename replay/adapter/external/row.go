package external

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/pdreplay/pdreplay/replay/adapter"
	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// maxRow is the most that is read of one row, in bytes. Real rows have 5 kB.
const maxRow = 16 << 20

// Output says where in the row the fields stand, as JSON pointers (RFC 6901);
// "" is the producer's own place (producer.md section 4).
type Output struct {
	GPU      string `yaml:"gpu"`      // /server_metrics/cache/gpu_cache_hit_rate
	CPU      string `yaml:"cpu"`      // /server_metrics/cache/cpu_cache_hit_rate
	External string `yaml:"external"` // /server_metrics/cache/external_cache_hit_rate
	Overall  string `yaml:"overall"`  // /server_metrics/cache/overall_cache_hit_rate

	Status          string `yaml:"status"`           // /server_metrics/cache_validity/status
	PricingEligible string `yaml:"pricing_eligible"` // /server_metrics/cache_validity/pricing_eligible
	Reasons         string `yaml:"reasons"`          // /server_metrics/cache_validity/reasons

	RequestAccounting string `yaml:"request_accounting"` // /request_accounting
}

func (o Output) withDefaults() Output {
	const cache, validity = "/server_metrics/cache/", "/server_metrics/cache_validity/"
	for _, field := range []struct {
		at      *string
		usually string
	}{
		{&o.GPU, cache + "gpu_cache_hit_rate"},
		{&o.CPU, cache + "cpu_cache_hit_rate"},
		{&o.External, cache + "external_cache_hit_rate"},
		{&o.Overall, cache + "overall_cache_hit_rate"},
		{&o.Status, validity + "status"},
		{&o.PricingEligible, validity + "pricing_eligible"},
		{&o.Reasons, validity + "reasons"},
		{&o.RequestAccounting, "/request_accounting"},
	} {
		if *field.at == "" {
			*field.at = field.usually
		}
	}
	return o
}

func (o Output) check(name string) error {
	for _, at := range []string{o.GPU, o.CPU, o.External, o.Overall, o.Status, o.PricingEligible, o.Reasons, o.RequestAccounting} {
		if at != "" && !jsontext.Pointer(at).IsValid() {
			return fmt.Errorf("adapter %s: output: %q is no JSON pointer; one looks like /server_metrics/cache/gpu_cache_hit_rate", name, at)
		}
	}
	return nil
}

// parseRow reads an answer from a row.
func parseRow(data []byte, where Output) (adapter.Answer, error) {
	if err := checkJSON(data); err != nil {
		return adapter.Answer{}, fmt.Errorf("its row is not JSON: %w", err)
	}
	var row any
	if err := json.Unmarshal(data, &row); err != nil {
		return adapter.Answer{}, fmt.Errorf("its row: %w", err)
	}
	answer, err := readFields(row, where.withDefaults())
	if err != nil {
		return adapter.Answer{}, fmt.Errorf("its row: %w", err)
	}
	return answer, nil
}

func readFields(row any, where Output) (answer adapter.Answer, err error) {
	for _, rate := range []struct {
		to *(*float64)
		at string
	}{
		{&answer.Rates.GPU, where.GPU},
		{&answer.Rates.CPU, where.CPU},
		{&answer.Rates.External, where.External},
		{&answer.Rates.Overall, where.Overall},
	} {
		if *rate.to, err = readRate(row, rate.at); err != nil {
			return adapter.Answer{}, err
		}
	}
	if answer.Status, answer.Eligible, answer.Reasons, err = readValidity(row, where); err != nil {
		return adapter.Answer{}, err
	}
	answer.Accounting, err = readAccounting(row, where.RequestAccounting)
	return answer, err
}

// readRate reads a rate. A missing key is an error: a producer says null where
// it knows no rate, so nothing at all is another kind of row.
func readRate(row any, at string) (*float64, error) {
	value, found := lookup(row, at)
	if !found {
		return nil, fmt.Errorf("there is no %s, neither a number nor null; if the rate stands elsewhere, say where under output in pdreplay.yaml", at)
	}
	switch value := value.(type) {
	case nil:
		return nil, nil
	case float64:
		rounded := adapter.Round(value)
		return &rounded, nil
	}
	return nil, fmt.Errorf("%s is %s, want a number or null", at, show(value))
}

// readValidity reads the validity record. It is there when its status or its
// pricing_eligible is; then both must be of their type.
func readValidity(row any, where Output) (status string, eligible *bool, reasons []string, err error) {
	statusValue, _ := lookup(row, where.Status)
	eligibleValue, _ := lookup(row, where.PricingEligible)
	if statusValue == nil && eligibleValue == nil {
		return "", nil, nil, nil
	}
	status, ok := statusValue.(string)
	if !ok || status == "" {
		return "", nil, nil, fmt.Errorf("%s is %s, want a word", where.Status, show(statusValue))
	}
	priced, ok := eligibleValue.(bool)
	if !ok {
		return "", nil, nil, fmt.Errorf("%s is %s, want true or false", where.PricingEligible, show(eligibleValue))
	}
	reasons, err = readReasons(row, where.Reasons)
	return status, &priced, reasons, err
}

func readReasons(row any, at string) ([]string, error) {
	value, _ := lookup(row, at)
	if value == nil {
		return nil, nil
	}
	list, ok := value.([]any)
	if !ok {
		return nil, fmt.Errorf("%s is %s, want a list", at, show(value))
	}
	var reasons []string
	for _, reason := range list {
		if text, ok := reason.(string); ok {
			reasons = append(reasons, text)
		} else {
			reasons = append(reasons, show(reason))
		}
	}
	return reasons, nil
}

func readAccounting(row any, at string) (*aiperf.Accounting, error) {
	value, _ := lookup(row, at)
	if value == nil {
		return nil, nil
	}
	fields, ok := value.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%s is %s, want an object", at, show(value))
	}
	var a aiperf.Accounting
	var err error
	for _, count := range []struct {
		key string
		to  *int
	}{
		{"records_total", &a.Total},
		{"records_profiled", &a.Profiled},
		{"records_dropped_total", &a.Dropped},
		{"records_warmup_dropped", &a.WarmupDropped},
		{"records_error_dropped", &a.ErrorDropped},
	} {
		if *count.to, err = readCount(fields, at, count.key); err != nil {
			return nil, err
		}
	}
	if fields["records_profiling_error_dropped"] != nil {
		split, err := readCount(fields, at, "records_profiling_error_dropped")
		if err != nil {
			return nil, err
		}
		a.ProfilingErrors = &split
	}
	a.ErrorCategories, err = readCategories(fields, at)
	return &a, err
}

func readCategories(fields map[string]any, at string) (map[string]int, error) {
	value, found := fields["error_categories"]
	if !found {
		return nil, nil
	}
	categories, ok := value.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%s/error_categories is %s, want an object", at, show(value))
	}
	counts := map[string]int{}
	for key := range categories {
		n, err := readCount(categories, at+"/error_categories", key)
		if err != nil {
			return nil, err
		}
		counts[key] = n
	}
	return counts, nil
}

func readCount(fields map[string]any, at, key string) (int, error) {
	f, ok := fields[key].(float64)
	if !ok || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return 0, fmt.Errorf("%s/%s is %s, want a whole number", at, key, show(fields[key]))
	}
	return int(f), nil
}

// lookup follows a JSON pointer.
func lookup(value any, at string) (any, bool) {
	for token := range jsontext.Pointer(at).Tokens() {
		switch v := value.(type) {
		case map[string]any:
			next, found := v[token]
			if !found {
				return nil, false
			}
			value = next
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(v) {
				return nil, false
			}
			value = v[i]
		default:
			return nil, false
		}
	}
	return value, true
}

// show returns value as short JSON, for messages.
func show(value any) string {
	text, err := json.Marshal(value, json.Deterministic(true))
	if err != nil {
		return fmt.Sprint(value)
	}
	if len(text) > 80 {
		return strings.ToValidUTF8(string(text[:80]), "") + "..."
	}
	return string(text)
}

// checkJSON reports where data stops being one JSON value, and names the bare
// NaN and Infinity that Python writes, which no JSON reader accepts.
func checkJSON(data []byte) error {
	if len(bytes.TrimSpace(data)) == 0 {
		return errors.New("it is empty")
	}
	dec := jsontext.NewDecoder(bytes.NewReader(data))
	for {
		if _, err := dec.ReadToken(); err == io.EOF {
			return nil
		} else if err != nil {
			return describe(data, err)
		}
		if dec.StackDepth() == 0 && len(bytes.TrimSpace(data[dec.InputOffset():])) > 0 {
			return fmt.Errorf("%s: more text after the value", place(data, dec.InputOffset()))
		}
	}
}

// A bareError says that a row is JSON but for a number that JSON has not.
type bareError string

func (e bareError) Error() string { return string(e) }

func describe(data []byte, err error) error {
	var syntax *jsontext.SyntacticError
	if !errors.As(err, &syntax) {
		return err
	}
	at := min(max(syntax.ByteOffset, 0), int64(len(data)))
	if at > 0 && data[at-1] == '-' { // the sign could still have begun a number
		at--
	}
	if word := bareWord(data[at:]); word != "" {
		return bareError(fmt.Sprintf("%s: bare %s at %s; JSON has no such number, and the row's consumers reject it", place(data, at), word, syntax.JSONPointer))
	}
	return fmt.Errorf("%s: %w", place(data, at), err)
}

func bareWord(data []byte) string {
	for _, word := range []string{"NaN", "Infinity", "-Infinity"} {
		if bytes.HasPrefix(data, []byte(word)) {
			return word
		}
	}
	return ""
}

func place(data []byte, offset int64) string {
	before := data[:offset]
	column := len(before) - (bytes.LastIndexByte(before, '\n') + 1) + 1
	return fmt.Sprintf("line %d, column %d", bytes.Count(before, []byte("\n"))+1, column)
}
