package campaign

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/failrate/failrate/harness/study"
	"github.com/failrate/failrate/harness/trial"
)

// holding is what this process holds at one moment.
type holding struct {
	heap       int64 // bytes in use after a collection
	rss        int64 // bytes; 0 where it is not known
	files      int   // open ones; 0 where it is not known
	goroutines int
}

func hold() holding {
	runtime.GC()
	runtime.GC() // what the first one's finalizers let go of
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	h := holding{heap: int64(m.HeapAlloc), goroutines: runtime.NumGoroutine()}
	if text, err := os.ReadFile("/proc/self/statm"); err == nil {
		if fields := strings.Fields(string(text)); len(fields) > 1 {
			pages, _ := strconv.ParseInt(fields[1], 10, 64)
			h.rss = pages * int64(os.Getpagesize())
		}
	}
	for _, dir := range []string{"/proc/self/fd", "/dev/fd"} {
		if entries, err := os.ReadDir(dir); err == nil {
			h.files = len(entries)
			break
		}
	}
	return h
}

// soaker looks at what is held after some trials have ended.
type soaker struct {
	ended int
	at    map[int]holding
}

func (s *soaker) Observe(e Event) {
	if e.Kind != TrialSettled {
		return
	}
	s.ended++
	if _, wanted := s.at[s.ended]; wanted {
		s.at[s.ended] = hold()
	}
}

// soak runs a whole campaign of a program that does nothing, natively, and gives what was held after the first so many
// trials and after the last.
func soak(tb testing.TB, first, last int) (before, after holding) {
	tb.Helper()
	b := newBench(tb, last/2) // of each of two variants
	b.study.Subject.Command = []string{"/bin/true"}
	if _, err := os.Stat("/bin/true"); err != nil {
		b.study.Subject.Command = []string{"/usr/bin/true"}
	}
	tree := trial.Tree{Dir: tb.TempDir()}
	native := trial.NewNative(trial.NativeOptions{
		Trees: map[string]trial.Tree{"a": tree, "b": tree}, Scratch: tb.TempDir(), Sessions: tb.TempDir(),
	})
	defer func() {
		if err := native.Close(); err != nil {
			tb.Error(err)
		}
	}()
	s := &soaker{at: map[int]holding{first: {}, last: {}}}
	sum, err := b.run(tb.Context(), func(c *Config) {
		c.Executors = map[study.Platform]trial.Executor{study.Native: native}
		c.Observer = s
	})
	if err != nil || !sum.Complete() || sum.Settled != last {
		tb.Fatalf("%+v, %v", sum, err)
	}
	return s.at[first], s.at[last]
}

// TestNothingGrows is the short form of BenchmarkSoak. It runs alone: what other tests hold would count.
func TestNothingGrows(t *testing.T) { //nolint:paralleltest // see above
	before, after := soak(t, 500, 2500)
	if grown := after.heap - before.heap; grown > 500<<10 {
		t.Errorf("the heap grew by %d bytes over 2000 trials", grown)
	}
	if after.files > before.files {
		t.Errorf("%d open files after 500 trials, %d after 2500", before.files, after.files)
	}
	if after.goroutines > before.goroutines+1 { // one may be on its way out
		t.Errorf("%d goroutines after 500 trials, %d after 2500", before.goroutines, after.goroutines)
	}
}

// BenchmarkSoak runs 50,000 trials and says what grew after the first 1,000 of them.
func BenchmarkSoak(b *testing.B) {
	for b.Loop() {
		before, after := soak(b, 1000, 50_000)
		b.ReportMetric(float64(after.heap-before.heap)/1e6, "MB-heap-growth")
		b.ReportMetric(float64(after.rss-before.rss)/1e6, "MB-RSS-growth")
		b.ReportMetric(float64(after.rss)/1e6, "MB-RSS")
		b.ReportMetric(float64(after.files-before.files), "files-growth")
		b.ReportMetric(float64(after.goroutines-before.goroutines), "goroutines-growth")
	}
}
