package replay

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Printable writes what is not printable in s as a Go string has it, and U+FFFD
// for what is not UTF-8. Names in an export and of directories, and what an
// adapter says, may come from strangers: shown so, it neither moves a terminal's
// cursor nor begins a line of its own.
func Printable(s string) string {
	if isPrintable(s) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if unicode.IsPrint(r) {
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
	}
	return b.String()
}

func isPrintable(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}
