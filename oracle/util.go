package oracle

import (
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

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

// printable quotes what would move a terminal's cursor or start a line of its
// own: endpoints and labels come from strangers' files.
func printable(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(s)
	}
	return s
}
