package oracle

import (
	"maps"
	"path"
	"slices"
	"unicode"
)

func isSpace(r rune) bool { return unicode.IsSpace(r) }

func appendNew(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func joinNonEmpty(a, b string) string {
	if a == "" {
		return b
	}
	return a + ", " + b
}

// base is how addresses name a file: its name alone, since a run has one of each.
func base(file string) string { return path.Base(file) }
