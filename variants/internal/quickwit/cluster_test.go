package quickwit

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"
)

// scene is a cluster on a virtual clock, with the calls that wait for their answers.
type scene struct {
	*Cluster
	clock *Virtual
	log   []Event
	asked time.Duration // when the second ingest was sent
}

func newScene(cfg Config, words ...string) *scene {
	s := &scene{clock: &Virtual{}}
	cfg.Log = func(e Event) { s.log = append(s.log, e) }
	s.Cluster = NewCluster(cfg, s.clock, Dice(append(words, "scene")...))
	return s
}

func build(t *testing.T, name string) Build {
	t.Helper()
	b, ok := BuildNamed(name)
	if !ok {
		t.Fatalf("no build %q", name)
	}
	return b
}

func (s *scene) create(t *testing.T, name string) IndexUID {
	t.Helper()
	var uid IndexUID
	var err error
	answered := false
	s.CreateIndex(name, 0, func(u IndexUID, e error) { uid, err, answered = u, e, true })
	if !s.clock.Until(func() bool { return answered }, time.Minute) || err != nil {
		t.Fatalf("create %s: answered %v, %v", name, answered, err)
	}
	return uid
}

func (s *scene) remove(t *testing.T, name string) error {
	t.Helper()
	var err error
	answered := false
	s.DeleteIndex(name, func(e error) { err, answered = e, true })
	if !s.clock.Until(func() bool { return answered }, time.Minute) {
		t.Fatalf("delete %s: no answer", name)
	}
	return err
}

func (s *scene) ingest(t *testing.T, node int, name string) Ingest {
	t.Helper()
	return s.ingestBytes(t, node, name, 300)
}

func (s *scene) ingestBytes(t *testing.T, node int, name string, bytes int) Ingest {
	t.Helper()
	var got *Ingest
	s.Ingest(node, name, 3, bytes, Auto, func(i Ingest) { got = &i })
	if !s.clock.Until(func() bool { return got != nil }, time.Minute) {
		t.Fatalf("ingest into %s: no answer", name)
	}
	return *got
}

func code(err error) int {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return 200
}

// story is the reporter's: create, ingest, live, delete, wait, create again, wait, ingest.
type story struct {
	live, w1, w2 time.Duration
}

func (y story) tell(t *testing.T, s *scene) (old, fresh IndexUID, second Ingest) {
	t.Helper()
	old = s.create(t, "a")
	if i := s.ingest(t, 0, "a"); i.Err != nil {
		t.Fatalf("first ingest: %v", i.Err)
	}
	s.clock.Sleep(y.live)
	if err := s.remove(t, "a"); err != nil {
		t.Fatal(err)
	}
	s.clock.Sleep(y.w1)
	fresh = s.create(t, "a")
	s.clock.Sleep(y.w2)
	s.asked = s.clock.Now()
	return old, fresh, s.ingest(t, 0, "a")
}

