package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/failrate/failrate/containers"
	"github.com/failrate/failrate/harness/service"
	"github.com/failrate/failrate/harness/steps"
	"github.com/failrate/failrate/harness/study"
	"github.com/failrate/failrate/harness/subject"
	"github.com/failrate/failrate/harness/trial"
	"github.com/failrate/failrate/harness/trial/process"
	"github.com/failrate/failrate/stress"
)

// prepare makes every variant's tree and image and the executors that run in them. A variant that cannot be prepared is
// broken; the others go on.
func (j *job) prepare() error {
	if err := j.app.sweep(j.ctx, j.app.Err, j.engine.engine); err != nil { // what is left over does not keep us from measuring
		fmt.Fprintf(j.app.Err, "warning: of what a killed run left: %v\n", err)
	}
	session, err := process.Open(process.Options{Sessions: j.app.sessions()})
	if err != nil {
		return wrap(exitUnexpected, err)
	}
	j.closers = append(j.closers, session.Close)
	j.scratch = filepath.Join(session.Folder(), "attempts")
	if err := os.MkdirAll(j.scratch, 0o700); err != nil {
		return wrap(exitUnexpected, err)
	}
	results, err := filepath.Abs(j.opts.run.Results)
	if err != nil {
		return wrap(exitUnexpected, err)
	}
	j.subjects = subject.New(subject.Options{
		Study: j.study, Cache: j.app.cacheDir(), Session: session, Env: j.app.env, Mask: j.mask, Exclude: []string{results},
		Log: func(format string, args ...any) { fmt.Fprintf(j.app.Err, format+"\n", args...) },
	})
	j.header.Prepared = map[string]trial.Facts{}
	for _, p := range j.platforms() {
		switch p {
		case study.Native:
			j.prepareNative()
		case study.Container:
			j.prepareContainers()
		}
	}
	return j.ctx.Err()
}

// sessions is the folder of the files that say what live harnesses own.
func (a *app) sessions() string { return filepath.Join(a.cacheDir(), "sessions") }

// platforms are those of the plan that this machine runs, in the plan's order.
func (j *job) platforms() []study.Platform {
	var out []study.Platform
	for _, s := range j.plan.Strata {
		if !slices.Contains(out, s.Platform) && !slices.Contains(j.skip, s.Platform) {
			out = append(out, s.Platform)
		}
	}
	return out
}

// variants are the names of the variants and controls in the plan.
func (j *job) variants() []string {
	var out []string
	for _, c := range j.plan.Cells() {
		if !slices.Contains(out, c.Variant) {
			out = append(out, c.Variant)
		}
	}
	return out
}

func (j *job) prepareNative() {
	trees := map[string]trial.Tree{}
	for _, name := range j.variants() {
		if j.ctx.Err() != nil {
			return
		}
		got, err := j.subjects.Native(j.ctx, name)
		j.prepared(name, study.Native, got.Facts, err)
		trees[name] = trial.Tree{Dir: got.Dir, Facts: got.Facts, Err: err}
	}
	x := trial.NewNative(trial.NativeOptions{
		Trees: trees, Isolation: j.study.Subject.Isolation.Native, Sessions: j.app.sessions(),
	})
	j.closers = append(j.closers, x.Close)
	j.executors[study.Native] = x
	if len(j.study.Subject.Services) > 0 {
		j.withServices(study.Native, x, service.NewNative(service.NativeOptions{
			Trees: trees, Isolation: j.study.Subject.Isolation.Native, Session: x.Session,
		}))
	}
}

// withServices puts what runs services around a platform's executor. It is closed first.
func (j *job) withServices(p study.Platform, x trial.Executor, h service.Host) {
	around := service.New(x, h)
	j.closers = append(j.closers, around.Close)
	j.executors[p] = around
}

