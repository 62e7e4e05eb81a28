package external

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// On Linux a program runs below a supervisor: this same binary, started under
// another name (see init in supervisor_linux.go). The supervisor is the child
// subreaper of everything below it, so nothing that the program starts can
// leave its reach, and it can tell the descendants of one adapter from those of
// another. It ends with us: its control pipe closes when we die, even by SIGKILL.

// A guard is our end of a supervisor.
type guard struct {
	mu      sync.Mutex // control is written by stop, closed by stop and by ending
	control *os.File   // a byte: SIGTERM; closed: kill everything
	status  *os.File   // one report after the start, one at the end
}

// A report is what a supervisor tells us.
type report struct {
	PID   int      `json:"pid,omitempty"`   // process group of the program
	Error string   `json:"error,omitempty"` // why it could not be started
	Ended bool     `json:"ended,omitempty"`
	State string   `json:"state,omitempty"`
	Left  []string `json:"left,omitempty"`
}

func newCommand(l launch) *exec.Cmd {
	return &exec.Cmd{
		Path: "/proc/self/exe",
		Args: append([]string{supervisorName}, l.args...),
		// Its own group: the terminal's Ctrl-C is for us, and we end it.
		SysProcAttr: &syscall.SysProcAttr{Setpgid: true},
	}
}

func startGuarded(cmd *exec.Cmd) (*guard, error) {
	controlEnd, control, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	status, statusEnd, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, controlEnd.Close(), control.Close())
	}
	cmd.ExtraFiles = []*os.File{controlEnd, statusEnd}
	err = cmd.Start()
	controlEnd.Close()
	statusEnd.Close()
	if err != nil {
		control.Close()
		status.Close()
		return nil, fmt.Errorf("starting a supervisor: %w", err)
	}
	return &guard{control: control, status: status}, nil
}

func (g *guard) terminate() {
	g.mu.Lock()
	defer g.mu.Unlock()
	_, _ = g.control.Write([]byte("t")) // an error says that it has ended already
}

func (g *guard) kill() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.control.Close()
}

// ending reads what the supervisor reported before it ended.
func (g *guard) ending(waited error) ending {
	g.kill()
	defer g.status.Close()
	var first, last report
	reports := json.NewDecoder(g.status)
	if reports.Decode(&first) == nil && first.Error != "" {
		return ending{err: errors.New(first.Error)}
	}
	if reports.Decode(&last) == nil && last.Ended {
		return ending{state: last.State, left: last.Left}
	}
	if first.PID > 0 {
		_ = unix.Kill(-first.PID, unix.SIGKILL) // what is left of its group
	}
	return ending{err: fmt.Errorf("its supervisor was ended from outside: %v", waited)}
}
