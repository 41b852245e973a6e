package rounds

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Burst is load around one moment. Begin it just before the moment, End it just after.
type Burst struct {
	File string        // touched to ask failrate for load, removed at the end; empty means do not ask
	Hogs int           // busy goroutines of our own, for runs without failrate
	Lead time.Duration // how long Begin waits for the load to be there; no wait without File and Hogs

	stop    atomic.Bool
	workers sync.WaitGroup
	spent   atomic.Uint64 // keeps the hogs' arithmetic from being optimised away
}

// Begin starts the load and waits Lead.
func (b *Burst) Begin() error {
	if b.File == "" && b.Hogs == 0 {
		return nil
	}
	if b.File != "" {
		f, err := os.Create(b.File)
		if err != nil {
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	b.stop.Store(false)
	for range b.Hogs {
		b.workers.Go(b.hog)
	}
	time.Sleep(b.Lead)
	return nil
}

// End stops the load. It does nothing when none was begun.
func (b *Burst) End() error {
	b.stop.Store(true)
	b.workers.Wait()
	if b.File == "" {
		return nil
	}
	if err := os.Remove(b.File); err != nil && !os.IsNotExist(err) {
		return err
	}
	return nil
}

// hog keeps a core busy; every few thousand steps it looks whether to stop.
func (b *Burst) hog() {
	x := uint64(1)
	for !b.stop.Load() {
		for range 4096 {
			x = x*6364136223846793005 + 1442695040888963407
		}
	}
	b.spent.Store(x)
}

// ParseHogs reads a load from inside the process: none, or burst:N for N busy goroutines.
func ParseHogs(word string) (int, error) {
	if word == "none" {
		return 0, nil
	}
	number, ok := strings.CutPrefix(word, "burst:")
	hogs, err := strconv.Atoi(number)
	if !ok || err != nil || hogs < 1 || hogs > 1024 {
		return 0, fmt.Errorf("%q is neither none nor burst:N with N from 1 to 1024", word)
	}
	return hogs, nil
}
