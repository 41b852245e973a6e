package faults

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/image"
	"github.com/docker/docker/api/types/network"
	"github.com/docker/docker/api/types/volume"
)

// harnessLabel is the label by which a harness's containers, networks, volumes and images are known: its process id. A
// harness that is killed early leaves nothing else by which to know them.
const harnessLabel = "dev.failrate.pid"

// leftovers lists what a campaign has left on this machine but for its results and its cache: processes, mounts,
// sessions, temporary files, and what is in the engine. A session whose file has not got its name yet (.json.new) has made
// nothing else; a sweep removes that file when it is a minute old.
func (h *home) leftovers(ctx context.Context) []string {
	left := h.processes()
	for _, glob := range []string{"tmp/*", "cache/sessions/*.json"} {
		found, err := filepath.Glob(filepath.Join(h.dir, glob))
		if err != nil {
			left = append(left, err.Error())
		}
		for _, path := range found {
			left = append(left, "file "+path)
		}
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err == nil {
		for line := range strings.Lines(string(mounts)) {
			if strings.Contains(line, h.dir) || strings.Contains(line, h.mark) {
				left = append(left, "mount "+line)
			}
		}
	}
	return append(left, h.inEngine(ctx)...)
}

// inEngine lists what bears the label of one of the home's harnesses.
func (h *home) inEngine(ctx context.Context) (left []string) {
	if shared.docker == nil {
		return nil
	}
	for _, pid := range h.pids {
		label := fmt.Sprintf("%s=%d", harnessLabel, pid)
		shared.harnesses.add(label)
		left = append(left, inEngine(ctx, label)...)
	}
	return left
}

func inEngine(ctx context.Context, label string) (left []string) {
	own := filters.NewArgs(filters.Arg("label", label))
	cs, err := shared.docker.ContainerList(ctx, container.ListOptions{All: true, Filters: own})
	for _, c := range cs {
		left = append(left, fmt.Sprintf("container %s %s", c.Names, c.State))
	}
	ns, nerr := shared.docker.NetworkList(ctx, network.ListOptions{Filters: own})
	for _, n := range ns {
		left = append(left, "network "+n.Name)
	}
	vs, verr := shared.docker.VolumeList(ctx, volume.ListOptions{Filters: own})
	for _, v := range vs.Volumes {
		left = append(left, "volume "+v.Name)
	}
	if err := errors.Join(err, nerr, verr); err != nil {
		left = append(left, err.Error())
	}
	return left
}

// labels is a set of them. Safe for use by several goroutines.
type labels struct {
	mu   sync.Mutex
	seen map[string]bool
}

func (s *labels) add(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seen == nil {
		s.seen = map[string]bool{}
	}
	s.seen[name] = true
}

// removeImages removes the images that this process's harnesses prepared: the product keeps them for later campaigns.
func (b *bench) removeImages() error {
	if b.docker == nil {
		return nil
	}
	ctx := context.Background()
	var all error
	for label := range b.harnesses.seen {
		list, err := b.docker.ImageList(ctx, image.ListOptions{All: true, Filters: filters.NewArgs(filters.Arg("label", label))})
		all = errors.Join(all, err)
		for _, i := range list {
			if i.Created >= b.begun.Unix()-1 { // another boot's harness may have had the process id before
				_, _ = b.docker.ImageRemove(ctx, i.ID, image.RemoveOptions{Force: true, PruneChildren: true}) // some go with others
			}
		}
	}
	return all
}
