package subject

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/failrate/failrate/harness/study"
	"github.com/failrate/failrate/harness/trial/process"
)

// bench is a study whose subject is below a folder of the test's own.
type bench struct {
	t     *testing.T
	dir   string // the subject's folder or repository
	cache string
	study *study.Study
	said  *lines
}

// lines is what a Preparer said.
type lines struct {
	mu  sync.Mutex
	all []string
}

func (l *lines) add(format string, _ ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, format)
}

// count is how often something was said.
func (l *lines) count(start string) (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.all {
		if strings.HasPrefix(s, start) {
			n++
		}
	}
	return n
}

// newBench has a baseline called "base", and a subject that is a folder.
func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{t: t, dir: filepath.Join(t.TempDir(), "subject"), cache: filepath.Join(t.TempDir(), "cache"), said: &lines{}}
	if err := os.Mkdir(b.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	b.study = &study.Study{Name: "s", Dir: t.TempDir(), Baseline: "base", Variants: []study.Variant{{Name: "base"}}}
	b.study.Subject = study.Subject{Dir: b.dir, Command: []string{"true"}}
	b.write("a.txt", "one\ntwo\nthree\n")
	b.write("bin/tool", "#!/bin/sh\necho tool\n")
	if err := os.Chmod(filepath.Join(b.dir, "bin/tool"), 0o755); err != nil {
		t.Fatal(err)
	}
	return b
}

// asGit makes the folder a repository with one commit, and the subject a clone of it.
func (b *bench) asGit() *bench {
	b.git("init", "--quiet", "--initial-branch=main")
	b.commit("first")
	b.study.Subject.Dir, b.study.Subject.Git = "", &study.Git{URL: b.dir, Ref: "main"}
	return b
}

func (b *bench) git(args ...string) string {
	b.t.Helper()
	c := exec.CommandContext(b.t.Context(), "git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.org"}, args...)...)
	c.Dir = b.dir
	c.Env = append(withoutGit(os.Environ()), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_CEILING_DIRECTORIES="+filepath.Dir(b.dir))
	out, err := c.CombinedOutput()
	if err != nil {
		b.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (b *bench) commit(message string) string {
	b.git("add", "--all")
	b.git("commit", "--quiet", "--allow-empty", "--message", message)
	return b.git("rev-parse", "HEAD")
}

func (b *bench) write(name, text string) string {
	b.t.Helper()
	return write(b.t, filepath.Join(b.dir, name), text)
}

// file writes a file of the study, such as a patch.
func (b *bench) file(name, text string) string {
	b.t.Helper()
	return write(b.t, filepath.Join(b.study.Dir, name), text)
}

func write(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func (b *bench) add(v study.Variant) { b.study.Variants = append(b.study.Variants, v) }

// preparer makes one with a session of its own, as a run of the harness does.
func (b *bench) preparer(change ...func(*Options)) *Preparer {
	b.t.Helper()
	session, err := process.Open(process.Options{Sessions: b.t.TempDir(), Scratch: b.t.TempDir()})
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() {
		if err := session.Close(); err != nil {
			b.t.Error(err)
		}
	})
	o := Options{Study: b.study, Cache: b.cache, Session: session, Log: b.said.add}
	for _, c := range change {
		c(&o)
	}
	return New(o)
}

// native prepares a variant that must succeed.
func (b *bench) native(p *Preparer, variant string) Prepared {
	b.t.Helper()
	got, err := p.Native(b.t.Context(), variant)
	return b.check(variant, got, err)
}

func (b *bench) tree(p *Preparer, variant string) Prepared {
	b.t.Helper()
	got, err := p.Tree(b.t.Context(), variant, Target{})
	return b.check(variant, got, err)
}

func (b *bench) check(variant string, got Prepared, err error) Prepared {
	b.t.Helper()
	if err != nil {
		b.t.Fatalf("prepare %s: %v", variant, err)
	}
	return got
}

// fails prepares a variant that cannot be, and gives the error.
func (b *bench) fails(p *Preparer, variant string) error {
	b.t.Helper()
	got, err := p.Native(b.t.Context(), variant)
	if err == nil || got.Dir != "" || got.Digest != "" {
		b.t.Fatalf("%s was prepared: %+v (%v)", variant, got, err)
	}
	return err
}

func (b *bench) read(got Prepared, name string) string {
	b.t.Helper()
	text, err := os.ReadFile(filepath.Join(got.Dir, name))
	if err != nil {
		b.t.Error(err)
	}
	return string(text)
}

// list gives the files of a folder but git's own.
func list(t *testing.T, dir string) []string {
	t.Helper()
	var names []string
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err == nil && !info.IsDir() && info.Name() != ".git" {
			names = append(names, strings.TrimPrefix(path, dir+"/"))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	return names
}

// stopped is a context that has ended.
func stopped() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}
