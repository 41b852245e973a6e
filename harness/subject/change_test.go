package subject

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/failrate/failrate/harness/study"
)

const goodPatch = "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n"

// tail is the end of the output of a command that failed.
func tail(err error) []string {
	var c *CommandError
	if errors.As(err, &c) {
		return c.Tail
	}
	return nil
}

// Both kinds of source take the same changes.
func sources(t *testing.T) map[string]*bench {
	return map[string]*bench{"folder": newBench(t), "git": newBench(t).asGit()}
}

func TestPatches(t *testing.T) {
	t.Parallel()
	for kind, b := range sources(t) {
		one := b.file("1.patch", goodPatch)
		two := b.file("2.patch", "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n TWO\n-three\n+THREE\n--- /dev/null\n+++ b/new/b.txt\n@@ -0,0 +1 @@\n+b\n")
		b.add(study.Variant{Name: "both", Patches: []string{one, two}})
		b.add(study.Variant{Name: "wrong-order", Patches: []string{two, one}})
		b.add(study.Variant{Name: "copy", Patches: []string{b.file("copy.patch", goodPatch), two}})
		p := b.preparer()
		base, both := b.native(p, "base"), b.native(p, "both")
		if b.read(both, "a.txt") != "one\nTWO\nTHREE\n" || b.read(both, "new/b.txt") != "b\n" || b.read(base, "a.txt") != "one\ntwo\nthree\n" {
			t.Errorf("%s: %+v", kind, both)
		}
		if got := b.native(p, "copy"); got.Digest != both.Digest || base.Digest == both.Digest {
			t.Errorf("%s: digests %s of the same patches, %s, and %s without", kind, got.Digest, both.Digest, base.Digest)
		}
		err := b.fails(p, "wrong-order")
		if !strings.Contains(err.Error(), "patch command") || !strings.Contains(strings.Join(tail(err), "\n"), "a.txt") {
			t.Errorf("%s: %v %q", kind, err, tail(err))
		}
	}
}

// A patch cannot reach outside of the tree, and one of which a part was left out does not pass for applied.
func TestPatchesThatLeaveTheTree(t *testing.T) {
	t.Parallel()
	const made = "@@ -0,0 +1 @@\n+x\n"
	link := "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+../..\n\\ No newline at end of file\n"
	for kind, b := range sources(t) {
		for name, text := range map[string]string{
			"up":        "--- /dev/null\n+++ b/../up.txt\n" + made,
			"absolute":  "--- /dev/null\n+++ /tmp/failrate-absolute.txt\n" + made,
			"git":       "--- /dev/null\n+++ b/.git/hooks/x\n" + made,
			"via-link":  link + "--- /dev/null\n+++ b/l/x.txt\n" + made,
			"empty":     "",
			"no-patch":  "hello\n",
			"missing":   "--- a/none.txt\n+++ b/none.txt\n@@ -1 +1 @@\n-a\n+b\n",
			"truncated": goodPatch[:len(goodPatch)-8],
		} {
			b.add(study.Variant{Name: name, Patches: []string{b.file(name+".patch", text)}})
		}
		b.add(study.Variant{Name: "good", Patches: []string{b.file("good.patch", goodPatch)}})
		p := b.preparer()
		for _, v := range b.study.Variants[1 : len(b.study.Variants)-1] {
			if v.Name == "absolute" { // git takes it for tmp/failrate-absolute.txt in the tree
				got := b.native(p, v.Name)
				if !slices.Contains(list(t, got.Dir), "tmp/failrate-absolute.txt") {
					t.Errorf("%s: %q", kind, list(t, got.Dir))
				}
				continue
			}
			_ = b.fails(p, v.Name)
		}
		b.native(p, "good")
		outside := list(t, b.cache)
		for _, name := range outside {
			if base := filepath.Base(name); base == "up.txt" || base == "x.txt" {
				t.Errorf("%s: a patch made %s", kind, name)
			}
		}
		if _, err := os.Stat("/tmp/failrate-absolute.txt"); err == nil {
			t.Errorf("%s: a patch wrote to /tmp", kind)
		}
	}
}

func TestFilesLaidOver(t *testing.T) {
	t.Parallel()
	for kind, b := range sources(t) {
		precious := write(t, filepath.Join(t.TempDir(), "precious"), "keep me\n")
		tool := b.file("tool", "#!/bin/sh\n")
		if err := os.Chmod(tool, 0o755); err != nil {
			t.Fatal(err)
		}
		link := "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+" + precious + "\n\\ No newline at end of file\n" +
			"diff --git a/d b/d\nnew file mode 120000\n--- /dev/null\n+++ b/d\n@@ -0,0 +1 @@\n+" + filepath.Dir(precious) + "\n\\ No newline at end of file\n"
		links := b.file("links.patch", link)
		b.add(study.Variant{Name: "laid", Patches: []string{links}, Files: map[string]string{
			"a.txt": b.file("a", "laid\n"), "deep/er/tool": tool, "l": b.file("l", "no link\n"),
		}})
		b.add(study.Variant{Name: "through", Patches: []string{links}, Files: map[string]string{"d/precious": tool}})
		b.add(study.Variant{Name: "folder", Files: map[string]string{"bin": tool}})
		b.add(study.Variant{Name: "up", Files: map[string]string{"../up": tool}})
		b.add(study.Variant{Name: "gone", Files: map[string]string{"x": "/nowhere/x"}})
		p := b.preparer()
		got := b.native(p, "laid")
		if b.read(got, "a.txt") != "laid\n" || b.read(got, "l") != "no link\n" {
			t.Errorf("%s: %q", kind, list(t, got.Dir))
		}
		if info, err := os.Lstat(filepath.Join(got.Dir, "deep/er/tool")); err != nil || info.Mode() != 0o755 {
			t.Errorf("%s: mode %v (%v)", kind, info, err)
		}
		for _, name := range []string{"through", "folder", "up", "gone"} {
			_ = b.fails(p, name)
		}
		if text, err := os.ReadFile(precious); err != nil || string(text) != "keep me\n" {
			t.Errorf("%s: the link's target is now %q (%v)", kind, text, err)
		}
	}
}
