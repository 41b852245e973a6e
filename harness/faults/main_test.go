package faults

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/docker/docker/client"
)

// bench is what the tests of this process share.
type bench struct {
	failrate  string         // the real command
	subject   string         // for the host
	inside    string         // the subject for containers
	docker    *client.Client // nil where no engine answers
	reason    error          // why not
	score     tally
	harnesses labels // of every process of the command, to remove its images by
	begun     time.Time
}

var shared bench

func TestMain(m *testing.M) {
	shared.begun = time.Now()
	if signal.Ignored(syscall.SIGHUP) { // as under nohup: the programs that are hurt here would inherit it, and heed no HUP
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
	folder, err := os.MkdirTemp("", "failrate-faults-test-")
	if err == nil {
		err = shared.build(folder)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, errors.Join(err, os.RemoveAll(folder)))
		os.Exit(1)
	}
	shared.docker, shared.reason = connect()
	code := m.Run()
	err = errors.Join(shared.score.print(os.Stdout), shared.score.save(), shared.removeImages(), os.RemoveAll(folder))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// build makes the programs. The version is of this process alone, and the agent in a container is the command itself, so
// no image is shared with anybody else.
func (b *bench) build(folder string) error {
	b.failrate, b.subject, b.inside = filepath.Join(folder, "failrate"), filepath.Join(folder, "subject"), filepath.Join(folder, "inside")
	version := "-X main.version=faults-" + strings.ToLower(rand.Text()[:8])
	err := compile(b.failrate, "../../cmd/failrate", version, runtime.GOOS)
	err = errors.Join(err, compile(b.subject, "./subject", "-s -w", runtime.GOOS))
	if runtime.GOOS == "linux" {
		b.inside = b.subject
		return err
	}
	return errors.Join(err, compile(b.inside, "./subject", "-s -w", "linux"))
}

func compile(out, pkg, ldflags, goos string) error {
	c := exec.Command("go", "build", "-trimpath", "-ldflags", ldflags, "-o", out, pkg)
	c.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+goos)
	if text, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w\n%s", pkg, err, text)
	}
	return nil
}

func connect() (*client.Client, error) {
	c, err := client.NewClientWithOpts(client.FromEnv, client.WithAPIVersionNegotiation())
	if err != nil {
		return nil, err
	}
	if _, err := c.Ping(context.Background()); err != nil {
		return nil, err
	}
	return c, nil
}

// needEngine gives the engine, or skips the test. Where REQUIRE_DOCKER is set, it fails instead.
func needEngine(t *testing.T) *client.Client {
	t.Helper()
	if shared.docker == nil {
		if os.Getenv("REQUIRE_DOCKER") != "" {
			t.Fatalf("REQUIRE_DOCKER is set, but: %v", shared.reason)
		}
		t.Skipf("SKIPPED for want of an engine: %v", shared.reason)
	}
	return shared.docker
}

// long reports whether the long form was asked for.
func long() bool { return os.Getenv("FAULTS") == "long" }
