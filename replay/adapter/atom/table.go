package atom

// A Version answers each question of the table of versions in accounting.md
// section 7, in its order and words: the tag is the question, and the String
// of the value is the cell. Where no row speaks, rules 1 to 17 hold for all
// but main; versions on stats.total look at no slice.
//
// Some rows ask the same from two sides (a straddler and the run of the old
// collector that it comes from); the derivation reads every one of them.
type Version struct {
	Name string // "review"

	Endpoints      Endpoints      `row:"endpoints"`
	Numbers        Numbers        `row:"numbers from"`
	CPU            CPU            `row:"cpu"`
	Overall        Overall        `row:"overall"`
	LeadingGap     LeadingGap     `row:"leading gap"`
	OtherGap       OtherGap       `row:"interior/trailing gap"`
	Warmup         Warmup         `row:"straddler = warmup"`
	Straddler      Straddler      `row:"straddler != warmup"`
	Loaded         Loaded         `row:"LOADED gap / duplicate"`
	Requests       Requests       `row:"REQUESTS gap / duplicate / absent"`
	OtherLabels    OtherLabels    `row:"same name, other labels"`
	TwoSpellings   TwoSpellings   `row:"two spellings"`
	Errors         Errors         `row:"errors that block"`
	Validity       Validity       `row:"validity record"`
	OffloadUnknown OffloadUnknown `row:"OFFLOAD unknown"`
	OldCollector   OldCollector   `row:"old-collector run priced"`
	NewCollector   NewCollector   `row:"1.0.12 run priced"`
	Bounds         Bounds         `row:"bounds (rule 9)"`
}

// Endpoints says whose counters are read.
type Endpoints uint8

const (
	All       Endpoints = iota // every endpoint, decode included
	Accounted                  // prefill and unified endpoints
)

func (e Endpoints) String() string { return [...]string{"all", "accounted"}[e] }

// Numbers says what a series' number is made of.
type Numbers uint8

const (
	StatsTotal         Numbers = iota // the whole phase as the collector has it
	InWindow                          // the slices inside the window
	InWindowLeadingGap                // the same, and a window that begins late has a sum too
)

func (n Numbers) String() string {
	return [...]string{"`stats.total`", "in-window slices", "in-window slices, leading gap allowed"}[n]
}

// CPU says what the CPU tier's rate is.
type CPU uint8

const (
	LoadedOverFull  CPU = iota // transfer volume, not reuse
	OffloadOverFull            // reuse from the CPU tier
)

func (c CPU) String() string { return [...]string{"LOADED/FULL", "OFFLOAD/FULL"}[c] }

// Overall says what the overall rate is.
type Overall uint8

const (
	OverallGPU    Overall = iota // the GPU rate again
	OverallGPUCPU                // both tiers
)

func (o Overall) String() string { return [...]string{"= gpu", "gpu+cpu"}[o] }

// LeadingGap says what a series does that begins after S.
type LeadingGap uint8

const (
	LeadingGapIgnored     LeadingGap = iota // nothing
	LeadingGapNull                          // refuses all rates
	LeadingGapReported                      // shows the rates; prices them iff the request scope is conserved
	LeadingGapNotLookedAt                   // no slice is read
)

func (g LeadingGap) String() string {
	return [...]string{"ignored", "null", "reported; priced iff conserved", "not looked at"}[g]
}

// OtherGap says what an interior or a trailing gap does.
type OtherGap uint8

const (
	OtherGapIgnored     OtherGap = iota // nothing
	OtherGapNull                        // refuses all rates
	OtherGapNotLookedAt                 // no slice is read
)

func (g OtherGap) String() string { return [...]string{"ignored", "null", "not looked at"}[g] }

// Warmup says what becomes of a slice over S that warmup_metrics proves.
type Warmup uint8

const (
	WarmupIncluded Warmup = iota // it counts as profiling
	WarmupLeftOut                // it is left out and does not forbid a price
	WarmupLegacy                 // it counts, and the run of such a collector is never priced
)

func (w Warmup) String() string {
	return [...]string{"included", "left out, can be priced", "legacy: shown, never priced"}[w]
}

// Straddler says what becomes of a slice over S that nothing proves.
type Straddler uint8

const (
	StraddlerIncluded Straddler = iota // it counts as profiling
	StraddlerReported                  // it is left out; the rates are shown, never priced
	StraddlerLegacy                    // it counts, and the run of such a collector is never priced
)

