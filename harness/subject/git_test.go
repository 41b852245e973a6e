package subject

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/failrate/failrate/harness/study"
)

func TestGitVariants(t *testing.T) {
	t.Parallel()
	b := newBench(t).asGit()
	first := b.git("rev-parse", "HEAD")
	b.git("checkout", "--quiet", "-b", "other")
	b.write("a.txt", "another\n")
	second := b.commit("second")
	b.git("tag", "v2")
	b.git("checkout", "--quiet", "main")
	b.add(study.Variant{Name: "branch", Ref: "other"})
	b.add(study.Variant{Name: "tag", Ref: "v2"})
	b.add(study.Variant{Name: "commit", Ref: second})
	b.add(study.Variant{Name: "short", Ref: second[:12]})
	b.add(study.Variant{Name: "words", Args: []string{"-x"}, Env: map[string]string{"A": "b"}})
	b.add(study.Variant{Name: "missing", Ref: "no-such-ref"})
	b.add(study.Variant{Name: "option", Ref: "--upload-pack=touch /tmp/failrate-oops"})
	p := b.preparer()
	base := b.native(p, "base")
	if b.read(base, "a.txt") != "one\ntwo\nthree\n" || base.Facts["commit"] != first || base.Facts["tree"] != base.Digest {
		t.Errorf("%+v", base)
	}
	if info, err := os.Stat(filepath.Join(base.Dir, "bin/tool")); err != nil || info.Mode()&0o111 == 0 {
		t.Errorf("the tool cannot be run: %v (%v)", info, err)
	}
	for _, name := range []string{"branch", "tag", "commit", "short"} {
		got := b.native(p, name)
		if b.read(got, "a.txt") != "another\n" || got.Facts["commit"] != second || got.Digest == base.Digest {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if got := b.native(p, "words"); got.Dir != base.Dir || got.Digest != base.Digest {
		t.Errorf("a variant that changes no file has a tree of its own: %+v", got)
	}
	for _, name := range []string{"missing", "option"} {
		if err := b.fails(p, name); !strings.Contains(err.Error(), "no ref") && !strings.Contains(err.Error(), "not a name") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := b.said.count("cloning"); n != 1 {
		t.Errorf("cloned %d times", n)
	}
}

func TestGitWithoutARef(t *testing.T) {
	t.Parallel()
	b := newBench(t).asGit()
	b.study.Subject.Git.Ref = ""
	if got := b.native(b.preparer(), "base"); got.Facts["commit"] != b.git("rev-parse", "HEAD") {
		t.Errorf("%+v", got)
	}
}

// A clone that has the ref is not asked for news, so that a campaign that is resumed goes on with the same commit.
func TestGitFetches(t *testing.T) {
	t.Parallel()
	b := newBench(t).asGit()
	first := b.native(b.preparer(), "base")
	b.write("a.txt", "moved\n")
	moved := b.commit("moved")
	b.git("update-ref", "refs/pull/7/head", moved)
	if again := b.native(b.preparer(), "base"); again.Digest != first.Digest || b.said.count("fetching") != 0 {
		t.Errorf("resumed with %+v", again)
	}
	b.add(study.Variant{Name: "new", Ref: moved})
	if got := b.native(b.preparer(), "new"); got.Facts["commit"] != moved {
		t.Errorf("a commit that the clone lacked: %+v", got)
	}
	b.add(study.Variant{Name: "pull", Ref: "refs/pull/7/head"})
	if got := b.native(b.preparer(), "pull"); got.Facts["commit"] != moved {
		t.Errorf("a ref of another kind: %+v", got)
	}
	if got := b.native(b.preparer(func(o *Options) { o.Update = true }), "base"); got.Facts["commit"] != moved {
		t.Errorf("updated to %+v, want the branch's new commit", got)
	}
}

func TestGitThatIsNotThere(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.study.Subject.Git = &study.Git{URL: filepath.Join(b.dir, "nowhere")}
	p := b.preparer()
	for range 2 {
		if err := b.fails(p, "base"); !strings.Contains(err.Error(), "clone") || !strings.Contains(strings.Join(tail(err), " "), "nowhere") {
			t.Errorf("%v %q", err, tail(err))
		}
	}
	if left, err := filepath.Glob(filepath.Join(b.cache, "clones", "*.part")); err != nil || len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// The tree may be below a repository, such as that of a home folder: git must not take it for a part of that.
func TestCacheBelowARepository(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	// Only a patch in git's own format is relative to the repository that git finds.
	b.add(study.Variant{Name: "patched", Patches: []string{b.file("p.patch", "diff --git a/a.txt b/a.txt\n"+goodPatch)}})
	home := filepath.Dir(b.cache)
	outer := &bench{t: t, dir: home}
	outer.git("init", "--quiet")
	if got := b.native(b.preparer(), "patched"); b.read(got, "a.txt") != "one\nTWO\nthree\n" {
		t.Errorf("the patch was not applied: %q", b.read(got, "a.txt"))
	}
}

func TestHookVariablesAreDropped(t *testing.T) {
	t.Parallel()
	got := withoutGit([]string{"A=1", "GIT_DIR=/x", "GIT_INDEX_FILE=y", "GIT_SSH_COMMAND=ssh -i k"})
	if strings.Join(got, " ") != "A=1 GIT_SSH_COMMAND=ssh -i k" {
		t.Errorf("environment %q", got)
	}
}
