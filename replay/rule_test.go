package replay

import "testing"

func TestRuleOfAFailure(t *testing.T) {
	refused := func(rules ...int) *Finding { return &Finding{Status: "WINDOW_UNRESOLVED", Rules: rules} }
	for _, tc := range []struct {
		name string
		r    Result
		want int
	}{
		{"a rule that only the oracle found", Result{Class: "mispriced", Oracle: refused(7)}, 7},
		{"the second is not named", Result{Class: "wrong-rate", Oracle: refused(7, 14), Reasons: []string{"rule 7: a slice starts before S"}}, 14},
		{"a rule that only the adapter names", Result{Class: "needless-refusal", Oracle: &Finding{Eligible: true}, Reasons: []string{"rule 6: gap", "rule 14: errors"}}, 6},
		{"both name the same", Result{Class: "wrong-status", Oracle: refused(9, 6), Reasons: []string{"rule 6: gap", "rule 9: bounds"}}, 0},
		{"no numbers but the right word", Result{Class: "wrong-rate", Status: "WINDOW_UNRESOLVED", Oracle: refused(7, 14), Reasons: []string{"window"}}, 14},
		{"no numbers and another word", Result{Class: "wrong-status", Status: "INVALID_COUNTER", Oracle: refused(7), Reasons: []string{"window"}}, 7},
		{"the rules that are a part of another", Result{Class: "wrong-rate", Oracle: refused(14), Reasons: []string{"rule 15: 1 requests failed"}}, 0},
		{"a part that only the adapter names", Result{Class: "lost-rate", Oracle: refused(7), Reasons: []string{"rule 7: straddler", "rule 13: gap"}}, 13},
		{"nothing is wrong", Result{Class: "correct", Oracle: refused(7)}, 0},
		{"nothing was examined", Result{Class: "mispriced"}, 0},
	} {
		tc.r.Outcome = Answered
		if got := tc.r.Rule(); got != tc.want {
			t.Errorf("%s: rule %d, want %d", tc.name, got, tc.want)
		}
	}
}
