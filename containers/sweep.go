package containers

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/image"
	"github.com/docker/docker/api/types/network"
	"github.com/docker/docker/api/types/volume"

	"github.com/failrate/failrate/harness/trial/process"
)

// SweepOptions says what is removed.
type SweepOptions struct {
	Sessions string // folder of the session files; empty means the native executor's
	Images   bool   // remove prepared and built images too, which later campaigns would use again, unless a session is open
	Dry      bool   // only say what would be removed
}

// Swept is what was removed: containers, networks and volumes by name, images by tag or id. Each list is sorted.
type Swept struct {
	Containers, Images, Networks, Volumes []string
}

// Empty reports whether there was nothing.
func (s Swept) Empty() bool {
	return len(s.Containers)+len(s.Images)+len(s.Networks)+len(s.Volumes) == 0
}

// Sweep removes from an engine what harnesses left that live no more. What a living one made stays, and so does
// everything without the product's labels. An error names what could not be removed; the rest is removed all the same.
func Sweep(ctx context.Context, e *Engine, o SweepOptions) (Swept, error) {
	if o.Sessions == "" {
		o.Sessions = process.DefaultSessions()
	}
	s := &sweeper{engine: e, witness: hostWitness(o.Sessions), dry: o.Dry, known: map[Owner]bool{}, used: map[string]bool{}}
	err := s.containers(ctx)
	err = errors.Join(err, s.networks(ctx), s.volumes(ctx))
	if o.Images {
		err = errors.Join(err, s.images(ctx))
	}
	for _, list := range [][]string{s.swept.Containers, s.swept.Images, s.swept.Networks, s.swept.Volumes} {
		slices.Sort(list)
	}
	return s.swept, err
}

// sweeper is one sweep under way.
type sweeper struct {
	engine  *Engine
	witness witness
	dry     bool
	known   map[Owner]bool  // whether it lives
	used    map[string]bool // images of living harnesses' containers, by id
	swept   Swept
}

func managed() filters.Args { return filters.NewArgs(filters.Arg("label", labelManaged+"=true")) }

func (s *sweeper) dead(labels map[string]string) bool {
	o := ownerOf(labels)
	alive, known := s.known[o]
	if !known {
		alive = s.witness.alive(o)
		s.known[o] = alive
	}
	return !alive
}

// take removes one thing and notes it in the list.
func (s *sweeper) take(list *[]string, name string, remove func() error) error {
	if !s.dry {
		if err := remove(); err != nil && !isGone(err) {
			return fmt.Errorf("sweep %s: %w", name, err)
		}
	}
	*list = append(*list, name)
	return nil
}

func (s *sweeper) containers(ctx context.Context) error {
	list, err := call(ctx, s.engine, "list containers", func(ctx context.Context) ([]container.Summary, error) {
		return s.engine.cli.ContainerList(ctx, container.ListOptions{All: true, Filters: managed()})
	})
	for _, c := range list {
		if !slices.Contains(containerKinds, c.Labels[labelKind]) {
			continue
		}
		if !s.dead(c.Labels) {
			s.used[c.ImageID] = true
			continue
		}
		name := c.ID
		if len(c.Names) > 0 {
			name = c.Names[0][1:] // without the slash
		}
		err = errors.Join(err, s.take(&s.swept.Containers, name, func() error { return s.engine.discard(ctx, c.ID) }))
	}
	return err
}

func (s *sweeper) networks(ctx context.Context) error {
	list, err := call(ctx, s.engine, "list networks", func(ctx context.Context) ([]network.Summary, error) {
		return s.engine.cli.NetworkList(ctx, network.ListOptions{Filters: managed()})
	})
	for _, n := range list {
		if s.dead(n.Labels) {
			err = errors.Join(err, s.take(&s.swept.Networks, n.Name, func() error {
				return s.do(ctx, "remove network", func(ctx context.Context) error { return s.engine.cli.NetworkRemove(ctx, n.ID) })
			}))
		}
	}
	return err
}

func (s *sweeper) volumes(ctx context.Context) error {
	list, err := call(ctx, s.engine, "list volumes", func(ctx context.Context) (volume.ListResponse, error) {
		return s.engine.cli.VolumeList(ctx, volume.ListOptions{Filters: managed()})
	})
	for _, v := range list.Volumes {
		if v != nil && s.dead(v.Labels) {
			err = errors.Join(err, s.take(&s.swept.Volumes, v.Name, func() error {
				return s.do(ctx, "remove volume", func(ctx context.Context) error { return s.engine.cli.VolumeRemove(ctx, v.Name, true) })
			}))
		}
	}
	return err
}

// images removes those that no living harness made or is using. Which ones a harness found ready, nobody can tell from
// outside between two of its trials, so they all stay as long as a session is open. Layers that several images share
// go with the last one.
func (s *sweeper) images(ctx context.Context) error {
	if s.witness.anybody() {
		return nil
	}
	list, err := call(ctx, s.engine, "list images", func(ctx context.Context) ([]image.Summary, error) {
		return s.engine.cli.ImageList(ctx, image.ListOptions{Filters: managed()})
	})
	for _, i := range list {
		if i.Labels[labelKind] != kindImage || !s.dead(i.Labels) || s.used[i.ID] {
			continue
		}
		name := i.ID
		if len(i.RepoTags) > 0 {
			name = i.RepoTags[0]
		}
		err = errors.Join(err, s.take(&s.swept.Images, name, func() error {
			return s.do(ctx, "remove image", func(ctx context.Context) error {
				_, err := s.engine.cli.ImageRemove(ctx, i.ID, image.RemoveOptions{Force: true, PruneChildren: true})
				return err
			})
		}))
	}
	return err
}

func (s *sweeper) do(ctx context.Context, what string, f func(context.Context) error) error {
	_, err := call(ctx, s.engine, what, func(ctx context.Context) (struct{}, error) { return struct{}{}, f(ctx) })
	return err
}
