package scenarios

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// commands returns the script language, in the order of README.md. A usage
// names its arguments in capitals; SERIES, RANGE and VALUE are explained there.
func commands() []command {
	return slices.Concat(runCommands(), seriesCommands(), sliceCommands(), recordCommands(), []command{{
		name:  "want",
		usage: "status=STATUS priced=BOOL gpu=RATE cpu=RATE overall=RATE [external=RATE] [contract=NAME]",
		doc: `States what the contract (review, if none is named) expects of every adapter, and ends the script.
STATUS is a word of accounting.md section 6. A RATE is what the contract reports, to 5 decimals, or null where it nulls; an interval behind it
is what the export proves, whoever reports: 0.6, null, 0.6[0.25,0.6], null[0,1]. An interval alone stands for null and the interval.
external is cpu unless it is given.`,
		run: (*builder).cmdWant,
	}})
}

func runCommands() []command {
	return []command{{
		name:  "run",
		usage: "base|pd|vllm|vllm-pd|sglang|sglang-pd|trtllm|trtllm-pd|dynamo|files",
		doc: `Begins with a base run: ten admissions of 100 prompt tokens, one a second in slices of one second, window [100 s, 110 s), ten records that match.
base: ATOM on one unified endpoint p:9; per admission CACHED 60, OFFLOAD 20, LOADED 35. pd: prefill p:9 as in base, and a decode endpoint d:9 that counts every prompt
again without a hit. vllm: one endpoint p:9; 60 local, 20 external, 20 computed by source, and the same as queries and hits. vllm-pd: with a decode endpoint d:9
where each prompt is an external transfer. sglang: per request 60 tokens from the device and 20 from the host; sglang-pd: with a decode endpoint that repeats all of it.
trtllm: 80 cached tokens, 60 of them on the GPU and 20 on the host, and a gauge of 0.8; trtllm-pd: with a generation server d:9 that has every prompt cached and a gauge of 0.
dynamo: the histograms of a front end f:9, 80 of 100 tokens, with workers that are not scraped. files: nothing but the sections behind the script. Sections are added to every run as files.`,
		run: (*builder).cmdRun,
	}, {
		name:  "env",
		usage: "KEY=VALUE...",
		doc:   "Sets variables of the launcher and the producer (run.env). Quote a value with white space: 'SRT_AGG_ENDPOINTS=p:9, q:9'.",
		run:   (*builder).cmdEnv,
	}, {
		name:  "unset",
		usage: "KEY...",
		doc:   "Removes variables from run.env.",
		run:   (*builder).cmdUnset,
	}, {
		name:  "phase",
		usage: "profiling|warmup RANGE|none",
		doc:   "Sets or removes a range of summary.phase_time_ranges.",
		run:   (*builder).cmdPhase,
	}, {
		name:  "row",
		usage: "KEY=VALUE...",
		doc:   "Puts a published row (agg.json) beside the artifacts, with these top-level values and no rates.",
		run:   (*builder).cmdRow,
	}}
}

func (b *builder) cmdRun(args []string) error {
	if len(args) != 1 {
		return errUsage
	}
	base, ok := bases()[args[0]]
	if !ok {
		return fmt.Errorf("%w: unknown run %q, known are %s", errUsage, args[0], strings.Join(slices.Sorted(maps.Keys(bases())), " "))
	}
	b.run = base()
	b.run.files = map[string][]byte{}
	for _, f := range b.files {
		b.run.files[f.name] = []byte(f.data)
	}
	return nil
}

func (b *builder) cmdEnv(args []string) error {
	list, err := pairs(args)
	if err != nil || len(list) == 0 {
		return orUsage(err)
	}
	for _, p := range list {
		b.run.setEnv(p[0], p[1])
	}
	return nil
}

func (b *builder) cmdUnset(args []string) error {
	if len(args) == 0 {
		return errUsage
	}
	for _, key := range args {
		n := len(b.run.env)
		b.run.env = slices.DeleteFunc(b.run.env, func(p pair) bool { return p.key == key })
		if len(b.run.env) == n {
			return fmt.Errorf("%s is not set", key)
		}
	}
	return nil
}

func (b *builder) cmdPhase(args []string) error {
	if len(args) != 2 || !slices.Contains([]string{"profiling", "warmup"}, args[0]) {
		return errUsage
	}
	var s *span
	if args[1] != "none" {
		r, err := parseRange(args[1])
		if err != nil {
			return err
		}
		s = &r
	}
	if args[0] == "profiling" {
		b.run.profiling = s
	} else {
		b.run.warmup = s
	}
	return nil
}

func (b *builder) cmdRow(args []string) error {
	list, err := pairs(args)
	if err != nil || len(list) == 0 {
		return orUsage(err)
	}
	for _, p := range list {
		b.run.row = append(b.run.row, pair{p[0], p[1]})
	}
	return nil
}

