package subject

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"runtime"
	"slices"

	"github.com/failrate/failrate/harness/study"
)

// recipe is all that a tree is made of. Equal recipes give equal trees.
type recipe struct {
	key     string
	variant study.Variant // the first of those that share the tree
	source  source        // with the variant's own ref
	target  Target
	native  bool
	setup   [][]string // empty unless native
}

// ingredients is what a recipe's key is made of.
type ingredients struct {
	Format  int               `json:"format"` // changes when the same ingredients are to give another tree
	Native  bool              `json:"native"` // these trees are written to by trials, and the others are not
	Source  string            `json:"source"`
	Patches []string          `json:"patches"`
	Files   map[string]string `json:"files"`
	Compile []string          `json:"compile"`
	Target  Target            `json:"target"`
	Setup   [][]string        `json:"setup"`
	Env     []string          `json:"env"`             // that the set-up sees of the study's
	Unset   []string          `json:"unset,omitempty"` // that it does not see of the harness's
	Host    string            `json:"host"`
}

// recipe resolves what a variant's tree is made of.
func (p *Preparer) recipe(ctx context.Context, v study.Variant, target Target, native bool) (recipe, error) {
	r := recipe{variant: v, target: target, native: native}
	subject := p.o.Study.Subject
	in := ingredients{Format: 1, Native: native, Compile: subject.Compile}
	var err error
	if r.source, err = p.source(ctx, v); err != nil {
		return r, err
	}
	if r.source.inPlace && !native && len(subject.Compile) == 0 { // an image gets a copy of what belongs to the folder
		r.source.inPlace = false
	}
	if in.Source, err = p.identify(ctx, r.source); err != nil {
		return r, err
	}
	if in.Patches, in.Files, err = changeDigests(v); err != nil {
		return r, err
	}
	if len(subject.Compile) > 0 {
		in.Target = target
	}
	if native {
		in.Host = runtime.GOOS + "/" + runtime.GOARCH
		if r.setup = setupOf(subject, v); len(r.setup) > 0 {
			in.Setup, in.Env, in.Unset = r.setup, environment(subject, v), subject.Unset
		}
	}
	text, err := json.Marshal(in)
	if err != nil {
		return r, err
	}
	sum := sha256.Sum256(text)
	r.key = hex.EncodeToString(sum[:10])
	return r, nil
}

// setupOf is the set-up of a variant: its own, or the subject's.
func setupOf(s study.Subject, v study.Variant) [][]string {
	if v.Setup != nil {
		return v.Setup
	}
	return s.Setup
}

// environment is what a study adds to a set-up's environment: what it adds to the trials', sorted.
func environment(s study.Subject, v study.Variant) []string {
	all := maps.Clone(s.Env)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, v.Env)
	var env []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		env = append(env, name+"="+all[name])
	}
	return env
}

// changeDigests digests the files that a variant's changes consist of.
func changeDigests(v study.Variant) (patches []string, files map[string]string, err error) {
	for _, path := range v.Patches {
		d, err := fileDigest(path)
		if err != nil {
			return nil, nil, fmt.Errorf("patch: %w", err)
		}
		patches = append(patches, d)
	}
	files = map[string]string{}
	for name, path := range v.Files {
		if files[name], err = fileDigest(path); err != nil {
			return nil, nil, fmt.Errorf("file for %s: %w", name, err)
		}
	}
	return patches, files, nil
}

// fileDigest is the digest of a file's bytes and of whether it may be executed.
func fileDigest(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s is not an ordinary file", path)
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", errors.Join(fmt.Errorf("read %s", path), err)
	}
	return fmt.Sprintf("%x %t", sum.Sum(nil), info.Mode()&0o111 != 0), nil
}
