package study

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func mustDigest(t *testing.T, s *Study) string {
	t.Helper()
	d, err := s.Digest()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

const digestDoc = `study: s
subject: {command: [x, "{p}"], git: {url: ../upstream, ref: main}, image: {build: folder}}
parameters: {p: [1, 2]}
variants: {baseline: {}, b: {patch: ok.patch}, c: {files: folder}}
controls: {d: {files: {y: plain.txt}, image: {build: folder}, expect: {fail: true, at-most: 1%}}}
classes: [{class: a, match: x}]
`

func TestDigestDoesNotDependOnThePlace(t *testing.T) {
	t.Parallel()
	one, two := badFolder(t), badFolder(t)
	a, b := parse(t, digestDoc, one), parse(t, "# a comment\n\n"+digestDoc, two)
	if a.Dir == b.Dir || a.Classes[0].Source == b.Classes[0].Source {
		t.Fatal("the studies are in the same place")
	}
	if mustDigest(t, a) != mustDigest(t, b) {
		t.Error("two places, two digests")
	}
	for i := range a.Variants {
		va, err1 := a.VariantDigest(a.Variants[i])
		vb, err2 := b.VariantDigest(b.Variants[i])
		if va != vb || err1 != nil || err2 != nil {
			t.Errorf("variant %s: %s (%v) and %s (%v)", a.Variants[i].Name, va, err1, vb, err2)
		}
	}
}

func TestDigestIsSHA256InHex(t *testing.T) {
	t.Parallel()
	if d := mustDigest(t, parse(t, oneStudy, t.TempDir())); len(d) != 64 || strings.Trim(d, "0123456789abcdef") != "" {
		t.Errorf("digest %q", d)
	}
}

func TestDigestSeesEveryChange(t *testing.T) {
	t.Parallel()
	seen := map[string]string{mustDigest(t, parse(t, digestDoc, badFolder(t))): "nothing"}
	note := func(what string, s *Study) {
		d := mustDigest(t, s)
		if other, same := seen[d]; same {
			t.Errorf("%s gives the digest of %s", what, other)
		}
		seen[d] = what
	}
	for _, change := range [][2]string{
		{"study: s", "study: t"}, {"[x,", "[y,"}, {"ref: main", "ref: next"}, {"../upstream", "../other"}, {"[1, 2]", "[2, 1]"},
		{"b: {patch: ok.patch}", "b: {}"}, {"{class: a, match: x}", "{class: a, match: y}"}, {"at-most: 1%", "at-most: 2%"},
		{"{build: folder}", "{build: empty}"}, {"study: s\n", "study: s\niterations: 7\n"}, {"study: s\n", "study: s\nstress: {a: {cpu: 1x}}\n"},
	} {
		note(change[1], parse(t, strings.Replace(digestDoc, change[0], change[1], 1), badFolder(t)))
	}
	for _, file := range []string{"ok.patch", "folder/Dockerfile", "plain.txt"} {
		dir := badFolder(t)
		data, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, file), []byte(strings.Replace(string(data), "+b", "+c", 1)+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		note("the content of "+file, parse(t, digestDoc, dir))
	}
}

func TestDigestSaysWhichFileIsGone(t *testing.T) {
	t.Parallel()
	dir := badFolder(t)
	s := parse(t, digestDoc, dir)
	if err := os.Remove(filepath.Join(dir, "ok.patch")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Digest(); err == nil || !strings.Contains(err.Error(), "ok.patch") {
		t.Errorf("digest of a missing file: %v", err)
	}
	if _, err := s.VariantDigest(s.Variants[1]); err == nil || !strings.Contains(err.Error(), "ok.patch") {
		t.Errorf("digest of a variant with a missing file: %v", err)
	}
}

func TestRulesDigest(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rules := "classes: [{class: a, match: x}]\nevidence: [{name: e, match: y}]\n"
	first := parse(t, oneStudy+rules, dir).RulesDigest()
	if second := parse(t, oneStudy+"iterations: 5\n"+rules, dir).RulesDigest(); first != second {
		t.Error("the digest of the rules depends on something else")
	}
	for _, other := range []string{
		oneStudy + strings.Replace(rules, "match: x", "match: z", 1), oneStudy + strings.Replace(rules, "match: y", "match: z", 1),
		oneStudy + strings.Replace(rules, "name: e", "optional: true, name: e", 1), oneSubject + "results: tap\n" + rules, oneStudy,
	} {
		if parse(t, other, dir).RulesDigest() == first {
			t.Errorf("the same digest for the rules of\n%s", other)
		}
	}
}

func TestIdenticalVariants(t *testing.T) {
	t.Parallel()
	base := "study: s\nsubject: {command: [x], env: {A: 1}, setup: [make], git: {url: /r, ref: main}, image: {build: folder, args: {B: 1}}}\n"
	dir := badFolder(t)
	if err := os.WriteFile(filepath.Join(dir, "copy.patch"), []byte("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for variants, want := range map[string]string{
		"{baseline: {}, b: {}}":                                                    "these two are identical: baseline and b",
		"{baseline: {}, b: {ref: main}}":                                           "these two are identical: baseline and b",
		"{baseline: {}, b: {env: {A: 1}}}":                                         "these two are identical: baseline and b",
		"{baseline: {}, b: {command: x}}":                                          "these two are identical: baseline and b",
		"{baseline: {}, b: {setup: [make]}}":                                       "these two are identical: baseline and b",
		"{baseline: {}, b: {build-args: {B: 1}}}":                                  "these two are identical: baseline and b",
		"{baseline: {args: [y]}, b: {command: x y}}":                               "these two are identical: baseline and b",
		"{baseline: {patch: ok.patch}, b: {patch: copy.patch}}":                    "these two are identical: baseline and b",
		"{baseline: {}, b: {args: [z]}, c: {args: [z]}}":                           "these two are identical: b and c",
		"{baseline: {}, b: {ref: next}}":                                           "",
		"{baseline: {}, b: {env: {A: 2}}}":                                         "",
		"{baseline: {}, b: {args: [y]}}":                                           "",
		"{baseline: {}, b: {setup: []}}":                                           "",
		"{baseline: {}, b: {files: {x: plain.txt}}}":                               "",
		"{baseline: {files: {y: plain.txt}}, b: {files: {x: plain.txt}}}":          "",
		"{baseline: {}, b: {build-args: {B: 2}}}":                                  "",
		"{baseline: {}, b: {image: scratch}}":                                      "",
		"{baseline: {}, b: {patch: ok.patch}}":                                     "",
		"{baseline: {}, b: {patch: [ok.patch, copy.patch]}, c: {patch: ok.patch}}": "",
	} {
		s := parse(t, base+"variants: "+variants+"\n", dir)
		if got := strings.Join(s.Warnings, "; "); got != want {
			t.Errorf("%s: warnings %q, want %q", variants, got, want)
		}
	}
}