func seriesCommands() []command {
	return []command{{
		name:  "copy",
		usage: "SERIES TARGET",
		doc: `Copies series under another name, endpoint or label set: what TARGET does not say stays as it is. A * in TARGET's name stands for the bare name of an ATOM counter,
so atom_*_total is another spelling. Families are written in the order of their names.`,
		run: (*builder).cmdCopy,
	}, {
		name:  "rename",
		usage: "SERIES TARGET",
		doc:   "Gives series another name, endpoint or labels, as copy does, and removes the old ones.",
		run:   (*builder).cmdRename,
	}, {
		name:  "drop",
		usage: "SERIES",
		doc:   "Removes series from metrics.",
		run:   (*builder).cmdDrop,
	}, {
		name:  "count",
		usage: "SERIES each=VALUE | sum=N",
		doc:   "Sets what every slice counted, or splits N evenly over the slices; stats.total becomes the sum.",
		run:   (*builder).cmdCount,
	}, {
		name:  "total",
		usage: "SERIES VALUE",
		doc:   "Sets stats.total and leaves the slices alone.",
		run:   (*builder).cmdTotal,
	}, {
		name:  "observe",
		usage: "SERIES N",
		doc:   "Splits N observations of a histogram evenly over its slices; stats.count becomes N.",
		run:   (*builder).cmdObserve,
	}, {
		name:  "gauge",
		usage: "NAME@HOST:PORT[{label=value,...}] STAT=VALUE...",
		doc:   "Adds a gauge with these statistics and without slices, or sets those of the ones that are there.",
		run:   (*builder).cmdGauge,
	}, {
		name:  "warmup",
		usage: "SERIES VALUE [TARGET]",
		doc:   "Sets the total of the same series in warmup_metrics; with TARGET, of the series of another spelling, endpoint or label set.",
		run:   (*builder).cmdWarmup,
	}}
}

func (b *builder) cmdCopy(args []string) error {
	if len(args) != 2 {
		return errUsage
	}
	found, err := b.run.find(args[0])
	if err != nil {
		return err
	}
	for _, s := range found {
		c := s.clone()
		if err := c.retarget(args[1]); err != nil {
			return err
		}
		b.run.metrics = append(b.run.metrics, c)
	}
	return nil
}

func (b *builder) cmdRename(args []string) error {
	if len(args) != 2 {
		return errUsage
	}
	return b.each(args[0], func(s *series) error { return s.retarget(args[1]) })
}

func (b *builder) cmdDrop(args []string) error {
	if len(args) != 1 {
		return errUsage
	}
	found, err := b.run.find(args[0])
	b.run.metrics = slices.DeleteFunc(b.run.metrics, func(s *series) bool { return slices.Contains(found, s) })
	return err
}

func (b *builder) cmdCount(args []string) error {
	if len(args) != 2 {
		return errUsage
	}
	list, err := pairs(args[1:], "each", "sum")
	if err != nil {
		return err
	}
	sum, err := strconv.ParseFloat(list[0][1], 64)
	if err != nil {
		return fmt.Errorf("%w: %q is not a number", errUsage, list[0][1])
	}
	return b.each(args[0], func(s *series) error {
		if list[0][0] == "each" {
			s.setEach(list[0][1], sum)
			return nil
		}
		s.setSum(int64(sum))
		return nil
	})
}

func (s *series) setEach(text string, each float64) {
	for i := range s.slices {
		s.slices[i].total = number(text, each)
	}
	s.total = float(each * float64(len(s.slices)))
}

func (s *series) setSum(sum int64) {
	for i, part := range evenly(sum, len(s.slices)) {
		s.slices[i].total = float(float64(part))
	}
	s.total = float(float64(sum))
}

// number keeps a spelling that is unusual for a number (1e2), and writes the
// usual ones as AIPerf does.
func number(text string, x float64) string {
	if strings.ContainsAny(text, "eE") {
		return text
	}
	return float(x)
}

func (b *builder) cmdTotal(args []string) error {
	if len(args) != 2 {
		return errUsage
	}
	return b.each(args[0], func(s *series) error { s.total = jsonText(args[1]); return nil })
}

func (b *builder) cmdObserve(args []string) error {
	if len(args) != 2 {
		return errUsage
	}
	n, err := strconv.ParseInt(args[1], 10, 64)
	if err != nil {
		return fmt.Errorf("%w: %q is not a number of observations", errUsage, args[1])
	}
	return b.each(args[0], func(s *series) error {
		if s.kind != "histogram" {
			return fmt.Errorf("it is no histogram")
		}
		s.observe(n)
		return nil
	})
}

func (b *builder) cmdGauge(args []string) error {
	if len(args) < 2 {
		return errUsage
	}
	sel, err := parseSelector(args[0])
	if err != nil || len(sel.names) != 1 || sel.endpoint == "" {
		return orUsage(err)
	}
	list, err := pairs(args[1:])
	if err != nil {
		return err
	}
	var stats []pair
	for _, p := range list {
		stats = append(stats, pair{p[0], jsonText(p[1])})
	}
	found := false
	for _, s := range b.run.metrics {
		if sel.matches(s) && s.kind == "gauge" {
			s.gauge, found = stats, true
		}
	}
	if !found {
		b.run.gauge(sel.endpoint, sel.names[0], sortedLabels(sel.labels), stats...)
	}
	return nil
}

func (b *builder) cmdWarmup(args []string) error {
	if len(args) != 2 && len(args) != 3 {
		return errUsage
	}
	return b.each(args[0], func(s *series) error {
		w := s.clone()
		w.total, w.slices, w.noSlices = jsonText(args[1]), nil, true
		if len(args) == 3 {
			if err := w.retarget(args[2]); err != nil {
				return err
			}
		}
		b.run.warmupMetrics = append(b.run.warmupMetrics, w)
		return nil
	})
}

// each edits every series that a selector names.
func (b *builder) each(selector string, edit func(s *series) error) error {
	found, err := b.run.find(selector)
	if err != nil {
		return err
	}
	for _, s := range found {
		if err := edit(s); err != nil {
			return fmt.Errorf("%s at %s: %w", s.name, s.endpoint, err)
		}
	}
	return nil
}

// jsonText turns a VALUE into what stands in the file: "absent" is no key, a
// plain number gets AIPerf's form, all else stands as it is.
func jsonText(value string) string {
	if value == "absent" {
		return ""
	}
	if x, err := strconv.ParseInt(value, 10, 64); err == nil {
		return float(float64(x))
	}
	return value
}

func orUsage(err error) error {
	if err == nil {
		return errUsage
	}
	return err
}
