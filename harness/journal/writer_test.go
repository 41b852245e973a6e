package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/failrate/failrate/harness/classify"
	"github.com/failrate/failrate/harness/plan"
)

func TestCreateMakesAFolderForOneUser(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "results", "s", "c1")
	h := testHeader(3)
	h.Version, h.PlanDigest, h.Attempt = 0, "", 0 // Create's to say
	w, err := Create(dir, h)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]fs.FileMode{".": 0o700, "..": 0o700, FileName: 0o600, CampaignName: 0o600, pidName: 0o600} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s has mode %v, want %v (%v)", name, info.Mode(), want, err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 {
		t.Errorf("the folder holds %v, %v", entries, err)
	}
	text, err := os.ReadFile(filepath.Join(dir, CampaignName))
	if err != nil {
		t.Fatal(err)
	}
	var back Header
	if err := json.Unmarshal(text, &back); err != nil || !reflect.DeepEqual(back, testHeader(3)) {
		t.Errorf("%s holds %+v, %v", CampaignName, back, err)
	}
}

func TestSameRecordsSameBytes(t *testing.T) {
	t.Parallel()
	a := written(t, filepath.Join(t.TempDir(), "a"), testHeader(5), -1)
	b := written(t, filepath.Join(t.TempDir(), "b"), testHeader(5), -1)
	if !bytes.Equal(read(t, a), read(t, b)) {
		t.Error("the same records gave two files")
	}
}

func TestResumeGoesOnWhereItStopped(t *testing.T) {
	t.Parallel()
	whole := written(t, filepath.Join(t.TempDir(), "whole"), testHeader(6), -1)
	for _, n := range []int{0, 1, 7, 15, 31, 32} {
		dir := written(t, filepath.Join(t.TempDir(), "c"), testHeader(6), n)
		w, state, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		if started, broken, unfinished := state.Attempts(); started != n || broken != 0 || unfinished != 0 {
			t.Errorf("after %d trials: %d started, %d broken, %d unfinished", n, started, broken, unfinished)
		}
		run(t, w, -1)
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(read(t, dir), read(t, whole)) {
			t.Errorf("stopped after %d trials and resumed, the journal is another one", n)
		}
	}
}

