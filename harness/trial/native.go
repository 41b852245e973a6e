package trial

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/failrate/failrate/harness/study"
	"github.com/failrate/failrate/harness/trial/process"
	"github.com/failrate/failrate/harness/trial/tree"
)

// NativeOptions says what native attempts run in. Only Trees is needed.
type NativeOptions struct {
	Trees     map[string]Tree       // by variant
	Isolation study.NativeIsolation // empty means shared
	Scratch   string                // folder for temporary files and copies of trees; empty means process.Options' default
	Sessions  string                // folder of the record that Sweep reads; empty means the user's cache
	Now       func() time.Time      // nil means time.Now
}

// Tree is a variant's prepared tree.
type Tree struct {
	Dir   string // absolute
	Facts Facts  // go with every attempt
	Err   error  // the tree could not be prepared: every attempt is a fault
}

// Native runs attempts as processes of this host. Make it with NewNative, and Close it after the last attempt.
type Native struct {
	options NativeOptions
	session func() (*process.Session, error) // begun with the first attempt
	opened  atomic.Bool
	scratch scratchPool
	copier  tree.Copier
	memory  outOfMemory
}

// NewNative makes the executor. Nothing is started or made before the first attempt.
func NewNative(o NativeOptions) *Native {
	if o.Now == nil {
		o.Now = time.Now
	}
	n := &Native{options: o}
	n.session = sync.OnceValues(func() (*process.Session, error) {
		n.opened.Store(true)
		return process.Open(process.Options{Sessions: o.Sessions, Scratch: o.Scratch})
	})
	return n
}

// Session is the record of what this executor starts, for what runs beside its attempts and has to end as they do.
func (n *Native) Session() (*process.Session, error) { return n.session() }

// Close removes the record and the temporary folder. No attempt may be running.
func (n *Native) Close() error {
	if !n.opened.Load() {
		return nil
	}
	s, err := n.session()
	if err != nil {
		return nil // it was every attempt's fault already
	}
	return s.Close()
}

// Execute runs one attempt. See Executor.
func (n *Native) Execute(ctx context.Context, r Request) Observation {
	o := Observation{Started: n.options.Now(), Exit: -1}
	if ctx.Err() != nil {
		o.Stopped = true
		return o
	}
	err := n.execute(ctx, r, &o)
	if err == nil {
		return o
	}
	o.Exit, o.Signal = -1, ""
	if ctx.Err() != nil && o.Wall == 0 {
		o.Stopped = true // while its tree was being copied
		return o
	}
	o.Fault = OneLine(err.Error())
	return o
}

func (n *Native) execute(ctx context.Context, r Request, o *Observation) error {
	if len(r.Services) > 0 {
		return errors.New("the trial needs services, and nothing runs them here")
	}
	t, ok := n.options.Trees[r.Variant]
	if !ok {
		return fmt.Errorf("variant %q has no prepared tree", r.Variant)
	}
	o.Facts = maps.Clone(t.Facts)
	if t.Err != nil {
		return fmt.Errorf("prepare variant %q: %w", r.Variant, t.Err)
	}
	s, err := n.session()
	if err != nil {
		return err
	}
	sc, err := n.scratch.take(s.Folder())
	if err != nil {
		return err
	}
	defer func() { n.scratch.give(sc) }() // as it is then
	a := attempt{request: r, dir: t.Dir, scratch: &sc, copier: &n.copier}
	if n.options.Isolation == study.NativeCopy {
		a.dir = sc.tree()
		if err := n.copier.Folder(ctx, t.Dir, a.dir); err != nil {
			return err
		}
	}
	if err := a.prepare(); err != nil {
		return err
	}
	memory := n.memory.look()
	o.Started = n.options.Now()
	err = a.run(ctx, s, o)
	if o.Signal == "SIGKILL" && !o.Limit && !o.Stopped || o.Exit == 128+9 { // the second is how a shell says it
		o.OOM = n.memory.risen(memory)
	}
	return err
}
