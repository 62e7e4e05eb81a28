package external

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// ConfigFile is the name of the configuration file.
const ConfigFile = "pdreplay.yaml"

// ErrUnknownName says that a configuration does not name an adapter.
var ErrUnknownName = errors.New("no adapter of this name")

// A Config is what pdreplay.yaml says. Directories in it are relative to the
// directory of the file, and {config} in a command stands for that directory.
type Config struct {
	Adapters map[string]AdapterConfig `yaml:"adapters"`
	Clones   map[string]CloneConfig   `yaml:"clones"`

	dir string // the absolute directory of the file
}

// An AdapterConfig is one named adapter.
type AdapterConfig struct {
	Kind    Kind          `yaml:"kind"`
	Command string        `yaml:"command"` // split into words like a shell, never run by one
	Dir     string        `yaml:"dir"`     // working directory, default that of the file
	Engine  string        `yaml:"engine"`
	Timeout time.Duration `yaml:"timeout"`
	Env     Environment   `yaml:"env"`
	Output  Output        `yaml:"output"`
}

// A CloneConfig is a local git clone whose revisions are adapters, NAME@REV.
type CloneConfig struct {
	Path      string           `yaml:"path"`
	Revisions []RevisionConfig `yaml:"revisions"` // the first that matches decides
	Engine    string           `yaml:"engine"`
	Timeout   time.Duration    `yaml:"timeout"`
	Env       Environment      `yaml:"env"`
	Output    Output           `yaml:"output"`
}

// A RevisionConfig says how the producer of some revisions is run.
type RevisionConfig struct {
	Match   string `yaml:"match"` // a pattern of REV or of the full commit id; * stands for any text
	Kind    Kind   `yaml:"kind"`
	Command string `yaml:"command"`
	Dir     string `yaml:"dir"` // working directory inside the tree
}

