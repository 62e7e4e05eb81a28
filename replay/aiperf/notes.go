package aiperf

import "fmt"

// notes collects what a reader kept although AIPerf does not write it. A kind
// of note is kept once, where it first occurred, with how often: a file of
// millions of broken values must not make millions of notes.
type notes struct {
	file   string
	list   []Note
	counts []int
	index  map[string]int // text -> place in list
}

func (n *notes) add(at, text string) {
	if i, ok := n.index[text]; ok {
		n.counts[i]++
		return
	}
	if n.index == nil {
		n.index = make(map[string]int)
	}
	n.index[text] = len(n.list)
	n.list = append(n.list, Note{File: n.file, At: at, Text: text})
	n.counts = append(n.counts, 1)
}

// all returns the notes in the order in which they first occurred.
func (n *notes) all() []Note {
	for i, count := range n.counts {
		if count > 1 {
			n.list[i].Text += fmt.Sprintf(" (%d times, here first)", count)
		}
	}
	n.counts = nil
	return n.list
}
