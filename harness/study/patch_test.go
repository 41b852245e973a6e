package study

import (
	"slices"
	"strings"
	"testing"
)

const (
	changeX = "diff --git a/x b/x\nindex 1111111..2222222 100644\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"
	newLink = "diff --git a/d/l b/d/l\nnew file mode 120000\nindex 0000000..1111111\n--- /dev/null\n+++ b/d/l\n@@ -0,0 +1 @@\n+%s\n\\ No newline at end of file\n"
)

func TestPatchPaths(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		patch string
		want  []string
	}{
		"git":            {changeX, []string{"x"}},
		"plain":          {"--- old/x\t2020-01-01 00:00:00\n+++ new/x\t2020-01-02 00:00:00\n@@ -1 +1 @@\n-a\n+b\n", []string{"x"}},
		"two, once each": {changeX + strings.ReplaceAll(changeX, "/x", "/a/y") + changeX, []string{"a/y", "x"}},
		"new":            {"diff --git a/n b/n\nnew file mode 100644\nindex 0000000..1111111\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+x\n", []string{"n"}},
		"deleted":        {"diff --git a/n b/n\ndeleted file mode 100644\nindex 1111111..0000000\n--- a/n\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n", []string{"n"}},
		"renamed":        {"diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n", []string{"x", "y"}},
		"mode":           {"diff --git a/x b/x\nold mode 100644\nnew mode 100755\n", []string{"x"}},
		"mail":           {"From 1 Mon Sep 17 00:00:00 2001\nSubject: [PATCH] why\n\n---\n x | 2 +-\n\n" + changeX + "-- \n2.39.5\n", []string{"x"}},
		"link inside":    {strings.ReplaceAll(newLink, "%s", "../x"), []string{"d/l"}},
		"content that looks like a header": {
			"--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- /etc/passwd\n-- ../y\n+++ /etc/passwd\n+++ ../y\n", []string{"x"},
		},
		"deleted lines that look like headers": {
			"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,3 +1 @@\n x\n--- ../y\n--- ../z\n", []string{"x"},
		},
		"dots in names": {strings.ReplaceAll(changeX, "/x", "/a..b/...c"), []string{"a..b/...c"}},
	} {
		got, err := CheckPatch(strings.NewReader(c.patch))
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %q (%v), want %q", name, got, err, c.want)
		}
	}
}

func TestPatchesThatReachOut(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ patch, want string }{
		"climbs":          {strings.ReplaceAll(changeX, "/x", "/../x"), `patch line 3 names "a/../x", which leaves the tree`},
		"climbs later":    {strings.ReplaceAll(changeX, "/x", "/d/../../x"), `patch line 3 names "a/d/../../x", which leaves the tree`},
		"first component": {"--- ../x\n+++ ../x\n@@ -1 +1 @@\n-a\n+b\n", `patch line 1 names "../x", which leaves the tree`},
		"absolute":        {"--- /etc/passwd\n+++ /etc/passwd\n@@ -1 +1 @@\n-a\n+b\n", `patch line 1 names "/etc/passwd", which leaves the tree`},
		"new absolute":    {"--- /dev/null\n+++ /etc/cron.d/x\n@@ -0,0 +1 @@\n+b\n", `patch line 2 names "/etc/cron.d/x", which leaves the tree`},
		"second file":     {changeX + "--- x\n+++ ../y\n@@ -1 +1 @@\n-a\n+b\n", `patch line 9 names "../y", which leaves the tree`},
		"rename":          {"diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to ../y\n", `patch line 4 names "../y", which leaves the tree`},
		"quoted":          {"--- \"a/../\\303\\251\"\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", `patch line 1 names "a/../é", which leaves the tree`},
		"mode only":       {"diff --git a/../x b/../x\nold mode 100644\nnew mode 100755\n", `patch touches "../x", which leaves the tree`},
		"git's folder":    {strings.ReplaceAll(changeX, "/x", "/.git/hooks/post-checkout"), `patch touches ".git/hooks/post-checkout", which leaves the tree`},
		"link out":        {strings.ReplaceAll(newLink, "%s", "../../x"), `patch makes "d/l" a link to "../../x", which leaves the tree`},
		"link absolute":   {strings.ReplaceAll(newLink, "%s", "/etc"), `patch makes "d/l" a link to "/etc", which leaves the tree`},
		"empty":           {"", "patch changes nothing"},
		"prose":           {"nothing to see\n", "patch changes nothing"},
		"torn":            {strings.TrimSuffix(changeX, "+b\n"), "not a patch: line 5: fragment header miscounts lines: +0 old, -1 new"},
		"link in binary":  {"diff --git a/l b/l\nnew file mode 120000\nindex 0000000..1111111\nGIT binary patch\nliteral 4\nL000000000000000\n\n", `patch makes "l" a link by a binary change, which may leave the tree`},
		"too many lines":  {strings.Repeat("\n", maxPatchLines+1), "patch has more than 300000 lines"},
		"too large":       {strings.Repeat("x", maxPatch+1), "patch is larger than 16777216 bytes"},
	} {
		if paths, err := CheckPatch(strings.NewReader(c.patch)); err == nil || err.Error() != c.want {
			t.Errorf("%s: %q, %v; want %s", name, paths, err, c.want)
		}
	}
}
