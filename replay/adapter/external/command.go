package external

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
)

// runCommand runs the program once for one run and returns the row it wrote.
func (a *Adapter) runCommand(ctx context.Context, room *room, runEnv map[string]string, stderr *tail) ([]byte, error) {
	env := a.spec.Env.base(a.host.Environ, room.tmp)
	maps.Copy(env, runEnv)
	p, err := start(launch{args: a.spec.Args, dir: a.spec.Dir, env: entries(env), stderr: stderr})
	if err != nil {
		return nil, err
	}
	notStopped := context.AfterFunc(ctx, p.stop)
	<-p.done
	if !notStopped() {
		return nil, ctx.Err()
	}
	if err := p.ending.check(); err != nil {
		return nil, err
	}
	return room.readRow()
}

// An ending is how a process ended.
type ending struct {
	state string   // "exit status 1", "signal: killed"; "" for exit status 0
	left  []string // what it had started and left running, "sleep (pid 12)"; killed since
	err   error    // it could not be started, or not be watched
}

// check returns an error unless the process ended as one should.
func (e ending) check() error {
	switch {
	case e.err != nil:
		return e.err
	case e.state != "":
		return errors.New("it ended with " + e.state)
	case len(e.left) > 0:
		return fmt.Errorf("it ended but left %d running, killed since: %s", len(e.left), someOf(e.left))
	}
	return nil
}

func someOf(names []string) string {
	const most = 5
	if len(names) > most {
		return strings.Join(names[:most], ", ") + ", ..."
	}
	return strings.Join(names, ", ")
}