func (j *job) prepareContainers() {
	images := map[string]containers.Image{}
	servants := map[string]map[string]containers.ServiceImage{}
	owner := containers.Self(j.header.Campaign)
	for _, name := range j.variants() {
		if j.ctx.Err() != nil {
			return
		}
		image, err := j.image(name, owner)
		if err == nil {
			servants[name], err = j.serviceImages(name, owner, image.Facts)
		}
		j.prepared(name, study.Container, image.Facts, err)
		image.Err = err
		images[name] = image
	}
	x := containers.New(containers.Options{
		Engine: j.engine.engine, Images: images, Isolation: j.study.Subject.Isolation.Container,
		Network: j.study.Subject.Network, Limits: j.study.Subject.Limits, Owner: owner,
	})
	j.closers = append(j.closers, x.Close)
	j.executors[study.Container] = x
	if len(j.study.Subject.Services) > 0 {
		h := containers.NewServices(containers.ServiceOptions{
			Engine: j.engine.engine, Images: images, Service: servants, Network: j.study.Subject.Network, Owner: owner,
		})
		j.closers = append(j.closers, h.Close)
		j.withServices(study.Container, x, h)
	}
}

// serviceImages finds the images of a variant's services, and puts what they are into the variant's facts.
func (j *job) serviceImages(name string, owner containers.Owner, facts trial.Facts) (map[string]containers.ServiceImage, error) {
	out := map[string]containers.ServiceImage{}
	for _, s := range j.study.ServicesFor(name) {
		if s.Image.Name == "" && s.Image.Build == "" {
			continue
		}
		found, digest, err := j.engine.engine.ServiceImage(j.ctx, containers.PrepareOptions{
			Image: s.Image, Swap: j.opts.run.Images, Getenv: j.app.getenv, Owner: owner,
		})
		if err != nil {
			return nil, fmt.Errorf("service %s: %w", s.Name, err)
		}
		out[s.Name] = found
		facts["image-digest-of-"+s.Name] = digest
	}
	return out, nil
}

// image makes the image of one variant: its tree, compiled for the engine's architecture, on the study's base image.
func (j *job) image(name string, owner containers.Owner) (containers.Image, error) {
	tree, err := j.subjects.Tree(j.ctx, name, subject.Target{OS: "linux", Arch: j.engine.engine.Arch})
	if err != nil {
		return containers.Image{}, err
	}
	v, _ := j.study.Find(name)
	base, setup := j.study.Subject.Image, j.study.Subject.Setup
	if v.Image.Name != "" || v.Image.Build != "" {
		base = v.Image
	}
	if v.Setup != nil {
		setup = v.Setup
	}
	if base.Name == "" && base.Build == "" { // the program is a static one, or the steps' own
		base.Name = "scratch"
	}
	base.Args = merged(base.Args, v.BuildArgs)
	build := containers.AgentBuild{Folder: filepath.Join(j.app.cacheDir(), "agents"), Worker: stress.Sources}
	if len(j.study.Subject.Steps) > 0 {
		build.Steps = steps.Sources
	}
	return j.engine.engine.Prepare(j.ctx, containers.PrepareOptions{
		Image: base, Tree: tree.Dir, TreeDigest: tree.Digest, Setup: setup, Env: pairs(merged(j.study.Subject.Env, v.Env)),
		Swap: j.opts.run.Images, Getenv: j.app.getenv, Owner: owner,
		Agent: containers.OwnAgent(build.Program),
	})
}

// prepared notes what came of one variant's preparation, and says it at once when it failed: set-up can take minutes.
func (j *job) prepared(variant string, p study.Platform, facts trial.Facts, err error) {
	key := variant + "/" + string(p)
	if j.ctx.Err() != nil {
		return // a signal ended it, which is not the variant's fault
	}
	if err == nil {
		j.header.Prepared[key] = facts
		return
	}
	j.unready[key] = j.mask.String(err.Error())
	fmt.Fprintf(j.app.Err, "warning: %s cannot be measured: %s\n", key, j.unready[key])
	var tail []string
	var inside *containers.SetupError
	var outside *subject.CommandError
	switch {
	case errors.As(err, &inside):
		tail = inside.Tail
	case errors.As(err, &outside):
		tail = outside.Tail
	}
	for _, line := range j.mask.Strings(tail) {
		fmt.Fprintf(j.app.Err, "  | %s\n", line)
	}
}

func merged(a, b map[string]string) map[string]string {
	out := map[string]string{}
	for _, m := range []map[string]string{a, b} {
		for k, v := range m {
			out[k] = v
		}
	}
	return out
}

func pairs(m map[string]string) []string {
	var out []string
	for k, v := range m {
		out = append(out, k+"="+v)
	}
	slices.Sort(out)
	return out
}
