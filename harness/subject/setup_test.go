package subject

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/failrate/failrate/harness/study"
)

// sh is a command of a shell that counts its runs in a file of the test's own.
func (b *bench) sh(script string) (command []string, runs func() int) {
	counter := filepath.Join(b.t.TempDir(), "runs")
	return []string{"/bin/sh", "-c", "echo x >> " + counter + "\n" + script}, func() int {
		text, _ := os.ReadFile(counter)
		return strings.Count(string(text), "x")
	}
}

// A set-up runs once, natively, in its variant's own tree; later runs of the harness find the tree.
func TestSetupRunsOnce(t *testing.T) {
	t.Parallel()
	for kind, b := range sources(t) {
		setup, runs := b.sh(`pwd > where; echo "$GIVEN $MORE" > env; mkdir -p out; cp a.txt out/`)
		b.study.Subject.Setup = [][]string{setup, {"bin/tool"}}
		b.study.Subject.Env = map[string]string{"GIVEN": "g"}
		b.add(study.Variant{Name: "patched", Patches: []string{b.file("p.patch", goodPatch)}})
		b.add(study.Variant{Name: "same", Args: []string{"-x"}})
		b.add(study.Variant{Name: "env", Env: map[string]string{"MORE": "m"}})
		b.add(study.Variant{Name: "none", Setup: [][]string{}})
		p := b.preparer()
		base, patched, env := b.native(p, "base"), b.native(p, "patched"), b.native(p, "env")
		if b.read(base, "where") != base.Dir+"\n" || b.read(base, "env") != "g \n" || b.read(env, "env") != "g m\n" || b.read(patched, "out/a.txt") != "one\nTWO\nthree\n" {
			t.Errorf("%s: %+v %+v %+v", kind, base, patched, env)
		}
		if same := b.native(p, "same"); same.Dir != base.Dir || runs() != 3 {
			t.Errorf("%s: the set-up ran %d times for three trees", kind, runs())
		}
		if none := b.native(p, "none"); len(list(t, none.Dir)) != 2 || none.Dir == base.Dir {
			t.Errorf("%s: without set-up: %q", kind, list(t, none.Dir))
		}
		if tree := b.tree(p, "base"); len(list(t, tree.Dir)) != 2 || tree.Dir == base.Dir {
			t.Errorf("%s: for an image: %q", kind, list(t, tree.Dir))
		}
		if again := b.native(b.preparer(), "base"); again.Dir != base.Dir || again.Digest != base.Digest || again.Facts["tree"] != base.Digest || runs() != 3 {
			t.Errorf("%s: again %+v after %d runs", kind, again, runs())
		}
		if fresh := b.native(b.preparer(func(o *Options) { o.Fresh = true }), "base"); fresh.Digest != base.Digest || runs() != 4 {
			t.Errorf("%s: afresh %+v after %d runs", kind, fresh, runs())
		}
		if text, err := os.ReadFile(base.Log); err != nil || !strings.Contains(string(text), "$ bin/tool\ntool\n") {
			t.Errorf("%s: log %q (%v)", kind, text, err)
		}
	}
}

// A tree for an image is used only as it was made.
func TestSpoiltTree(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	first := b.tree(b.preparer(), "base")
	write(t, filepath.Join(first.Dir, "a.txt"), "spoilt\n")
	if again := b.tree(b.preparer(), "base"); again.Digest != first.Digest || b.read(again, "a.txt") != "one\ntwo\nthree\n" {
		t.Errorf("%+v with %q", again, b.read(again, "a.txt"))
	}
}

