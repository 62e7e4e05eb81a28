package external

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// Together these keep the promise that a cancelled run ends within 2 s.
const (
	termGrace = 300 * time.Millisecond // from SIGTERM to SIGKILL
	killGrace = time.Second            // from SIGKILL to giving up
	leftGrace = 500 * time.Millisecond // for helpers that end just after their parent
)

// A launch is what to start. Everything that is nil is the null device.
type launch struct {
	args   []string
	dir    string
	env    []string
	stdin  *os.File
	stdout *os.File
	stderr io.Writer
}

// A process is a program with everything that it starts.
type process struct {
	guard *guard
	done  chan struct{} // closed when it has ended
	once  sync.Once

	ending ending // valid once done is closed
}

// start starts a program. The caller must see to it that it ends, by stop.
func start(l launch) (*process, error) {
	cmd := newCommand(l)
	cmd.Dir, cmd.Env, cmd.Stderr = l.dir, l.env, l.stderr
	if l.stdin != nil {
		cmd.Stdin = l.stdin
	}
	if l.stdout != nil {
		cmd.Stdout = l.stdout
	}
	// Where what it started cannot be found, that may hold stderr open.
	cmd.WaitDelay = leftGrace
	g, err := startGuarded(cmd)
	if err != nil {
		return nil, err
	}
	p := &process{guard: g, done: make(chan struct{})}
	go func() {
		err := cmd.Wait()
		if errors.Is(err, exec.ErrWaitDelay) {
			err = nil
		}
		p.finish(g.ending(err))
	}()
	return p, nil
}

func (p *process) finish(e ending) {
	p.once.Do(func() {
		p.ending = e
		close(p.done)
	})
}

// stop ends the program and everything it started, and returns when that is
// so: first it asks, then it kills.
func (p *process) stop() {
	p.guard.terminate()
	if p.endsWithin(termGrace) {
		return
	}
	p.guard.kill()
	if !p.endsWithin(killGrace) {
		p.finish(ending{err: errors.New("it could not be killed")})
	}
}

func (p *process) endsWithin(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-p.done:
		return true
	case <-timer.C:
		return false
	}
}
