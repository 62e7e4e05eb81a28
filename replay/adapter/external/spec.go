package external

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/google/shlex"
)

// DefaultTimeout is the time that one run may take where nothing else is said.
const DefaultTimeout = time.Minute

// A Kind says how an external adapter is spoken to.
type Kind string

// The kinds of external adapters. The empty Kind is [Command].
const (
	Command Kind = "command" // the producer's command line contract, one process a run
	Worker  Kind = "worker"  // long-lived processes, a JSON line in, a JSON line out
)

// A Spec says how an external adapter is run. Name and Args are required.
type Spec struct {
	Name    string        // as users call it, "inferencex@843c6254"
	Engine  string        // the engine it answers for, "" for any
	Kind    Kind          // "" is [Command]
	Args    []string      // the command's words; no shell reads them
	Dir     string        // working directory, "" for the current one
	Env     Environment   // what of our environment and of run.env reaches it
	Timeout time.Duration // for one run; 0 is [DefaultTimeout]
	Output  Output        // where in the row the fields stand
}

// A Host is what external adapters take from the machine they run on.
type Host struct {
	Environ  []string // KEY=value, as [os.Environ] gives it
	TempDir  string   // where temporary directories are made, "" for [os.TempDir]
	CacheDir string   // where revisions of clones are unpacked, once each
}

// ParseOneOff reads the --adapter argument NAME=COMMAND into a Spec of kind
// [Command]. COMMAND is split into words as a shell would, and never run by one.
func ParseOneOff(arg string) (Spec, error) {
	name, command, found := strings.Cut(arg, "=")
	if !found {
		return Spec{}, fmt.Errorf("adapter %q: want NAME=COMMAND", arg)
	}
	args, err := splitWords(command)
	if err != nil {
		return Spec{}, fmt.Errorf("adapter %q: %w", name, err)
	}
	spec := Spec{Name: name, Args: args}
	return spec, spec.check()
}

func splitWords(command string) ([]string, error) {
	words, err := shlex.Split(command)
	if err != nil {
		return nil, fmt.Errorf("splitting the command %q into words: %w", command, err)
	}
	if len(words) == 0 {
		return nil, errors.New("the command is empty")
	}
	return words, nil
}

// adapterName is what a name may look like: it stands unquoted in expectation
// lists and reports, and has room for a revision such as main~1.
var adapterName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._/@+~^-]*$`)

func (s Spec) check() error {
	switch {
	case !adapterName.MatchString(s.Name):
		return fmt.Errorf("adapter name %q: want letters, digits and ._/@+~^- only", s.Name)
	case len(s.Args) == 0:
		return fmt.Errorf("adapter %s: no command", s.Name)
	case s.Kind != "" && s.Kind != Command && s.Kind != Worker:
		return fmt.Errorf("adapter %s: kind %q: want command or worker", s.Name, s.Kind)
	case s.Timeout < 0:
		return fmt.Errorf("adapter %s: timeout %v is negative", s.Name, s.Timeout)
	}
	if s.Dir != "" {
		if info, err := os.Stat(s.Dir); err != nil {
			return fmt.Errorf("adapter %s: working directory: %w", s.Name, err)
		} else if !info.IsDir() {
			return fmt.Errorf("adapter %s: working directory %s is not a directory", s.Name, s.Dir)
		}
	}
	return errors.Join(s.Env.check(s.Name), s.Output.check(s.Name))
}

// An Environment lists the variables that reach an adapter. Nothing else does,
// apart from what pdreplay itself sets (see the package documentation).
type Environment struct {
	// Pass names variables of our own environment. nil is PATH and HOME, which
	// interpreters need to be found; an empty list passes none.
	Pass []string `yaml:"pass"`
	// Set gives fixed values. They win over Pass and over what pdreplay sets,
	// but not over the run's own variables.
	Set map[string]string `yaml:"set"`
	// Run names further variables of run.env that pass beside [RunVariables];
	// a trailing * stands for any rest.
	Run []string `yaml:"run"`
}

// RunVariables are the variables of run.env that reach every adapter: those of
// the producer's contract (producer.md section 2) and of the launchers. run.env
// comes with a run, possibly from a stranger, so the list is closed: a PATH,
// PYTHONPATH or LD_PRELOAD in it would run the stranger's code.
func RunVariables() []string {
	return []string{
		"AGENTX_*", "AIPERF_*", "CONC", "DCP_SIZE", "DECODE_*", "DISAGG", "DP_ATTENTION", "EP_SIZE", "FRAMEWORK", "IMAGE",
		"IS_MULTINODE", "KV_OFFLOADING", "KV_OFFLOAD_*", "KV_P2P_TRANSFER", "MODEL", "MODEL_PREFIX", "PCP_SIZE",
		"PP_SIZE", "PRECISION", "PREFILL_*", "RECIPE_FINGERPRINT", "ROUTER_METADATA", "RUNNER_TYPE", "SPEC_DECODING",
		"SRTCTL_*", "SRT_*", "TOTAL_CPU_DRAM_GB", "TP",
	}
}

func (e Environment) check(name string) error {
	for _, key := range slices.Concat(e.Pass, e.Run, slices.Sorted(maps.Keys(e.Set))) {
		if key == "" || strings.ContainsAny(key, "=\x00") {
			return fmt.Errorf("adapter %s: %q is no name of an environment variable", name, key)
		}
	}
	return nil
}

// base is the environment of the process: what is passed of environ, what
// pdreplay sets, the fixed values. tmp is its directory for temporary files.
func (e Environment) base(environ []string, tmp string) map[string]string {
	pass := e.Pass
	if pass == nil {
		pass = []string{"PATH", "HOME"}
	}
	env := map[string]string{
		"TMPDIR": tmp,
		// A clone is never written to, not even by Python's bytecode cache.
		"PYTHONDONTWRITEBYTECODE": "1",
	}
	for _, entry := range environ {
		if key, value, ok := strings.Cut(entry, "="); ok && slices.Contains(pass, key) {
			env[key] = value
		}
	}
	maps.Copy(env, e.Set)
	return env
}

// ofRun is what of run.env passes.
func (e Environment) ofRun(run map[string]string) map[string]string {
	patterns := append(RunVariables(), e.Run...)
	env := map[string]string{}
	for key, value := range run {
		if slices.ContainsFunc(patterns, func(p string) bool { return matchName(p, key) }) {
			env[key] = value
		}
	}
	return env
}

func matchName(pattern, name string) bool {
	if prefix, ok := strings.CutSuffix(pattern, "*"); ok {
		return strings.HasPrefix(name, prefix)
	}
	return pattern == name
}

// entries returns env as KEY=value, sorted. It is never nil: os/exec reads nil
// as "inherit everything".
func entries(env map[string]string) []string {
	list := make([]string, 0, len(env))
	for _, key := range slices.Sorted(maps.Keys(env)) {
		list = append(list, key+"="+env[key])
	}
	return list
}
