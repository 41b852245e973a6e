package main

import (
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"github.com/failrate/failrate/harness/campaign"
	"github.com/failrate/failrate/harness/classify"
	"github.com/failrate/failrate/harness/plan"
	"github.com/failrate/failrate/harness/study"
	"github.com/failrate/failrate/stats"
)

// progress watches a campaign for people. close ends it and waits for its last line.
type progress interface {
	campaign.Observer
	close()
}

// newProgress chooses how to show progress: live lines on a terminal, a plain line every 30 s elsewhere, or nothing.
func (a *app) newProgress(mode string, p *plan.Plan, shard plan.Shard, skip []study.Platform, level float64) (progress, error) {
	counts := newCounts(p, shard, skip, level)
	_, tty := terminal(a.Err)
	switch {
	case mode == "none":
		return silent{}, nil
	case mode == "plain", mode == "auto" && (!tty || a.getenv("TERM") == "dumb"):
		return newPlain(a.Err, counts, 30*time.Second), nil
	case mode == "auto", mode == "live":
		return newLive(a.Err, counts), nil
	}
	return nil, fail(exitUsage, "", "--progress %q is not one of auto, plain, live, none", mode)
}

type silent struct{}

func (silent) Observe(campaign.Event) {}
func (silent) close()                 {}

// counts is what progress knows of each cell.
type counts struct {
	cells   []cellCount
	index   map[string]int
	level   float64
	began   time.Time
	ran     int // trials that this run settled itself
	settled int
	planned int
}

type cellCount struct {
	id       string
	planned  int
	done     int
	rate     stats.Count
	excluded int
}

// newCounts lists the cells of the platforms that run in the plan's order, which is that of the tables.
func newCounts(p *plan.Plan, shard plan.Shard, skip []study.Platform, level float64) *counts {
	c := &counts{index: map[string]int{}, level: level, began: time.Now()}
	planned := map[string]int{}
	for b := range p.Blocks(shard) {
		if slices.Contains(skip, p.Strata[b.Stratum].Platform) {
			continue
		}
		for _, t := range b.Trials {
			planned[t.Cell.ID()]++
			c.planned++
		}
	}
	for _, cell := range p.Cells() {
		if id := cell.ID(); planned[id] > 0 {
			c.index[id] = len(c.cells)
			c.cells = append(c.cells, cellCount{id: id, planned: planned[id]})
		}
	}
	return c
}

// add takes an event and gives the index of its cell when its counts changed, else -1.
func (c *counts) add(e campaign.Event) int {
	switch e.Kind {
	case campaign.AttemptStarted:
		return -1
	case campaign.AttemptFinished:
		c.ran++
		return -1
	case campaign.TrialSettled:
	}
	at := c.index[e.Trial.Cell.ID()]
	cell := &c.cells[at]
	cell.done++
	c.settled++
	if e.Judgement.Outcome.InRate() {
		cell.rate.N++
	} else {
		cell.excluded++
	}
	if e.Judgement.Outcome.Failed() {
		cell.rate.K++
	}
	return at
}

// line is a cell's counts in words: 40/100  7 failed  17.5 % (8.7–32.0 %).
func (c *counts) line(at int) string {
	cell := c.cells[at]
	text := fmt.Sprintf("%d/%d  %d failed", cell.done, cell.planned, cell.rate.K)
	if iv, err := stats.Wilson(cell.rate, c.level); err == nil {
		text += fmt.Sprintf("  %s (%s)", stats.Percent(cell.rate.Rate()), stats.Range(iv))
	}
	if cell.excluded > 0 {
		text += fmt.Sprintf("  %d excluded", cell.excluded)
	}
	return text
}

// eta estimates the time to the end from this run's own pace; empty while there is none.
func (c *counts) eta(now time.Time) string {
	if c.ran == 0 || c.settled >= c.planned {
		return ""
	}
	left := now.Sub(c.began) / time.Duration(c.ran) * time.Duration(c.planned-c.settled)
	return "ETA " + left.Round(time.Second).String()
}

// plain writes a line now and then.
type plain struct {
	out    io.Writer
	counts *counts
	every  time.Duration

	mu   sync.Mutex
	last time.Time
}

func newPlain(out io.Writer, c *counts, every time.Duration) *plain {
	return &plain{out: out, counts: c, every: every, last: time.Now()}
}

// Observe writes a line when the last one is old enough.
func (p *plain) Observe(e campaign.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.counts.add(e)
	if now := time.Now(); now.Sub(p.last) >= p.every {
		p.last = now
		p.write(now)
	}
}

func (p *plain) write(now time.Time) {
	failed := int64(0)
	for _, c := range p.counts.cells {
		failed += c.rate.K
	}
	fmt.Fprintf(p.out, "%d/%d trials, %d failed %s\n", p.counts.settled, p.counts.planned, failed, p.counts.eta(now))
}

func (p *plain) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.write(time.Now())
}

// live draws one line per cell.
type live struct {
	bars   []*mpb.Bar
	draw   *mpb.Progress
	counts *counts
	mu     sync.Mutex // guards counts: the lines are drawn by another goroutine
}

func newLive(out io.Writer, c *counts) *live {
	l := &live{counts: c, draw: mpb.New(mpb.WithOutput(out), mpb.WithWidth(20))}
	for at, cell := range c.cells {
		l.bars = append(l.bars, l.draw.AddBar(int64(cell.planned),
			mpb.PrependDecorators(decor.Name(cell.id, decor.WCSyncSpaceR)),
			mpb.AppendDecorators(decor.Any(func(decor.Statistics) string { return l.text(at) }))))
	}
	return l
}

func (l *live) text(at int) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.counts.line(at) + "  " + l.counts.eta(time.Now())
}

// Observe moves the cell's line.
func (l *live) Observe(e campaign.Event) {
	l.mu.Lock()
	at := l.counts.add(e)
	l.mu.Unlock()
	if at >= 0 && e.Judgement.Outcome != classify.Lost {
		l.bars[at].Increment()
	}
}

func (l *live) close() {
	for _, b := range l.bars {
		b.Abort(false)
	}
	l.draw.Wait()
}
