package scenarios

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A command is one word of the script language.
type command struct {
	name  string
	usage string // arguments, as README.md shows them
	doc   string // sentences for README.md
	run   func(b *builder, args []string) error
}

// errUsage says that a command was called with other arguments than its usage
// has; the interpreter adds the usage line.
var errUsage = errors.New("bad arguments")

// A builder is a script under way.
type builder struct {
	run   *run // nil until the run command
	want  *Want
	files []section // behind the script
}

// play runs a script and returns the run it built and what it wants.
func (s Scenario) play() (*run, Want, error) {
	script, files := sections(string(s.src))
	b := &builder{files: files}
	table := map[string]command{}
	for _, c := range commands() {
		table[c.name] = c
	}
	for i, line := range strings.Split(script, "\n") {
		if err := b.line(table, line); err != nil {
			return nil, Want{}, fmt.Errorf("%s:%d: %w", s.File(), i+1, err)
		}
	}
	if b.want == nil {
		return nil, Want{}, fmt.Errorf("%s: no want: end the script with one", s.File())
	}
	return b.run, *b.want, nil
}

func (b *builder) line(table map[string]command, line string) error {
	words, err := split(line)
	if err != nil || len(words) == 0 {
		return err
	}
	c, ok := table[words[0]]
	switch {
	case !ok:
		return fmt.Errorf("unknown command %q: scenarios/README.md lists them", words[0])
	case b.want != nil:
		return fmt.Errorf("%s after want: a scenario has one want, and it comes last", c.name)
	case (b.run == nil) != (c.name == "run"):
		return fmt.Errorf("%s: a script begins with run, and runs once", c.name)
	}
	err = c.run(b, words[1:])
	if errors.Is(err, errUsage) {
		return fmt.Errorf("%s: %w: usage: %s %s", c.name, err, c.name, c.usage)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", c.name, err)
	}
	return nil
}

// A section is a file that stands behind the script.
type section struct{ name, data string }

// sections takes a txtar archive apart: the script, then a file after each line
// "-- NAME --".
func sections(src string) (script string, files []section) {
	for line := range strings.Lines(src) {
		name, ok := strings.CutPrefix(strings.TrimRight(line, "\r\n"), "-- ")
		if name, marker := strings.CutSuffix(name, " --"); ok && marker {
			files = append(files, section{name: strings.TrimSpace(name)})
			continue
		}
		if len(files) == 0 {
			script += line
		} else {
			files[len(files)-1].data += line
		}
	}
	return script, files
}

// split cuts a line into words at white space. Single quotes hold white space
// together; a line that begins with # is a comment.
func split(line string) ([]string, error) {
	if strings.HasPrefix(strings.TrimSpace(line), "#") {
		return nil, nil
	}
	var words []string
	var word strings.Builder
	inWord, quoted := false, false
	for _, r := range line {
		switch {
		case r == '\'':
			quoted, inWord = !quoted, true
		case !quoted && (r == ' ' || r == '\t' || r == '\r'):
			if inWord {
				words = append(words, word.String())
				word.Reset()
			}
			inWord = false
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	if quoted {
		return nil, errors.New("a single quote is not closed on its line")
	}
	if inWord {
		words = append(words, word.String())
	}
	return words, nil
}

// pairs reads KEY=VALUE arguments, in their order; known lists the keys that
// are allowed, nil allows any.
func pairs(args []string, known ...string) ([][2]string, error) {
	var list [][2]string
	for _, arg := range args {
		key, value, ok := strings.Cut(arg, "=")
		if !ok || key == "" {
			return nil, fmt.Errorf("%w: %q is not KEY=VALUE", errUsage, arg)
		}
		if len(known) > 0 && !slices.Contains(known, key) {
			return nil, fmt.Errorf("%w: unknown key %q, known are %s", errUsage, key, strings.Join(known, " "))
		}
		list = append(list, [2]string{key, value})
	}
	return list, nil
}
