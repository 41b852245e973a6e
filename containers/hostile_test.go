package containers

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/failrate/failrate/harness/study"
)

// hostile prepares an image with the program of testdata/hostile, which is built once.
func hostile(t testing.TB, e *Engine) map[string]Image {
	t.Helper()
	hostileOnce.Do(func() {
		dir := filepath.Join(shared.folder, "hostile")
		c := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", filepath.Join(dir, "hostile"), "./testdata/hostile")
		c.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+e.Arch, "GOFLAGS=")
		if text, err := c.CombinedOutput(); err != nil {
			t.Errorf("build testdata/hostile: %v\n%s", err, text)
			return
		}
		if err := os.WriteFile(filepath.Join(dir, "owner"), []byte(shared.owner.Session), 0o600); err != nil {
			t.Error(err)
			return
		}
		hostileImage, hostileErr = e.Prepare(context.Background(), PrepareOptions{
			Image: study.Image{Name: "scratch"}, Tree: dir, Agent: shared.agent, Owner: shared.owner,
		})
	})
	if hostileErr != nil || hostileImage.ID == "" {
		t.Fatalf("no image: %v", hostileErr)
	}
	return map[string]Image{"a": hostileImage}
}

var (
	hostileOnce  sync.Once
	hostileImage Image
	hostileErr   error
)

// each runs a test for both isolations.
func TestOutOfMemory(t *testing.T) {
	each(t, Options{Limits: study.Limits{Memory: 64 << 20}}, func(t *testing.T, x *Executor) {
		if o := x.Execute(t.Context(), attemptOf(t, "./hostile", "allocate=10")); o.OOM || o.Exit != 0 || o.Fault != "" {
			t.Errorf("well inside the limit: %+v", o)
		}
		if o := x.Execute(t.Context(), attemptOf(t, "./hostile", "allocate=200")); !o.OOM || o.Signal != "SIGKILL" || o.Exit != -1 || o.Fault != "" {
			t.Errorf("beyond the limit: %+v", o)
		}
		if o := x.Execute(t.Context(), attemptOf(t, "./hostile", "allocate-in-child=200", "exit=5")); !o.OOM || o.Exit != 5 {
			t.Errorf("a child beyond the limit: %+v", o)
		}
		if o := x.Execute(t.Context(), attemptOf(t, "./hostile", "crowd=100")); !o.OOM || o.Fault != "" {
			t.Errorf("many small ones beyond the limit: %+v", o) // each of them smaller than the agent
		}
		if o := x.Execute(t.Context(), attemptOf(t, "./hostile", "allocate=10")); o.OOM || o.Exit != 0 {
			t.Errorf("after one that was beyond the limit: %+v", o)
		}
	})
}

func TestForkBomb(t *testing.T) {
	each(t, Options{Limits: study.Limits{Pids: 100}}, func(t *testing.T, x *Executor) {
		r := attemptOf(t, "./hostile", "bomb")
		r.Timeout, r.Grace = 2*time.Second, time.Second
		if o := x.Execute(t.Context(), r); !o.Limit || o.Fault != "" {
			t.Errorf("%+v", o)
		}
		if o := x.Execute(t.Context(), attemptOf(t, "./hostile")); o.Fault != "" || o.Exit != 0 {
			t.Errorf("the next attempt: %+v", o)
		}
	})
}

func TestAttack(t *testing.T) {
	each(t, Options{}, func(t *testing.T, x *Executor) {
		r := attemptOf(t, "./hostile", "attack", "exit=4")
		o := x.Execute(t.Context(), r)
		want := "/proc/1/fd/1 true\n/proc/1/fd/2 true\n/proc/1/mem true\nptrace true\nr\x00\x00\x00\x12{\"seq\":1,\"exit\":0}\n"
		if got := readFile(t, r.Out.Log); o.Fault != "" || o.Exit != 4 || got != want {
			t.Errorf("%+v, log %q, want %q", o, got, want)
		}
	})
}

func TestScratchIsCleaned(t *testing.T) {
	each(t, Options{}, func(t *testing.T, x *Executor) {
		for _, steps := range [][]string{
			{"touch=$TMPDIR/x"}, {"shut"}, {"touch=$FAILRATE_ARTIFACTS/x"}, {"remove=$TMPDIR"}, {"touch=$FAILRATE_RECORDS"},
		} {
			if o := x.Execute(t.Context(), attemptOf(t, append([]string{"./hostile"}, steps...)...)); o.Fault != "" || o.Exit != 0 {
				t.Errorf("%q: %+v", steps, o)
			}
			r := attemptOf(t, "./hostile", "touch=$TMPDIR/x", "remove=$TMPDIR/x")
			if o := x.Execute(t.Context(), r); o.Fault != "" || o.Exit != 0 {
				t.Errorf("after %q: %+v", steps, o)
			}
			if _, err := os.Stat(r.Out.Records); err == nil {
				t.Errorf("after %q: the records are another attempt's", steps)
			}
		}
	})
}

func TestFilesBeyondBounds(t *testing.T) {
	each(t, Options{MaxFiles: 1 << 20}, func(t *testing.T, x *Executor) {
		if o := x.Execute(t.Context(), attemptOf(t, "./hostile", "sparse=1000000")); o.Fault != "" {
			t.Errorf("%+v", o)
		}
		if o := x.Execute(t.Context(), attemptOf(t, "./hostile", "sparse=1000000000000")); !strings.Contains(o.Fault, "larger than the limit") || o.Exit != -1 {
			t.Errorf("%+v", o)
		}
		if o := x.Execute(t.Context(), attemptOf(t, "./hostile", "pipe-as-records")); !strings.Contains(o.Fault, "not an ordinary file") {
			t.Errorf("%+v", o)
		}
	})
}

// TestDefaults asserts what a running container may do, by the engine's own account of it.
// TestNetworkNamespaces requires that trials share a namespace until one of them sends, and never after it.
// TestRemovedMeanwhile requires a fault, not a failure, when somebody removes the container of a running trial.
// current finds the one container that the executor's attempts run in.
