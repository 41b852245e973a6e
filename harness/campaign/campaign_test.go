package campaign

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/failrate/failrate/harness/classify"
	"github.com/failrate/failrate/harness/journal"
	"github.com/failrate/failrate/harness/plan"
	"github.com/failrate/failrate/harness/study"
	"github.com/failrate/failrate/harness/trial"
)

func TestEveryPlannedTrialRunsOnceInThePlansOrder(t *testing.T) {
	t.Parallel()
	b := newBench(t, 5)
	b.exits("a", 2, 4)
	sum, err := b.run(t.Context(), nil)
	if err != nil || !sum.Complete() || sum.Settled != 10 || sum.Planned != 10 {
		t.Fatalf("summary %+v, error %v", sum, err)
	}
	var want []string
	for block := range b.plan.Blocks(plan.Shard{}) {
		for _, tr := range block.Trials {
			want = append(want, tr.ID)
		}
	}
	if got := b.exec.attempts(); !slices.Equal(got, want) {
		t.Errorf("ran %q, want %q", got, want)
	}
	got, _ := b.outcomes()
	for id, o := range got {
		want := classify.Pass
		if id == "a/native/none#0002" || id == "a/native/none#0004" {
			want = classify.Fail
		}
		if o != want {
			t.Errorf("%s is %s, want %s", id, o, want)
		}
	}
}

func TestJobsRunEveryTrialOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t, 50)
	sum, err := b.run(t.Context(), func(c *Config) { c.Jobs = 8 })
	if err != nil || sum.Settled != 100 {
		t.Fatalf("summary %+v, error %v", sum, err)
	}
	ran := b.exec.attempts()
	slices.Sort(ran)
	if n := len(slices.Compact(ran)); n != 100 {
		t.Errorf("%d different attempts, want 100", n)
	}
}

func TestBrokenIsRetriedAndTheRetryCounts(t *testing.T) {
	t.Parallel()
	b := newBench(t, 30)
	b.exec.script["a/native/none#0003"] = fault("no such image")
	for _, id := range []string{"b/native/none#0004", "b/native/none#0004!2", "b/native/none#0004!3"} {
		b.exec.script[id] = fault("no such image")
	}
	sum, err := b.run(t.Context(), nil)
	if err != nil || !sum.Complete() {
		t.Fatalf("summary %+v, error %v", sum, err)
	}
	got, _ := b.outcomes()
	if got["a/native/none#0003"] != classify.Pass || got["b/native/none#0004"] != classify.Broken {
		t.Errorf("outcomes %v and %v, want pass after a retry and broken after two", got["a/native/none#0003"], got["b/native/none#0004"])
	}
	if n := count(b.exec.attempts(), "#0004!"); n != 2 {
		t.Errorf("%d retries of a trial that stays broken, want 2", n)
	}
}

func TestTooManyBrokenStopTheCampaign(t *testing.T) {
	t.Parallel()
	b := newBench(t, 100)
	b.study.Broken.Retries = 0
	for n := 1; n <= 100; n++ {
		if n > 6 {
			b.exec.script[plan.TrialID("a/native/none", n)] = fault("cannot connect")
		}
	}
	sum, err := b.run(t.Context(), nil)
	if err != nil || sum.Stop != StopBroken || sum.Complete() {
		t.Fatalf("summary %+v, error %v", sum, err)
	}
	if !strings.Contains(sum.Reason, "cannot connect") {
		t.Errorf("the reason %q does not say what broke", sum.Reason)
	}
	if n := len(b.exec.attempts()); n > 40 {
		t.Errorf("%d attempts ran before the campaign stopped", n)
	}
}

func TestAVariantThatCannotBePreparedIsBrokenAndTheOthersGoOn(t *testing.T) {
	t.Parallel()
	b := newBench(t, 40)
	sum, err := b.run(t.Context(), func(c *Config) { c.Unready = map[string]string{"b/native": "patch does not apply"} })
	if err != nil || !sum.Complete() {
		t.Fatalf("summary %+v, error %v", sum, err)
	}
	got, _ := b.outcomes()
	for id, o := range got {
		if want := map[bool]classify.Outcome{true: classify.Broken, false: classify.Pass}[strings.HasPrefix(id, "b/")]; o != want {
			t.Errorf("%s is %s, want %s", id, o, want)
		}
	}
	if n := len(b.exec.attempts()); n != 40 {
		t.Errorf("%d attempts reached the executor, want the 40 of the other variant", n)
	}
}

