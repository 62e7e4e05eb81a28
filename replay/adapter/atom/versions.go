package atom

// Versions returns the versions in the order of the table, oldest first.
func Versions() []Version {
	first := Version{
		Name:      "2db01926",
		Endpoints: Accounted, Numbers: InWindow, CPU: OffloadOverFull, Overall: OverallGPUCPU,
		LeadingGap: LeadingGapNull, OtherGap: OtherGapNull, Warmup: WarmupLeftOut, Straddler: StraddlerReported,
		Loaded: LoadedNullsAll, Requests: RequestsNullsAll, OtherLabels: OtherLabelsInvalid, TwoSpellings: TwoSpellingsInvalid,
		Errors: AllErrors, Validity: FullRecord, OffloadUnknown: OffloadCPUUnresolved,
		OldCollector: OldIfProven, NewCollector: NewNever, Bounds: Bounded,
	}
	return []Version{
		{
			Name:      "main",
			Endpoints: All, Numbers: StatsTotal, CPU: LoadedOverFull, Overall: OverallGPU,
			LeadingGap: LeadingGapIgnored, OtherGap: OtherGapIgnored, Warmup: WarmupIncluded, Straddler: StraddlerIncluded,
			Loaded: LoadedSummed, Requests: RequestsNotRead, OtherLabels: OtherLabelsSummed, TwoSpellings: TwoSpellingsDoubled,
			Errors: NoErrors, Validity: NoRecord, OffloadUnknown: OffloadNotRead,
			OldCollector: OldNoRecord, NewCollector: NewNoRecord, Bounds: Unbounded,
		},
		first,
		first.with("0842d829", func(v *Version) { v.Errors = ProfilingElseTotal }),
		{
			Name:      "review",
			Endpoints: Accounted, Numbers: InWindowLeadingGap, CPU: OffloadOverFull, Overall: OverallGPUCPU,
			LeadingGap: LeadingGapReported, OtherGap: OtherGapNull, Warmup: WarmupLeftOut, Straddler: StraddlerReported,
			Loaded: LoadedDiagnostic, Requests: RequestsScope, OtherLabels: OtherLabelsSummed, TwoSpellings: TwoSpellingsInvalid,
			Errors: ProfilingElseTotal, Validity: FullRecord, OffloadUnknown: OffloadCPUUnresolved,
			OldCollector: OldIfProven, NewCollector: NewIfConserved, Bounds: Bounded,
		},
		{
			Name:      "4397",
			Endpoints: Accounted, Numbers: StatsTotal, CPU: OffloadOverFull, Overall: OverallGPUCPU,
			LeadingGap: LeadingGapNotLookedAt, OtherGap: OtherGapNotLookedAt, Warmup: WarmupIncluded, Straddler: StraddlerIncluded,
			Loaded: LoadedNotRead, Requests: RequestsNotRead, OtherLabels: OtherLabelsSummed, TwoSpellings: TwoSpellingsInvalid,
			Errors: NoErrors, Validity: RefusalsOnly, OffloadUnknown: OffloadGPUOnly,
			OldCollector: OldNoRecord, NewCollector: NewNoRecord, Bounds: Bounded,
		},
		{
			Name:      "4405",
			Endpoints: Accounted, Numbers: StatsTotal, CPU: OffloadOverFull, Overall: OverallGPUCPU,
			LeadingGap: LeadingGapNotLookedAt, OtherGap: OtherGapNotLookedAt, Warmup: WarmupLegacy, Straddler: StraddlerLegacy,
			Loaded: LoadedNotRead, Requests: RequestsTotal, OtherLabels: OtherLabelsSummed, TwoSpellings: TwoSpellingsInvalid,
			Errors: ProfilingErrorsOnly, Validity: MinimalRecord, OffloadUnknown: OffloadScope,
			OldCollector: OldNever, NewCollector: NewIfTotalConserved, Bounds: Bounded,
		},
	}
}

// with is the version under another name with one change.
func (v Version) with(name string, change func(*Version)) Version {
	v.Name = name
	change(&v)
	return v
}
