package external

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const supervisorName = "pdreplay-supervisor"

// init makes every binary that imports this package able to be its own
// supervisor, pdreplay as well as the tests of a user's Go package. A process
// of its own is needed because a subreaper adopts all orphans below it, which
// we must not do to a program that merely uses this package.
func init() {
	if len(os.Args) > 1 && os.Args[0] == supervisorName {
		supervise(os.Args[1:])
		os.Exit(0)
	}
}

// supervise runs args and reports on file descriptor 4 how that ended. It
// obeys file descriptor 3.
func supervise(args []string) {
	control, status := os.NewFile(3, "control"), os.NewFile(4, "status")
	syscall.CloseOnExec(3)
	syscall.CloseOnExec(4)
	reports := json.NewEncoder(status)
	pid, err := startBelow(args)
	if err != nil {
		_ = reports.Encode(report{Error: err.Error()}) // an error says that nobody listens
		return
	}
	_ = reports.Encode(report{PID: pid})
	go obey(control, pid)
	state := waitFor(pid)
	left := endDescendants(leftGrace)
	_ = reports.Encode(report{Ended: true, State: state, Left: left})
}

// startBelow starts args with our own input, output, errors, directory and
// environment, and lets go of the former: who reads its output must see its end.
func startBelow(args []string) (pid int, err error) {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return 0, fmt.Errorf("becoming its subreaper: %w", err)
	}
	path, err := exec.LookPath(args[0])
	if err != nil {
		return 0, fmt.Errorf("starting it: %w", err)
	}
	child, err := os.StartProcess(path, args, &os.ProcAttr{
		Files: []*os.File{os.Stdin, os.Stdout, os.Stderr},
		Sys:   &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL},
	})
	if err != nil {
		return 0, fmt.Errorf("starting it: %w", err)
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return 0, err
	}
	for fd := range 3 {
		if err := unix.Dup3(int(null.Fd()), fd, 0); err != nil {
			return 0, fmt.Errorf("letting go of file descriptor %d: %w", fd, err)
		}
	}
	return child.Pid, nil
}

// obey does what the control pipe says. It kills in a loop, because what is
// killed may have started more in the meantime; the supervisor's end ends it.
func obey(control *os.File, group int) {
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, unix.SIGTERM, unix.SIGINT, unix.SIGHUP)
	closed := make(chan struct{})
	go func() {
		for b := make([]byte, 1); ; {
			if n, err := control.Read(b); n == 0 || err != nil {
				close(closed)
				return
			}
			_ = unix.Kill(-group, unix.SIGTERM) // an error says that the group has ended
		}
	}()
	select {
	case <-stop:
	case <-closed:
	}
	for {
		killAll(descendants())
		time.Sleep(2 * time.Millisecond)
	}
}

// waitFor waits until pid has ended, and says how unless that was exit status
// 0. As a subreaper it meets orphans on the way.
func waitFor(pid int) string {
	for {
		var status unix.WaitStatus
		ended, err := unix.Wait4(-1, &status, 0, nil)
		switch {
		case err == unix.EINTR:
		case err != nil:
			return "an unknown state: " + err.Error()
		case ended == pid && status.Signaled():
			return fmt.Sprintf("signal: %v", status.Signal())
		case ended == pid && status.ExitStatus() != 0:
			return fmt.Sprintf("exit status %d", status.ExitStatus())
		case ended == pid:
			return ""
		}
	}
}

// endDescendants returns when nothing lives below us. What has not ended on
// its own after grace is killed and named.
func endDescendants(grace time.Duration) (left []string) {
	deadline := time.Now().Add(grace)
	for {
		ended, err := unix.Wait4(-1, nil, unix.WNOHANG, nil)
		if err == unix.ECHILD {
			return left
		}
		if ended > 0 || err == unix.EINTR {
			continue
		}
		if time.Now().After(deadline) {
			pids := descendants()
			if left == nil {
				left = describeAll(pids)
			}
			killAll(pids)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// descendants returns the processes below us that are not dead. Orphans are
// our children, so no process can leave the tree.
func descendants() []int {
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		panic("a constant pattern is bad: " + err.Error()) // cannot happen
	}
	children := map[int][]int{}
	for _, file := range files {
		if pid, parent, ok := readStat(file); ok {
			children[parent] = append(children[parent], pid)
		}
	}
	var found []int
	for next := children[os.Getpid()]; len(next) > 0; {
		found = append(found, next...)
		var deeper []int
		for _, pid := range next {
			deeper = append(deeper, children[pid]...)
		}
		next = deeper
	}
	return found
}

// readStat reads "pid (name) state parent ..." of a process that is not a
// zombie; the name may hold anything, parentheses too. A zombie has no
// children, so leaving it out loses nobody.
func readStat(file string) (pid, parent int, ok bool) {
	data, err := os.ReadFile(file)
	if err != nil {
		return 0, 0, false // it has ended meanwhile
	}
	text := string(data)
	fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
	if len(fields) < 2 || fields[0] == "Z" {
		return 0, 0, false
	}
	pid, err = strconv.Atoi(text[:strings.IndexByte(text, ' ')])
	if err != nil {
		return 0, 0, false
	}
	parent, err = strconv.Atoi(fields[1])
	return pid, parent, err == nil
}

func killAll(pids []int) {
	for _, pid := range pids {
		_ = unix.Kill(pid, unix.SIGKILL) // an error says that it has ended
	}
}

func describeAll(pids []int) []string {
	var names []string
	for _, pid := range pids {
		name, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
		if err != nil {
			continue // it has ended meanwhile
		}
		names = append(names, fmt.Sprintf("%s (pid %d)", strings.TrimSpace(string(name)), pid))
	}
	return names
}
