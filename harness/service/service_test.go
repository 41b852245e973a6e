package service

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/failrate/failrate/harness/study"
	"github.com/failrate/failrate/harness/trial"
)

// bench is a native executor with services around it. What it leaves is found at the test's end.
type bench struct {
	*Executor
	dir  string // the tree, and where requests have their output
	next int
}

func newBench(t *testing.T, isolation study.NativeIsolation) *bench {
	t.Helper()
	b := &bench{dir: t.TempDir()}
	scratch, sessions := t.TempDir(), filepath.Join(t.TempDir(), "sessions")
	trees := map[string]trial.Tree{"a": {Dir: filepath.Join(b.dir, "tree")}}
	for _, d := range []string{"tree", "out"} {
		if err := os.Mkdir(filepath.Join(b.dir, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	native := trial.NewNative(trial.NativeOptions{Trees: trees, Scratch: scratch, Sessions: sessions})
	b.Executor = New(native, NewNative(NativeOptions{Trees: trees, Isolation: isolation, Session: native.Session}))
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
		if err := native.Close(); err != nil {
			t.Error(err)
		}
		for _, dir := range []string{scratch, sessions} {
			if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
				t.Errorf("left in %s: %v (%v)", dir, left, err)
			}
		}
	})
	return b
}

// service is a shell script that is ready when it says so.
func service(name, script string) study.Service {
	return study.Service{
		Name: name, Command: []string{"sh", "-c", script}, Env: map[string]string{"PATH": os.Getenv("PATH")},
		Ready: study.Ready{Log: "^ready", Timeout: time.Minute}, Per: study.PerTrial, Death: study.DeathBroken,
	}
}

// run runs a shell script as the subject, and gives what was observed and what each service said.
func (b *bench) run(ctx context.Context, t *testing.T, script string, services ...study.Service) (trial.Observation, map[string]string) {
	t.Helper()
	b.next++
	base := filepath.Join(b.dir, "out", string(rune('a'+b.next)))
	r := trial.Request{
		ID: "a/native/none#0001", Variant: "a", Command: []string{"sh", "-c", script}, Env: []string{"PATH=" + os.Getenv("PATH")},
		Timeout: time.Minute, Services: services, Block: "main/0/1",
		Out: trial.Output{Log: base + ".log", Services: base + ".services"},
	}
	o := b.Execute(ctx, r)
	said := map[string]string{}
	for _, s := range services {
		text, err := os.ReadFile(filepath.Join(r.Out.Services, s.Name+".log"))
		if err != nil && !os.IsNotExist(err) {
			t.Error(err)
		}
		said[s.Name] = string(text)
	}
	return o, said
}

const forever = `; while :; do sleep 1000 & wait $!; done`

func TestOutputGoesToTheTrial(t *testing.T) {
	t.Parallel()
	b := newBench(t, study.NativeShared)
	node := service("node", `trap 'echo bye; exit 0' TERM; echo ready; echo "$PWD" > here`+forever)
	o, said := b.run(t.Context(), t, `test -e here`, node)
	if o.Exit != 0 || o.Fault != "" || o.Stopped {
		t.Errorf("%+v", o)
	}
	if said := said["node"]; !strings.HasPrefix(said, "ready\n") || !strings.HasSuffix(said, "bye\n") {
		t.Errorf("it said %q", said)
	}
}

