package replay

import (
	"fmt"
	"math"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/pdreplay/pdreplay/replay/adapter"
)

// A Rate is a fraction in an event. JSON has no number for what is not finite:
// it stands as the string "NaN", "Infinity" or "-Infinity", so that an event
// stays valid JSON whatever an adapter publishes.
type Rate float64

// MarshalJSON writes the number, or the word where it is not finite.
func (r Rate) MarshalJSON() ([]byte, error) {
	x := float64(r)
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return json.Marshal(decimal(x))
	}
	return strconv.AppendFloat(nil, x, 'g', -1, 64), nil
}

// UnmarshalJSON reads what MarshalJSON writes.
func (r *Rate) UnmarshalJSON(b []byte) error {
	text := string(b)
	switch text {
	case `"NaN"`, `"Infinity"`, `"-Infinity"`:
		text = text[1 : len(text)-1]
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return fmt.Errorf("reading a rate: %s is neither a number nor \"NaN\", \"Infinity\" or \"-Infinity\"", b)
	}
	*r = Rate(x)
	return nil
}

// Rates are the four rates of an event; nil is null.
type Rates struct {
	GPU      *Rate `json:"gpu"`
	CPU      *Rate `json:"cpu"`
	External *Rate `json:"external"`
	Overall  *Rate `json:"overall"`
}

// List returns the rates in the order gpu, cpu, external, overall.
func (r Rates) List() [4]*float64 {
	return [4]*float64{(*float64)(r.GPU), (*float64)(r.CPU), (*float64)(r.External), (*float64)(r.Overall)}
}

// Adapter returns the rates as an adapter answers them.
func (r Rates) Adapter() adapter.Rates {
	l := r.List()
	return adapter.Rates{GPU: l[0], CPU: l[1], External: l[2], Overall: l[3]}
}

func ratesOf(l [4]*float64) Rates {
	var r [4]*Rate
	for i, p := range l {
		if p != nil {
			x := Rate(adapter.Round(*p))
			r[i] = &x
		}
	}
	return Rates{r[0], r[1], r[2], r[3]}
}

// A Word is text in an event; the empty one is null.
type Word string

// MarshalJSON writes null for the empty word.
func (w Word) MarshalJSON() ([]byte, error) {
	if w == "" {
		return []byte("null"), nil
	}
	return json.Marshal(string(w), jsontext.AllowInvalidUTF8(true)) // an adapter's last words
}
