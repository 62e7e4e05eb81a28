package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pdreplay/pdreplay/replay"
	"github.com/pdreplay/pdreplay/replay/adapter"
	"github.com/pdreplay/pdreplay/replay/adapter/external"
)

// configName is the configuration that is read from the working directory.
const configName = "pdreplay.yaml"

// A choice is the adapters that --adapter and --against name, each once, in
// that order.
type choice struct {
	adapters  []adapter.Adapter
	external  []*external.Adapter // of these, those to close
	arguments map[string]string   // of one-offs: what follows --adapter
	longest   time.Duration       // time limit among the external ones
}

// choose finds the adapters that the arguments name: NAME=COMMAND is a one-off,
// else the built-in ones that the pattern matches, else what the configuration
// calls so. Close the choice, also when there is an error.
func (l *look) choose(ctx context.Context, arguments []string) (choice, error) {
	c := choice{arguments: map[string]string{}}
	if l.config != "" { // also when no name needs it: a file that somebody gives is there
		if _, err := l.readConfig(); err != nil {
			return c, err
		}
	}
	for _, arg := range arguments {
		if strings.Contains(arg, "=") {
			spec, err := external.ParseOneOff(arg)
			if err == nil && c.has(spec.Name) && c.arguments[spec.Name] != arg {
				err = fmt.Errorf("%s is given twice: give each its own name", spec.Name)
			}
			if err == nil {
				err = c.addExternal(spec, l)
			}
			if err != nil {
				return c, fmt.Errorf("--adapter: %w", err)
			}
			c.arguments[spec.Name] = arg
			continue
		}
		found, err := builtin(arg)
		if err != nil {
			return c, err
		}
		for _, a := range found {
			c.add(a)
		}
		if len(found) == 0 {
			if err := c.addConfigured(ctx, arg, l); err != nil {
				return c, err
			}
		}
	}
	return c, nil
}

func (c *choice) has(name string) bool {
	return slices.ContainsFunc(c.adapters, func(a adapter.Adapter) bool { return a.Name() == name })
}

func (c *choice) add(a adapter.Adapter) {
	if !c.has(a.Name()) {
		c.adapters = append(c.adapters, a)
	}
}

func (c *choice) addExternal(spec external.Spec, l *look) error {
	if c.has(spec.Name) {
		return nil
	}
	if slices.Contains(adapterNames(), spec.Name) {
		return fmt.Errorf("%s is built in: give your adapter another name", spec.Name)
	}
	if spec.Engine == "" {
		spec.Engine = l.engine
	}
	if spec.Engine != "" && !slices.Contains(engineNames(), spec.Engine) {
		return fmt.Errorf("adapter %s: engine %q: want one of %s", spec.Name, spec.Engine, strings.Join(engineNames(), ", "))
	}
	if l.timeoutGiven || spec.Timeout == 0 {
		spec.Timeout = l.timeout
	}
	a, err := external.New(host(), spec)
	if err != nil {
		return err
	}
	c.adapters, c.external = append(c.adapters, a), append(c.external, a)
	c.longest = max(c.longest, spec.Timeout)
	return nil
}

func (c *choice) addConfigured(ctx context.Context, name string, l *look) error {
	config, err := l.readConfig()
	if err != nil {
		return err
	}
	spec, err := config.Spec(ctx, host(), name)
	if errors.Is(err, external.ErrUnknownName) {
		return fmt.Errorf("--adapter %q matches no adapter: have %s", name, strings.Join(append(adapterNames(), config.Names()...), ", "))
	}
	if err == nil {
		err = c.addExternal(spec, l)
	}
	if err != nil {
		return fmt.Errorf("--adapter: %w", err)
	}
	return nil
}

// close ends what the external adapters still run. What that goes wrong with is
// said beside err, which may be an exit code that has nothing to say.
func (c choice) close(cmd *cobra.Command, err *error) {
	for _, a := range c.external {
		if closeErr := a.Close(); closeErr != nil {
			complain(cmd.ErrOrStderr(), closeErr)
			*err = atLeast(*err, replay.ExitUnusable)
		}
	}
}

// readConfig reads the file of --config, or the one in the working directory if
// there is one.
func (l *look) readConfig() (*external.Config, error) {
	name := l.config
	if name == "" {
		name = configName
	}
	config, err := external.ReadConfig(name)
	switch {
	case l.config == "" && errors.Is(err, fs.ErrNotExist):
		return &external.Config{}, nil
	case err != nil:
		return nil, fmt.Errorf("reading the configuration: %w", err)
	}
	for _, a := range adapterNames() {
		if _, hidden := config.Adapters[a]; hidden {
			return nil, fmt.Errorf("reading the configuration: %s: adapters: %s is built in: give your adapter another name", name, a)
		}
	}
	return config, nil
}

// host is this machine as external adapters may use it.
func host() external.Host {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir() // without HOME: unpack revisions where nobody keeps them
	}
	return external.Host{Environ: os.Environ(), CacheDir: filepath.Join(cache, "pdreplay")}
}

// builtin returns the built-in adapters that a pattern of path.Match names.
func builtin(pattern string) ([]adapter.Adapter, error) {
	var found []adapter.Adapter
	for _, a := range replay.BuiltinAdapters() {
		ok, err := path.Match(pattern, a.Name())
		if err != nil {
			return nil, fmt.Errorf("--adapter %q: %w", pattern, err)
		}
		if ok {
			found = append(found, a)
		}
	}
	return found, nil
}

func adapterNames() []string {
	var names []string
	for _, a := range replay.BuiltinAdapters() {
		names = append(names, a.Name())
	}
	return names
}
