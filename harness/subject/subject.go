// Package subject prepares what is run: for each variant a folder of files, ready for its trials.
//
// It takes a Study and the name of a variant and gives a Prepared: the git subject at its ref or the folder, patches
// applied, files laid over, compiled for the target, set up. It stands between study and trial in the pipeline
// study → plan → trial → classify → journal → report. It runs the study's set-up commands and never a trial; it never
// writes outside its cache, except that the set-up of a folder used in place runs in that folder.
package subject

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/failrate/failrate/harness/study"
	"github.com/failrate/failrate/harness/trial/process"
	"github.com/failrate/failrate/harness/trial/tree"
)

// Options says what is prepared and where. All but Log are needed.
type Options struct {
	Study   *study.Study
	Cache   string                           // folder for clones and prepared trees; it may be shared by harnesses
	Session *process.Session                 // owns the commands that run
	Env     []string                         // NAME=value that the commands inherit
	Log     func(format string, args ...any) // says what is being done; nil means nobody wants to know
}

// Target is the system that a tree is for. The zero value is this host.
type Target struct{ OS, Arch string }

// Prepared is a variant's tree.
type Prepared struct {
	Dir    string            // absolute
	Digest string            // of its content; empty for a folder that is used in place
	Facts  map[string]string // tree, or commit and changed for a folder that is used in place
}

// Preparer prepares variants. Make it with New.
type Preparer struct {
	o      Options
	copier tree.Copier
}

// New makes a Preparer. Nothing is read or run before the first call.
func New(o Options) *Preparer {
	if o.Log == nil {
		o.Log = func(string, ...any) {}
	}
	return &Preparer{o: o}
}

// Native prepares a variant for this host: its tree, and the set-up commands run in it.
func (p *Preparer) Native(ctx context.Context, variant string) (Prepared, error) {
	host := Target{OS: runtime.GOOS, Arch: runtime.GOARCH}
	r, err := p.recipe(variant, host)
	if err != nil {
		return Prepared{}, err
	}
	setup := p.o.Study.Subject.Setup
	if r.variant.Setup != nil {
		setup = r.variant.Setup
	}
	if len(setup) > 0 && r.copies() {
		r.setup = setup // it changes the tree, so the tree is another one
	}
	out, err := p.make(ctx, r)
	if err == nil && len(setup) > 0 && !r.copies() {
		err = p.runAll(ctx, "set-up", setup, out.Dir, r.env())
	}
	return out, err
}

// Tree prepares a variant's tree for a target and runs no set-up: that is for whoever has the target.
func (p *Preparer) Tree(ctx context.Context, variant string, target Target) (Prepared, error) {
	r, err := p.recipe(variant, target)
	if err != nil {
		return Prepared{}, err
	}
	return p.make(ctx, r)
}

// recipe is everything that a tree depends on.
type recipe struct {
	study   *study.Study
	variant study.Variant
	target  Target
	commit  string     // of a git subject
	setup   [][]string // run in the tree
}

func (p *Preparer) recipe(variant string, target Target) (recipe, error) {
	v, ok := p.o.Study.Find(variant)
	if !ok {
		return recipe{}, fmt.Errorf("study %s has no variant %q", p.o.Study.Name, variant)
	}
	return recipe{study: p.o.Study, variant: v, target: target}, nil
}

// copies reports whether the variant's tree is a copy: a folder is used in place when nothing changes it.
func (r recipe) copies() bool {
	return r.study.Subject.Git != nil || len(r.variant.Patches) > 0 || len(r.variant.Files) > 0 || len(r.study.Subject.Compile) > 0
}

// sources reports whether the sources themselves are copied, and not only compiled where they are.
func (r recipe) sources() bool {
	return r.study.Subject.Git != nil || len(r.variant.Patches) > 0 || len(r.variant.Files) > 0
}

// env is what commands get beside what they inherit.
func (r recipe) env() []string {
	out := []string{"FAILRATE_OS=" + r.target.OS, "FAILRATE_ARCH=" + r.target.Arch}
	for _, m := range []map[string]string{r.study.Subject.Env, r.variant.Env} {
		for k, v := range m {
			out = append(out, k+"="+v)
		}
	}
	return out
}

// key names the tree in the cache: same recipe, same inputs, same key.
func (r recipe) key(inputs string) (string, error) {
	patches, err := digests(r.variant.Patches)
	if err != nil {
		return "", err
	}
	var names, files []string
	for name, file := range r.variant.Files {
		names, files = append(names, name), append(files, file)
	}
	laid, err := digests(files)
	if err != nil {
		return "", err
	}
	over := map[string]string{}
	for i, name := range names {
		over[name] = laid[i]
	}
	text, err := json.Marshal(map[string]any{
		"format": 1, "inputs": inputs, "commit": r.commit, "patches": patches, "files": over,
		"compile": r.study.Subject.Compile, "target": r.target, "setup": r.setup, "env": envForKey(r),
	})
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])[:24], nil
}

// envForKey is the environment that can change what commands make.
func envForKey(r recipe) any {
	if len(r.setup) == 0 && len(r.study.Subject.Compile) == 0 {
		return nil
	}
	return []any{r.study.Subject.Env, r.variant.Env}
}

func digests(paths []string) ([]string, error) {
	var out []string
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(text)
		out = append(out, hex.EncodeToString(sum[:]))
	}
	return out, nil
}

func (p *Preparer) trees() string { return filepath.Join(p.o.Cache, "trees") }