// ReadConfig reads a configuration file. A key that is not known, or stands
// twice, is an error with line and column.
func ReadConfig(name string) (*Config, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	c, err := parseConfig(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	dir, err := filepath.Abs(filepath.Dir(name))
	if err != nil {
		return nil, err
	}
	c.dir = dir
	return c, nil
}

func parseConfig(data []byte) (*Config, error) {
	file, err := parser.ParseBytes(data, 0)
	if err != nil {
		return nil, placed(err)
	}
	if len(file.Docs) > 1 {
		return nil, fmt.Errorf("line %d: a second document; one is read", file.Docs[1].Start.Position.Line)
	}
	var c Config
	if len(file.Docs) == 0 || file.Docs[0].Body == nil {
		return &c, nil
	}
	if err := (checker{map[string]ast.Node{}}).check("", file.Docs[0].Body, reflect.TypeFor[Config]()); err != nil {
		return nil, err
	}
	if err := yaml.NodeToValue(file.Docs[0].Body, &c, yaml.Strict()); err != nil {
		return nil, placed(err)
	}
	return &c, c.check()
}

// placed puts an error of the YAML reader on one line that begins with its place.
func placed(err error) error {
	var at yaml.Error
	if errors.As(err, &at) && at.GetToken() != nil {
		p := at.GetToken().Position
		return fmt.Errorf("line %d, column %d: %s", p.Line, p.Column, at.GetMessage())
	}
	return err
}

// A checker holds a configuration against the type that it is read into, in
// file order. The YAML reader's own strictness picks one of several unknown keys
// by map order, does not say what would be known, and speaks of Go's types.
type checker struct {
	anchors map[string]ast.Node // by name, as far as they were checked
}

// check refuses what the value of key, "" for the file itself, cannot be.
func (c checker) check(key string, node ast.Node, t reflect.Type) error {
	switch n := node.(type) {
	case *ast.AnchorNode:
		err := c.check(key, n.Value, t)
		c.anchors[n.Name.GetToken().Value] = n.Value
		return err
	case *ast.AliasNode:
		at, found := c.anchors[n.Value.GetToken().Value]
		if !found {
			return wanted(key, n, "an anchor that stands before it")
		}
		return c.check(key, at, t)
	case *ast.NullNode:
		return nil
	}
	switch {
	case t == reflect.TypeFor[time.Duration]():
		return checkDuration(key, node)
	case t.Kind() == reflect.Slice:
		return c.sequence(key, node, t)
	case t.Kind() == reflect.String:
		return checkText(key, node)
	}
	return c.mapping(key, node, t)
}

func (c checker) sequence(key string, node ast.Node, t reflect.Type) error {
	sequence, ok := node.(*ast.SequenceNode)
	if !ok {
		return wanted(key, node, "a list")
	}
	for _, value := range sequence.Values {
		if err := c.check(key, value, t.Elem()); err != nil {
			return err
		}
	}
	return nil
}

func (c checker) mapping(key string, node ast.Node, t reflect.Type) error {
	mapping, ok := node.(*ast.MappingNode)
	if !ok {
		return wanted(key, node, "keys with values")
	}
	for _, entry := range mapping.Values {
		key := entry.Key.GetToken()
		inner, known := fieldType(t, key.Value)
		if len(known) > 0 {
			return fmt.Errorf("line %d, column %d: unknown key %q; known here: %s",
				key.Position.Line, key.Position.Column, key.Value, strings.Join(known, ", "))
		}
		if err := c.check(key.Value, entry.Value, inner); err != nil {
			return err
		}
	}
	return nil
}

func checkDuration(key string, node ast.Node) error {
	if text, ok := node.(*ast.StringNode); ok {
		if _, err := time.ParseDuration(text.Value); err == nil {
			return nil
		}
	}
	return wanted(key, node, "a time with its unit, such as 90s or 2m")
}

// checkText refuses what YAML would read as a number and write otherwise: 010
// is 8 to it.
func checkText(key string, node ast.Node) error {
	switch n := node.(type) {
	case *ast.StringNode, *ast.LiteralNode:
		return nil
	case ast.ScalarNode:
		if fmt.Sprint(n.GetValue()) == node.GetToken().Value {
			return nil
		}
		return wanted(key, node, "text: put it in quotes")
	}
	return wanted(key, node, "text")
}

func wanted(key string, node ast.Node, what string) error {
	if key == "" {
		key = "the file"
	}
	token := node.GetToken()
	have := token.Value
	if alias, ok := node.(*ast.AliasNode); ok {
		have += alias.Value.GetToken().Value
	}
	return fmt.Errorf("line %d, column %d: %s: want %s, have %s", token.Position.Line, token.Position.Column, key, what, have)
}

// fieldType returns the type of the field that YAML calls key, or the keys
// that there are instead. A map has every key.
func fieldType(t reflect.Type, key string) (inner reflect.Type, known []string) {
	if t.Kind() != reflect.Struct {
		if t.Kind() == reflect.Map {
			t = t.Elem()
		}
		return t, nil
	}
	for field := range t.Fields() {
		name := field.Tag.Get("yaml")
		if name == key {
			return field.Type, nil
		}
		if name != "" {
			known = append(known, name)
		}
	}
	return nil, known
}

// check finds what would only fail when an adapter is used.
func (c *Config) check() error {
	for _, name := range slices.Sorted(maps.Keys(c.Adapters)) {
		if strings.Contains(name, "@") && c.Clones[name[:strings.Index(name, "@")]].Path != "" {
			return fmt.Errorf("adapters: %s: the clone of that name has revisions; one of the two needs another name", name)
		}
		if c.Adapters[name].Command == "" {
			return fmt.Errorf("adapters: %s: no command", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Clones)) {
		clone := c.Clones[name]
		if clone.Path == "" {
			return fmt.Errorf("clones: %s: no path", name)
		}
		if strings.Contains(name, "@") {
			return fmt.Errorf("clones: %s: the @ of NAME@REV cannot be part of the name", name)
		}
		for i, revision := range clone.Revisions {
			if revision.Match == "" || revision.Command == "" {
				return fmt.Errorf("clones: %s: revisions: entry %d needs match and command", name, i+1)
			}
		}
	}
	return nil
}

// Names returns what the configuration names, sorted: adapters as they are,
// clones as "NAME@".
func (c *Config) Names() []string {
	names := slices.Collect(maps.Keys(c.Adapters))
	for name := range c.Clones {
		names = append(names, name+"@")
	}
	slices.Sort(names)
	return names
}

// Spec returns how to run the adapter that name calls: a named one, or NAME@REV
// of a clone, whose tree it unpacks if that was never done, or NAME@worktree.
// The error is [ErrUnknownName] if the configuration has neither.
func (c *Config) Spec(ctx context.Context, host Host, name string) (Spec, error) {
	if adapter, found := c.Adapters[name]; found {
		return c.named(name, adapter)
	}
	cloneName, rev, _ := strings.Cut(name, "@")
	clone, found := c.Clones[cloneName]
	if !found {
		return Spec{}, fmt.Errorf("%s: %w; there are: %s", name, ErrUnknownName, strings.Join(c.Names(), " "))
	}
	if rev == "" {
		return Spec{}, fmt.Errorf("%s: a clone needs a revision: %s@REV or %s@worktree", name, cloneName, cloneName)
	}
	return c.revision(ctx, host, name, rev, clone)
}

func (c *Config) named(name string, a AdapterConfig) (Spec, error) {
	args, err := c.words(a.Command)
	if err != nil {
		return Spec{}, fmt.Errorf("adapter %s: %w", name, err)
	}
	spec := Spec{
		Name: name, Engine: a.Engine, Kind: a.Kind, Args: args, Dir: c.path(a.Dir),
		Env: a.Env, Timeout: a.Timeout, Output: a.Output,
	}
	return spec, spec.check()
}

func (c *Config) revision(ctx context.Context, host Host, name, rev string, clone CloneConfig) (Spec, error) {
	g := gitClone{path: c.path(clone.Path), environ: host.Environ}
	tree, of := g.path, rev
	if rev == Worktree {
		of = "HEAD" // the tree as it lies is near the commit that it was checked out from
	}
	commit, err := g.resolve(ctx, of)
	if err != nil {
		return Spec{}, fmt.Errorf("adapter %s: %w", name, err)
	}
	i := slices.IndexFunc(clone.Revisions, func(r RevisionConfig) bool {
		return matchRevision(r.Match, rev) || matchRevision(r.Match, commit)
	})
	if i < 0 {
		return Spec{}, fmt.Errorf("adapter %s: no entry of its clone's revisions matches %s (commit %s)", name, rev, commit)
	}
	if rev != Worktree {
		if tree, err = g.unpack(ctx, host.CacheDir, commit); err != nil {
			return Spec{}, fmt.Errorf("adapter %s: %w", name, err)
		}
	}
	how := clone.Revisions[i]
	args, err := c.words(how.Command)
	if err != nil {
		return Spec{}, fmt.Errorf("adapter %s: %w", name, err)
	}
	spec := Spec{
		Name: name, Engine: clone.Engine, Kind: how.Kind, Args: args, Dir: filepath.Join(tree, how.Dir),
		Env: clone.Env, Timeout: clone.Timeout, Output: clone.Output,
	}
	return spec, spec.check()
}

// words splits a command. {config} is replaced afterwards, so that a directory
// with a space in its name stays one word.
func (c *Config) words(command string) ([]string, error) {
	words, err := splitWords(command)
	for i := range words {
		words[i] = strings.ReplaceAll(words[i], "{config}", c.dir)
	}
	return words, err
}

func (c *Config) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(c.dir, name)
}

// matchRevision matches a pattern in which * stands for any text, slashes too.
func matchRevision(pattern, rev string) bool {
	quoted := strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, `.*`)
	return regexp.MustCompile(`^(?:` + quoted + `)$`).MatchString(rev)
}
