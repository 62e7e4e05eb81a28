package cmd

import (
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/pdreplay/pdreplay/scenarios"
)

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the build and the id of the scenario corpus",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			version, revision, goVersion := build()
			_, err := fmt.Fprintf(c.OutOrStdout(), "pdreplay %s\nrevision %s\ngo       %s\ncorpus   %s\n",
				version, revision, goVersion, scenarios.ID())
			return err
		},
	}
}

// build returns what the Go tool wrote into the program.
func build() (version, revision, goVersion string) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown", "unknown", "unknown"
	}
	revision, modified := "unknown", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			modified = ", modified"
		}
	}
	return info.Main.Version, revision + modified, info.GoVersion
}
