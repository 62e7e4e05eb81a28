// Pdreplay replays benchmark runs through cache-rate adapters and judges them.
package main

import (
	"os"

	"github.com/pdreplay/pdreplay/cmd"
)

func main() { os.Exit(cmd.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