func TestDrainLetsWhatRunsEndAndResumeRunsTheRest(t *testing.T) {
	t.Parallel()
	for stopAt := 1; stopAt <= 12; stopAt++ {
		t.Run(fmt.Sprint(stopAt), func(t *testing.T) {
			t.Parallel()
			b := newBench(t, 6)
			b.exits("a", 1, 5)
			drain := make(chan struct{})
			b.exec.before = func(string) {
				if len(b.exec.attempts()) == stopAt {
					close(drain)
				}
			}
			sum, err := b.run(t.Context(), func(c *Config) { c.Drain = drain })
			if err != nil || sum.Settled != stopAt {
				t.Fatalf("summary %+v, error %v", sum, err)
			}
			if sum.Stop != StopDrained && stopAt < 12 {
				t.Errorf("stop %q, want %q", sum.Stop, StopDrained)
			}
			b.exec.before = nil
			if sum, err = b.run(t.Context(), nil); err != nil || !sum.Complete() || sum.Settled != 12 {
				t.Fatalf("resumed: summary %+v, error %v", sum, err)
			}
			ran := b.exec.attempts()
			slices.Sort(ran)
			if len(slices.Compact(ran)) != 12 || len(b.exec.attempts()) != 12 {
				t.Errorf("ran %d attempts of %d trials, want 12 of 12", len(b.exec.attempts()), len(ran))
			}
		})
	}
}

func TestCancelledTrialsAreCensoredAndRunAgainOnResume(t *testing.T) {
	t.Parallel()
	b := newBench(t, 4)
	ctx, cancel := context.WithCancel(t.Context())
	b.exec.before = func(string) {
		if len(b.exec.attempts()) == 3 {
			cancel()
		}
	}
	sum, err := b.run(ctx, nil)
	if err != nil || sum.Stop != StopDrained || sum.Settled != 2 {
		t.Fatalf("summary %+v, error %v", sum, err)
	}
	b.exec.before = nil
	if sum, err = b.run(t.Context(), nil); err != nil || sum.Settled != 8 {
		t.Fatalf("resumed: summary %+v, error %v", sum, err)
	}
	if n := count(b.exec.attempts(), "!2"); n != 1 {
		t.Errorf("%d second attempts, want one: of the trial that was ended", n)
	}
}

// stoppedAtOnce is an executor whose every attempt is stopped by the end of the campaign's context.
type stoppedAtOnce struct{ cancel context.CancelFunc }

func (s stoppedAtOnce) Execute(context.Context, trial.Request) trial.Observation {
	s.cancel()
	return trial.Observation{Exit: -1, Stopped: true}
}

// TestACancelledLastTrialIsNoCompleteCampaign has nothing left to start, which would show that the campaign is interrupted.
func TestACancelledLastTrialIsNoCompleteCampaign(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	b := newBench(t, 1)
	b.study.Variants = b.study.Variants[:1]
	var err error
	if b.plan, err = plan.New(b.study, "digest", plan.Selection{Seed: 7}); err != nil {
		t.Fatal(err)
	}
	b.header.Plan, b.header.PlanDigest = *b.plan, b.plan.Digest()
	sum, err := b.run(ctx, func(c *Config) {
		c.Executors = map[study.Platform]trial.Executor{study.Native: stoppedAtOnce{cancel}}
	})
	if err != nil || sum.Complete() || sum.Stop != StopDrained || sum.Settled != 0 || sum.Planned != 1 {
		t.Errorf("%+v, %v", sum, err)
	}
}

func TestBudgetStopsBeforeTheNextTrial(t *testing.T) {
	t.Parallel()
	b := newBench(t, 10)
	now := time.Unix(1e9, 0)
	b.exec.before = func(string) { now = now.Add(time.Minute) }
	sum, err := b.run(t.Context(), func(c *Config) {
		c.Budget = 5 * time.Minute
		c.Now = func() time.Time { return now }
	})
	if err != nil || sum.Stop != StopBudget || sum.Settled != 5 {
		t.Fatalf("summary %+v, error %v", sum, err)
	}
}

func TestControlOutOfItsBoundsIsFound(t *testing.T) {
	t.Parallel()
	control := study.Control{Variant: study.Variant{Name: "cut"}, Expect: study.Expect{Fail: true, AtLeast: 1, AtMost: 1}, Iterations: 3}
	for _, missing := range []int{0, 1} {
		b := newBench(t, 2, control)
		for n := 1; n <= 6-missing; n++ {
			b.exits("cut", n)
		}
		sum, err := b.run(t.Context(), nil)
		if err != nil || len(sum.Controls) != 1 {
			t.Fatalf("summary %+v, error %v", sum, err)
		}
		if c := sum.Controls[0]; c.Failed != (missing > 0) || c.N != 6 || c.Hits != 6-missing {
			t.Errorf("%d of 6 must-fail trials passed: %+v", missing, c)
		}
	}
}