func TestIncarnationsDifferAndGrow(t *testing.T) {
	t.Parallel()
	for i := range 200 {
		s := newScene(Config{Cooldown: -1}, "ulid", fmt.Sprint(i))
		var last IndexUID
		for range 3 {
			u := s.create(t, "a")
			if u.compare(last) <= 0 {
				t.Fatalf("%s is not after %s", u, last)
			}
			last = u
			if err := s.remove(t, "a"); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestWhatDecides says of thousands of stories which end in 503: those in which no broadcast saw the first shard, or one
// did and none came after the shard was gone and before the ingest. The formula is made from the same rule.
func TestWhatDecides(t *testing.T) {
	t.Parallel()
	const n = 400
	for _, y := range []story{
		{200 * time.Millisecond, 0, 0}, {200 * time.Millisecond, 10 * time.Second, 0}, {200 * time.Millisecond, 0, 10 * time.Second},
		{2500 * time.Millisecond, 10 * time.Second, 0}, {4 * time.Second, 2 * time.Second, 0}, {6 * time.Second, 2 * time.Second, 0},
		{6 * time.Second, 10 * time.Second, 0}, {6 * time.Second, 0, 0},
	} {
		t.Run(fmt.Sprint(y), func(t *testing.T) {
			t.Parallel()
			failed := 0
			for i := range n {
				s := newScene(Config{Build: build(t, "uid-compare"), Phase: -1, Cooldown: -1}, fmt.Sprint(y), fmt.Sprint(i))
				s.clock.Sleep(7 * time.Second)
				old, _, second := y.tell(t, s)
				h := s.History(old)
				seen := s.TickBetween(0, h.Persisted, h.Retained)
				cleared := seen && s.TickBetween(0, h.Retained, s.asked)
				if s.TickBetween(0, s.asked, s.clock.Now()) {
					continue // in the very millisecond
				}
				if (second.Err == nil) != cleared {
					t.Fatalf("story %d: ingest %v, seen %v, cleared %v", i, second.Err, seen, cleared)
				}
				if second.Err != nil {
					failed++
					everyAttemptIsStale(t, second, old)
				}
			}
			T, L, W := 5.0, y.live.Seconds(), (y.w1 + y.w2).Seconds()
			seen := math.Min(1, L/T)
			clearedOfSeen := 0.0 // a tick falls into the last L (or T) before the end, so the next into W
			if L <= T {
				clearedOfSeen = math.Min(math.Max(0, W-(T-L)), L) / L
			} else {
				clearedOfSeen = math.Min(1, W/T)
			}
			want := 1 - seen*clearedOfSeen
			if got := float64(failed) / n; math.Abs(got-want) > 4*math.Sqrt(0.25/n)+0.01 {
				t.Errorf("%d of %d failed, want a share of %.3f", failed, n, want)
			}
		})
	}
}

func everyAttemptIsStale(t *testing.T, i Ingest, old IndexUID) {
	t.Helper()
	if code(i.Err) != 503 || len(i.Attempts) != maxAttempts {
		t.Fatalf("%v after %d attempts", i.Err, len(i.Attempts))
	}
	for _, a := range i.Attempts {
		if a.Asked || a.UID != old || a.Reason != NoShards {
			t.Fatalf("attempt %+v, want one to %s without asking", a, old)
		}
	}
}

// TestUnseenStaysStale: once no broadcast saw the shard, nothing on that node clears the entry, however long one waits.
func TestUnseenStaysStale(t *testing.T) {
	t.Parallel()
	s := newScene(Config{Build: build(t, "uid-compare"), Phase: 2 * time.Second})
	s.clock.Sleep(3 * time.Second) // the next broadcast is at 7 s
	_, _, second := story{live: 200 * time.Millisecond, w1: 10 * time.Second, w2: 10 * time.Second}.tell(t, s)
	if code(second.Err) != 503 {
		t.Fatalf("got %v", second.Err)
	}
	s.clock.Sleep(24 * time.Hour)
	if i := s.ingest(t, 0, "a"); code(i.Err) != 503 {
		t.Errorf("a day later: %v", i.Err)
	}
	s.Restart()
	if i := s.ingest(t, 0, "a"); i.Err != nil {
		t.Errorf("after a restart: %v", i.Err)
	}
}

func TestBuilds(t *testing.T) {
	t.Parallel()
	short := story{live: 200 * time.Millisecond}
	long := story{live: 6 * time.Second, w1: 10 * time.Second}
	for _, c := range []struct {
		build       string
		short, long int
	}{
		{"good-92a526b", 200, 200}, {"node-routing", 503, 503}, {"uid-compare", 503, 200}, {"fix1", 200, 200},
		{"fix1-fix2", 200, 200}, {"sync-delete", 503, 200}, {"fix1-sync-delete", 200, 200},
	} {
		for y, want := range map[story]int{short: c.short, long: c.long} {
			s := newScene(Config{Build: build(t, c.build), Phase: 2 * time.Second})
			s.clock.Sleep(3 * time.Second)
			if _, _, i := y.tell(t, s); code(i.Err) != want {
				t.Errorf("%s, %v: %v, want %d", c.build, y, i.Err, want)
			}
		}
	}
	if !slices.Contains(BuildNames(), "fix1") {
		t.Error(BuildNames())
	}
	if _, ok := BuildNamed("fix3"); ok {
		t.Error("fix3 exists")
	}
}

// TestLostRetain: an ingester that was not told takes documents for an index that is gone.
func TestLostRetain(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]int{"uid-compare": 0, "fix1": 0, "good-92a526b": 0} {
		s := newScene(Config{Build: build(t, name), RetainLost: true, Commit: time.Second})
		_, _, second := story{live: 200 * time.Millisecond}.tell(t, s)
		s.clock.Sleep(time.Minute)
		if n, err := s.Count("a"); second.Err != nil || n != want || err != nil {
			t.Errorf("%s: ingest %v, then %d documents, %v", name, second.Err, n, err)
		}
	}
	s := newScene(Config{Build: build(t, "sync-delete"), RetainLost: true})
	s.create(t, "a")
	s.ingest(t, 0, "a")
	if err := s.remove(t, "a"); code(err) != 500 {
		t.Errorf("a deletion that nobody acknowledged: %v", err)
	}
}

// drop takes every shard away from its ingester and from the control plane while its index lives on, as happens to one
// that was closed, read to its end and removed.
func (s *scene) drop() {
	clear(s.control.shards)
	for _, g := range s.ingesters {
		clear(g.shards)
	}
}

// TestZeroKeepsTheScore: a broadcast that a source is gone says so by its count of shards. The score is the node's, and
// the control plane's answer keeps it, so that the same incarnation is routed to its new shard.
func TestZeroKeepsTheScore(t *testing.T) {
	t.Parallel()
	s := newScene(Config{Build: build(t, "uid-compare"), Phase: 2 * time.Second})
	s.create(t, "a")
	s.ingest(t, 0, "a")
	s.clock.Sleep(4 * time.Second) // a broadcast sees the shard
	s.drop()
	s.clock.Sleep(5 * time.Second) // and the next one that it is gone
	if r := s.Routes(0); len(r) != 1 || r[0].Open != 0 || r[0].Score == 0 {
		t.Errorf("the router knows %+v", r)
	}
	if i := s.ingest(t, 0, "a"); i.Err != nil {
		t.Errorf("into a new shard of the same incarnation: %v, %+v", i.Err, i.Attempts)
	}
}

// TestFix1LeavesTheScoreAtZero: the fix writes down a score of zero as well, which an answer of the control plane for
// the same incarnation keeps. So where a shard went unseen while its index lived on, its successor is not routed to
// before an indexer reads from it and a broadcast speaks of it; without the fix, never.
func TestFix1LeavesTheScoreAtZero(t *testing.T) {
	t.Parallel()
	for name, later := range map[string]int{"uid-compare": 503, "fix1": 200} {
		s := newScene(Config{Build: build(t, name), Phase: 2 * time.Second})
		s.clock.Sleep(3 * time.Second) // the next broadcast is at 7 s
		s.create(t, "a")
		s.ingest(t, 0, "a")
		s.drop()
		if i := s.ingest(t, 0, "a"); code(i.Err) != 503 {
			t.Errorf("%s: %v, %+v", name, i.Err, i.Attempts)
		}
		s.clock.Sleep(8 * time.Second)
		if i := s.ingest(t, 0, "a"); code(i.Err) != later {
			t.Errorf("%s, 8 s later: %v, %+v", name, i.Err, i.Attempts)
		}
	}
}

// TestReplayedShardsAreAdvertised: what a restart finds in the log is closed, and said to be so.
func TestReplayedShardsAreAdvertised(t *testing.T) {
	t.Parallel()
	s := newScene(Config{Build: build(t, "uid-compare"), Phase: time.Second})
	uid := s.create(t, "a")
	s.ingest(t, 0, "a")
	s.Restart()
	s.clock.Sleep(2 * time.Second)
	if r := s.Routes(0); len(r) != 1 || r[0].UID != uid || r[0].Open != 0 || r[0].Seeded {
		t.Errorf("the router knows %+v", r)
	}
	if i := s.ingest(t, 0, "a"); i.Err != nil {
		t.Errorf("after a restart: %v", i.Err)
	}
}

func TestAnotherRouterRepairsIt(t *testing.T) {
	t.Parallel()
	s := newScene(Config{Build: build(t, "uid-compare"), Nodes: 2, Phase: 2 * time.Second})
	s.clock.Sleep(3 * time.Second)
	_, _, second := story{live: 200 * time.Millisecond}.tell(t, s)
	if code(second.Err) != 503 {
		t.Fatalf("the router that knew: %v", second.Err)
	}
	if i := s.ingest(t, 1, "a"); i.Err != nil {
		t.Fatalf("the other router: %v", i.Err)
	}
	s.clock.Sleep(7 * time.Second) // a broadcast of the new shard, and gossip
	if i := s.ingest(t, 0, "a"); i.Err != nil {
		t.Errorf("after the broadcast: %v", i.Err)
	}
}

func TestOtherFailures(t *testing.T) {
	t.Parallel()
	full := newScene(Config{Build: build(t, "uid-compare"), WALBytes: 1000})
	full.create(t, "a")
	if i := full.ingestBytes(t, 0, "a", 2000); code(i.Err) != 503 || i.Attempts[0].Reason != WALFull {
		t.Errorf("a full log: %v, %+v", i.Err, i.Attempts)
	}
	for name, want := range map[string]int{"uid-compare": 503, "fix1-fix2": 429, "good-92a526b": 429} {
		s := newScene(Config{Build: build(t, name), ShardBurst: 1000, ShardRate: 1})
		s.create(t, "a")
		if i := s.ingestBytes(t, 0, "a", 2000); code(i.Err) != want || !i.Attempts[0].Limited {
			t.Errorf("%s, a limited shard: %v, %+v", name, i.Err, i.Attempts)
		}
	}
	s := newScene(Config{Build: build(t, "uid-compare"), Boot: time.Second})
	s.create(t, "a")
	if i := s.ingest(t, 0, "a"); code(i.Err) != 503 || i.Attempts[0].Reason != NoIngesters {
		t.Errorf("a node that starts: %v, %+v", i.Err, i.Attempts)
	}
	s.clock.Sleep(time.Second)
	if i := s.ingest(t, 0, "a"); i.Err != nil {
		t.Errorf("a node that has started: %v", i.Err)
	}
	s.Set(0, Hung)
	if i := s.ingest(t, 0, "a"); code(i.Err) != 503 || i.Attempts[0].Reason != TimedOut {
		t.Errorf("a node that hangs: %v, %+v", i.Err, i.Attempts)
	}
	if i := s.ingest(t, 0, "b"); code(i.Err) != 404 {
		t.Errorf("no such index: %v", i.Err)
	}
}

func TestDocumentsArePublished(t *testing.T) {
	t.Parallel()
	s := newScene(Config{Build: build(t, "uid-compare"), Commit: time.Second})
	s.create(t, "a")
	s.ingest(t, 0, "a")
	if n, _ := s.Count("a"); n != 0 {
		t.Errorf("%d documents at once", n)
	}
	s.clock.Sleep(time.Second)
	if n, _ := s.Count("a"); n != 3 {
		t.Errorf("%d documents after the commit", n)
	}
	if _, err := s.Count("b"); code(err) != 404 {
		t.Errorf("count of nothing: %v", err)
	}
}

func TestSameSeedSameEvents(t *testing.T) {
	t.Parallel()
	tell := func() []Event {
		s := newScene(Config{Build: build(t, "uid-compare"), Nodes: 3, Phase: -1, MinShards: 2}, "seed")
		story{live: time.Second, w1: time.Second}.tell(t, s)
		return s.log
	}
	if a, b := tell(), tell(); len(a) == 0 || !slices.Equal(a, b) {
		t.Errorf("%v\n%v", a, b)
	}
}

func TestRealClockRunsInOrderAndEnds(t *testing.T) {
	t.Parallel()
	c := NewReal()
	got := make(chan int, 3)
	c.After(2*time.Millisecond, func() { got <- 2 })
	c.After(0, func() { c.After(0, func() { got <- 1 }) })
	c.After(time.Hour, func() { got <- 3 })
	if a, b := <-got, <-got; a != 1 || b != 2 {
		t.Errorf("%d, then %d", a, b)
	}
	c.Close()
	c.After(0, func() { got <- 4 })
	if len(got) > 0 {
		t.Error("it ran after its end")
	}
}
