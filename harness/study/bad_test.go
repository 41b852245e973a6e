package study

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// badFolder is a study's folder with what the bad files name.
func badFolder(t *testing.T) string {
	t.Helper()
	outer := t.TempDir()
	dir := filepath.Join(outer, "study")
	patch := "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"
	for name, content := range map[string]string{
		"ok.patch": patch, "leaves.patch": strings.ReplaceAll(patch, "/x", "/../../x"), "plain.txt": "text\n",
		"folder/Dockerfile": "FROM scratch\n", "../elsewhere/x.patch": patch,
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../elsewhere", filepath.Join(dir, "outside")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// What the cases start with, so that each shows only its own fault.
const (
	oneStudy   = "study: s\nsubject: {command: x}\n"
	oneSubject = "study: s\nsubject:\n  command: x\n  "
	noCommand  = "study: s\nsubject:\n  command: "
)

// Whether the schema refuses a bad file as well, or only the loader can see the fault.
const (
	schemaToo  = true
	loaderOnly = false
)

// badFile is a study.yaml with a fault, and everything that is said about it.
type badFile struct {
	name       string
	doc        string
	bySchema   bool
	complaints string
}

func TestBadFiles(t *testing.T) {
	t.Parallel()
	dir := badFolder(t)
	judge := compiled(t)
	for _, c := range append(badStudies, badSubjects...) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, err := Parse("study.yaml", []byte(c.doc+"\n"), dir)
			var errs Errors
			if !errors.As(err, &errs) {
				t.Fatalf("got study %v and error %v, want Errors", s, err)
			}
			if errs.Error() != c.complaints {
				t.Errorf("complaints:\n%s\nwant:\n%s", errs, c.complaints)
			}
			if got := schemaRefuses(judge, c.doc+"\n"); got != c.bySchema {
				t.Errorf("the schema refuses it: %v, want %v", got, c.bySchema)
			}
		})
	}
}

