package trial_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/failrate/failrate/harness/trial"
)

// BenchmarkNative compares an attempt of a program that does nothing, as a campaign makes it (a journal record before
// and after), with the loop of golang.org/x/tools/cmd/stress on the same program. The two take turns in one run, so
// that a busy machine slows both alike; x-stress is the ratio of their times.
func BenchmarkNative(b *testing.B) {
	const program = "/bin/true"
	dir := b.TempDir()
	for _, d := range []string{"tree", "logs", "artifacts"} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o700); err != nil {
			b.Fatal(err)
		}
	}
	journal, err := os.OpenFile(filepath.Join(dir, "journal.jsonl"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		b.Fatal(err)
	}
	defer journal.Close()
	n := trial.NewNative(trial.NativeOptions{
		Trees: map[string]trial.Tree{"v": {Dir: filepath.Join(dir, "tree")}}, Scratch: b.TempDir(), Sessions: b.TempDir(),
	})
	defer n.Close()
	var ours, theirs time.Duration
	for i := 0; b.Loop(); i++ {
		begun := time.Now()
		attempt(b, n, program, dir, journal, i)
		between := time.Now()
		stressRun(b, program)
		ours, theirs = ours+between.Sub(begun), theirs+time.Since(between)
	}
	b.ReportMetric(float64(ours.Nanoseconds())/float64(b.N), "ns/attempt")
	b.ReportMetric(float64(theirs.Nanoseconds())/float64(b.N), "ns/stress")
	b.ReportMetric(ours.Seconds()/theirs.Seconds(), "x-stress")
}

// attempt is one trial with its journal records.
func attempt(b *testing.B, n *trial.Native, program, dir string, journal *os.File, i int) {
	name := fmt.Sprintf("a@%04d", i)
	r := trial.Request{
		ID: name, Variant: "v", Command: []string{program}, Env: os.Environ(), Timeout: time.Minute,
		Out: trial.Output{
			Log: filepath.Join(dir, "logs", name), Records: filepath.Join(dir, "logs", name+".records"),
			Artifacts: filepath.Join(dir, "artifacts", name),
		},
	}
	record(b, journal, map[string]string{"started": name})
	o := n.Execute(b.Context(), r)
	if o.Exit != 0 || o.Fault != "" {
		b.Fatalf("%+v", o)
	}
	record(b, journal, o)
}

func record(b *testing.B, journal *os.File, v any) {
	line, err := json.Marshal(v)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := journal.Write(append(line, '\n')); err != nil {
		b.Fatal(err)
	}
}

// stressRun is what stress does for each run: a command with both streams in a buffer, a goroutine that watches the
// time limit, and a channel to the one that counts.
func stressRun(b *testing.B, program string) {
	results := make(chan []byte)
	go func() {
		cmd := exec.Command(program)
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		err := cmd.Start()
		done := make(chan bool)
		if err == nil {
			go func() {
				select {
				case <-done:
				case <-time.After(10 * time.Minute):
				}
			}()
			err = cmd.Wait()
		}
		close(done)
		if err != nil {
			out.WriteString(err.Error())
		}
		results <- out.Bytes()
	}()
	if out := <-results; len(out) > 0 {
		b.Fatalf("%s", out)
	}
}
