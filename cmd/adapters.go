package cmd

import (
	"cmp"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/pdreplay/pdreplay/replay"
)

func newAdapters() *cobra.Command {
	var l look
	c := &cobra.Command{
		Use:   "adapters",
		Short: "List the adapters that are built in and configured",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			config, err := l.readConfig()
			if err != nil {
				return err
			}
			w := tabwriter.NewWriter(c.OutOrStdout(), 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "ADAPTER\tENGINE\tFROM")
			for _, a := range replay.BuiltinAdapters() {
				fmt.Fprintf(w, "%s\t%s\tbuilt in\n", a.Name(), cmp.Or(a.Engine(), "any"))
			}
			for _, name := range config.Names() {
				engine, what := "any", cmp.Or(l.config, configName)
				if clone, ok := strings.CutSuffix(name, "@"); ok {
					name += "REV"
					engine = cmp.Or(config.Clones[clone].Engine, engine)
				} else {
					engine = cmp.Or(config.Adapters[name].Engine, engine)
				}
				fmt.Fprintf(w, "%s\t%s\t%s\n", name, engine, what)
			}
			return w.Flush()
		},
	}
	c.Flags().StringVar(&l.config, "config", "", "`FILE` that names further adapters (default pdreplay.yaml of the working directory)")
	return c
}
