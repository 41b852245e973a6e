package containers

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/image"

	"github.com/failrate/failrate/harness/study"
	"github.com/failrate/failrate/harness/trial/tree"
)

// scratch is the name that means no base image.
const scratch = "scratch"

// base is the image that a variant's one starts from.
type base struct {
	asked  string // the name in the study
	name   string // the name used
	id     string // empty for scratch
	digest string // what is the same on every machine: the registry's digest where there is one, else the id
	arch   string // CPU architecture in Go's words
}

// base finds, pulls or builds the base image.
func (e *Engine) base(ctx context.Context, o PrepareOptions) (base, error) {
	asked := o.Image.Name
	if asked == "" {
		asked = filepath.Base(o.Image.Build)
	}
	if swap := swapFor(asked, o.Swap, o.Getenv); swap != "" {
		o.Image.Name, o.Image.Build = swap, ""
	}
	b := base{asked: asked, name: o.Image.Name, arch: e.Arch}
	switch {
	case o.Image.Name == scratch:
		return b, nil
	case o.Image.Build != "":
		return e.built(ctx, o, asked)
	case o.Image.Name == "":
		return b, fmt.Errorf("prepare image: the study names no image")
	}
	found, err := e.named(ctx, o)
	if err != nil {
		return b, err
	}
	return b.of(found), nil
}

func (b base) of(i image.InspectResponse) base {
	b.id, b.digest = i.ID, i.ID
	for _, d := range i.RepoDigests {
		if _, sum, ok := strings.Cut(d, "@"); ok {
			b.digest = sum
			break
		}
	}
	if i.Architecture != "" {
		b.arch = i.Architecture
	}
	return b
}

// named finds an image by its name, pulling as the policy says.
func (e *Engine) named(ctx context.Context, o PrepareOptions) (image.InspectResponse, error) {
	name := o.Image.Name
	if o.Image.Pull == study.PullAlways {
		if err := e.pull(ctx, name, o); err != nil {
			return image.InspectResponse{}, err
		}
	}
	found, err := e.inspectImage(ctx, name)
	if !errdefs.IsNotFound(err) {
		return found, err
	}
	if o.Image.Pull == study.PullNever {
		return found, fmt.Errorf("image %q is not here and the study says never to pull it", name)
	}
	if err := e.pull(ctx, name, o); err != nil {
		return found, err
	}
	return e.inspectImage(ctx, name)
}

func (e *Engine) inspectImage(ctx context.Context, name string) (image.InspectResponse, error) {
	return call(ctx, e, fmt.Sprintf("look for image %q", name), func(ctx context.Context) (image.InspectResponse, error) {
		return e.cli.ImageInspect(ctx, name)
	})
}

func (e *Engine) pull(ctx context.Context, name string, o PrepareOptions) error {
	_, err := callFor(ctx, o.Patience, fmt.Sprintf("pull image %q", name), func(ctx context.Context) (string, error) {
		r, err := e.cli.ImagePull(ctx, name, image.PullOptions{RegistryAuth: e.credentials(ctx, name)})
		if err != nil {
			return "", err
		}
		defer r.Close()
		return readProgress(r, o.Log)
	})
	return err
}

// built builds an image from a folder with a Dockerfile, unless the same content was built before.
func (e *Engine) built(ctx context.Context, o PrepareOptions, asked string) (base, error) {
	b := base{asked: asked, name: asked, arch: e.Arch}
	digest, err := tree.Digest(ctx, o.Image.Build)
	if err != nil {
		return b, err
	}
	key := keyOf("built", digest, o.Image.Args)
	if o.Image.Pull != study.PullAlways {
		if id, err := e.findImage(ctx, key); err != nil || id != "" {
			found, ierr := e.inspectImage(ctx, id)
			if err == nil {
				err = ierr
			}
			return b.of(found), err
		}
	}
	tag := imageTag{"failrate-built", key[:24]}
	labels := labelled(o.Owner.labels(), kindImage, map[string]string{labelKey: key, labelBase: asked})
	if err := e.build(ctx, o, tag, labels); err != nil {
		return b, err
	}
	found, err := e.inspectImage(ctx, tag.String())
	return b.of(found), err
}

func (e *Engine) build(ctx context.Context, o PrepareOptions, tag imageTag, labels map[string]string) error {
	what := fmt.Sprintf("build image from %q", o.Image.Build)
	_, err := callFor(ctx, o.Patience, what, func(ctx context.Context) (string, error) {
		options, err := e.buildOptions(o.Image.Build, o.Image.Args, tag, labels, o.Image.Pull == study.PullAlways)
		if err != nil {
			return "", err
		}
		if c, ok := options.Context.(io.Closer); ok {
			defer c.Close()
		}
		r, err := e.cli.ImageBuild(ctx, options.Context, options)
		if err != nil {
			return "", err
		}
		defer r.Body.Close()
		return readProgress(r.Body, o.Log)
	})
	return err
}
