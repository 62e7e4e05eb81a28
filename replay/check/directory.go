package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/pdreplay/pdreplay/generator"
	"github.com/pdreplay/pdreplay/oracle"
	"github.com/pdreplay/pdreplay/replay"
)

// claim refuses a directory for reports that holds something: old reports among
// new ones would be taken for today's.
func claim(dir string) error {
	if dir == "" {
		return nil
	}
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("writing reports: %w", err)
	case len(entries) > 0:
		return fmt.Errorf("writing reports to %s: the directory is not empty: use another one, or remove it", dir)
	}
	return nil
}

// write makes a report directory of each failure and contradiction.
func (c *checker) write(ctx context.Context) error {
	if c.Dir == "" {
		return nil
	}
	for _, f := range c.report.Failures {
		name := fmt.Sprintf("%s_%s_rule%d_%s", f.Adapter, f.Class, f.Rule, f.Faults)
		d, err := c.evidence(f.Spec, runID(f.Spec, c.Seed, f.Number))
		if err != nil {
			return err
		}
		f.Dir = filepath.Join(c.Dir, fileName(name))
		d.add("report.txt", func(b *bytes.Buffer) error { return errors.Join(c.report.failure(b, f), c.report.versions(b)) })
		d.add("answers.ndjson", func(b *bytes.Buffer) error { return events(b, f.Results) })
		d.add("drawn.yaml", func(b *bytes.Buffer) error { return writeSpec(b, f.Drawn) })
		if err := d.write(f.Dir); err != nil {
			return err
		}
	}
	for _, k := range c.report.Contradictions {
		d, err := c.evidence(k.Spec, k.Run)
		if err != nil {
			return err
		}
		k.Dir = filepath.Join(c.Dir, fileName(fmt.Sprintf("contradiction_%d_%s", k.Number, faultsOf(k.Spec))))
		d.add("report.txt", func(b *bytes.Buffer) error { return errors.Join(c.report.contradiction(b, k), c.report.versions(b)) })
		if err := d.write(k.Dir); err != nil {
			return err
		}
	}
	return nil
}

// fileName keeps what every file system takes.
func fileName(name string) string {
	const longest = 120
	name = strings.Map(func(r rune) rune {
		if r < 128 && (r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || strings.ContainsRune("@._+-", r)) {
			return r
		}
		return '-'
	}, name)
	return name[:min(len(name), longest)]
}

// A directory is a report about one run, before it is written.
type directory struct {
	out   *generator.Output
	files []generator.File // beside the run
	err   error
}

// evidence begins a report: the run of a spec with its truth, what the oracle
// makes of it, and the scenario.
func (c *checker) evidence(s generator.Spec, id string) (*directory, error) {
	out, run, err := open(s, id)
	if err != nil {
		return nil, err
	}
	ev := oracle.Examine(run, c.Oracle)
	v := ev.Verdict(c.Contract)
	d := &directory{out: out}
	d.add("explain.txt", func(b *bytes.Buffer) error { return oracle.Explain(b, ev, v) })
	if !v.FactsOnly && v.Status != "" {
		d.add("scenario.txtar", func(b *bytes.Buffer) error { b.Write(scenario(out, ev, v)); return nil })
	}
	return d, nil
}

func (d *directory) add(name string, fill func(*bytes.Buffer) error) {
	var b bytes.Buffer
	d.err = errors.Join(d.err, fill(&b))
	d.files = append(d.files, generator.File{Path: name, Data: b.Bytes()})
}

// write writes the run into DIR/run and the rest beside it.
func (d *directory) write(dir string) error {
	d.add("run/spec.yaml", func(b *bytes.Buffer) error { return writeSpec(b, d.out.Spec) })
	for _, f := range d.out.Files {
		d.files = append(d.files, generator.File{Path: "run/" + f.Path, Data: f.Data})
	}
	if d.err != nil {
		return fmt.Errorf("writing report %s: %w", dir, d.err)
	}
	return generator.WriteFiles(dir, d.files, false)
}

func events(b *bytes.Buffer, results []replay.Result) error {
	for _, r := range results {
		if err := json.MarshalWrite(b, r); err != nil {
			return err
		}
		b.WriteByte('\n')
	}
	return nil
}

func writeSpec(b *bytes.Buffer, s generator.Spec) error {
	text, err := generator.Format(s)
	b.Write(text)
	return err
}
