package journal

import (
	"runtime"
	"sync"
)

// workers is how many goroutines parse.
func workers() int { return min(runtime.GOMAXPROCS(0), 4) }

// batch is some lines on their way through a pipeline.
type batch struct {
	buf     []byte // whole lines
	line    int64  // of the first one
	offset  int64
	sum     uint32 // the checksum before them
	records []Record

	picked []picked // what the lines are of, when they were picked from merged journals
	used   int      // records that are whole
	err    error    // what stopped after them; nil at the end of the input
	done   chan struct{}
}

// next gives the batch's next record to write to.
func (b *batch) next() *Record {
	if b.used == len(b.records) {
		b.records = append(b.records, Record{})
	}
	b.used++
	return &b.records[b.used-1]
}

// pipeline reads in one goroutine, parses in several and delivers in the caller's, in order. It keeps its buffers from
// run to run. It is for one run at a time.
type pipeline struct {
	parsers []*parser // one for each parsing goroutine
	free    []*batch
}

func newPipeline(workers int) *pipeline {
	p := &pipeline{}
	for range workers {
		p.parsers = append(p.parsers, &parser{})
	}
	for range 2*workers + 1 {
		p.free = append(p.free, &batch{done: make(chan struct{}, 1)})
	}
	return p
}

// run calls fill until it gives false, work on what it filled, and each with what was worked on, in order, until it
// gives false. fill and work note errors in the batch. All goroutines have ended when run returns.
func (p *pipeline) run(fill func(*batch) bool, work func(*parser, *batch), each func(*batch) bool) {
	free, jobs, queue := make(chan *batch, len(p.free)), make(chan *batch, len(p.free)), make(chan *batch, len(p.free))
	quit := make(chan struct{})
	for _, b := range p.free {
		free <- b
	}
	var wait sync.WaitGroup
	wait.Go(func() {
		defer close(queue)
		defer close(jobs)
		for {
			select {
			case <-quit:
				return
			case b := <-free:
				b.used, b.err = 0, nil
				more := fill(b)
				jobs <- b
				queue <- b
				if !more {
					return
				}
			}
		}
	})
	for _, parser := range p.parsers {
		wait.Go(func() {
			for b := range jobs {
				work(parser, b)
				b.done <- struct{}{}
			}
		})
	}
	going := true
	for b := range queue {
		<-b.done
		if going && !each(b) {
			going = false
			close(quit)
		}
		free <- b
	}
	wait.Wait()
}
