//go:build !race

package aiperf

const raceEnabled = false
