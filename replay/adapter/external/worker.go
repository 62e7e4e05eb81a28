package external

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// closeGrace is the time that a worker has to end once its input is closed.
const closeGrace = time.Second

// A request is the line that a worker reads.
type request struct {
	ID  string            `json:"id"`
	Dir string            `json:"dir"` // RESULT_DIR
	Env map[string]string `json:"env"` // what the run adds to the worker's environment
}

// A response is the line that a worker writes: a result or an error.
type response struct {
	ID     *string        `json:"id"`
	Result jsontext.Value `json:"result"`
	Error  *string        `json:"error"`
}

// errSilent says that a worker ended without a byte of an answer.
var errSilent = errors.New("the worker ended without an answer")

// A worker is one long-lived process. It is asked one run at a time, so that
// whatever it does wrong belongs to the run in flight.
type worker struct {
	process *process
	in      *os.File
	out     *os.File
	lines   *bufio.Reader
	stderr  tail
	tmp     string // its TMPDIR
	asked   int    // how many runs
}

// askWorker asks an idle worker, or a new one if there is none: at most as many
// workers live as Derive is called at a time.
func (a *Adapter) askWorker(ctx context.Context, room *room, env map[string]string, stderr *tail) ([]byte, error) {
	w := a.pool.take()
	if w == nil {
		var err error
		if w, err = a.startWorker(); err != nil {
			return nil, err
		}
	}
	row, err := w.ask(ctx, room.result, env)
	if errors.Is(err, errSilent) && w.asked > 1 {
		// It may have died of what came before. A new one answers for this run
		// alone, and if that dies too, it is this run's doing.
		if err = w.discard(); err == nil {
			if w, err = a.startWorker(); err == nil {
				row, err = w.ask(ctx, room.result, env)
			}
		}
	}
	if w == nil {
		return nil, err
	}
	if err != nil && !spares(err) {
		err = errors.Join(err, w.discard())
		w.stderr.copyTo(stderr) // now that it has ended, all of it is there
		return nil, err
	}
	w.stderr.copyTo(stderr)
	return row, errors.Join(err, a.pool.give(w))
}

func (a *Adapter) startWorker() (*worker, error) {
	tmp, err := os.MkdirTemp(a.host.TempDir, "pdreplay-worker-")
	if err != nil {
		return nil, err
	}
	w := &worker{tmp: tmp}
	if err := w.start(a.spec, a.host); err != nil {
		return nil, errors.Join(err, removeAll(tmp))
	}
	return w, nil
}

func (w *worker) start(spec Spec, host Host) error {
	inEnd, in, err := os.Pipe()
	if err != nil {
		return err
	}
	defer inEnd.Close()
	out, outEnd, err := os.Pipe()
	if err != nil {
		return errors.Join(err, in.Close())
	}
	defer outEnd.Close()
	w.in, w.out, w.lines = in, out, bufio.NewReader(out)
	w.process, err = start(launch{
		args: spec.Args, dir: spec.Dir, env: entries(spec.Env.base(host.Environ, w.tmp)),
		stdin: inEnd, stdout: outEnd, stderr: &w.stderr,
	})
	if err != nil {
		return errors.Join(err, in.Close(), out.Close())
	}
	return nil
}

// ask gives the worker one run and returns the row that it answers. After an
// error that does not spare the worker it must be discarded.
func (w *worker) ask(ctx context.Context, dir string, env map[string]string) ([]byte, error) {
	if w.asked > 0 { // before the first run stands what went wrong at the start
		w.stderr.reset()
	}
	w.asked++
	id := strconv.Itoa(w.asked)
	line, err := json.Marshal(request{ID: id, Dir: dir, Env: env}, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("writing the request: %w", err)
	}
	notStopped := context.AfterFunc(ctx, w.abort)
	// A worker that does not read its input shows by not answering.
	_, _ = w.in.Write(append(line, '\n'))
	answer, err := w.readLine()
	if !notStopped() {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, w.describeEnd(err)
	}
	return readAnswer(answer, id)
}

// abort ends the worker and unblocks whoever reads from it or writes to it,
// also where something that it started holds the other end open.
func (w *worker) abort() {
	w.process.stop()
	w.in.Close()
	w.out.Close()
}

// readLine reads one line of at most maxRow bytes.
func (w *worker) readLine() ([]byte, error) {
	var line []byte
	for {
		part, err := w.lines.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case err == nil:
			return line, nil
		case len(line) > maxRow:
			return nil, fmt.Errorf("the worker wrote a line of more than %d bytes", maxRow)
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(line) == 0:
			return nil, errSilent
		default:
			return nil, fmt.Errorf("the worker's output ended inside an answer: %s", clip(line))
		}
	}
}