var badStudies = []badFile{
	{"empty", "", schemaToo,
		`study.yaml:1:1: the file is empty
hint: failrate init writes one to start from`},
	{"only a comment", "# nothing", schemaToo,
		`study.yaml:1:1: the file is empty
hint: failrate init writes one to start from`},
	{"not a mapping", "- a", schemaToo,
		"study.yaml:1:1: study must be a mapping, not a list"},
	{"null", "~", schemaToo,
		"study.yaml:1:1: study must be a mapping, not nothing"},
	{"two documents", `study: s
subject: {command: x}
---
study: t`, schemaToo,
		`study.yaml:3:1: a second document starts here
hint: one file is one study: remove the --- line and what follows it`},
	{"tab indentation", `study: s
subject:
	command: x`, schemaToo,
		`study.yaml:3:1: not YAML: found character that cannot start any token
hint: indent with spaces, not tabs`},
	{"unclosed list", `study: s
subject: {command: [a, b}`, schemaToo,
		"study.yaml:2:1: not YAML: did not find expected ',' or ']'"},
	{"unknown anchor", `study: s
subject: {command: *cmd}`, schemaToo,
		`study.yaml:2:20: not YAML: unknown anchor "cmd"`},
	{"anchor in itself", `study: s
subject: {command: x, setup: &a [*a]}`, schemaToo,
		`study.yaml:2:34: anchor "a" contains itself
hint: write the values out instead of using anchors`},
	{"missing keys", "title: t", schemaToo,
		`study.yaml:1:1: study has no "study"
study.yaml:1:1: study has no "subject"`},
	{"missing command", `study: s
subject: {timeout: 5s}`, schemaToo,
		`study.yaml:2:10: subject has neither command nor steps
hint: command runs a program, steps is a list of HTTP requests`},
	{"wrong study name", `study: Not A Name
subject: {command: x}`, schemaToo,
		`study.yaml:1:8: "Not A Name" cannot name a study
hint: 1 to 64 of a-z, 0-9 and hyphen, starting with a letter or digit`},
	{"all errors at once", `study: s
subject:
  command: x
  timeout: fast
  grace: 0s
iteratons: 5
baseline: b
variants: {a: {}}`, schemaToo,
		`study.yaml:4:12: timeout must be a duration such as 90s, 10m or 1h30m, not "fast"
study.yaml:5:10: grace must be above 0s and at most 720h, not 0s
study.yaml:6:1: unknown field "iteratons"
hint: did you mean "iterations"?
study.yaml:7:11: baseline "b" is not among the variants
hint: known are a`},
	{"unknown top key", oneStudy + "iteratons: 5", schemaToo,
		`study.yaml:3:1: unknown field "iteratons"
hint: did you mean "iterations"?`},
	{"unknown key of another mapping", oneStudy + "timeout: 5s", schemaToo,
		`study.yaml:3:1: unknown field "timeout"
hint: "timeout" belongs in subject`},
	{"unknown key with nothing near", oneStudy + "zzzzzzzz: 1", schemaToo,
		`study.yaml:3:1: unknown field "zzzzzzzz"
hint: known are study, title, source, conditions, exposure, parameters, classes, subject, variants, controls, baseline, platforms, stress, iterations, evidence, claims, broken, keep`},
	{"unknown in variant", oneStudy + "variants: {a: {patches: x.patch}}", schemaToo,
		`study.yaml:3:16: unknown field "patches" in variant
hint: did you mean "patch"?`},
	{"key of a variant in the study", oneStudy + "patch: ok.patch", schemaToo,
		`study.yaml:3:1: unknown field "patch"
hint: "patch" belongs in variant`},
	{"duplicate key", oneStudy + `keep: all
keep: none`, schemaToo,
		`study.yaml:4:1: "keep" is there twice
hint: the first is on line 3`},
	{"merge key", oneStudy + "claims: {<<: {tolerate: 1%}}", schemaToo,
		`study.yaml:3:10: unknown field "<<" in claims
hint: write the keys out: merge keys are not read`},
	{"key that is a list", oneStudy + "claims: {[a]: 1}", schemaToo,
		"study.yaml:3:10: a key of claims is a list, not a word"},
	{"title is a number", oneStudy + "title: 2024", schemaToo,
		`study.yaml:3:8: title must be text, not the number 2024
hint: put it in quotes`},
	{"title with escape", oneStudy + `title: "a\x1b[31m"`, loaderOnly,
		"study.yaml:3:8: title holds the control character U+001B"},
	{"title is a list", oneStudy + "title: [a]", schemaToo,
		"study.yaml:3:8: title must be text, not a list"},
	{"iterations zero", oneStudy + "iterations: 0", schemaToo,
		"study.yaml:3:13: iterations must be from 1 to 1000000, not 0"},
	{"iterations fraction", oneStudy + "iterations: 1.5", schemaToo,
		"study.yaml:3:13: iterations must be a whole number, not the number 1.5"},
	{"iterations text", oneStudy + "iterations: many", schemaToo,
		`study.yaml:3:13: iterations must be a whole number, not "many"`},
	{"iterations null", oneStudy + "iterations:", schemaToo,
		"study.yaml:3:12: iterations must be a whole number, not nothing"},
	{"exposure zero", oneStudy + "exposure: 0%", schemaToo,
		"study.yaml:3:11: exposure must be above 0% and at most 100%, not 0%"},
	{"exposure above", oneStudy + "exposure: 120%", schemaToo,
		"study.yaml:3:11: exposure must be above 0% and at most 100%, not 120%"},
	{"exposure number without percent", oneStudy + "exposure: 50", schemaToo,
		`study.yaml:3:11: exposure must be above 0% and at most 100%, not 50
hint: did you mean 50%?`},
	{"exposure text", oneStudy + "exposure: half", schemaToo,
		`study.yaml:3:11: exposure must be a share such as 2% or 0.02, not "half"`},
	{"confidence too low", oneStudy + "claims: {confidence: 5%}", schemaToo,
		"study.yaml:3:22: confidence must be at least 50% and below 100%, not 5%"},
	{"confidence 100", oneStudy + "claims: {confidence: 100%}", schemaToo,
		"study.yaml:3:22: confidence must be at least 50% and below 100%, not 100%"},
	{"tolerate number", oneStudy + "claims: {tolerate: 2}", schemaToo,
		`study.yaml:3:20: tolerate must be from 0% to 100%, not 2
hint: did you mean 2%?`},
	{"keep typo", oneStudy + "keep: fialed", schemaToo,
		`study.yaml:3:7: keep cannot be "fialed"
hint: did you mean "failed"?`},
	{"broken retries", oneStudy + "broken: {retries: -1, at-most: 101%}", schemaToo,
		`study.yaml:3:19: retries must be from 0 to 100, not -1
study.yaml:3:32: at-most must be from 0% to 100%, not 101%`},
	{"baseline typo", oneStudy + `baseline: basline
variants: {baseline: {}, other: {args: [a]}}`, loaderOnly,
		`study.yaml:3:11: baseline "basline" is not among the variants
hint: did you mean "baseline"?`},
	{"no baseline", oneStudy + "variants: {a: {args: [x]}, b: {args: [y]}}", loaderOnly,
		`study.yaml:1:1: study has no "baseline"
hint: add baseline: a, or another of the variants`},
	{"variants empty", oneStudy + "variants: {}", schemaToo,
		`study.yaml:3:11: variants is empty
hint: leave it out to measure the subject as it is`},
	{"variant name", oneStudy + "variants: {Bad: {}, ok: {}}", schemaToo,
		`study.yaml:3:12: "Bad" cannot name a variant
hint: a name is 1 to 64 of a-z, 0-9, dot, underscore and hyphen, starting with a letter or digit`},
	{"variant twice", oneStudy + "variants: {a: {}, a: {}}", schemaToo,
		`study.yaml:3:19: "a" is there twice
hint: the first is on line 3`},
	{"variant a list", oneStudy + "variants: [a]", schemaToo,
		"study.yaml:3:11: variants must be a mapping, not a list"},
	{"variant a word", oneStudy + "variants: {a: b}", schemaToo,
		`study.yaml:3:15: variant must be a mapping, not "b"`},
	{"control named as variant", oneStudy + `variants: {baseline: {}}
controls: {baseline: {expect: {fail: true, at-most: 1%}}}`, loaderOnly,
		`study.yaml:4:12: the control "baseline" has the name of an earlier one
hint: choose another name`},
	{"control without expect", oneStudy + "controls: {c: {args: [x]}}", schemaToo,
		`study.yaml:3:15: control has no "expect"`},
	{"expect both", oneStudy + "controls: {c: {expect: {fail: true, class: other, at-most: 1%}}}", schemaToo,
		`study.yaml:3:44: expect counts either every failure or those of a class
hint: leave one of them out`},
	{"expect neither", oneStudy + "controls: {c: {expect: {at-most: 1%}}}", schemaToo,
		`study.yaml:3:24: expect does not say what is counted
hint: fail: true counts every failure, class: NAME those of a class`},
	{"expect fail false", oneStudy + "controls: {c: {expect: {fail: false, at-most: 1%}}}", schemaToo,
		`study.yaml:3:31: fail can only be true
hint: for a control that must not fail, write fail: true, at-most: 0%`},
	{"expect no bound", oneStudy + "controls: {c: {expect: {fail: true}}}", schemaToo,
		`study.yaml:3:24: expect has no bound
hint: at-least: 99% or at-most: 1%, for example`},
	{"expect useless bound", oneStudy + "controls: {c: {expect: {fail: true, at-most: 100%}}}", loaderOnly,
		`study.yaml:3:24: expect has bounds that every rate meets
hint: a control is known in advance: at-least above 0% or at-most below 100%`},
	{"expect crossed", oneStudy + "controls: {c: {expect: {fail: true, at-least: 50%, at-most: 10%}}}", loaderOnly,
		"study.yaml:3:47: at-least is above at-most"},
	{"expect unknown class", oneStudy + `classes: [{class: committed, match: x}]
controls: {c: {expect: {class: comitted, at-most: 10%}}}`, loaderOnly,
		`study.yaml:4:32: class "comitted" is in no rule of classes
hint: did you mean "committed"?`},
	{"ref without git", oneStudy + "variants: {a: {ref: main}}", loaderOnly,
		`study.yaml:3:21: ref changes the commit, but the subject is a folder
hint: ref needs subject.git`},
	{"build-args without build", oneStudy + `variants: {a: {build-args: {A: "1"}}}`, loaderOnly,
		`study.yaml:3:28: build-args change nothing: the image is not built
hint: build-args need an image with build`},
	{"patch missing", oneStudy + "variants: {a: {patch: okk.patch}}", loaderOnly,
		`study.yaml:3:23: patch: there is no "okk.patch" in the study's folder
hint: did you mean "ok.patch"?`},
	{"patch outside", oneStudy + "variants: {a: {patch: ../x.patch}}", loaderOnly,
		`study.yaml:3:23: patch: "../x.patch" leaves the study's folder
hint: paths are relative to the study's folder and stay inside it`},
	{"patch absolute", oneStudy + "variants: {a: {patch: /etc/passwd}}", schemaToo,
		`study.yaml:3:23: patch: "/etc/passwd" leaves the study's folder
hint: paths are relative to the study's folder and stay inside it`},
	{"patch a folder", oneStudy + "variants: {a: {patch: folder}}", loaderOnly,
		`study.yaml:3:23: patch: "folder" is not a file`},
	{"patch leaves the tree", oneStudy + `variants:
  a: {patch: [ok.patch, leaves.patch]}`, loaderOnly,
		`study.yaml:4:25: patch "leaves.patch": patch line 1 names "a/../../x", which leaves the tree`},
	{"patch is not one", oneStudy + "variants: {a: {patch: plain.txt}}", loaderOnly,
		`study.yaml:3:23: patch "plain.txt": patch changes nothing`},
	{"patch through symlink", oneStudy + "variants: {a: {patch: outside/x.patch}}", loaderOnly,
		`study.yaml:3:23: patch: "outside/x.patch" cannot be used: path escapes from parent`},
	{"files folder missing", oneStudy + "variants: {a: {files: nowhere}}", loaderOnly,
		`study.yaml:3:23: files: there is no "nowhere" in the study's folder`},
	{"files to outside", oneStudy + "variants: {a: {files: {../x: plain.txt}}}", loaderOnly,
		`study.yaml:3:24: files: "../x" is not a path in the subject's tree
hint: write it relative to the tree, without . and ..`},
	{"files to git", oneStudy + "variants: {a: {files: {.git/config: plain.txt}}}", loaderOnly,
		`study.yaml:3:24: files: ".git/config" is not a path in the subject's tree
hint: write it relative to the tree, without . and ..`},
	{"files from folder", oneStudy + "variants: {a: {files: {x: folder}}}", loaderOnly,
		`study.yaml:3:27: files: "folder" is not a file`},
	{"files number", oneStudy + "variants: {a: {files: 5}}", schemaToo,
		`study.yaml:3:23: files must be text, not the number 5
hint: put it in quotes`},
	{"empty folder", oneStudy + "variants: {a: {files: empty}}", loaderOnly,
		`study.yaml:3:23: files: "empty" holds no files`},
	{"env reserved", oneStudy + "variants: {a: {env: {FAILRATE_SEED: 1}}}", schemaToo,
		`study.yaml:3:22: "FAILRATE_SEED": names that start with FAILRATE_ are the harness's own
hint: choose another name`},
	{"env null", oneStudy + "variants: {a: {env: {A: }}}", schemaToo,
		"study.yaml:3:25: env must be text, not nothing"},
	{"env list", oneStudy + "variants: {a: {env: [A=1]}}", schemaToo,
		"study.yaml:3:21: env must be a mapping, not a list"},
	{"env name with equals", oneStudy + `variants: {a: {env: {"A=B": 1}}}`, schemaToo,
		`study.yaml:3:22: "A=B" is not the name of an environment variable`},
	{"args word", oneStudy + "variants: {a: {args: -x}}", schemaToo,
		`study.yaml:3:22: args must be a list of words, not "-x"`},
	{"args null", oneStudy + "variants: {a: {args: [~]}}", schemaToo,
		"study.yaml:3:23: args must be text, not nothing"},
	{"unknown placeholder", oneStudy + `parameters: {delay: [0s]}
variants: {a: {args: ["{dela}", "{other}"]}}`, loaderOnly,
		`study.yaml:4:23: {dela} is not a parameter
hint: did you mean {delay}?
study.yaml:4:33: {other} is not a parameter
hint: declare it as parameters: {other: [...]}, or put a space after the brace to keep it as text`},
	{"placeholder as shell variable", oneStudy + `parameters: {delay: [0s]}
variants: {a: {args: ["${delay}"]}}`, loaderOnly,
		`study.yaml:4:23: ${delay} looks like a shell variable but names a parameter
hint: write {delay} or $FAILRATE_PARAM_DELAY`},
	{"out outside compile", oneStudy + `variants: {a: {command: [x, "{out}"]}}`, loaderOnly,
		"study.yaml:3:29: {out} is known in compile only"},
	{"platforms typo", oneStudy + "platforms: [natve]", schemaToo,
		`study.yaml:3:13: platforms cannot be "natve"
hint: did you mean "native"?`},
	{"platforms twice", oneStudy + "platforms: [native, native]", schemaToo,
		"study.yaml:3:21: platform native is there twice"},
	{"platforms empty", oneStudy + "platforms: []", schemaToo,
		`study.yaml:3:12: platforms is an empty list
hint: known are container, native`},
	{"platforms word", oneStudy + "platforms: native", schemaToo,
		`study.yaml:3:12: platforms must be a list of platforms, not "native"`},
	{"container without image", oneStudy + "platforms: [native, container]", loaderOnly,
		`study.yaml:3:12: the platform container needs an image, and "baseline" has none
hint: add subject.image, or subject.compile for a static program`},
	{"stress empty", oneStudy + "stress: {}", schemaToo,
		`study.yaml:3:9: stress is empty
hint: leave it out to measure without stress`},
	{"stress none with load", oneStudy + "stress: {none: {cpu: 1x}}", schemaToo,
		`study.yaml:3:10: stress level "none" cannot have a load
hint: give the level another name`},
	{"stress cpu number", oneStudy + "stress: {a: {cpu: 2}}", schemaToo,
		`study.yaml:3:19: cpu must be a factor such as 2x, not the number 2
hint: 2x is 2 busy workers for every core; workers: says how many in all`},
	{"stress cpu zero", oneStudy + "stress: {a: {cpu: 0x}}", schemaToo,
		"study.yaml:3:19: cpu must be above 0x and at most 64x, not 0x"},
	{"stress cpu and workers", oneStudy + "stress: {a: {cpu: 1x, workers: 2}}", schemaToo,
		`study.yaml:3:32: stress level "a" has both cpu and workers
hint: cpu counts by core, workers in all`},
	{"stress duty alone", oneStudy + "stress: {a: {duty: 50%, burst: true, place: inside}}", schemaToo,
		`study.yaml:3:20: duty says how workers run, but stress level "a" has none
hint: add cpu or workers
study.yaml:3:32: burst says how workers run, but stress level "a" has none
hint: add cpu or workers
study.yaml:3:45: place says how workers run, but stress level "a" has none
hint: add cpu or workers`},
	{"stress place", oneStudy + "stress: {a: {cpu: 1x, place: insid}}", schemaToo,
		`study.yaml:3:30: place cannot be "insid"
hint: did you mean "inside"?`},
	{"stress quota", oneStudy + "stress: {a: {quota: {}}, b: {quota: {cpus: 0}}}", schemaToo,
		`study.yaml:3:21: quota has no "cpus"
study.yaml:3:44: cpus must be above 0 and at most 4096, not 0`},
	{"parameter names", oneStudy + "parameters: {Delay: [1], out: [1]}", schemaToo,
		`study.yaml:3:14: "Delay" cannot name a parameter
hint: a name is 1 to 64 of a-z, 0-9, dot, underscore and hyphen, starting with a letter or digit
study.yaml:3:26: "out" cannot name a parameter: {out} is where compile puts the program
hint: choose another name`},
	{"parameter variables", oneStudy + "parameters: {a-b: [1], a.b: [1]}", loaderOnly,
		`study.yaml:3:24: parameters "a-b" and "a.b" would both be $FAILRATE_PARAM_A_B
hint: choose another name`},
	{"parameter values", oneStudy + `parameters: {a: [], b: [1, 1], c: [""], d: x}`, schemaToo,
		`study.yaml:3:17: parameter "a" has no values
study.yaml:3:28: parameter "b" has the value "1" twice
study.yaml:3:36: parameter "c" cannot have the value ""
hint: a value is 1 to 200 bytes without control characters
study.yaml:3:44: parameter "d" must be a list of values, not "x"`},
	{"class neither", oneStudy + "classes: [{match: x}]", schemaToo,
		`study.yaml:3:11: a rule has to name a class or say broken
hint: class: NAME, or broken: true`},
	{"class both", oneStudy + "classes: [{class: a, broken: true, match: x}]", schemaToo,
		`study.yaml:3:30: a rule names a class or says broken, not both
hint: leave one of them out`},
	{"class broken false", oneStudy + "classes: [{broken: false, match: x}]", schemaToo,
		`study.yaml:3:20: broken can only be true
hint: leave the rule out`},
	{"broken catches all", oneStudy + "classes: [{broken: true}]", schemaToo,
		`study.yaml:3:11: a rule that calls every failure broken would hide them all
hint: add match, exit or signal`},
	{"rule after catch-all", oneStudy + `classes:
  - {class: a}
  - {class: b, match: x}`, loaderOnly,
		`study.yaml:5:5: this rule is never tried
hint: move it before the rule on line 4, which matches everything`},
	{"class regex", oneStudy + "classes: [{class: a, match: 'a(?=b)'}]", loaderOnly,
		`study.yaml:3:29: match: invalid or unsupported Perl syntax: "(?="
hint: expressions are RE2: no look-around, no back-references`},
	{"class empty regex", oneStudy + "classes: [{class: a, match: ''}]", schemaToo,
		`study.yaml:3:29: match is empty
hint: leave it out to match everything`},
	{"class exit", oneStudy + "classes: [{class: a, exit: 256}, {class: b, exit: one}]", schemaToo,
		`study.yaml:3:28: exit must be from 0 to 255, not 256
study.yaml:3:51: exit must be a whole number, not "one"`},
	{"class signal", oneStudy + "classes: [{class: a, signal: SEGV}]", schemaToo,
		`study.yaml:3:30: signal cannot be "SEGV"
hint: did you mean "SIGSEGV"?`},
	{"class name", oneStudy + "classes: [{class: Committed!}]", schemaToo,
		`study.yaml:3:19: "Committed!" cannot name a class
hint: a name is 1 to 64 of a-z, 0-9, dot, underscore and hyphen, starting with a letter or digit`},
	{"evidence without match", oneStudy + "evidence: [{name: cut}]", loaderOnly,
		`study.yaml:3:12: evidence "cut" has no match
hint: only results: records can carry a mark without one`},
	{"evidence without name", oneStudy + "evidence: [{match: cut}]", schemaToo,
		`study.yaml:3:12: evidence has no "name"`},
	{"evidence after alone", oneStudy + "evidence: [{name: cut, after: x}]", schemaToo,
		`study.yaml:3:31: after says where match counts, but there is no match
hint: add match`},
	{"evidence twice", oneStudy + "evidence: [{name: cut, match: x}, {name: cut, match: y}]", loaderOnly,
		`study.yaml:3:42: the mark "cut" has the name of an earlier one
hint: choose another name`},
	{"evidence except", oneStudy + `variants: {baseline: {}}
evidence: [{name: cut, match: x, except: [basline]}]`, loaderOnly,
		`study.yaml:4:43: except: "basline" is neither a variant nor a control
hint: did you mean "baseline"?`},
	{"evidence scalar", oneStudy + "evidence: cut", schemaToo,
		`study.yaml:3:11: evidence must be a list of marks, not "cut"`},
	{"too many trials", oneStudy + `iterations: 500000
variants: {baseline: {}, b: {args: [x]}, c: {args: [y]}}`, loaderOnly,
		`study.yaml:3:13: 1500000 trials in 3 cells: one after another, up to 29 years (the limits are 1000000 trials and 10000 cells)
hint: lower iterations, or leave out variants, platforms, stress levels or values of parameters`},
	{"too many cells", oneStudy + `parameters:
  a: &v [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
  b: *v
  c: *v
  d: *v
  e: [0, 1]`, loaderOnly,
		`study.yaml:1:1: 2000000 trials in 20000 cells: one after another, up to 39 years (the limits are 1000000 trials and 10000 cells)
hint: lower iterations, or leave out variants, platforms, stress levels or values of parameters`},
}