func TestACopyOfTheTree(t *testing.T) {
	t.Parallel()
	b := newBench(t, study.NativeCopy)
	if o, _ := b.run(t.Context(), t, `test ! -e here`, service("node", `touch here; echo ready`+forever)); o.Exit != 0 || o.Fault != "" {
		t.Errorf("%+v", o)
	}
	if left, err := os.ReadDir(filepath.Join(b.dir, "tree")); err != nil || len(left) > 0 {
		t.Errorf("the prepared tree has %v (%v)", left, err)
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	b := newBench(t, study.NativeShared)
	slow := service("node", `echo "i am`+"\x1b"+`[1m slow"`+forever)
	slow.Ready.Timeout = 3 * time.Second
	missing := service("node", "")
	missing.Command = []string{"no-such-program"}
	dying := service("node", `echo ready; echo last words; exit 7`)
	for want, s := range map[string]study.Service{
		`service node was not ready after 3s: no line of its output matches "^ready"; its last output: i am`: slow,
		`service node could not be started: start "no-such-program": no such program`:                        missing,
		`service node ended before it was ready: exit status 7; its last output: oops`:                       service("node", `echo oops; exit 7`),
		`service node ended before the subject did: by SIGSEGV; its last output: ready`:                      service("node", `echo ready; until test -e subject; do sleep 0.01; done; kill -SEGV $$`),
		`service node ended before`: dying, // it was ready, or not
	} {
		o, _ := b.run(t.Context(), t, `touch subject; sleep 1000`, s)
		if !strings.Contains(o.Fault, want) || strings.ContainsAny(o.Fault, "\x1b\n") || o.Stopped || o.Exit != -1 {
			t.Errorf("%+v\nwant %q", o, want)
		}
		_ = os.Remove(filepath.Join(b.dir, "tree", "subject"))
	}
}

func TestCancelledWhileAServiceIsAwaited(t *testing.T) {
	t.Parallel()
	b := newBench(t, study.NativeShared)
	for _, cause := range []error{nil, trial.ErrKillNow} {
		ctx, cancel := context.WithCancelCause(t.Context())
		begun := filepath.Join(b.dir, "tree", "begun")
		go func() {
			for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
				if _, err := os.Stat(begun); err == nil {
					break
				}
			}
			cancel(cause)
		}()
		o, _ := b.run(ctx, t, "true", service("node", `touch begun`+forever))
		if !o.Stopped || o.Fault != "" {
			t.Errorf("%v: %+v", cause, o)
		}
		if err := os.Remove(begun); err != nil {
			t.Error(err)
		}
	}
}

func TestABlocksServiceIsShared(t *testing.T) {
	t.Parallel()
	b := newBench(t, study.NativeShared)
	node := service("node", `echo start >> starts; echo ready`+forever)
	node.Per = study.PerBlock
	other := service("node", `echo start >> starts; echo ready; : other`+forever)
	other.Per = study.PerBlock
	for _, s := range []study.Service{node, node, other, node} {
		o, said := b.run(t.Context(), t, "true", s)
		if o.Exit != 0 || o.Fault != "" || said["node"] != "ready\n" {
			t.Errorf("%+v, it said %q", o, said)
		}
	}
	starts := func() int {
		text, err := os.ReadFile(filepath.Join(b.dir, "tree", "starts"))
		if err != nil {
			t.Fatal(err)
		}
		return strings.Count(string(text), "\n")
	}
	if n := starts(); n != 2 {
		t.Errorf("%d starts, want 2", n)
	}
	b.EndBlock(t.Context(), "main/0/1")
	if left := b.shared.all(); len(left) > 0 {
		t.Errorf("%d groups are left of the block", len(left))
	}
	if b.run(t.Context(), t, "true", node); starts() != 3 {
		t.Errorf("%d starts after the block's end, want 3", starts())
	}
}

func TestABlocksServiceThatDiedIsReplaced(t *testing.T) {
	t.Parallel()
	b := newBench(t, study.NativeShared)
	node := service("node", `echo ready; until test -e die; do sleep 0.01; done; rm die; exit 9`)
	node.Per = study.PerBlock
	var faults []string
	for _, script := range []string{"true", "touch die; sleep 1000", "true"} {
		o, _ := b.run(t.Context(), t, script, node)
		faults = append(faults, o.Fault)
	}
	if faults[0] != "" || !strings.Contains(faults[1], "exit status 9") || faults[2] != "" {
		t.Errorf("%q", faults)
	}
}

func TestReadyLineInPieces(t *testing.T) {
	t.Parallel()
	var o output
	o.expect(`^open for \d+$`)
	for _, piece := range []string{"re\nopen", " for x\nop", "en for 7"} {
		select {
		case <-o.matched():
			t.Fatalf("it matched before %q", piece)
		default:
		}
		if _, err := o.Write([]byte(piece)); err != nil {
			t.Fatal(err)
		}
	}
	<-o.matched()
	big := strings.Repeat("x", 3*maxRecent)
	if n, err := o.Write([]byte(big)); n != len(big) || err != nil || len(o.recent) > 2*maxRecent {
		t.Errorf("%d, %v, %d held", n, err, len(o.recent))
	}
}

func TestPortsAreNotHandedOutTwice(t *testing.T) {
	t.Parallel()
	var p ports
	var got []int
	for range 100 {
		n, err := p.take()
		if err != nil || slices.Contains(got, n) || n < firstPort || n >= afterPort {
			t.Fatalf("%d, %v after %v", n, err, got)
		}
		got = append(got, n)
	}
	p.give(got...)
	if len(p.used) != 0 {
		t.Errorf("in use: %v", p.used)
	}
}
