package faults

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// vandalStudy has a subject that writes into a file of the harness's while it runs.
const vandalStudy = `study: vandal
subject:
  dir: tree
  shell: true
  command: [COMMAND]
  env: {FAULTS_MARK: $MARK}
baseline: a
variants: {a: {}, b: {env: {OTHER: "1"}}}
platforms: [native]
stress: {none: {}}
iterations: 4
`

// vandalised runs a campaign whose subject runs the shell command.
func vandalised(t *testing.T, command string) (h *home, r *run, status int) {
	t.Helper()
	h = newHome(t)
	text := strings.Replace(vandalStudy, "COMMAND", `'`+strings.ReplaceAll(command, "$HOME_DIR", h.dir)+`'`, 1)
	h.write(t, text)
	r = h.start(t, beginArgs()...)
	return h, r, r.wait(t, patience)
}

// TestSubjectWritesIntoTheJournal: what the harness did not write is never counted. It is noticed at the next record; the
// campaign ends without a table, and the journal is refused with the place of the damage and stays as it is.
func TestSubjectWritesIntoTheJournal(t *testing.T) {
	t.Parallel()
	shared.score.point(t, "hostile subject: writes into the journal")
	h, r, status := vandalised(t, `for f in $HOME_DIR/results/*/*/journal.jsonl; do ./subject vandal $f; done`)
	if status != 5 {
		t.Errorf("exit status %d, want 5 for a journal that is refused\n%s", status, r.stderr.String())
	}
	if text := r.stderr.String(); !strings.Contains(text, "another program changed it: it ends at byte") || !strings.Contains(text, "hint: find out what wrote") {
		t.Errorf("the place of the damage is not said, or not what to do:\n%s", text)
	}
	if r.stdout.Len() > 0 {
		t.Errorf("a table was printed all the same:\n%s", r.stdout.String())
	}
	before := string(h.journal())
	if !strings.Contains(before, "graffiti") {
		t.Fatal("the subject wrote nothing into the journal")
	}
	again := h.start(t, "report", h.folders()[0])
	if status := again.wait(t, patience); status != 5 || !strings.Contains(again.stderr.String(), "journal.jsonl:") {
		t.Errorf("a report of it: exit status %d\n%s", status, again.stderr.String())
	}
	if after := string(h.journal()); after != before {
		t.Error("a report changed the journal that it refused")
	}
}

// TestSubjectTouchesItsStudy: the campaign is the one that was begun, and going on with another one is refused.
func TestSubjectTouchesItsStudy(t *testing.T) {
	t.Parallel()
	shared.score.point(t, "hostile subject: changes its own study")
	h, r, status := vandalised(t, `echo "iterations: 9" >> $HOME_DIR/study/study.yaml; exit 1`)
	if status != 0 {
		t.Fatalf("exit status %d\n%s", status, r.stderr.String())
	}
	if table := stable(t, r.stdout.String()); strings.Count(table, `"fail": 4`) != 2 {
		t.Errorf("the table is not that of 4 failures a variant:\n%s", table)
	}
	folder, err := filepath.Rel(h.dir, h.folders()[0])
	if err != nil {
		t.Fatal(err)
	}
	again := h.start(t, resumeArgs(folder)...)
	if status := again.wait(t, patience); status != 3 && status != 5 {
		t.Errorf("a campaign goes on by a study that is no longer its own: exit status %d\n%s", status, again.stderr.String())
	}
}

// TestSubjectRemovesItsScratch: an attempt whose log was taken away cannot be judged, so it is broken, and a campaign of
// them stops and says why.
func TestSubjectRemovesItsScratch(t *testing.T) {
	t.Parallel()
	shared.score.point(t, "hostile subject: removes its own files")
	h, r, status := vandalised(t, `echo some text; rm -rf "$(dirname "$FAILRATE_RECORDS")"; exit 1`)
	ended := 0
	for _, e := range records(t, h.journal()) {
		if e.Type == "finished" {
			ended++
			if o := e.Judgement.Outcome; o != "broken" {
				t.Errorf("%s is %s", e.ID, o)
			}
		}
	}
	if text := r.stderr.String(); ended == 0 || status != 4 || !strings.Contains(text, "replaced or cut by somebody else") {
		t.Errorf("%d attempts ended, exit status %d\n%s", ended, status, text)
	}
	if _, err := os.Stat(filepath.Join(h.dir, "study", "study.yaml")); err != nil {
		t.Error(err)
	}
}