func TestSetupFails(t *testing.T) {
	t.Parallel()
	b := newBench(t).asGit()
	setup, runs := b.sh(`test -e bad || exit 0; i=0; while test $i -lt 30; do echo "line $i"; i=$((i+1)); done; printf 'the \033[31mreason\n' >&2; exit 7`)
	b.study.Subject.Setup = [][]string{setup}
	b.add(study.Variant{Name: "bad", Files: map[string]string{"bad": b.file("bad", "")}})
	b.add(study.Variant{Name: "bad-too", Files: map[string]string{"bad": b.file("bad", "")}, Args: []string{"-x"}})
	b.add(study.Variant{Name: "killed", Setup: [][]string{{"/bin/sh", "-c", "kill -9 $$"}}})
	b.add(study.Variant{Name: "missing", Setup: [][]string{{"no-such-program"}}})
	p := b.preparer()
	for _, name := range []string{"bad", "bad-too"} {
		err := b.fails(p, name)
		var c *CommandError
		if !errors.As(err, &c) || c.Step != "set-up" || c.Why != "exit status 7" || len(c.Tail) != 20 || c.Tail[19] != "the [31mreason" || c.Tail[0] != "line 11" {
			t.Errorf("%s: %v, %+v", name, err, c)
		}
		if strings.Contains(err.Error(), "\x1b") || !strings.HasPrefix(err.Error(), "prepare "+name+": ") {
			t.Errorf("%q", err)
		}
		if text, rerr := os.ReadFile(c.Log); rerr != nil || !strings.Contains(string(text), "line 0\n") {
			t.Errorf("log %q (%v)", text, rerr)
		}
	}
	if err := b.fails(p, "killed"); !strings.Contains(err.Error(), "ended by SIGKILL") {
		t.Error(err)
	}
	if err := b.fails(p, "missing"); !strings.Contains(err.Error(), "no such program") {
		t.Error(err)
	}
	b.native(p, "base") // the others go on
	if runs() != 2 {
		t.Errorf("ran %d times, want once for the good tree and once for the bad one", runs())
	}
	_ = b.fails(b.preparer(), "bad") // and a failure is not kept for the next run
	if runs() != 3 {
		t.Errorf("ran %d times, want once more", runs())
	}
}

// A build daemon must not outlive the set-up, nor a set-up its limit or its harness's patience.
func TestSetupEnds(t *testing.T) {
	t.Parallel()
	b := newBench(t).asGit()
	pid := filepath.Join(t.TempDir(), "pid")
	b.study.Subject.Setup = [][]string{{"/bin/sh", "-c", "sleep 600 & echo $! > " + pid}}
	b.add(study.Variant{Name: "slow", Setup: [][]string{{"/bin/sh", "-c", "sleep 600"}}})
	p := b.preparer(func(o *Options) { o.Timeout = 5 * time.Second })
	b.native(p, "base")
	text, err := os.ReadFile(pid)
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	if syscall.Kill(n, 0) == nil {
		t.Errorf("the daemon %d is alive", n)
	}
	if err := b.fails(p, "slow"); !strings.Contains(err.Error(), "not done after 5s") {
		t.Error(err)
	}
}

// Whoever was stopped is not broken: the next attempt prepares it.
func TestStoppedAndResumed(t *testing.T) {
	t.Parallel()
	b := newBench(t).asGit()
	b.study.Subject.Setup = [][]string{{"/bin/sh", "-c", "echo done > made"}}
	p := b.preparer()
	if _, err := p.Native(stopped(), "base"); err == nil {
		t.Fatal("it was not stopped")
	}
	if got := b.native(p, "base"); b.read(got, "made") != "done\n" {
		t.Errorf("%+v", got)
	}
}

// A harness was killed in the middle: its torso is not taken for a tree, and Sweep removes it.
func TestTorso(t *testing.T) {
	t.Parallel()
	b := newBench(t).asGit()
	b.study.Subject.Setup = [][]string{{"/bin/sh", "-c", "test ! -e torso && echo done > made"}}
	whole := b.native(b.preparer(), "base")
	torso := func() {
		write(t, filepath.Join(whole.Dir, "torso"), "")
		if err := os.Remove(doneFile(filepath.Dir(whole.Dir))); err != nil {
			t.Fatal(err)
		}
	}
	torso()
	if got := b.native(b.preparer(), "base"); got.Digest != whole.Digest {
		t.Errorf("%+v, want %+v", got, whole)
	}
	if removed, err := Sweep(t.Context(), b.cache); err != nil || len(removed) > 0 {
		t.Errorf("swept %q (%v), although all is whole", removed, err)
	}
	torso()
	unlock, err := b.preparer().lock(t.Context(), filepath.Dir(whole.Dir))
	if err != nil {
		t.Fatal(err)
	}
	if removed, err := Sweep(t.Context(), b.cache); err != nil || len(removed) > 0 {
		t.Errorf("swept %q (%v), although it is being prepared", removed, err)
	}
	unlock()
	if removed, err := Sweep(t.Context(), b.cache); err != nil || len(removed) != 1 {
		t.Errorf("swept %q (%v), want the torso", removed, err)
	}
	if got := b.native(b.preparer(), "base"); got.Digest != whole.Digest {
		t.Errorf("%+v, want %+v", got, whole)
	}
}

