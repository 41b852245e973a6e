package journal

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime/metrics"
	"syscall"
	"testing"
	"time"

	"github.com/valyala/fastjson"

	"github.com/failrate/failrate/harness/classify"
	"github.com/failrate/failrate/harness/plan"
	"github.com/failrate/failrate/harness/trial"
)

// benchPlan holds a number of trials in four cells.
func benchPlan(trials int) plan.Plan {
	p := testPlan(trials / 4)
	p.Strata[0].Controls, p.Strata[1].Controls = nil, nil
	return p
}

// benchJournal writes a shard's journal as a native campaign would, some 550 bytes for each trial, without its syncs.
func benchJournal(b *testing.B, dir string, p plan.Plan, shard plan.Shard) {
	b.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		b.Fatal(err)
	}
	f, err := os.Create(filepath.Join(dir, FileName))
	if err != nil {
		b.Fatal(err)
	}
	out := bufio.NewWriterSize(f, 1<<20)
	h := Header{Version: Version, Tool: "1.2.3", Campaign: "c1", PlanDigest: p.Digest(), Plan: p, Rules: "r1", Shard: shard.String(), Attempt: 1,
		Jobs: 1, Host: Host{Name: "h", OS: "linux", Arch: "amd64", Cores: 2}, Created: epoch}
	var buf bytes.Buffer
	sum := uint32(0)
	put := func(form any) {
		if sum, err = seal(&buf, form, sum); err != nil {
			b.Fatal(err)
		}
		if _, err := out.Write(buf.Bytes()); err != nil {
			b.Fatal(err)
		}
	}
	put(headerLine{typeHeader, &h})
	n := 0
	for block := range p.Blocks(shard) {
		for _, t := range block.Trials {
			n++
			put(startedLine{typeStarted, &Started{ID: t.ID, Started: epoch.Add(time.Duration(n) * time.Second)}})
			rec := benchFinished(t.ID, outcomeOf(t), n)
			put(finishedLine{typeFinished, &rec})
		}
	}
	if err := out.Flush(); err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
}

func benchFinished(id string, o classify.Outcome, n int) Finished {
	busy, pressure := 0.97, 0.25
	f := finished(id, o, n)
	f.Observation.User, f.Observation.System, f.Observation.MaxRSS = 1234567, 345678, 12<<20
	f.Observation.Load = &trial.Load{Asked: "cpu 2x", Cores: &busy, Busy: &busy, Pressure: &pressure}
	return f
}

// peak watches the memory of the process until the function it gives is called, which gives the highest value in MB.
func peak() func() float64 {
	stop, done := make(chan struct{}), make(chan float64)
	go func() {
		high := uint64(0)
		s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			metrics.Read(s)
			high = max(high, s[0].Value.Uint64()-s[1].Value.Uint64())
			select {
			case <-stop:
				done <- float64(high) / 1e6
				return
			case <-tick.C:
			}
		}
	}()
	return func() float64 { close(stop); return <-done }
}

// cpu is the processor time that the process used so far. On a machine that is busy otherwise it says more than the clock.
func cpu(b *testing.B) float64 {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// tabulate counts a results folder as a report does: failures by cell, with the time and the rounds.
func tabulate(b *testing.B, root string, trials int) {
	b.Helper()
	sources, err := Find(root, Limits{})
	if err != nil {
		b.Fatal(err)
	}
	m, err := Merge(sources, Limits{})
	if err != nil {
		b.Fatal(err)
	}
	var counts [8]Counts
	var wall time.Duration
	rounds, n := 0, 0
	if err := m.Each(func(t *Trial) error {
		counts[t.Cell][t.Outcome]++
		wall += t.Wall
		rounds += t.Rounds.Failed
		n++
		return nil
	}); err != nil {
		b.Fatal(err)
	}
	if n != trials || m.Partial {
		b.Fatalf("%d trials, want %d; partial %v, missing %v", n, trials, m.Partial, m.Missing)
	}
	if err := m.Close(); err != nil {
		b.Fatal(err)
	}
}

// The promise: a million trials in 5 s under 150 MB on two cores, and linear.
func BenchmarkTabulate(b *testing.B) {
	for _, c := range []struct {
		name   string
		trials int
	}{{"100k", 100_000}, {"1M", 1_000_000}, {"4M", 4_000_000}} {
		b.Run(c.name, func(b *testing.B) {
			if testing.Short() && c.trials > 100_000 {
				b.Skip("-short leaves out the large journals")
			}
			dir := b.TempDir()
			benchJournal(b, dir, benchPlan(c.trials), plan.Shard{})
			high, used := peak(), cpu(b)
			for b.Loop() {
				tabulate(b, dir, c.trials)
			}
			b.ReportMetric(high(), "peak-MB")
			b.ReportMetric((cpu(b)-used)/float64(b.N), "cpu-s/op")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(c.trials), "ns/trial")
		})
	}
}

// The promise: a thousand shards of a thousand trials planned and merged in 10 s under 300 MB.
func BenchmarkThousandShards(b *testing.B) {
	if testing.Short() {
		b.Skip("-short leaves out the thousand shards")
	}
	const shards, trials = 1000, 1_000_000
	dir := b.TempDir()
	p := benchPlan(trials)
	for k := 1; k <= shards; k++ {
		benchJournal(b, filepath.Join(dir, fmt.Sprintf("shard-%04d", k), "s", "c"), p, plan.Shard{Index: k, Of: shards})
	}
	high, used := peak(), cpu(b)
	for b.Loop() {
		planned := 0
		for k := 1; k <= shards; k++ {
			for block := range p.Blocks(plan.Shard{Index: k, Of: shards}) {
				planned += len(block.Trials)
			}
		}
		if planned != trials {
			b.Fatalf("%d trials planned, want %d", planned, trials)
		}
		tabulate(b, dir, trials)
	}
	b.ReportMetric(high(), "peak-MB")
	b.ReportMetric((cpu(b)-used)/float64(b.N), "cpu-s/op")
}

// What choosing fastjson rests on: one finished record, for counting and in full.
func BenchmarkDecode(b *testing.B) {
	f := benchFinished("a/native/none#0042", classify.Pass, 1)
	var buf bytes.Buffer
	if _, err := seal(&buf, finishedLine{typeFinished, &f}, 0); err != nil {
		b.Fatal(err)
	}
	line := bytes.TrimSuffix(buf.Bytes(), []byte("\n"))
	p := testPlan(100)
	index, err := p.Index()
	if err != nil {
		b.Fatal(err)
	}
	b.Run("record", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(line)))
		parser := &parser{index: index}
		var r Record
		for b.Loop() {
			if err := parser.record(line, &r); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("fastjson", func(b *testing.B) {
		b.SetBytes(int64(len(line)))
		var parser fastjson.Parser
		for b.Loop() {
			if _, err := parser.ParseBytes(line); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("encoding-json", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(line)))
		for b.Loop() {
			var f Finished
			if err := json.Unmarshal(line, &f); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// What the journal costs a campaign: two records for each trial, with the disk behind.
func BenchmarkAppend(b *testing.B) {
	h := testHeader(1)
	h.Plan = benchPlan(40_000_000)
	w, err := Create(b.TempDir(), h)
	if err != nil {
		b.Fatal(err)
	}
	n := 0
	for b.Loop() {
		n++
		id := plan.TrialID("a/native/none", n)
		if err := w.Start(Started{ID: id, Started: epoch}); err != nil {
			b.Fatal(err)
		}
		if err := w.Finish(benchFinished(id, classify.Pass, n)); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
}
