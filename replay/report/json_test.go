package report_test

import (
	"math"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/pdreplay/pdreplay/replay"
	"github.com/pdreplay/pdreplay/replay/report"
)

func rate(x float64) *replay.Rate { return (*replay.Rate)(&x) }

// The first event is design.md's example, with the fields that came later.
func TestJSON(t *testing.T) {
	yes, zero := true, 0.
	point := func(x float64) [2]replay.Rate { return [2]replay.Rate{replay.Rate(x), replay.Rate(x)} }
	r := replay.Result{
		V: 1, Type: "result", Run: "matrix/02-...", Adapter: "atom@review", Engine: "atom", Outcome: replay.Answered,
		Status: "VALID_COMPLETE", Eligible: &yes,
		Rates: replay.Rates{GPU: rate(0.6), CPU: rate(0.2), External: rate(0.2), Overall: rate(0.8)}, H: rate(0.8), Reasons: []string{},
		Oracle: &replay.Finding{Status: "VALID_COMPLETE", Eligible: true, Basis: "conserved",
			Rates: replay.Intervals{GPU: point(0.6), CPU: point(0.2), External: point(0.2), Overall: point(0.8)}, Rules: []int{}, Reasons: []string{},
			Reported: replay.Rates{GPU: rate(0.6), CPU: rate(0.2), External: rate(0.2), Overall: rate(0.8)}},
		Class: "correct", Expected: true, PriceError: &zero, ElapsedMS: 1.2, Contract: "review", Again: "pdreplay replay x",
	}
	var out strings.Builder
	j := report.NewJSON(&out)
	if err := j.Result(r); err != nil {
		t.Fatal(err)
	}
	if err := j.Summary(replay.Summary{V: 1, Type: "summary", Passed: 1, Corpus: "3f2a", Contradictions: []string{}}); err != nil {
		t.Fatal(err)
	}
	want := `{"v":1,"type":"result","run":"matrix/02-...","adapter":"atom@review","engine":"atom","outcome":"answered","status":"VALID_COMPLETE",` +
		`"pricing_eligible":true,"rates":{"gpu":0.6,"cpu":0.2,"external":0.2,"overall":0.8},"h":0.8,"reasons":[],` +
		`"oracle":{"status":"VALID_COMPLETE","pricing_eligible":true,"basis":"conserved","rates":{"gpu":[0.6,0.6],"cpu":[0.2,0.2],"external":[0.2,0.2],"overall":[0.8,0.8]},"rules":[],"reasons":[],` +
		`"reported":{"gpu":0.6,"cpu":0.2,"external":0.2,"overall":0.8}},` +
		`"class":"correct","expected":true,"price_error_pct":0,"published":null,"elapsed_ms":1.2,` +
		`"contract":"review","difference":"","listed":null,"error":null,"again":"pdreplay replay x"}` + "\n" +
		`{"v":1,"type":"summary","passed":1,"failed":0,"skipped":0,"undecided":0,"errors":0,"corpus":"3f2a",` +
		`"parity_held":0,"parity_broken":0,"contradictions":[],"interrupted":false,"stopped":false}` + "\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

// Events stay valid JSON whatever an adapter publishes, and read back as they
// were.
func TestJSONOfNoNumbers(t *testing.T) {
	r := replay.Result{Rates: replay.Rates{GPU: rate(math.NaN()), CPU: rate(math.Inf(1)), External: rate(math.Inf(-1))}, Reasons: []string{"<a> & b"}}
	var out strings.Builder
	if err := report.NewJSON(&out).Result(r); err != nil {
		t.Fatal(err)
	}
	if want := `"rates":{"gpu":"NaN","cpu":"Infinity","external":"-Infinity","overall":null}`; !strings.Contains(out.String(), want) {
		t.Errorf("%s\nwant %s", out.String(), want)
	}
	var back replay.Result
	if err := json.Unmarshal([]byte(out.String()), &back); err != nil {
		t.Fatal(err)
	}
	l := back.Rates.List()
	if !math.IsNaN(*l[0]) || !math.IsInf(*l[1], 1) || !math.IsInf(*l[2], -1) || l[3] != nil || back.Adapter != "" || back.Reasons[0] != "<a> & b" {
		t.Errorf("%+v", back)
	}
}
