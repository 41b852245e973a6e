package faults

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// moment is when a harness is killed: a share of an undisturbed run's duration after its start, or as soon as its journal
// holds so many records of a kind.
type moment struct {
	share  float64
	record string // header, started, finished or note; empty means the share decides
	number int

	running string // or as soon as the subject runs in this mode
}

func (m moment) String() string {
	if m.record != "" {
		return fmt.Sprintf("after %s %d", m.record, m.number)
	}
	return fmt.Sprintf("at %.1f %%", 100*m.share)
}

// kind is the row of the table.
func (m moment) kind(s shape) string {
	if m.record != "" {
		return "SIGKILL just after a record is written, " + s.name
	}
	return "SIGKILL at a random moment, " + s.name
}

// moments are spread over the life of a campaign: half of them by time, half after each kind of record in turn.
func moments(s shape, n int, r *rand.Rand) (out []moment) {
	for i := range n {
		switch m := (moment{share: (float64(i) + r.Float64()) / float64(n)}); i % 8 {
		case 1:
			out = append(out, moment{record: "header", number: 1})
		case 3:
			out = append(out, moment{record: "started", number: 1 + r.IntN(s.trials()-1)})
		case 5:
			out = append(out, moment{record: "finished", number: 1 + r.IntN(s.trials()-1)})
		case 7:
			out = append(out, moment{record: "note", number: 1})
		default:
			out = append(out, m)
		}
	}
	return out
}

// reference is the undisturbed run of a shape that the others are compared with; it is run once.
type reference struct {
	once  sync.Once
	table string
	files []string // of its results folder
	lasts time.Duration
}

func (u *reference) run(t *testing.T, s shape) {
	t.Helper()
	u.once.Do(func() {
		h := s.home(t)
		begun := time.Now()
		u.table = stable(t, h.failrate(t, 0, s.beginArgs()...))
		u.lasts = time.Since(begun)
		u.files = h.files(t)
	})
	if u.table == "" {
		t.Fatal("there is no undisturbed run to compare with")
	}
}

// killPoints is how many points a shape has in this form of the suite.
func killPoints(short, longer int) int {
	if n, err := strconv.Atoi(os.Getenv("FAULTS_POINTS")); err == nil && long() {
		return max(1, n*longer/200)
	}
	if long() {
		return longer
	}
	return short
}

// TestKillAnywhere kills a harness, resumes its campaign, kills it again up to twice, and resumes it until it is
// complete. Then its table is that of an undisturbed campaign, nothing that had ended was lost or run again, and nothing
// is left. Every second campaign is cleaned after by failrate clean before it is resumed.
func TestKillAnywhere(t *testing.T) {
	t.Parallel()
	for _, form := range []struct {
		shape
		points int
	}{{native, killPoints(6, 90)}, {busy, killPoints(2, 30)}, {warm, killPoints(2, 50)}, {fresh, killPoints(1, 30)}} {
		t.Run(form.name, func(t *testing.T) {
			t.Parallel()
			var undisturbed reference
			undisturbed.run(t, form.shape)
			seeded := rand.New(rand.NewPCG(7, uint64(form.points)))
			for i, m := range moments(form.shape, form.points, seeded) {
				r := rand.New(rand.NewPCG(seeded.Uint64(), uint64(i)))
				t.Run(fmt.Sprintf("%03d %v", i, m), func(t *testing.T) {
					t.Parallel()
					shared.score.point(t, m.kind(form.shape))
					k := &killed{home: form.home(t), shape: form.shape, whole: undisturbed.lasts, random: r, clean: i%2 == 1}
					k.campaign(t, m)
					if k.table != undisturbed.table {
						t.Errorf("after %d kills the table is\n%s\nand undisturbed it is\n%s", k.kills, k.table, undisturbed.table)
					}
					if files := k.files(t); !slices.Equal(files, undisturbed.files) {
						t.Errorf("after %d kills the results folder holds\n%q\nand undisturbed it holds\n%q", k.kills, files, undisturbed.files)
					}
				})
			}
		})
	}
}

// killed is a campaign that is killed and resumed.
type killed struct {
	*home
	shape  shape
	whole  time.Duration // of an undisturbed run
	random *rand.Rand
	clean  bool // failrate clean runs between a kill and what follows

	kills  int
	before []byte // the whole lines of the journal when the harness was killed last
	table  string
}

// campaign runs until the campaign is complete. A note is first written by a resumption, so such a point begins with a
// kill at a random moment.
func (k *killed) campaign(t *testing.T, m moment) {
	t.Helper()
	again := k.random.IntN(3)
	if m.record == "note" {
		k.run(t, &moment{record: "started", number: 1 + k.random.IntN(k.shape.trials()/2)})
	}
	k.run(t, &m)
	for range again {
		k.run(t, &moment{share: k.random.Float64()})
	}
	if k.kills == 0 {
		t.Fatalf("the harness was never killed: it ended before %v", m)
	}
	k.run(t, nil)
	k.once(t)
}

