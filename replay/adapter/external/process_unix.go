//go:build unix && !linux

package external

import (
	"errors"
	"fmt"
	"os/exec"
	"syscall"
)

// A guard is a process group. What leaves the group survives: these systems
// have no subreaper.
type guard struct{ group int }

func newCommand(l launch) *exec.Cmd {
	cmd := exec.Command(l.args[0], l.args[1:]...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}

func startGuarded(cmd *exec.Cmd) (*guard, error) {
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting it: %w", err)
	}
	return &guard{group: cmd.Process.Pid}, nil
}

func (g *guard) terminate() { _ = syscall.Kill(-g.group, syscall.SIGTERM) } // an error says that it has ended
func (g *guard) kill()      { _ = syscall.Kill(-g.group, syscall.SIGKILL) } // likewise

func (g *guard) ending(waited error) ending {
	g.kill() // what is left of the group
	var exit *exec.ExitError
	if errors.As(waited, &exit) {
		return ending{state: exit.Error()}
	}
	return ending{err: waited}
}
