package archive

import (
	"io"
	"sync"
)

// Inflating and scanning cost about the same, so big members are inflated in a
// goroutine of their own, a few blocks ahead of the reader.
const (
	aheadFrom   = 1 << 20 // bytes of a member that is worth it
	aheadBlock  = 256 << 10
	aheadBlocks = 4
)

type block struct {
	data []byte
	err  error
}

// An ahead reads in the background.
type ahead struct {
	full  chan block
	empty chan []byte
	stop  chan struct{}
	done  chan struct{}
	close sync.Once

	src     io.ReadCloser
	current block
	rest    []byte // of current
}

func readAhead(src io.ReadCloser) io.ReadCloser {
	a := &ahead{
		full: make(chan block, aheadBlocks), empty: make(chan []byte, aheadBlocks),
		stop: make(chan struct{}), done: make(chan struct{}), src: src,
	}
	for range aheadBlocks {
		a.empty <- make([]byte, aheadBlock)
	}
	go a.fill()
	return a
}

func (a *ahead) fill() {
	defer close(a.done)
	for {
		var buf []byte
		select {
		case buf = <-a.empty:
		case <-a.stop:
			return
		}
		n, err := 0, error(nil)
		for n < len(buf) && err == nil { // not io.ReadFull, which changes the error
			var k int
			k, err = a.src.Read(buf[n:])
			n += k
		}
		a.full <- block{buf[:n], err} // never blocks: there are no more blocks than places
		if err != nil {
			return
		}
	}
}

func (a *ahead) Read(p []byte) (int, error) {
	for len(a.rest) == 0 {
		if a.current.err != nil {
			return 0, a.current.err
		}
		if a.current.data != nil {
			a.empty <- a.current.data[:aheadBlock]
		}
		a.current = <-a.full
		a.rest = a.current.data
	}
	n := copy(p, a.rest)
	a.rest = a.rest[n:]
	return n, nil
}

// Close ends the goroutine and closes what it reads.
func (a *ahead) Close() error {
	a.close.Do(func() { close(a.stop) })
	<-a.done
	return a.src.Close()
}