// run begins the campaign or goes on with it, kills the harness at a moment (unless that is nil, or it ends before) and
// looks at what is on record then. A harness that was faster than the undisturbed one is killed earlier the next time.
func (k *killed) run(t *testing.T, m *moment) {
	t.Helper()
	for try := 1; k.table == ""; try++ {
		args := k.args(t)
		r := k.start(t, args...)
		if m == nil || !k.kill(r, *m, try) {
			if status := r.wait(t, patience); status != 0 {
				t.Fatalf("failrate %s: exit status %d\n%s", strings.Join(args, " "), status, r.stderr.String())
			}
			k.grown(t)
			if m != nil && k.kills == 0 && try < 4 {
				k.forget(t) // it was complete before the moment came: this was no point yet
				continue
			}
			k.table = stable(t, r.stdout.String())
			return
		}
		k.kills++
		k.grown(t)
		if k.clean {
			k.failrate(t, 0, "clean")
			for _, what := range k.leftovers(t.Context()) {
				t.Errorf("left behind after a kill %v and failrate clean: %s", m, what)
			}
		}
		return
	}
}

// kill kills the harness at the moment, and reports whether it met it alive.
func (k *killed) kill(r *run, m moment, try int) bool {
	if !k.await(r, m, try) {
		return false
	}
	_ = r.cmd.Process.Kill() // it may have ended by itself just now
	<-r.ended
	return r.cmd.ProcessState.ExitCode() == -1
}

// await waits for the moment, and reports whether it came before the harness ended. A poll meets the harness in the
// midst of what follows a write. The undisturbed run may have been on a busier machine, so each try is much earlier.
func (k *killed) await(r *run, m moment, try int) bool {
	come := func() bool { return k.running(m.running) }
	switch {
	case m.record != "":
		sign := []byte(`{"type":"` + m.record + `"`)
		come = func() bool { return bytes.Count(k.journal(), sign) >= m.number }
	case m.running == "":
		return !r.endsWithin(time.Duration(m.share * float64(k.whole) / float64(try*try)))
	}
	for !come() {
		if r.endsWithin(200 * time.Microsecond) {
			return false
		}
	}
	return true
}

// args go on with what is on record; before there is a whole header, there is nothing to go on with.
func (k *killed) args(t *testing.T) []string {
	t.Helper()
	if len(whole(k.journal())) == 0 {
		return k.shape.beginArgs()
	}
	list := k.folders()
	folder, err := filepath.Rel(k.dir, list[len(list)-1])
	if err != nil {
		t.Fatal(err)
	}
	return resumeArgs(folder)
}

// grown checks that the journal begins with all the whole lines that it had at the kill before.
func (k *killed) grown(t *testing.T) {
	t.Helper()
	now := whole(k.journal())
	if !bytes.HasPrefix(now, k.before) {
		t.Errorf("the journal had\n%s\nand has\n%s", k.before, now)
	}
	k.before = bytes.Clone(now)
}

// forget removes what a run has left that was no point.
func (k *killed) forget(t *testing.T) {
	t.Helper()
	for _, name := range []string{"results", "ran.log"} {
		if err := os.RemoveAll(filepath.Join(k.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	k.before = nil
}

// once checks that every trial ended once: an attempt follows another only when that one was broken, was ended by a
// signal to us (censored), or has no end on record. The subject's own log agrees.
func (k *killed) once(t *testing.T) {
	t.Helper()
	started, ended := map[string]int{}, map[string][]string{}
	for _, r := range records(t, k.journal()) {
		switch r.Type {
		case "started":
			started[r.trial()]++
		case "finished":
			ended[r.trial()] = append(ended[r.trial()], r.Judgement.Outcome)
		}
	}
	if len(ended) != k.shape.trials() {
		t.Errorf("%d trials ended, and %d are planned", len(ended), k.shape.trials())
	}
	for trial, outcomes := range ended {
		before := outcomes[:len(outcomes)-1]
		if slices.ContainsFunc(before, func(o string) bool { return o != "broken" && o != "censored" }) {
			t.Errorf("%s ended as %q: it was run again after it had ended", trial, outcomes)
		}
	}
	if k.shape.platform != "native" {
		return
	}
	ran, err := os.ReadFile(filepath.Join(k.dir, "ran.log"))
	if err != nil {
		t.Fatal(err)
	}
	times := map[string]int{}
	for _, trial := range strings.Fields(string(ran)) {
		times[trial]++
	}
	for trial, n := range started {
		if times[trial] < 1 || times[trial] > n { // an attempt may be ended before it runs
			t.Errorf("%s was started %d times by the journal and ran %d times by the subject", trial, n, times[trial])
		}
	}
}
