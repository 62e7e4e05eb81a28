package cmd

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/pdreplay/pdreplay/replay"
)

func newAdapters() *cobra.Command {
	return &cobra.Command{
		Use:   "adapters",
		Short: "List the adapters that are built in",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			w := tabwriter.NewWriter(c.OutOrStdout(), 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "ADAPTER\tENGINE")
			for _, a := range replay.BuiltinAdapters() {
				fmt.Fprintf(w, "%s\t%s\n", a.Name(), a.Engine())
			}
			return w.Flush()
		},
	}
}
