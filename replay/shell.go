package replay

import (
	"fmt"
	"strings"
)

// shellWords joins words so that a POSIX shell reads them back.
func shellWords(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = quote(w)
	}
	return strings.Join(quoted, " ")
}

func quote(w string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./_-"
	if w != "" && strings.Trim(w, plain) == "" {
		return w
	}
	if !isPrintable(w) {
		return dollarQuote(w)
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}

// dollarQuote quotes a word so that it is printable: POSIX has $'...' since 2024,
// bash and zsh had it before.
func dollarQuote(w string) string {
	var b strings.Builder
	b.WriteString("$'")
	for i := range len(w) {
		switch c := w[i]; {
		case c == '\'' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c >= ' ' && c < 0x7f:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "\\%03o", c) // unlike \x, never longer
		}
	}
	b.WriteByte('\'')
	return b.String()
}