func (s Straddler) String() string {
	return [...]string{"included", "reported, WINDOW_UNRESOLVED", "legacy: never priced"}[s]
}

// Loaded says what a gap or a duplicate of LOADED does.
type Loaded uint8

const (
	LoadedSummed     Loaded = iota // it is the CPU rate's numerator, as it comes
	LoadedNullsAll                 // refuses all rates
	LoadedDiagnostic               // drops the LOADED diagnostic
	LoadedNotRead
)

func (l Loaded) String() string {
	return [...]string{
		"ignored / summed", "nulls all (WINDOW_UNRESOLVED / INVALID_COUNTER)",
		"drops the diagnostic", "not read",
	}[l]
}

// Requests says what a gap, a duplicate or the absence of REQUESTS does.
type Requests uint8

const (
	RequestsNotRead  Requests = iota
	RequestsNullsAll          // gap and duplicate refuse all rates; absence leaves the scope unresolved
	RequestsScope             // each leaves the request scope unresolved
	RequestsTotal             // the total counts whatever the slices; duplicate and absence leave the scope unresolved
)

func (r Requests) String() string {
	return [...]string{
		"not read", "nulls all (WINDOW_UNRESOLVED / INVALID_COUNTER) / REQUEST_SCOPE_UNRESOLVED",
		"REQUEST_SCOPE_UNRESOLVED", "not looked at / REQUEST_SCOPE_UNRESOLVED / same",
	}[r]
}

// OtherLabels says what several series of one name on one endpoint are.
type OtherLabels uint8

const (
	OtherLabelsSummed  OtherLabels = iota // ranks, to be added
	OtherLabelsInvalid                    // a duplicate
)

func (o OtherLabels) String() string { return [...]string{"summed", "INVALID_COUNTER"}[o] }

// TwoSpellings says what one counter under two names on one endpoint is.
type TwoSpellings uint8

const (
	TwoSpellingsDoubled TwoSpellings = iota // added, so doubled
	TwoSpellingsInvalid                     // refused
)

func (t TwoSpellings) String() string {
	return [...]string{"summed (doubled)", "INVALID_COUNTER"}[t]
}

// Errors says which failed requests forbid a price.
type Errors uint8

const (
	NoErrors            Errors = iota
	AllErrors                  // those of warmup too
	ProfilingElseTotal         // those outside warmup, or all where the accounting has no split
	ProfilingErrorsOnly        // those outside warmup; without a split no error can be excused, so all
)

func (e Errors) String() string {
	return [...]string{"none", "all phases", "profiling, else total", "profiling"}[e]
}

// Validity says what validity record the row carries.
type Validity uint8

const (
	NoRecord Validity = iota
	FullRecord
	RefusalsOnly // no record; what it refuses carries our word without pricing_eligible
	MinimalRecord
)

func (v Validity) String() string {
	return [...]string{"none", "yes", "none (refusals carry our word)", "minimal"}[v]
}

// OffloadUnknown says what a run does whose CPU tier is not counted.
type OffloadUnknown uint8

const (
	OffloadNotRead OffloadUnknown = iota
	OffloadCPUUnresolved
	OffloadGPUOnly // shows the GPU rate and says nothing
	OffloadScope   // shows the GPU rate and refuses with the scope's word
)

func (o OffloadUnknown) String() string {
	return [...]string{"-", "CPU_UNRESOLVED", "gpu only", "REQUEST_SCOPE_UNRESOLVED, gpu shown"}[o]
}

// OldCollector says whether a run of the 1.0.11 collector gets a price.
type OldCollector uint8

const (
	OldNoRecord OldCollector = iota // nothing forbids it
	OldIfProven
	OldNever
)

func (o OldCollector) String() string {
	return [...]string{"no record", "if proven", "never (WINDOW_UNRESOLVED, rates from `stats.total`)"}[o]
}

// NewCollector says whether a run of the 1.0.12 collector gets a price.
type NewCollector uint8

const (
	NewNoRecord NewCollector = iota // nothing forbids it
	NewNever
	NewIfConserved
	NewIfTotalConserved
)

func (n NewCollector) String() string {
	return [...]string{
		"no record", "never (leading gap)", "iff conserved", "iff `stats.total` is conserved",
	}[n]
}

// Bounds says whether impossible counters are refused.
type Bounds uint8

const (
	Unbounded Bounds = iota
	Bounded
)

func (b Bounds) String() string { return [...]string{"none: can be <0, >1, NaN", "yes"}[b] }
