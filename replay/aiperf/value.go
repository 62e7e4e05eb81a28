package aiperf

import "math"

// A Kind says what stood in the file where a number was expected.
type Kind uint8

const (
	Absent Kind = iota // the key is not there
	Null               // the key is there and says null
	Number             // a JSON number that float64 can hold
	Other              // anything else, bare NaN and Infinity included: see [Value.Text]
)

// A Value is one statistic as the file gave it. Nothing is repaired: what is
// not a number keeps its text, and each reader decides what that means (the
// producer reads "80" as 80, the accounting rules call it invalid).
//
// The zero Value is Absent. A Value takes 16 bytes, because an export holds
// one for every time slice.
type Value struct {
	num float64
	raw *string // nil: Absent; &number: Number; &null: Null; else the text
}

var (
	number = "number"
	null   = "null"
)

// NumberValue returns the Value of a number.
func NumberValue(f float64) Value { return Value{num: f, raw: &number} }

// NullValue returns the Value of an explicit null.
func NullValue() Value { return Value{raw: &null} }

// OtherValue returns the Value of something that is not a number; text is the
// JSON text as the file has it, quotes included.
func OtherValue(text string) Value { return Value{num: math.NaN(), raw: &text} }

// Kind returns what stood in the file.
func (v Value) Kind() Kind {
	switch v.raw {
	case nil:
		return Absent
	case &number:
		return Number
	case &null:
		return Null
	}
	return Other
}

// Float returns the number and true, or 0 and false for any other Kind.
func (v Value) Float() (float64, bool) {
	if v.raw != &number {
		return 0, false
	}
	return v.num, true
}

// Text returns the JSON text of an Other value, and "" for the other kinds.
func (v Value) Text() string {
	if v.Kind() != Other {
		return ""
	}
	return *v.raw
}

// Equal reports whether two values say the same, for go-cmp in tests.
func (v Value) Equal(w Value) bool {
	return v.Kind() == w.Kind() && v.Text() == w.Text() && (v.num == w.num || v.Kind() != Number)
}
