package scenarios

import (
	"fmt"
	"slices"
	"strconv"
)

func recordCommands() []command {
	return []command{{
		name:  "records",
		usage: "none | N sum=TOKENS",
		doc:   "Replaces the records by N successful profiling requests whose prompt tokens add up to TOKENS, started evenly over the window; none removes the file.",
		run:   (*builder).cmdRecords,
	}, {
		name:  "add-record",
		usage: "[FIELD=VALUE]...",
		doc: `Adds a record. Fields: phase (profiling, unless given; absent leaves the key out), tokens (usage_prompt_tokens; 100, or absent for a failed request),
error (a type; none unless given), cancelled (true or false), start (a time; 109.5s, in warmup 95s). It ends 0.4 s later.`,
		run: (*builder).cmdAddRecord,
	}, {
		name:  "set-record",
		usage: "N FIELD=VALUE...",
		doc:   "Changes the Nth record, counted from 1, with the fields of add-record; error=none makes it a success.",
		run:   (*builder).cmdSetRecord,
	}, {
		name:  "drop-record",
		usage: "N",
		doc:   "Removes the Nth record: a request that the client never wrote down.",
		run:   (*builder).cmdDropRecord,
	}}
}

func (b *builder) cmdRecords(args []string) error {
	if len(args) == 1 && args[0] == "none" {
		b.run.records, b.run.noRecords = nil, true
		return nil
	}
	if len(args) != 2 {
		return errUsage
	}
	n, err := strconv.Atoi(args[0])
	if err != nil || n < 1 {
		return errUsage
	}
	list, err := pairs(args[1:], "sum")
	if err != nil {
		return err
	}
	sum, err := strconv.ParseInt(list[0][1], 10, 64)
	if err != nil {
		return fmt.Errorf("%w: %q is not a number of tokens", errUsage, list[0][1])
	}
	b.run.setRecords(evenly(sum, n))
	return nil
}

func (b *builder) cmdAddRecord(args []string) error {
	given, err := pairs(args, "phase", "tokens", "error", "cancelled", "start")
	if err != nil {
		return err
	}
	values := map[string]string{}
	for _, p := range given {
		values[p[0]] = p[1]
	}
	start := "109.5s"
	if values["phase"] == "warmup" {
		start = "95s"
	}
	tokens := "100"
	if e := values["error"]; e != "" && e != "none" {
		tokens = "absent"
	}
	r := &record{}
	if err := r.set([][2]string{{"phase", "profiling"}, {"tokens", tokens}, {"start", start}}); err != nil {
		return err
	}
	if err := r.set(given); err != nil {
		return err
	}
	b.run.records = append(b.run.records, r)
	return nil
}

func (b *builder) cmdSetRecord(args []string) error {
	if len(args) < 2 {
		return errUsage
	}
	i, err := b.record(args[0])
	if err != nil {
		return err
	}
	edits, err := pairs(args[1:], "phase", "tokens", "error", "cancelled", "start")
	if err != nil {
		return err
	}
	return b.run.records[i].set(edits)
}

func (b *builder) cmdDropRecord(args []string) error {
	if len(args) != 1 {
		return errUsage
	}
	i, err := b.record(args[0])
	if err != nil {
		return err
	}
	b.run.records = slices.Delete(b.run.records, i, i+1)
	return nil
}

// record returns the index of the record that a script counts from 1.
func (b *builder) record(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > len(b.run.records) {
		return 0, fmt.Errorf("%w: there is no record %q, the run has %d", errUsage, text, len(b.run.records))
	}
	return n - 1, nil
}

func (r *record) set(edits [][2]string) error {
	for _, e := range edits {
		value := e[1]
		switch e[0] {
		case "phase":
			r.phase = unless(value, "absent")
		case "tokens":
			r.tokens = unless(value, "absent")
		case "error":
			r.err = unless(value, "none")
		case "cancelled":
			if value != "true" && value != "false" {
				return fmt.Errorf("%w: cancelled must be true or false", errUsage)
			}
			r.cancelled = value == "true"
		case "start":
			start, err := parseTime(value)
			if err != nil {
				return err
			}
			r.start, r.end = start, start+4e8
		}
	}
	return nil
}

// unless returns "" for the word that means that nothing stands there.
func unless(value, word string) string {
	if value == word {
		return ""
	}
	return value
}
