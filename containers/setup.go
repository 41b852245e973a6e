package containers

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/docker/docker/api/types/container"

	"github.com/failrate/failrate/containers/agent"
)

// SetupError is a set-up command that failed.
type SetupError struct {
	Command []string
	Why     string   // such as exit status 1
	Tail    []string // the last lines of its output, at most 20
}

// Error gives one line.
func (e *SetupError) Error() string {
	return fmt.Sprintf("set-up command %q: %s", strings.Join(e.Command, " "), e.Why)
}

// inContainer makes the image in a container: the agent first, which tells which user the base image runs as, then the
// tree for that user, then the set-up, and of all that one layer.
func (p preparation) inContainer(ctx context.Context, from, key string, labels map[string]string) (id string, err error) {
	s := spec{kind: kindSetup, image: from, network: "none", setup: true, keep: true,
		labels: labelled(p.options.Owner.labels(), kindSetup, nil)}
	if len(p.options.Setup) > 0 {
		s.network = "bridge"
	}
	l, err := p.engine.open(ctx, s, newName(kindSetup), p.copyAgent)
	if err != nil {
		return "", err
	}
	defer func() {
		if gone := l.remove(ctx); err == nil {
			err = gone
		}
	}()
	if err := l.awaitHello(ctx); err != nil {
		return "", err
	}
	if err := p.copyTree(ctx, l); err != nil {
		return "", err
	}
	for _, command := range p.options.Setup {
		if err := p.setUp(ctx, l, command); err != nil {
			return "", err
		}
	}
	return p.commit(ctx, l, key, labels)
}

func (p preparation) copyAgent(ctx context.Context, id string) error {
	return p.copyIn(ctx, id, "copy the agent", func(t *tarWriter) error {
		t.program(p.agent)
		return nil
	})
}

func (p preparation) copyTree(ctx context.Context, l *link) error {
	return p.copyIn(ctx, l.id, "copy the tree", func(t *tarWriter) error {
		t.uid, t.gid = l.hello.UID, l.hello.GID
		return t.tree(p.options.Tree)
	})
}

func (p preparation) copyIn(ctx context.Context, id, what string, write func(*tarWriter) error) error {
	content := pipeTar(write)
	defer content.Close()
	_, err := callFor(ctx, p.options.Patience, what, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, p.engine.cli.CopyToContainer(ctx, id, "/", content, container.CopyToContainerOptions{})
	})
	return err
}

func (p preparation) setUp(ctx context.Context, l *link, command []string) error {
	var end lines
	r, err := l.talk(ctx, agent.Run{Argv: command, Env: p.options.Env, Dir: agent.Tree, Timeout: p.options.Patience},
		func(kind byte, payload []byte) error {
			if kind != agent.KindOutput {
				return nil
			}
			end.add(string(payload))
			_, err := p.options.Log.Write(payload)
			return err
		})
	if err != nil {
		return fmt.Errorf("set-up command %q: %w", strings.Join(command, " "), err)
	}
	if why := failure(r, p.options.Patience); why != "" {
		return &SetupError{Command: command, Why: why, Tail: end.last()}
	}
	return nil
}

// failure says in what way a command failed; empty when it did not.
func failure(r agent.Result, limit time.Duration) string {
	switch {
	case r.Fault != "":
		return r.Fault
	case r.OOM:
		return "out of memory"
	case r.Stopped:
		return "stopped"
	case r.Limit:
		return fmt.Sprintf("not done after %s", limit)
	case r.Signal != "":
		return "ended by " + r.Signal
	case r.Exit != 0:
		return fmt.Sprintf("exit status %d", r.Exit)
	}
	return ""
}

// commit ends the container and makes an image of what it holds.
func (p preparation) commit(ctx context.Context, l *link, key string, labels map[string]string) (string, error) {
	if err := l.close(); err != nil {
		return "", err
	}
	if err := l.awaitExit(ctx); err != nil {
		return "", err
	}
	made, err := callFor(ctx, p.options.Patience, "make image", func(ctx context.Context) (container.CommitResponse, error) {
		return p.engine.cli.ContainerCommit(ctx, l.id, container.CommitOptions{
			Reference: preparedTag(key).String(), Changes: changes(labels)})
	})
	return made.ID, err
}
