package aiperf

import (
	"maps"
	"slices"
)

// AppendEnv appends the environment as run.env, sorted by name. A value is
// written as it is, so it must not hold a line break.
func AppendEnv(dst []byte, env Env) []byte {
	for _, name := range slices.Sorted(maps.Keys(env)) {
		dst = append(dst, name...)
		dst = append(dst, '=')
		dst = append(dst, env[name]...)
		dst = append(dst, '\n')
	}
	return dst
}
