package containers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/docker/docker/api/types/build"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/registry"
	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/log"
)

// environment guards the process's environment, which is one for all engines. testcontainers-go reads its settings
// from it, once per process and at times of its own choosing.
var environment sync.Mutex

// borrow runs f, which uses testcontainers-go. Meanwhile the environment names this engine, whichever way it was
// found, and turns the library's reaper off: nothing here depends on Ryuk. Before and after, the environment is as the
// user set it, because native subjects inherit it. The library panics where it finds no engine; that is an error here.
func (e *Engine) borrow(f func() error) (err error) {
	environment.Lock()
	defer environment.Unlock()
	defer set("DOCKER_HOST", e.Host)()
	defer set("TESTCONTAINERS_RYUK_DISABLED", "true")()
	defer set("TESTCONTAINERS_HUB_IMAGE_NAME_PREFIX", "")() // images here are named by their digests
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("testcontainers-go: %v", r)
		}
	}()
	return f()
}

// set sets a variable and gives the function that restores it.
func set(name, value string) (restore func()) {
	old, was := os.LookupEnv(name)
	os.Setenv(name, value)
	return func() {
		if was {
			os.Setenv(name, old)
			return
		}
		os.Unsetenv(name)
	}
}

// credentials finds what the user's docker configuration and its credential helpers say about an image's registry, in
// the form that the engine wants; empty when they say nothing.
func (e *Engine) credentials(ctx context.Context, reference string) (encoded string) {
	_ = e.borrow(func() error {
		_, auth, err := testcontainers.DockerImageAuth(ctx, reference)
		if err == nil {
			encoded, err = registry.EncodeAuthConfig(auth)
		}
		return err // without credentials the pull itself says what is wrong
	})
	return encoded
}

// imageTag is the name under which an image is kept, so that it is not taken for garbage.
type imageTag struct{ repository, tag string }

func (t imageTag) String() string { return t.repository + ":" + t.tag }

// buildOptions makes a build's context of a folder, heeding its .dockerignore, and finds the credentials for the
// images that its Dockerfile names.
func (e *Engine) buildOptions(folder string, args map[string]string, tag imageTag, labels map[string]string, pull bool) (o build.ImageBuildOptions, err error) {
	values := map[string]*string{}
	for k, v := range args {
		values[k] = &v
	}
	request := testcontainers.ContainerRequest{FromDockerfile: testcontainers.FromDockerfile{
		Context: folder, BuildArgs: values, Repo: tag.repository, Tag: tag.tag, KeepImage: true,
		BuildOptionsModifier: func(b *build.ImageBuildOptions) { b.Labels, b.PullParent = labels, pull },
	}}
	err = e.borrow(func() error {
		o, err = request.BuildOptions()
		return err
	})
	return o, err
}

// serve starts a container that outlives a trial and is no part of one, such as the holder of a network namespace.
// The attachment is made between creating and starting, as for every other one.
func (e *Engine) serve(ctx context.Context, s spec, name string) (*link, error) {
	l := &link{engine: e, keep: s.keep}
	_, err := call(ctx, e, "start "+s.kind+" container", func(ctx context.Context) (testcontainers.Container, error) {
		provider, err := e.provider()
		if err != nil {
			return nil, err
		}
		return provider.RunContainer(ctx, testcontainers.ContainerRequest{
			Image: s.image, Name: name, Labels: s.labels,
			ConfigModifier: func(c *container.Config) {
				labels := c.Labels // the library's own and ours
				*c = *s.config()
				c.Labels = labels
			},
			HostConfigModifier: func(h *container.HostConfig) { *h = *s.host() },
			LifecycleHooks: []testcontainers.ContainerLifecycleHooks{{PreStarts: []testcontainers.ContainerHook{
				func(ctx context.Context, c testcontainers.Container) error {
					l.id = c.GetContainerID()
					return l.attach(ctx)
				},
			}}},
		})
	})
	if err != nil {
		return nil, errors.Join(err, l.close(), e.discard(ctx, name))
	}
	return l, nil
}

// provider is testcontainers-go's way to an engine, over this engine's own connection. It is made once, so that the
// environment is not touched again while trials run.
func (e *Engine) provider() (*testcontainers.DockerProvider, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.lent != nil {
		return e.lent, nil
	}
	err := e.borrow(func() (err error) {
		e.lent, err = testcontainers.NewDockerProvider(testcontainers.WithLogger(silent{}))
		return err
	})
	if err != nil {
		e.lent = nil
		return nil, err
	}
	e.lent.SetClient(e.cli)
	return e.lent, nil
}

// silent keeps the library from writing to the terminal.
type silent struct{}

var _ log.Logger = silent{}

// Printf writes nothing.
func (silent) Printf(string, ...any) {}
