package containers

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/docker/docker/api/types/system"
	"github.com/docker/docker/client"
	"github.com/testcontainers/testcontainers-go"
)

// DefaultDeadline bounds one call to the engine, such as creating or starting a container.
const DefaultDeadline = 60 * time.Second

// ConnectOptions says how to reach the engine. The zero value does what the docker command line does.
type ConnectOptions struct {
	Host     string        // such as unix:///run/docker.sock; empty means DOCKER_HOST, the docker context, the usual sockets
	Deadline time.Duration // of one call to the engine; 0 means DefaultDeadline
}

// Engine is a Docker Engine that answers. It is safe for use by several goroutines.
type Engine struct {
	Host          string // its address
	Version       string // such as 20.10.24
	API           string // the API version that both sides speak, such as 1.41
	OS, Arch      string // of its containers, in Go's words: linux, amd64
	Kernel        string
	CgroupVersion string   // 1 or 2
	StorageDriver string   // such as overlay2
	Security      []string // such as seccomp, apparmor, rootless
	CPUs          int
	Memory        int64 // bytes

	cli      *client.Client
	deadline time.Duration

	mu   sync.Mutex
	lent *testcontainers.DockerProvider // made when first needed
}

// ErrNoEngine says that no Docker Engine answers. It is what a missing engine's error wraps.
var ErrNoEngine = errors.New("no Docker Engine answers")

// EngineError is why the engine cannot be used.
type EngineError struct {
	Host string
	Err  error
}

// Error gives one line.
func (e *EngineError) Error() string { return fmt.Sprintf("docker engine at %q: %v", e.Host, e.Err) }

// Unwrap gives the cause.
func (e *EngineError) Unwrap() error { return e.Err }

// Hint says what to do about it.
func (e *EngineError) Hint() string {
	if errors.Is(e.Err, ErrNoEngine) {
		return "start Docker, set DOCKER_HOST to where it listens, or measure natively with --on native"
	}
	return "update Docker, or measure natively with --on native"
}

// Connect finds the engine and asks it what it is. The error is an *EngineError.
func Connect(ctx context.Context, o ConnectOptions) (*Engine, error) {
	host := o.Host
	if host == "" {
		host = hostFinder().find()
	}
	if host == "" {
		host = client.DefaultDockerHost
	}
	e := &Engine{Host: host, deadline: o.Deadline}
	if e.deadline <= 0 {
		e.deadline = DefaultDeadline
	}
	if err := e.connect(ctx); err != nil {
		return nil, &EngineError{Host: host, Err: err}
	}
	return e, nil
}

func (e *Engine) connect(ctx context.Context) error {
	cli, err := client.NewClientWithOpts(client.FromEnv, client.WithHost(e.Host),
		client.WithDialContext(tracked(dialTo(e.Host))), client.WithAPIVersionNegotiation())
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoEngine, err)
	}
	e.cli = cli
	info, err := call(ctx, e, "ask for its version", func(ctx context.Context) (system.Info, error) { return cli.Info(ctx) })
	if err != nil {
		cli.Close()
		return fmt.Errorf("%w: %w", ErrNoEngine, err)
	}
	e.describe(info)
	if e.OS != "linux" {
		cli.Close()
		return fmt.Errorf("it runs %s containers, and Linux ones are needed", e.OS)
	}
	return nil
}

func (e *Engine) describe(i system.Info) {
	e.Version, e.API, e.OS, e.Kernel = i.ServerVersion, e.cli.ClientVersion(), i.OSType, i.KernelVersion
	e.CgroupVersion, e.StorageDriver, e.CPUs, e.Memory = i.CgroupVersion, i.Driver, i.NCPU, i.MemTotal
	e.Arch = goArch(i.Architecture)
	for _, s := range i.SecurityOptions {
		name, _, _ := strings.Cut(strings.TrimPrefix(s, "name="), ",")
		e.Security = append(e.Security, name)
	}
}

// goArch is Go's word for what uname -m says.
func goArch(machine string) string {
	switch machine {
	case "x86_64":
		return "amd64"
	case "aarch64":
		return "arm64"
	case "armv7l", "armv6l":
		return "arm"
	case "i686", "i386":
		return "386"
	}
	return machine
}

// Close lets go of the connections.
func (e *Engine) Close() error { return e.cli.Close() }
