package replay

// A Class is what one answer of one adapter for one run came to. Exactly one
// applies: the first in the order of the constants.
type Class string

const (
	Mispriced       Class = "mispriced"        // priced at an h outside what overall can be
	WrongRate       Class = "wrong-rate"       // a shown rate that the evidence or, when refused, the contract excludes
	UnprovenPrice   Class = "unproven-price"   // eligible where the contract does not price
	NeedlessRefusal Class = "needless-refusal" // refused where the contract prices
	LostRate        Class = "lost-rate"        // null where the contract reports a rate
	ShownRefusal    Class = "shown-refusal"    // a record, and a rate where the contract nulls
	WrongStatus     Class = "wrong-status"     // all else right, another status word
	Undecided       Class = "undecided"        // neither proven nor refuted; never passed
	Correct         Class = "correct"          // everything as expected
)

// Classes are all classes, in the order in which they apply.
func Classes() []Class {
	return []Class{Mispriced, WrongRate, UnprovenPrice, NeedlessRefusal, LostRate, ShownRefusal, WrongStatus, Undecided, Correct}
}

func (c Class) known() bool {
	for _, k := range Classes() {
		if c == k {
			return true
		}
	}
	return false
}
