// Package subject prepares the trees that trials run in: the subject's source with one variant's changes.
//
// It stands between study and trial in the pipeline study → plan → trial → classify → journal → report, beside plan.
// It takes a Study and the name of a variant and gives a folder, its digest and its facts, or why there is none. It runs
// git, the subject's compile command and (for native trials) its set-up, and never a trial. It writes to its cache and to
// its session's folder and nowhere else, except that the set-up of a folder that is used in place runs in that folder.
package subject

import (
	"context"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/failrate/failrate/harness/mask"
	"github.com/failrate/failrate/harness/study"
	"github.com/failrate/failrate/harness/trial/process"
	"github.com/failrate/failrate/harness/trial/tree"
)

// Options says what to prepare and where. Study, Cache and Session are needed.
type Options struct {
	Study   *study.Study
	Cache   string                           // absolute folder for clones and trees that are used again; harnesses may share it
	Session *process.Session                 // owns the commands, and the trees that are for this run alone
	Env     []string                         // environment of the commands, NAME=value; nil means os.Environ
	Mask    *mask.Mask                       // hides secrets in logs and errors; nil hides nothing
	Exclude []string                         // absolute folders that are left out of copies, such as that of the results
	Timeout time.Duration                    // of each command; 0 means DefaultTimeout
	Update  bool                             // fetch a clone even when it has the ref, as a branch may have moved
	Fresh   bool                             // prepare again what the cache has, as tools that a set-up uses may have changed
	Log     func(format string, args ...any) // told what is being done, one call at a time; nil means nobody is
}

// DefaultTimeout is how long one command may take.
const DefaultTimeout = time.Hour

// Target is the machine that a tree is compiled for, in Go's words: linux, darwin; amd64, arm64. The zero value is this
// one.
type Target struct {
	OS   string `json:"os"`
	Arch string `json:"arch"`
}

// Prepared is a variant's tree. Variants whose trees have the same ingredients share one.
type Prepared struct {
	Dir    string            // absolute
	Digest string            // hex SHA-256 of what is in it (see tree.Digest); of a folder used in place that of its commit and changes, or empty
	Facts  map[string]string // such as tree and commit; for every attempt's observation
	Log    string            // file with the commands' output; empty when none ran
}

// Preparer prepares trees. Make it with New. Safe for use by several goroutines.
type Preparer struct {
	o      Options
	copier tree.Copier
	origin origin

	mu   sync.Mutex // guards made
	made map[string]*once
	tell sync.Mutex // held while Options.Log runs
}

// once is what came of one recipe in this run.
type once struct {
	mu   sync.Mutex // held while it is carried out
	over bool
	got  Prepared
	err  error
}

// New makes a Preparer. Nothing is read or written yet.
func New(o Options) *Preparer {
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	if o.Env == nil {
		o.Env = os.Environ()
	}
	o.Env = withoutGit(o.Env)
	return &Preparer{o: o, made: map[string]*once{}}
}

// Tree prepares a variant's tree without its set-up, for an image in which the set-up is then run: the source with the
// variant's changes, or what the compile command made of it for the target. The tree is not to be written to.
func (p *Preparer) Tree(ctx context.Context, variant string, target Target) (Prepared, error) {
	return p.prepare(ctx, variant, target, false)
}

// Native prepares a variant's tree for native trials, with the set-up run on this host.
func (p *Preparer) Native(ctx context.Context, variant string) (Prepared, error) {
	return p.prepare(ctx, variant, Target{}, true)
}

func (p *Preparer) prepare(ctx context.Context, variant string, target Target, native bool) (Prepared, error) {
	if target == (Target{}) {
		target = Target{OS: runtime.GOOS, Arch: runtime.GOARCH}
	}
	v, ok := p.o.Study.Find(variant)
	if !ok {
		return Prepared{}, fmt.Errorf("study %s has no variant %q", p.o.Study.Name, variant)
	}
	r, err := p.recipe(ctx, v, target, native)
	if err != nil {
		return Prepared{}, fmt.Errorf("prepare %s: %w", variant, err)
	}
	p.mu.Lock()
	entry := p.made[r.key]
	if entry == nil {
		entry = &once{}
		p.made[r.key] = entry
	}
	p.mu.Unlock()
	got, err := entry.carryOut(ctx, p, r)
	if err != nil {
		return Prepared{Log: got.Log}, fmt.Errorf("prepare %s: %w", variant, err)
	}
	got.Facts = maps.Clone(got.Facts)
	return got, nil
}

// carryOut makes a recipe's tree at its first call. A failure is final for the run, unless we were stopped.
func (e *once) carryOut(ctx context.Context, p *Preparer, r recipe) (Prepared, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.over {
		e.got, e.err = p.carryOut(ctx, r)
		e.over = e.err == nil || ctx.Err() == nil
	}
	return e.got, e.err
}

// everyVariant lists the study's variants and controls.
func (p *Preparer) everyVariant() []study.Variant {
	all := slices.Clone(p.o.Study.Variants)
	for _, c := range p.o.Study.Controls {
		all = append(all, c.Variant)
	}
	return all
}

// say tells what is being done.
func (p *Preparer) say(format string, args ...any) {
	if p.o.Log == nil {
		return
	}
	p.tell.Lock()
	defer p.tell.Unlock()
	p.o.Log(format, args...)
}
