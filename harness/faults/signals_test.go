package faults

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// interruption is what is sent to a harness, and what becomes of it.
type interruption struct {
	name    string
	signals []syscall.Signal
	pause   time.Duration // between two of them
	status  int           // the exit status that the help documents
	limit   time.Duration // within which the harness ends after the last signal
}

// exitInterrupted is the status of a campaign that a signal ended.
const exitInterrupted = 130

// interruptions lists all. One INT or HUP lets what runs end, and no trial here lasts longer than its limit.
func interruptions() []interruption {
	soon := 5 * time.Second
	return []interruption{
		{"TERM", []syscall.Signal{syscall.SIGTERM}, 0, exitInterrupted, soon},
		{"INT", []syscall.Signal{syscall.SIGINT}, 0, exitInterrupted, 10 * time.Second},
		{"INT twice", []syscall.Signal{syscall.SIGINT, syscall.SIGINT}, 5 * time.Millisecond, exitInterrupted, soon},
		{"HUP", []syscall.Signal{syscall.SIGHUP}, 0, exitInterrupted, 10 * time.Second},
		{"STOP and CONT", []syscall.Signal{syscall.SIGSTOP, syscall.SIGCONT}, 300 * time.Millisecond, 0, patience},
	}
}

// TestSignals sends each kind of signal at moments spread over a harness's life, preparation included. It ends as its
// help says, with nothing left and every start that is on record ended; resumed, the table is that of an undisturbed
// campaign.
func TestSignals(t *testing.T) {
	t.Parallel()
	prepared := native
	prepared.setup, prepared.iterations = "300ms", 8
	inside := warm
	inside.setup, inside.iterations = "300ms", 8
	for _, form := range []struct {
		shape
		points int // of each interruption
	}{{prepared, killPoints(1, 8)}, {inside, killPoints(0, 2)}} {
		if form.points == 0 {
			continue // the long form's
		}
		t.Run(form.name, func(t *testing.T) {
			t.Parallel()
			var undisturbed reference
			undisturbed.run(t, form.shape)
			seeded := rand.New(rand.NewPCG(11, uint64(form.points)))
			for i := range form.points {
				for _, what := range interruptions() {
					m := moment{share: (float64(i) + seeded.Float64()) / float64(form.points)}
					i, r := i, rand.New(rand.NewPCG(seeded.Uint64(), uint64(i)))
					t.Run(fmt.Sprintf("%03d %s %v", i, what.name, m), func(t *testing.T) {
						t.Parallel()
						signalOnce(t, what, m, &killed{home: form.home(t), shape: form.shape, whole: undisturbed.lasts, random: r}, undisturbed.table)
					})
				}
			}
			t.Run("TERM while set-up runs", func(t *testing.T) {
				t.Parallel()
				k := &killed{home: form.home(t), shape: form.shape, whole: undisturbed.lasts}
				signalOnce(t, interruptions()[0], moment{running: "prepare"}, k, undisturbed.table)
			})
		})
	}
}

// signalOnce is one point. A harness that was complete before the moment came is tried again, earlier.
func signalOnce(t *testing.T, what interruption, m moment, k *killed, table string) {
	t.Helper()
	kind := what.name + ", " + k.shape.name
	if m.running != "" {
		kind = what.name + " while set-up runs, " + k.shape.name
	}
	shared.score.point(t, kind)
	for try := 1; ; try++ {
		r := k.start(t, k.args(t)...)
		met := k.await(r, m, try)
		var sent time.Time
		if met {
			sent = what.send(r)
		}
		status := r.wait(t, patience)
		took := time.Since(sent)
		k.grown(t)
		if status == 0 && (!met || what.status != 0) {
			if try == 4 {
				t.Fatalf("the harness was complete before %v, four times", m)
			}
			k.forget(t)
			continue
		}
		if what.status != 0 && took > what.limit {
			t.Errorf("%s: it took %v to end, and %v are allowed", what.name, took, what.limit)
		}
		if what.status != 0 {
			shared.score.took(kind, took)
		}
		k.checkEnd(t, what, status, r)
		if status == 0 {
			k.table = stable(t, r.stdout.String())
		}
		break
	}
	k.run(t, nil)
	k.once(t)
	if k.table != table {
		t.Errorf("after %s the table is\n%s\nand undisturbed it is\n%s", what.name, k.table, table)
	}
}

