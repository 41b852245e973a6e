package reports

import (
	"bytes"
	"io"
	"runtime"
	"runtime/debug"
	"syscall"
	"testing"
	"time"

	"github.com/failrate/failrate/harness/classify"
	"github.com/failrate/failrate/harness/journal"
	"github.com/failrate/failrate/harness/plan"
)

// allFormats are what the command line offers.
var allFormats = []struct {
	name  string
	write func(io.Writer, *Table) error
}{
	{"text", Text}, {"markdown", Markdown}, {"jira", Jira}, {"html", HTML}, {"json", JSON}, {"csv", CSV}, {"junit", JUnit}, {"svg", SVG}, {"png", PNG},
}

// bigSpec is a campaign of four variants, one of which never fails; the others fail 16 of 100 times, with an excerpt.
func bigSpec(trials int) campaignSpec {
	excerpt := string(bytes.Repeat([]byte("IOException occurred when talking to server\n"), 10))
	return campaignSpec{
		id: "big", seed: 3, trials: trials / 4, platforms: []string{"native"}, variants: []string{"baseline", "leaders-only", "old-client", "lb-retries-all"},
		repeat: []string{"failrate", "measure", "soft-commit"},
		outcome: func(tr plan.Trial) journal.Finished {
			if tr.Cell.Variant != "leaders-only" && tr.Number*37%100 < 16 {
				return judged(classify.Fail, "committed", excerpt, tr.Number%500)
			}
			return judged(classify.Pass, "", "", tr.Number%500)
		},
	}
}

// BenchmarkAllFormats writes every format of a campaign of 100,000 trials, from its folder: the bar is 5 s together and
// 500 MB.
func BenchmarkAllFormats(b *testing.B) {
	dir := bigSpec(100_000).write(b)
	for _, f := range allFormats {
		b.Run(f.name, func(b *testing.B) { b.ReportAllocs(); benchFormat(b, dir, f.write) })
	}
	b.Run("together", func(b *testing.B) {
		peak := watchHeap()
		before := cpuSeconds()
		for b.Loop() {
			r, err := Open([]string{dir})
			if err != nil {
				b.Fatal(err)
			}
			t, err := r.Table(Options{})
			if err != nil {
				b.Fatal(err)
			}
			for _, f := range allFormats {
				if err := f.write(io.Discard, t); err != nil {
					b.Fatal(err)
				}
			}
			if err := r.Close(); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric((cpuSeconds()-before)/float64(b.N), "cpu-s/op")
		b.ReportMetric(peak(), "peak-MB")
	})
}

func benchFormat(b *testing.B, dir string, write func(io.Writer, *Table) error) {
	r, err := Open([]string{dir})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	t, err := r.Table(Options{})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := write(io.Discard, t); err != nil {
			b.Fatal(err)
		}
	}
}

// cpuSeconds is the CPU time of this process: what a busy machine does not stretch.
func cpuSeconds() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}

// watchHeap samples what the process has of the system until the returned function is called, which gives the peak in MB.
func watchHeap() func() float64 {
	debug.FreeOSMemory()
	stop, done := make(chan struct{}), make(chan float64)
	go func() {
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		peak := 0.0
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			peak = max(peak, float64(m.Sys-m.HeapReleased)/1e6)
			select {
			case <-stop:
				done <- peak
				return
			case <-tick.C:
			}
		}
	}()
	return func() float64 { close(stop); return <-done }
}

// BenchmarkPageOpens opens the page of 20,000 trials in Chromium until its charts are drawn: the bar is 3 s.
func BenchmarkPageOpens(b *testing.B) {
	table, err := Read([]string{bigSpec(20_000).write(b)})
	if err != nil {
		b.Fatal(err)
	}
	file := pageFile(b, table)
	browser := newBrowser(b)
	browser.show(b, file, 1400) // starts the browser
	for b.Loop() {
		browser.show(b, file, 1400)
	}
	if n := value[int](b, browser, `JSON.parse(document.getElementById("data").textContent).trials.length`); n != 2400 {
		b.Fatalf("%d trials are in the page, want 2,400", n)
	}
}