// failingRecorder takes n records and then no more.
type failingRecorder struct {
	Recorder
	left int
}

var errFull = errors.New("no space left on device")

func (r *failingRecorder) take() error {
	if r.left--; r.left < 0 {
		return errFull
	}
	return nil
}

func (r *failingRecorder) Start(s journal.Started) error {
	return errors.Join(r.take(), r.Recorder.Start(s))
}
func (r *failingRecorder) Finish(f journal.Finished) error {
	return errors.Join(r.take(), r.Recorder.Finish(f))
}

func TestAFailedAppendStopsTheCampaign(t *testing.T) {
	t.Parallel()
	for left := range 6 {
		b := newBench(t, 10)
		sum, err := b.run(t.Context(), func(c *Config) { c.Recorder = &failingRecorder{Recorder: c.Recorder, left: left} })
		if !errors.Is(err, errFull) || sum.Stop != StopRecorder {
			t.Errorf("after %d records: summary %+v, error %v", left, sum, err)
		}
		if n := len(b.exec.attempts()); n > left/2+1 {
			t.Errorf("after %d records: %d attempts ran", left, n)
		}
	}
}

// lookAt stops after a block, and drops a cell after another.
type lookAt struct {
	stop, drop int
	looks      int
	seen       int
}

func (l *lookAt) Add(plan.Trial, classify.Judgement) { l.seen++ }
func (l *lookAt) Look(b plan.Block) Decision {
	l.looks++
	switch l.looks {
	case l.drop:
		return Decision{Drop: []string{"b/native/none"}, Reason: "b is decided"}
	case l.stop:
		return Decision{Stop: true, Reason: "all decided"}
	}
	return Decision{}
}

func TestALookerStopsAndDrops(t *testing.T) {
	t.Parallel()
	b := newBench(t, 10)
	l := &lookAt{drop: 3, stop: 6}
	sum, err := b.run(t.Context(), func(c *Config) { c.Looker = l; c.Jobs = 4 })
	if err != nil || sum.Stop != StopDecided || !sum.Complete() {
		t.Fatalf("summary %+v, error %v", sum, err)
	}
	ran := b.exec.attempts()
	if count(ran, "a/") != 6 || count(ran, "b/") != 3 || l.seen != 9 {
		t.Errorf("%d of a and %d of b ran, %d seen; want 6, 3 and 9", count(ran, "a/"), count(ran, "b/"), l.seen)
	}
}

func TestASkippedPlatformIsNeitherRunNorPlanned(t *testing.T) {
	t.Parallel()
	b := newBench(t, 3)
	sum, err := b.run(t.Context(), func(c *Config) { c.Skip = []study.Platform{study.Native} })
	if err != nil || sum.Planned != 0 || len(b.exec.attempts()) != 0 {
		t.Errorf("summary %+v, error %v, ran %q", sum, err, b.exec.attempts())
	}
}

func TestOutcomesOfAttemptsThatNeverReachAnExecutor(t *testing.T) {
	t.Parallel()
	b := newBench(t, 1)
	sum, err := b.run(t.Context(), func(c *Config) { c.Executors = map[study.Platform]trial.Executor{} })
	if err != nil {
		t.Fatal(err)
	}
	got, _ := b.outcomes()
	for id, o := range got {
		if o != classify.Broken {
			t.Errorf("%s is %s, want broken (summary %+v)", id, o, sum)
		}
	}
}

// TestTheClockIsStepped has the machine's clock jump by hours between any two looks at it. The campaign runs to its end
// and every outcome is what it was: nothing but a budget is measured by that clock, and durations are the executor's, by
// the clock that cannot be set.
func TestTheClockIsStepped(t *testing.T) {
	t.Parallel()
	b := newBench(t, 10)
	b.exits("b", 3, 7)
	looks := 0
	at := time.Date(2026, 3, 29, 1, 59, 0, 0, time.UTC)
	sum, err := b.run(t.Context(), func(c *Config) {
		c.Now = func() time.Time {
			looks++
			return at.Add(time.Duration(looks%2*26-looks%3*13) * time.Hour)
		}
	})
	if err != nil || !sum.Complete() || sum.Settled != 20 {
		t.Fatalf("%+v, %v", sum, err)
	}
	outcomes, _ := b.outcomes()
	failed := 0
	for id, o := range outcomes {
		switch o {
		case classify.Fail:
			failed++
		case classify.Pass:
		default:
			t.Errorf("%s is %s", id, o)
		}
	}
	if failed != 2 || looks < 20 {
		t.Errorf("%d failures, want 2; the clock was looked at %d times", failed, looks)
	}
}
