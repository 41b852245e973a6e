package containers

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/failrate/failrate/harness/study"
)

// benchmarkTree holds the program that does nothing.
func benchmarkTree(b *testing.B, e *Engine) (dir string, img Image) {
	b.Helper()
	dir = b.TempDir()
	c := exec.CommandContext(b.Context(), "go", "build", "-trimpath", "-ldflags=-s -w", "-o", filepath.Join(dir, "noop"), "./testdata/noop")
	c.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+e.Arch, "GOFLAGS=")
	if text, err := c.CombinedOutput(); err != nil {
		b.Fatalf("build testdata/noop: %v\n%s", err, text)
	}
	img, err := e.Prepare(b.Context(), PrepareOptions{
		Image: study.Image{Name: "scratch"}, Tree: dir, Agent: shared.agent, Owner: shared.owner,
	})
	if err != nil {
		b.Fatal(err)
	}
	return dir, img
}

// compare lets attempts of the program take turns with another way of running it, so that a busy machine slows both
// alike, and reports the time of each and how many times as long the other one takes.
func compare(b *testing.B, x *Executor, rounds int, other func()) {
	b.Helper()
	r := attemptOf(b, "./noop")
	r.Timeout = time.Minute
	once := func() {
		if o := x.Execute(b.Context(), r); o.Exit != 0 || o.Fault != "" {
			b.Fatalf("%+v", o)
		}
	}
	once() // the first one starts what the others use
	other()
	var ours, theirs time.Duration
	n := 0
	for b.Loop() {
		for range rounds {
			begun := time.Now()
			once()
			between := time.Now()
			other()
			ours, theirs = ours+between.Sub(begun), theirs+time.Since(between)
			n++
		}
	}
	b.ReportMetric(float64(ours.Microseconds())/float64(n)/1000, "ms/attempt")
	b.ReportMetric(float64(theirs.Microseconds())/float64(n)/1000, "ms/other")
	b.ReportMetric(theirs.Seconds()/ours.Seconds(), "x-as-fast")
}

// BenchmarkFresh compares an attempt in a container of its own with docker run --rm --network none of the same image.
func BenchmarkFresh(b *testing.B) {
	e := needEngine(b)
	docker, err := exec.LookPath("docker")
	if err != nil {
		b.Skipf("SKIPPED for want of the docker command: %v", err)
	}
	for _, network := range []struct {
		name string
		own  bool
	}{{"silent", false}, {"sending", true}} {
		b.Run(network.name, func(b *testing.B) {
			_, img := benchmarkTree(b, e)
			x := newExecutor(b, Options{Engine: e, Images: map[string]Image{"a": img}})
			x.networks.own = network.own // as after a trial that sent something
			compare(b, x, 20, func() {
				c := exec.CommandContext(b.Context(), docker, "run", "--rm", "--network", "none", "--entrypoint", "./noop", img.ID)
				c.Env = append(os.Environ(), "DOCKER_HOST="+e.Host)
				if text, err := c.CombinedOutput(); err != nil {
					b.Fatalf("docker run: %v\n%s", err, text)
				}
			})
		})
	}
}

// BenchmarkWarm compares an attempt in a warm container with starting the same program on the host and waiting for it.
func BenchmarkWarm(b *testing.B) {
	e := needEngine(b)
	dir, img := benchmarkTree(b, e)
	x := newExecutor(b, Options{Engine: e, Images: map[string]Image{"a": img}, Isolation: study.ContainerWarm})
	compare(b, x, 1000, func() {
		if err := exec.CommandContext(b.Context(), filepath.Join(dir, "noop")).Run(); err != nil {
			b.Fatal(err)
		}
	})
}
