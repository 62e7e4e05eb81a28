package cmd

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/pdreplay/pdreplay/generator"
)

// generating is what the generate verb was asked for.
type generating struct {
	example, engine, topology, collector string
	seed                                 uint64
	faults                               []string
	output                               string
	force, list                          bool
}

func newGenerate() *cobra.Command {
	var g generating
	c := &cobra.Command{
		Use:   "generate [SPEC]",
		Short: "Write a run whose true rates are known",
		Long: `Generate writes the run that a spec describes: the files of AIPerf, run.env, truth.json
with the true rates and what was injected, and spec.yaml, from which the same bytes come
again on any machine. SPEC is a YAML file; without one the run is a small one, which the
flags describe. Flags go before what the spec says. The format is documented in package
generator; spec.yaml of any run is an example.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if g.list {
				return g.printFaults(c)
			}
			return g.generate(c, args)
		},
	}
	f := c.Flags()
	f.StringVarP(&g.output, "output", "o", "", "`DIR` to write the run to")
	f.BoolVar(&g.force, "force", false, "replace a directory that is not empty")
	f.StringVar(&g.example, "example", "", "begin with the spec of this `NAME` that comes with the program: "+strings.Join(generator.Examples(), ", "))
	f.StringVar(&g.engine, "engine", "", "`ENGINE` to imitate: "+strings.Join(generator.Engines(), ", "))
	f.StringVar(&g.topology, "topology", "", "`TOPOLOGY`: unified, unified:N or nPmD as in 2p3d")
	f.StringVar(&g.collector, "collector", "", "`VERSION` of the collector: "+strings.Join(generator.Collectors(), ", "))
	f.Uint64Var(&g.seed, "seed", 0, "seed `N` of everything that the spec leaves open")
	f.StringArrayVar(&g.faults, "fault", nil, "`SLUG` or SLUG=SIZE of a fault to inject; repeatable")
	f.BoolVar(&g.list, "list-faults", false, "list the faults instead")
	return c
}

func (g *generating) generate(c *cobra.Command, args []string) error {
	if g.output == "" {
		return fmt.Errorf("generate: want -o DIR to write the run to")
	}
	spec, err := g.spec(c, args)
	if err != nil {
		return err
	}
	out, err := generator.Generate(spec)
	if err != nil {
		return err
	}
	if err := out.Write(g.output, g.force); err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.OutOrStdout(), "%s  %s\n", g.output, describe(out.Truth))
	return err
}

// spec reads the spec and puts the flags over it.
func (g *generating) spec(c *cobra.Command, args []string) (generator.Spec, error) {
	spec, err := g.base(args)
	if err != nil {
		return spec, err
	}
	if g.engine != "" && g.engine != spec.Engine { // generations and ranks are an engine's own words
		spec.Engine, spec.Generation, spec.RanksAs = g.engine, "", ""
	}
	if g.topology != "" {
		spec.Topology = g.topology
	}
	if g.collector != "" {
		spec.Collector.Version = g.collector
	}
	if c.Flags().Changed("seed") {
		spec.Seed = g.seed
	}
	for _, text := range g.faults {
		f, err := parseFault(text)
		if err != nil {
			return spec, err
		}
		spec.Faults = append(spec.Faults, f)
	}
	if len(args) == 0 && g.example == "" { // a run by flags is made so that its faults fit
		return generator.Adapt(spec, g.only(), slugs(spec.Faults)...)
	}
	return spec, nil
}

func (g *generating) base(args []string) (generator.Spec, error) {
	switch {
	case len(args) == 1 && g.example != "":
		return generator.Spec{}, fmt.Errorf("generate: want a SPEC or --example, not both")
	case len(args) == 1:
		text, err := os.ReadFile(args[0])
		if err != nil {
			return generator.Spec{}, fmt.Errorf("reading the spec: %w", err)
		}
		return generator.Parse(args[0], text)
	case g.example == "":
		return generator.Example("small")
	case !slices.Contains(generator.Examples(), g.example):
		return generator.Spec{}, fmt.Errorf("--example %q: want one of %s", g.example, strings.Join(generator.Examples(), ", "))
	}
	return generator.Example(g.example)
}

// only are the words that the flags have fixed.
func (g *generating) only() generator.Options {
	word := func(w string) []string {
		if w == "" {
			return nil
		}
		return []string{w}
	}
	return generator.Options{Engines: word(g.engine), Topologies: word(g.topology), Collectors: word(g.collector)}
}

func parseFault(text string) (generator.Fault, error) {
	slug, size, sized := strings.Cut(text, "=")
	f := generator.Fault{Slug: slug}
	if _, ok := generator.KindOf(slug); !ok {
		return f, fmt.Errorf("--fault %q: there is no such fault: pdreplay generate --list-faults lists them", slug)
	}
	if sized {
		n, err := strconv.ParseInt(size, 10, 64)
		if err != nil || n < 1 {
			return f, fmt.Errorf("--fault %q: the size is a whole number from 1 on", text)
		}
		f.Size = n
	}
	return f, nil
}

func slugs(faults []generator.Fault) []string {
	var out []string
	for _, f := range faults {
		out = append(out, f.Slug)
	}
	return out
}

// describe is the truth in a line.
func describe(t generator.Truth) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %s %s, %d requests, %d tokens", t.Engine, t.Generation, t.Topology, t.Collector, t.Requests, t.Tokens)
	if rates, ok := t.Rates(); ok {
		fmt.Fprintf(&b, ", truth gpu %.5f cpu %.5f overall %.5f", rates[0], rates[1], rates[3])
	}
	for _, f := range t.Faults {
		fmt.Fprintf(&b, ", %s (%s)", f.Slug, f.Tag)
	}
	return b.String()
}

func (g *generating) printFaults(c *cobra.Command) error {
	w := tabwriter.NewWriter(c.OutOrStdout(), 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "FAULT\tLAYER\tTAG\tENGINES\tSIZE\tWHAT")
	for _, k := range generator.Kinds() {
		engines, size := "all", "-"
		if k.Engines != nil {
			engines = strings.Join(k.Engines, " ")
		}
		if k.Unit != "" {
			size = fmt.Sprintf("%d %s", k.Default, k.Unit)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", k.Slug, k.Layer, k.Tag, engines, size, k.Doc)
	}
	return w.Flush()
}
