package containers

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/image"

	"github.com/failrate/failrate/harness/study"
	"github.com/failrate/failrate/harness/trial/trialtest"
)

// bench is what the tests of this process share: the engine, an agent, and an owner by whose labels whatever they
// make is told from what others make.
type bench struct {
	engine *Engine // nil where none answers
	reason error
	agent  AgentFunc
	owner  Owner
	folder string
}

func TestMain(m *testing.M) {
	if runHarness() { // this process was started by a test to be killed
		return
	}
	folder, err := os.MkdirTemp("", "failrate-containers-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	shared.folder = folder
	shared.owner = Self("test-" + strings.ToLower(rand.Text()))
	shared.agent = AgentBuild{Folder: filepath.Join(folder, "agent"), Worker: os.DirFS("../stress")}.Program
	shared.engine, shared.reason = Connect(context.Background(), ConnectOptions{})
	code := m.Run()
	if shared.engine != nil {
		if left := leftovers(shared.owner); len(left) > 0 && code == 0 {
			fmt.Fprintf(os.Stderr, "left behind: %q\n", left)
			code = 1
		}
		removeImages(shared.owner)
	}
	os.RemoveAll(folder)
	os.Exit(code)
}

var shared bench

// needEngine gives the engine, or skips the test. Where REQUIRE_DOCKER is set, it fails instead.
func needEngine(t testing.TB) *Engine {
	t.Helper()
	if shared.engine == nil {
		if os.Getenv("REQUIRE_DOCKER") != "" {
			t.Fatalf("REQUIRE_DOCKER is set, but: %v", shared.reason)
		}
		t.Skipf("SKIPPED for want of an engine: %v", shared.reason)
	}
	return shared.engine
}

// leftovers lists the containers of an owner.
func leftovers(o Owner) (names []string) {
	list, err := shared.engine.cli.ContainerList(context.Background(), container.ListOptions{All: true, Filters: ownedBy(o)})
	if err != nil {
		return []string{err.Error()}
	}
	for _, c := range list {
		names = append(names, fmt.Sprintf("%s %s %s", c.Labels[labelKind], c.Labels[labelTrial], c.Names))
	}
	return names
}

func ownedBy(o Owner) filters.Args {
	return filters.NewArgs(filters.Arg("label", labelSession+"="+o.Session))
}

func removeImages(o Owner) {
	ctx := context.Background()
	list, err := shared.engine.cli.ImageList(ctx, image.ListOptions{All: true, Filters: ownedBy(o)})
	for _, i := range list {
		_, rerr := shared.engine.cli.ImageRemove(ctx, i.ID, image.RemoveOptions{Force: true, PruneChildren: true})
		if err == nil && !isGone(rerr) {
			err = rerr
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "remove the tests' images:", err)
	}
}

// suiteTree makes a tree with the behaviour suite's program in it. Its content differs from that of every other
// process of these tests, so that none of them takes another's image for its own.
func suiteTree(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	b, err := os.ReadFile(trialtest.Program(t, "linux"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"subject": string(b), "owner": shared.owner.Session} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// suiteImage prepares an image without a base that holds the suite's tree.
func suiteImage(t testing.TB, e *Engine) Image {
	t.Helper()
	img, err := e.Prepare(t.Context(), PrepareOptions{
		Image: study.Image{Name: "scratch"}, Tree: suiteTree(t), Agent: shared.agent, Owner: shared.owner,
	})
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// newExecutor makes an executor that is closed, and must have nothing left, at the test's end.
func newExecutor(t testing.TB, o Options) *Executor {
	t.Helper()
	o.Owner = Self(shared.owner.Session + "-" + strings.ToLower(rand.Text()[:8]))
	x := New(o)
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Errorf("close the executor: %v", err)
		}
		if left := leftovers(o.Owner); len(left) > 0 {
			t.Errorf("left behind: %q", left)
		}
	})
	return x
}

const patience = 2 * time.Minute

// awaitTrue waits for a condition that another process brings about.
func awaitTrue(t testing.TB, what func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !what(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it did not come about")
		}
	}
}