// send sends the signals and gives the time of the last one.
func (w interruption) send(r *run) time.Time {
	for i, s := range w.signals {
		if i > 0 && w.signals[i] == w.signals[0] && !r.heard() || i > 0 && r.endsWithin(w.pause) {
			break
		}
		_ = r.cmd.Process.Signal(s) // it may have ended by itself
	}
	return time.Now()
}

// heard waits until the harness has said that it was interrupted, and reports whether it did before it ended: a signal
// that meets the same one still pending is lost.
func (r *run) heard() bool {
	for !strings.Contains(r.stderr.String(), "interrupted: ") {
		if r.endsWithin(time.Millisecond) {
			return false
		}
	}
	return true
}

// checkEnd checks the exit status, that nothing is left without failrate clean, and the journal: every start has its
// end, and the last line says that the campaign was interrupted. A process that has not come as far as listening for
// signals is ended by the system, and has done nothing then.
func (k *killed) checkEnd(t *testing.T, what interruption, status int, r *run) {
	t.Helper()
	for _, left := range k.leftovers(t.Context()) {
		t.Errorf("left behind after %s: %s", what.name, left)
	}
	list := records(t, k.journal())
	if _, err := os.Stat(k.dir + "/cache/sessions"); status == -1 && len(list) == 0 && os.IsNotExist(err) {
		return
	}
	if status != what.status {
		t.Errorf("exit status %d after %s, and %d is documented\n%s", status, what.name, what.status, r.stderr.String())
	}
	open := map[string]bool{}
	for _, rec := range list {
		if rec.Type == "started" {
			open[rec.ID] = true
		}
		delete(open, map[bool]string{true: rec.ID}[rec.Type == "finished"])
	}
	for id := range open {
		t.Errorf("%s was started and has no end on record after %s", id, what.name)
	}
	if n := len(list); n > 0 && status != 0 && list[n-1].Kind != "interrupted" {
		t.Errorf("the journal ends with %+v after %s, and not with the note of an interruption", list[n-1], what.name)
	}
}

// stubbornStudy is a campaign whose trials end for nothing but KILL.
const stubbornStudy = `study: stubborn
subject: {dir: tree, command: [./subject, stubborn], env: {FAULTS_MARK: $MARK}, grace: 1m}
baseline: a
variants: {a: {}}
platforms: [native]
iterations: 3
`

// TestSignalsEndWhatRuns sends TERM, or INT twice, while a trial runs that neither heeds signals nor would end soon, and
// whose study grants it a long grace.
func TestSignalsEndWhatRuns(t *testing.T) {
	t.Parallel()
	for _, what := range interruptions() {
		if !slices.Contains([]string{"TERM", "INT twice"}, what.name) {
			continue
		}
		t.Run(what.name, func(t *testing.T) {
			t.Parallel()
			kind := what.name + " while a trial heeds no signal"
			shared.score.point(t, kind)
			h := newHome(t)
			h.write(t, stubbornStudy)
			k := &killed{home: h, shape: native}
			r := h.start(t, beginArgs()...)
			if !k.await(r, moment{running: "stubborn"}, 1) {
				t.Fatalf("the campaign ended by itself:\n%s", r.stderr.String())
			}
			sent := what.send(r)
			status := r.wait(t, patience)
			took := time.Since(sent)
			shared.score.took(kind, took)
			if took > what.limit {
				t.Errorf("it took %v to end, and %v are allowed", took, what.limit)
			}
			k.checkEnd(t, what, status, r)
			if !bytes.Contains(h.journal(), []byte(`"outcome":"censored"`)) {
				t.Errorf("the trial that was ended is not censored:\n%s", h.journal())
			}
		})
	}
}

// running reports whether a process of the home has the word among its arguments.
func (h *home) running(word string) bool {
	return slices.ContainsFunc(h.processes(), func(p string) bool { return strings.Contains(p, " "+word) && !strings.Contains(p, "failrate") })
}
