package generator

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// Parse reads a spec. file names it in errors. Unknown fields are refused, and
// the spec is checked: the one error says file, line and column and what is
// allowed there.
func Parse(file string, text []byte) (Spec, error) {
	var s Spec
	tree, err := parser.ParseBytes(text, 0)
	if err != nil {
		return Spec{}, yamlError(file, err)
	}
	if len(tree.Docs) == 0 || tree.Docs[0].Body == nil {
		return Spec{}, fmt.Errorf("reading the spec %s: it is empty: want a YAML document with version, engine, topology and collector", file)
	}
	if len(tree.Docs) > 1 {
		return Spec{}, fmt.Errorf("reading the spec %s: want one YAML document, found %d", file, len(tree.Docs))
	}
	if err := yaml.NewDecoder(bytes.NewReader(text), yaml.Strict()).Decode(&s); err != nil {
		return Spec{}, yamlError(file, err)
	}
	if err := s.Check(); err != nil {
		var field *FieldError
		if !errors.As(err, &field) {
			return Spec{}, fmt.Errorf("reading the spec %s: %w", file, err)
		}
		return Spec{}, fmt.Errorf("reading the spec %s: %w", position(file, tree, field.Path), err)
	}
	return s, nil
}

// yamlError takes line and column out of the library's error, without the
// source excerpt that it prints below.
func yamlError(file string, err error) error {
	var y yaml.Error
	if errors.As(err, &y) && y.GetToken() != nil {
		p := y.GetToken().Position
		return fmt.Errorf("reading the spec %s:%d:%d: %s", file, p.Line, p.Column, y.GetMessage())
	}
	message, _, _ := strings.Cut(err.Error(), "\n")
	return fmt.Errorf("reading the spec %s: %s", file, message)
}

// position is file:line:column of the node at the path, or of the nearest node
// above it when that field is not there.
func position(file string, tree *ast.File, path string) string {
	for path != "" {
		if p, err := yaml.PathString(path); err == nil {
			if node, err := p.FilterFile(tree); err == nil && node != nil && node.GetToken() != nil {
				at := node.GetToken().Position
				return fmt.Sprintf("%s:%d:%d", file, at.Line, at.Column)
			}
		}
		path = path[:max(strings.LastIndexAny(path, ".["), 0)]
	}
	return file
}

// Format returns the spec as YAML, which [Parse] reads back to the same spec.
func Format(s Spec) ([]byte, error) {
	out, err := yaml.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("writing the spec as YAML: %w", err)
	}
	return out, nil
}
