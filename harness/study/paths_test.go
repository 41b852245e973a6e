package study

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPathsAreSeenFromTheStudysFolder(t *testing.T) {
	t.Parallel()
	dir := badFolder(t)
	s := parse(t, "study: s\nsubject: {command: x, dir: ./folder/../folder, image: {build: folder/}}\nvariants: {a: {patch: folder/../ok.patch}}\n", dir)
	folder := filepath.Join(dir, "folder")
	if s.Subject.Dir != folder || s.Subject.Image.Build != folder || s.Variants[0].Patches[0] != filepath.Join(dir, "ok.patch") {
		t.Errorf("dir %q, build %q, patches %q", s.Subject.Dir, s.Subject.Image.Build, s.Variants[0].Patches)
	}
}

func TestSymlinksInsideTheFolderAreFollowed(t *testing.T) {
	t.Parallel()
	dir := badFolder(t)
	for link, to := range map[string]string{"link.patch": "ok.patch", "folder/inner": "../plain.txt"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	s := parse(t, oneStudy+"variants: {a: {patch: link.patch, files: folder}}\n", dir)
	if len(s.Variants[0].Patches) != 1 || s.Variants[0].Files["inner"] != filepath.Join(dir, "folder", "inner") {
		t.Errorf("variant %+v", s.Variants[0])
	}
}

func TestFoldersThatCannotBeLaidOver(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		make func(t *testing.T, folder string) error
		want string
	}{
		"link out": {
			func(t *testing.T, folder string) error {
				return os.Symlink("/etc/hostname", filepath.Join(folder, "x"))
			},
			"files: \"folder/x\" cannot be used: path escapes from parent",
		},
		"link to a folder": {
			func(t *testing.T, folder string) error { return os.Symlink("../empty", filepath.Join(folder, "x")) },
			"files: \"folder/x\" cannot be laid over the tree\nhint: a folder that is laid over the tree holds plain files",
		},
		"git's folder": {
			func(t *testing.T, folder string) error {
				if err := os.Mkdir(filepath.Join(folder, ".git"), 0o755); err != nil {
					return err
				}
				return os.WriteFile(filepath.Join(folder, ".git", "config"), nil, 0o644)
			},
			"files: \"folder/.git/config\" cannot be laid over the tree\nhint: a folder that is laid over the tree holds plain files",
		},
		"too many": {
			func(t *testing.T, folder string) error {
				for i := range maxLaidOver {
					if err := os.WriteFile(filepath.Join(folder, fmt.Sprint(i)), nil, 0o644); err != nil {
						return err
					}
				}
				return nil
			},
			"files: \"folder\" holds more than 2000 files\nhint: name the files one by one, or use a patch",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := badFolder(t)
			if err := c.make(t, filepath.Join(dir, "folder")); err != nil {
				t.Fatal(err)
			}
			_, err := Parse(FileName, []byte(oneStudy+"variants: {a: {files: folder}}\n"), dir)
			if want := "study.yaml:3:23: " + c.want; err == nil || err.Error() != want {
				t.Errorf("got %v\nwant %s", err, want)
			}
		})
	}
}

func TestGitURLs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for url, want := range map[string]string{
		"https://example.org/x.git": "https://example.org/x.git", "git@example.org:x.git": "git@example.org:x.git", "/srv/x": "/srv/x",
		"file:///srv/x": "file:///srv/x", "ssh://git@example.org:22/x": "ssh://git@example.org:22/x",
		"..": filepath.Dir(dir), "../x": filepath.Join(filepath.Dir(dir), "x"), "./x": filepath.Join(dir, "x"), "x": filepath.Join(dir, "x"),
	} {
		s := parse(t, "study: s\nsubject: {command: x, git: {url: \""+url+"\"}}\n", dir)
		if s.Subject.Git.URL != want || s.Subject.Dir != "" {
			t.Errorf("%s: %s in %q, want %s", url, s.Subject.Git.URL, s.Subject.Dir, want)
		}
	}
	for _, url := range []string{"", "-x", "a b", "ftp://x/y", "git://x/y", "ext::x", "https://a:b@c/d", "a\\nb"} {
		if _, err := Parse(FileName, []byte("study: s\nsubject: {command: x, git: {url: \""+url+"\"}}\n"), dir); err == nil || !strings.HasPrefix(err.Error(), "study.yaml:2:34: ") {
			t.Errorf("%q: %v", url, err)
		}
	}
}
