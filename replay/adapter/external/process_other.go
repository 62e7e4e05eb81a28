//go:build !unix

package external

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
)

// A guard is a process. What it starts survives: there is no process group.
type guard struct{ process *os.Process }

func newCommand(l launch) *exec.Cmd { return exec.Command(l.args[0], l.args[1:]...) }

func startGuarded(cmd *exec.Cmd) (*guard, error) {
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting it: %w", err)
	}
	return &guard{process: cmd.Process}, nil
}

func (g *guard) terminate() {}                       // there is nothing to ask with
func (g *guard) kill()      { _ = g.process.Kill() } // an error says that it has ended

func (g *guard) ending(waited error) ending {
	var exit *exec.ExitError
	if errors.As(waited, &exit) {
		return ending{state: exit.Error()}
	}
	return ending{err: waited}
}
