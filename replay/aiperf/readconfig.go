package aiperf

// configuredDuration reads input_config for the seconds that the user set for
// the benchmark: loadgen.benchmark_duration in the first shape of that
// configuration; in the second the sum of the durations of its profiling
// phases, Absent when one of several has none.
func (s *scanner) configuredDuration() (seconds Value) {
	if s.null() {
		return Value{}
	}
	var phases Value
	for name := range s.object() {
		switch c := s.peek(); {
		case name == "loadgen" && c == '{':
			seconds = s.loadgen()
		case name == "phases" && c == '[':
			phases = s.profilingPhases()
		default:
			s.pass()
		}
	}
	if seconds.Kind() == Absent {
		return phases
	}
	return seconds
}

func (s *scanner) loadgen() (seconds Value) {
	for name := range s.object() {
		if name == "benchmark_duration" {
			seconds = s.setting()
		} else {
			s.pass()
		}
	}
	return seconds
}

func (s *scanner) profilingPhases() (seconds Value) {
	n := 0
	for range s.array() {
		phase := s.phaseSetting()
		if !phase.profiling {
			continue
		}
		if n++; n == 1 {
			seconds = phase.duration
			continue
		}
		sum, ok1 := seconds.Float()
		next, ok2 := phase.duration.Float()
		if seconds = (Value{}); ok1 && ok2 {
			seconds = NumberValue(sum + next)
		}
	}
	return seconds
}

type phaseSetting struct {
	profiling bool
	duration  Value
}

// phaseSetting reads one phase. Its kind follows from the name when it has none.
func (s *scanner) phaseSetting() (p phaseSetting) {
	if s.peek() != '{' {
		s.pass()
		return p
	}
	var kind, title string
	for name := range s.object() {
		switch name {
		case "name":
			title = s.text()
		case "kind":
			kind = s.text()
		case "duration":
			p.duration = s.setting()
		default:
			s.pass()
		}
	}
	p.profiling = kind == "profiling" || kind == "" && title == "profiling"
	return p
}

// setting reads a number that need not be set.
func (s *scanner) setting() Value {
	if s.null() {
		return Value{}
	}
	return s.value()
}
