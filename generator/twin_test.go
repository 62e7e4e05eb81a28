package generator

import "testing"

func TestTwins(t *testing.T) {
	for _, kind := range TwinKinds() {
		t.Run(kind, func(t *testing.T) {
			a, b, err := Twins(kind)
			if err != nil {
				t.Fatal(err)
			}
			x, y := generate(t, a), generate(t, b)
			if !x.LooksLike(y) {
				t.Error("the twins differ in what a reader sees")
			}
			// The recorded request has 300 tokens and hits 299 of them in one twin.
			if x.Truth.Tokens != 800 || y.Truth.Tokens != 800 || x.Truth.GPU != 400 || y.Truth.GPU != 699 {
				t.Errorf("the truths are %+v and %+v", x.Truth, y.Truth)
			}
		})
	}
	if _, _, err := Twins("triplets"); err == nil {
		t.Error("an unknown kind is accepted")
	}
}
