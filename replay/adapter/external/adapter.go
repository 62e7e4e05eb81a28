package external

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/pdreplay/pdreplay/replay/adapter"
	"github.com/pdreplay/pdreplay/replay/aiperf"
)

// An Adapter is a program in another process. It implements
// [adapter.Adapter]; its Derive may be called concurrently.
type Adapter struct {
	spec Spec
	host Host
	pool pool // the workers; empty for the kind [Command]
}

var _ adapter.Adapter = (*Adapter)(nil)

// New returns the adapter that spec describes. Nothing is started before the
// first Derive. Call Close at the end.
func New(host Host, spec Spec) (*Adapter, error) {
	if err := spec.check(); err != nil {
		return nil, err
	}
	if spec.Kind == "" {
		spec.Kind = Command
	}
	if spec.Timeout == 0 {
		spec.Timeout = DefaultTimeout
	}
	return &Adapter{spec: spec, host: host}, nil
}

// Name returns the name that the Spec gave it.
func (a *Adapter) Name() string { return a.spec.Name }

// Engine returns the engine whose runs it answers for, "" for any.
func (a *Adapter) Engine() string { return a.spec.Engine }

// Derive gives run to the program and reads the row that it answers. Every
// error but one of our own file system is an [*Error]; errors.Is tells
// [context.DeadlineExceeded] (the adapter's time limit, or ctx's) and
// [context.Canceled] from all else, which is a failure of the adapter.
func (a *Adapter) Derive(ctx context.Context, run *aiperf.Run) (answer adapter.Answer, err error) {
	room, err := layOut(a.host.TempDir, run)
	if err != nil {
		return adapter.Answer{}, fmt.Errorf("adapter %s: laying out run %s: %w", a.spec.Name, run.ID, err)
	}
	defer func() { err = errors.Join(err, room.remove()) }()

	ctx, cancel := context.WithTimeout(ctx, a.spec.Timeout)
	defer cancel()
	var row []byte
	var stderr tail
	if a.spec.Kind == Worker {
		row, err = a.askWorker(ctx, room, a.runEnv(room, run.Env), &stderr)
	} else {
		row, err = a.runCommand(ctx, room, a.runEnv(room, run.Env), &stderr)
	}
	if err == nil {
		answer, err = parseRow(row, a.spec.Output)
	}
	if err != nil {
		return adapter.Answer{}, &Error{Adapter: a.spec.Name, Run: run.ID, Stderr: stderr.lines(), Err: a.explain(err)}
	}
	return answer, nil
}

// Close ends the workers. An error names those that did not end when their
// input was closed; they are killed all the same.
func (a *Adapter) Close() error {
	if err := a.pool.close(); err != nil {
		return fmt.Errorf("adapter %s: %w", a.spec.Name, err)
	}
	return nil
}

// runEnv is what a run adds to the environment: its own variables and where
// its files are. The latter win, so that no run.env redirects them.
func (a *Adapter) runEnv(room *room, env aiperf.Env) map[string]string {
	all := a.spec.Env.ofRun(env)
	maps.Copy(all, map[string]string{
		"RESULT_DIR":         room.result,
		"AGENTIC_OUTPUT_DIR": room.out,
		"RESULT_FILENAME":    rowName,
		"HF_HUB_CACHE":       room.noHub,
	})
	return all
}

// explain adds to a time-out what to do about it.
func (a *Adapter) explain(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return timeout(a.spec.Timeout)
	}
	return err
}

// A timeout is a context.DeadlineExceeded that says how long it was waited.
type timeout time.Duration

func (t timeout) Error() string {
	return fmt.Sprintf("no answer within %v, so it was ended: if it needs more, raise --timeout or its timeout in pdreplay.yaml", time.Duration(t))
}

func (timeout) Unwrap() error { return context.DeadlineExceeded }

// An Error says how an external adapter failed on one run.
type Error struct {
	Adapter string   // its name
	Run     string   // the run's ID
	Stderr  []string // the last lines that it wrote to stderr
	Err     error    // what was wrong
}

// Error returns what was wrong, and the last lines of stderr indented below it.
func (e *Error) Error() string {
	text := fmt.Sprintf("adapter %s on run %s: %v", e.Adapter, e.Run, e.Err)
	if len(e.Stderr) == 0 {
		return text
	}
	return text + "; last lines of stderr:\n    " + strings.Join(e.Stderr, "\n    ")
}

// Unwrap returns what was wrong.
func (e *Error) Unwrap() error { return e.Err }

// Timeout reports whether it gave no answer in time.
func (e *Error) Timeout() bool { return errors.Is(e.Err, context.DeadlineExceeded) }
