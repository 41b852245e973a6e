package subject

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/failrate/failrate/harness/study"
)

// fill makes a folder of every kind of thing that a copy may meet.
func (b *bench) fill() []string {
	b.write(".gitignore", "*.log\n/build/\n")
	b.write("x.log", "ignored")
	b.write("build/out", "ignored")
	b.write("sub/build/kept", "not ignored")
	b.write("results/old", "excluded")
	b.write("odd \n name", "kept")
	if err := os.Symlink("a.txt", filepath.Join(b.dir, "link")); err != nil {
		b.t.Fatal(err)
	}
	if err := os.Symlink("/etc", filepath.Join(b.dir, "away")); err != nil {
		b.t.Fatal(err)
	}
	return []string{".gitignore", "a.txt", "away", "bin/tool", "link", "odd \n name", "sub/build/kept"}
}

// A folder that a variant changes is copied for all of them, without what its .gitignore names.
func TestFolderIsCopied(t *testing.T) {
	t.Parallel()
	for _, inGit := range []bool{true, false} {
		b := newBench(t)
		want := b.fill()
		if inGit {
			b.git("init", "--quiet")
			b.write("gone.txt", "deleted")
			b.git("add", "a.txt", "gone.txt")
			if err := os.Remove(filepath.Join(b.dir, "gone.txt")); err != nil {
				t.Fatal(err)
			}
			inner := &bench{t: t, dir: filepath.Join(b.dir, "inner")}
			inner.write("i.txt", "inner")
			inner.git("init", "--quiet")
			want = append(want, "inner/i.txt")
			slices.Sort(want)
		}
		b.add(study.Variant{Name: "changed", Files: map[string]string{"a.txt": b.file("a", "changed\n")}})
		p := b.preparer(func(o *Options) { o.Exclude = []string{filepath.Join(b.dir, "results")} })
		base, changed := b.native(p, "base"), b.native(p, "changed")
		for _, got := range []Prepared{base, changed, b.tree(p, "base")} {
			if names := list(t, got.Dir); !slices.Equal(names, want) || !strings.HasPrefix(got.Dir, b.cache) {
				t.Errorf("in git: %t: copied %q, want %q", inGit, names, want)
			}
		}
		if b.read(base, "a.txt") != "one\ntwo\nthree\n" || b.read(changed, "a.txt") != "changed\n" {
			t.Errorf("in git: %t: wrong content", inGit)
		}
		if text, err := os.ReadFile(filepath.Join(b.dir, "a.txt")); err != nil || string(text) != "one\ntwo\nthree\n" {
			t.Errorf("in git: %t: the subject itself was changed: %q (%v)", inGit, text, err)
		}
	}
}

// A folder that git ignores is a subject like another one: git's list of it would be empty.
func TestIgnoredFolder(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	outer := &bench{t: t, dir: filepath.Dir(b.dir)}
	outer.git("init", "--quiet")
	outer.write(".gitignore", "subject\n")
	if got := b.tree(b.preparer(), "base"); !slices.Equal(list(t, got.Dir), []string{"a.txt", "bin/tool"}) {
		t.Errorf("copied %q", list(t, got.Dir))
	}
}

func TestFolderInPlace(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.add(study.Variant{Name: "words", Args: []string{"-x"}, Env: map[string]string{"A": "b"}})
	for _, name := range []string{"base", "words"} {
		if got := b.native(b.preparer(), name); got.Dir != b.dir || got.Digest != "" || len(got.Facts) > 0 {
			t.Errorf("%s outside of git: %+v", name, got)
		}
	}
	b.git("init", "--quiet")
	commit := b.commit("first")
	clean := b.native(b.preparer(), "base")
	if clean.Dir != b.dir || clean.Facts["commit"] != commit || clean.Facts["changed"] != "" || clean.Facts["tree"] != clean.Digest {
		t.Errorf("in git: %+v", clean)
	}
	b.write("a.txt", "edited\n")
	edited := b.native(b.preparer(), "base")
	b.write("a.txt", "edited again\n")
	again := b.native(b.preparer(), "base")
	if edited.Facts["changed"] != "true" || edited.Digest == clean.Digest || again.Digest == edited.Digest {
		t.Errorf("digests %s, %s and %s of three states", clean.Digest, edited.Digest, again.Digest)
	}
	// An image gets a copy, and always of what is there now.
	tree := b.tree(b.preparer(), "base")
	b.write("a.txt", "last\n")
	if last := b.tree(b.preparer(), "base"); last.Dir == b.dir || b.read(tree, "a.txt") != "edited again\n" || b.read(last, "a.txt") != "last\n" {
		t.Errorf("trees %+v and %+v", tree, last)
	}
}

func TestFolderThatIsNotThere(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.study.Subject.Dir = filepath.Join(b.dir, "nowhere")
	if err := b.fails(b.preparer(), "base"); !strings.Contains(err.Error(), "nowhere") {
		t.Error(err)
	}
	if err := b.fails(b.preparer(), "unknown"); !strings.Contains(err.Error(), `no variant "unknown"`) {
		t.Error(err)
	}
}