func TestStateIsTheSameEachTimeAndFollowsTheWriter(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w, err := Create(dir, testHeader(3))
	if err != nil {
		t.Fatal(err)
	}
	second := plan.AttemptID(id2, 2)
	for _, err := range []error{
		w.Start(Started{ID: id1}), w.Finish(finished(id1, classify.Fail, 1)), w.Start(Started{ID: id2}), w.Finish(finished(id2, classify.Broken, 1)),
		w.Start(Started{ID: second}), w.Note(Note{Kind: NoteInterrupted, At: epoch}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	live := w.State()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		w, state, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		h := state.Header()
		for b := range h.Plan.Blocks(plan.Shard{}) {
			for _, tr := range b.Trials {
				if got, want := state.Progress(tr), live.Progress(tr); got != want {
					t.Errorf("%s: read %+v, written %+v", tr.ID, got, want)
				}
			}
		}
		if s, b, u := state.Attempts(); s != 3 || b != 1 || u != 1 {
			t.Errorf("%d started, %d broken, %d unfinished", s, b, u)
		}
		if n := state.Notes(); len(n) != 1 || n[0].Kind != NoteInterrupted || !reflect.DeepEqual(n, live.Notes()) {
			t.Errorf("notes %+v", n)
		}
		if got := state.Counts(4); got != (Counts{classify.Lost: 1}) {
			t.Errorf("counts of b: %v", got)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestWriterRefusesRecordsOutOfOrderAndGoesOn(t *testing.T) {
	t.Parallel()
	h := testHeader(3)
	h.Shard = "1/2"
	dir := t.TempDir()
	w, err := Create(dir, h)
	if err != nil {
		t.Fatal(err)
	}
	before := read(t, dir)
	for name, err := range map[string]error{
		"finish without start":     w.Finish(finished(id1, classify.Pass, 1)),
		"second attempt first":     w.Start(Started{ID: plan.AttemptID(id1, 2)}),
		"another shard's":          w.Start(Started{ID: "a/native/none#0002"}),
		"unknown cell":             w.Start(Started{ID: "x/native/none#0001"}),
		"no id":                    w.Start(Started{}),
		"control that is no trial": w.Start(Started{ID: "ctl/native/none#0005"}),
	} {
		if err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
	if !bytes.Equal(read(t, dir), before) {
		t.Error("a refused record was written")
	}
	nan := finished(id1, classify.Pass, 1)
	nan.Judgement.Metrics["x"] = math.NaN()
	long := Note{Kind: "long", Text: strings.Repeat("x", MaxLine)}
	for i, err := range []error{w.Start(Started{ID: id1}), w.Finish(nan), w.Note(long), w.Finish(finished(id1, classify.Pass, 1)), w.Start(Started{ID: plan.AttemptID(id1, 2)})} {
		if refused := i == 1 || i == 2 || i == 4; refused != (err != nil) {
			t.Errorf("record %d: %v", i, err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Errorf("closing again: %v", err)
	}
	if err := w.Note(Note{}); !errors.Is(err, os.ErrClosed) {
		t.Errorf("a note after Close: %v", err)
	}
	if _, stats, err := texts(read(t, dir)); err != nil || stats.Records != 3 {
		t.Errorf("%d records, %v", stats.Records, err)
	}
}

func TestManyGoroutinesAppend(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w, err := Create(dir, testHeader(50))
	if err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	for g := range 5 {
		wait.Go(func() {
			for n := g*10 + 1; n <= g*10+10; n++ {
				id := plan.TrialID("a/native/none", n)
				if err := errors.Join(w.Start(Started{ID: id}), w.Finish(finished(id, classify.Pass, n)), w.Note(Note{Kind: "x"})); err != nil {
					t.Error(err)
				}
				w.State().Counts(3)
			}
		})
	}
	wait.Wait()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, stats, err := texts(read(t, dir)); err != nil || stats.Records != 151 || stats.ledger.tally[3][classify.Pass] != 50 {
		t.Errorf("%d records, %v", stats.Records, err)
	}
}

func TestTwoWritersAreRefusedWithThePid(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w, err := Create(dir, testHeader(3))
	if err != nil {
		t.Fatal(err)
	}
	_, _, errOpen := Open(dir)
	_, errCreate := Create(dir, testHeader(3))
	for _, err := range []error{errOpen, errCreate} {
		var l *LockedError
		if !errors.As(err, &l) || l.PID != os.Getpid() || !errors.Is(err, ErrLocked) || !errors.Is(err, ErrRefused) {
			t.Errorf("a second writer: %v", err)
		}
	}
	for _, text := range []string{"", "x\n", "-3", strings.Repeat("9", 40)} { // the pid file is only for the message
		if err := os.WriteFile(filepath.Join(dir, pidName), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		var l *LockedError
		if _, _, err := Open(dir); !errors.As(err, &l) || l.PID != 0 {
			t.Errorf("with %q for a pid: %v", text, err)
		}
	}
	if err := w.Start(Started{ID: id1}); err != nil {
		t.Errorf("the first writer was disturbed: %v", err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	w, _, err = Open(dir)
	if err != nil {
		t.Fatalf("after the first one closed: %v", err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// A process that is being started has the journal open for a moment: until it begins to run, a copy of every descriptor.
func TestCloseGivesTheLockBackWhateverElseIsOpen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w, err := Create(dir, testHeader(3))
	if err != nil {
		t.Fatal(err)
	}
	copied, err := syscall.Dup(int(w.file.(locked).Fd()))
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	w, _, err = Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Close(), syscall.Close(copied)); err != nil {
		t.Fatal(err)
	}
}

func TestCreateAndOpenTellTheirFoldersApart(t *testing.T) {
	t.Parallel()
	full := written(t, filepath.Join(t.TempDir(), "full"), testHeader(3), 2)
	if _, err := Create(full, testHeader(3)); !errors.Is(err, ErrExists) || !errors.Is(err, ErrRefused) {
		t.Errorf("Create on a campaign: %v", err)
	}
	if _, _, err := Open(t.TempDir()); !errors.Is(err, ErrNone) {
		t.Errorf("Open on nothing: %v", err)
	}
	for _, start := range []string{"", `{"type":"header","ver`, "\x00\x00"} { // ended before the header was whole
		dir := t.TempDir()
		path := filepath.Join(dir, FileName)
		if err := os.WriteFile(path, []byte(start), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := Open(dir); !errors.Is(err, ErrEmpty) {
			t.Errorf("Open on %q: %v", start, err)
		}
		written(t, dir, testHeader(3), -1)
		if _, stats, err := texts(read(t, dir)); err != nil || stats.Records < 3 {
			t.Errorf("Create on %q: %v", start, err)
		}
	}
	if err := os.Remove(filepath.Join(full, CampaignName)); err != nil { // ended before it was written
		t.Fatal(err)
	}
	w, _, err := Open(full)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(full, CampaignName)); err != nil {
		t.Errorf("Open did not write %s again: %v", CampaignName, err)
	}
}

func TestCreateRefusesPlansThatNoReaderTakes(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*Header){
		"shard 0/20": func(h *Header) { h.Shard = "0/20" },
		"two cells":  func(h *Header) { h.Plan.Strata[0].Cells[0].Variant = "b" },
	} {
		h := testHeader(3)
		change(&h)
		dir := filepath.Join(t.TempDir(), "c")
		if _, err := Create(dir, h); err == nil {
			t.Errorf("%s was accepted", name)
		}
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s left a folder", name)
		}
	}
}

// What stands where the journal or its pid should be, hostile or not, is neither followed nor waited for.
func TestOnlyRegularFilesAreOpened(t *testing.T) {
	t.Parallel()
	victim := filepath.Join(t.TempDir(), "victim")
	if err := os.WriteFile(victim, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, place := range map[string]func(path string) error{
		"link":   func(path string) error { return os.Symlink(victim, path) },
		"pipe":   func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"folder": func(path string) error { return os.Mkdir(path, 0o700) },
	} {
		dir := t.TempDir()
		if err := place(filepath.Join(dir, FileName)); err != nil {
			t.Fatal(err)
		}
		if _, _, err := Open(dir); err == nil {
			t.Errorf("a %s was opened as a journal", name)
		}
		if _, err := Create(dir, testHeader(3)); err == nil {
			t.Errorf("a %s was taken over as a journal", name)
		}
		if _, err := Merge([]Source{{Path: filepath.Join(dir, FileName)}}, Limits{}); err == nil {
			t.Errorf("a %s was merged as a journal", name)
		}
		if name == "folder" {
			continue
		}
		dir = written(t, filepath.Join(t.TempDir(), "c"), testHeader(3), 1)
		if err := place(filepath.Join(dir, pidName)); err != nil {
			t.Fatal(err)
		}
		w, _, err := Open(dir)
		if err != nil {
			t.Fatalf("a %s for a pid: %v", name, err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if text, err := os.ReadFile(victim); err != nil || string(text) != "precious" {
		t.Errorf("the victim holds %q, %v", text, err)
	}
}

// A harness that is killed while it writes a file beside the journal leaves the half of it under a name of its own.
func TestOpenForgetsTheHalvesOfAKilledHarness(t *testing.T) {
	t.Parallel()
	dir := written(t, filepath.Join(t.TempDir(), "killed"), testHeader(3), 0)
	for _, name := range []string{CampaignName + ".new-123", pidName + ".new-4", "notes.new-5"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("{"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w, _, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	left, err := filepath.Glob(filepath.Join(dir, "*.new-*"))
	if want := []string{filepath.Join(dir, "notes.new-5")}; err != nil || !slices.Equal(left, want) {
		t.Errorf("there are %q (%v) and should be %q: another's file stays", left, err, want)
	}
}