// describeEnd adds to an error of reading how the worker ended, if it did.
func (w *worker) describeEnd(err error) error {
	if !w.process.endsWithin(closeGrace) {
		return err
	}
	if ended := w.process.ending.check(); ended != nil {
		return fmt.Errorf("%w: %w", err, ended)
	}
	return fmt.Errorf("%w: it ended with exit status 0", err)
}

// An answeredError is an answer as the protocol wants it that is no row: the
// worker is well.
type answeredError string

func (e answeredError) Error() string { return "the worker answered with an error: " + string(e) }

// spares reports whether an error is the producer's alone: the worker answered
// as the protocol wants it, with an error or with a row that holds a bare NaN.
func spares(err error) bool {
	return errors.As(err, new(answeredError)) || errors.As(err, new(bareError))
}

func readAnswer(line []byte, id string) ([]byte, error) {
	if err := checkJSON(line); err != nil {
		return nil, fmt.Errorf("the worker's answer is not JSON: %w: %s", err, clip(line))
	}
	var r response
	if err := json.Unmarshal(line, &r, json.RejectUnknownMembers(true)); err != nil {
		return nil, fmt.Errorf(`the worker's answer is not {"id","result"} or {"id","error"}: %w: %s`, err, clip(line))
	}
	switch {
	case r.ID == nil:
		return nil, fmt.Errorf("the worker's answer has no id: %s", clip(line))
	case *r.ID != id && answered(*r.ID, id):
		return nil, fmt.Errorf("the worker answered id %q again when asked for id %q", *r.ID, id)
	case *r.ID != id:
		return nil, fmt.Errorf("the worker answered id %q when asked for id %q", *r.ID, id)
	case r.Error != nil && r.Result != nil:
		return nil, fmt.Errorf("the worker's answer has a result and an error: %s", clip(line))
	case r.Error != nil:
		return nil, answeredError(*r.Error)
	case r.Result == nil:
		return nil, fmt.Errorf("the worker's answer has neither a result nor an error: %s", clip(line))
	}
	return r.Result, nil
}

// answered reports whether got is the id of a run before the one in flight.
func answered(got, id string) bool {
	g, err := strconv.Atoi(got)
	n, _ := strconv.Atoi(id) // our own id is a number
	return err == nil && 0 < g && g < n
}

func clip(line []byte) string {
	const most = 120
	if len(line) > most {
		return fmt.Sprintf("%q...", line[:most])
	}
	return fmt.Sprintf("%q", line)
}

// discard ends the worker at once and leaves nothing of it.
func (w *worker) discard() error {
	w.abort()
	return removeAll(w.tmp)
}

// close ends the worker as the protocol has it: its input closes.
func (w *worker) close() error {
	w.in.Close()
	var err error
	if !w.process.endsWithin(closeGrace) {
		err = fmt.Errorf("a worker did not end within %v of its input closing; it was killed", closeGrace)
	} else if ended := w.process.ending.check(); ended != nil {
		err = fmt.Errorf("a worker whose input was closed: %w", ended)
	}
	return errors.Join(err, w.discard())
}

// A pool holds the idle workers. The zero pool is empty and open.
type pool struct {
	mu     sync.Mutex
	idle   []*worker
	closed bool
}

// take returns an idle worker, or nil. One that has ended meanwhile counts: it
// is silent when asked.
func (p *pool) take() *worker {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.idle) == 0 {
		return nil
	}
	w := p.idle[len(p.idle)-1]
	p.idle = p.idle[:len(p.idle)-1]
	return w
}

// give makes a worker idle.
func (p *pool) give(w *worker) error {
	p.mu.Lock()
	if !p.closed {
		p.idle = append(p.idle, w)
		p.mu.Unlock()
		return nil
	}
	p.mu.Unlock()
	return w.close()
}

// close ends all workers at once. Those that are busy end when they are given back.
func (p *pool) close() error {
	p.mu.Lock()
	idle := slices.Clone(p.idle)
	p.idle, p.closed = nil, true
	p.mu.Unlock()
	errs := make([]error, len(idle))
	var all sync.WaitGroup
	for i, w := range idle {
		all.Go(func() { errs[i] = w.close() })
	}
	all.Wait()
	return errors.Join(errs...)
}