// Several harnesses, and several goroutines of each, prepare the same at the same time.
func TestParallel(t *testing.T) {
	t.Parallel()
	b := newBench(t).asGit()
	setup, runs := b.sh("echo made > made")
	b.study.Subject.Setup = [][]string{setup}
	b.add(study.Variant{Name: "patched", Patches: []string{b.file("p.patch", goodPatch)}})
	var wg sync.WaitGroup
	var mu sync.Mutex
	digests := map[string]string{}
	for range 3 {
		p := b.preparer()
		for _, name := range []string{"base", "patched", "base", "patched"} {
			wg.Go(func() {
				got, err := p.Native(t.Context(), name)
				mu.Lock()
				defer mu.Unlock()
				if err != nil || digests[name] != "" && digests[name] != got.Digest {
					t.Errorf("%s: %+v (%v), before %s", name, got, err, digests[name])
				}
				digests[name] = got.Digest
			})
		}
	}
	wg.Wait()
	if runs() != 2 || digests["base"] == digests["patched"] {
		t.Errorf("ran %d times for two trees, %v", runs(), digests)
	}
}

// What is compiled becomes the tree. A folder that is used in place is compiled each time, as what the compiler reads
// may be anywhere.
func TestCompile(t *testing.T) {
	t.Parallel()
	for kind, b := range sources(t) {
		compile, runs := b.sh(`echo "$FAILRATE_OS $FAILRATE_ARCH $GOOS $GOARCH $CGO_ENABLED" > "$1/target"; cat a.txt > "$FAILRATE_OUT/a"; cp bin/tool "$1/"`)
		b.study.Subject.Compile = append(compile, "sh", "{out}")
		b.study.Subject.Setup = [][]string{{"/bin/sh", "-c", "./tool > set-up"}}
		p := b.preparer()
		got, err := p.Tree(t.Context(), "base", Target{OS: "plan9", Arch: "mips"})
		if err != nil {
			t.Fatal(err)
		}
		if b.read(got, "target") != "plan9 mips plan9 mips 0\n" || b.read(got, "a") != "one\ntwo\nthree\n" || len(list(t, got.Dir)) != 3 {
			t.Errorf("%s: %q", kind, list(t, got.Dir))
		}
		host := b.native(p, "base")
		if b.read(host, "target") != strings.Repeat(runtime.GOOS+" "+runtime.GOARCH+" ", 2)+"0\n" || b.read(host, "set-up") != "tool\n" {
			t.Errorf("%s: %q", kind, list(t, host.Dir))
		}
		b.native(b.preparer(), "base")
		if want := map[string]int{"git": 2, "folder": 3}[kind]; runs() != want {
			t.Errorf("%s: compiled %d times, want %d", kind, runs(), want)
		}
	}
}

func TestCompileFails(t *testing.T) {
	t.Parallel()
	for kind, b := range sources(t) {
		b.study.Subject.Compile = []string{"/bin/sh", "-c", "exit 3", "{out}"}
		if err := b.fails(b.preparer(), "base"); !strings.Contains(err.Error(), "exit status 3") {
			t.Errorf("%s: %v", kind, err)
		}
		b.study.Subject.Compile = []string{"/bin/true", "{out}"}
		if err := b.fails(b.preparer(), "base"); !strings.Contains(err.Error(), "nothing into {out}") {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

func TestSetupDoesNotSeeWhatTheSubjectUnsets(t *testing.T) {
	t.Parallel()
	for kind, b := range sources(t) {
		setup, _ := b.sh(`echo "${CI-none} ${CI_JOB-none} ${KEPT-none}" > env`)
		b.study.Subject.Setup = [][]string{setup}
		b.study.Subject.Unset = []string{"CI*"}
		p := b.preparer(func(o *Options) { o.Env = append(os.Environ(), "CI=1", "CI_JOB=2", "KEPT=3") })
		if got := b.read(b.native(p, "base"), "env"); got != "none none 3\n" {
			t.Errorf("%s: %q", kind, got)
		}
	}
}
