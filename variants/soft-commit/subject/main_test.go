package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/failrate/failrate/variants/internal/cloudclient"
	"github.com/failrate/failrate/variants/internal/rounds"
)

// few plays some runs in this process, with GOMAXPROCS as it is.
func few(t *testing.T, args ...string) *rounds.Tally {
	t.Helper()
	o, err := parse(append([]string{"--rounds", "5", "--seed", "1"}, args...), &bytes.Buffer{})
	if err != nil {
		t.Fatal(err)
	}
	rec, err := measure(context.Background(), o, rounds.Place{})
	if err != nil {
		t.Fatal(err)
	}
	if got := rec.Tally.Rounds(); got != o.rounds || rec.Tally.Outcomes[rounds.Broken] > 0 {
		t.Fatalf("%d of %d runs, broken: %v", got, o.rounds, rec.Tally.Broken)
	}
	return &rec.Tally
}

// The claims that hold on every machine, in five runs each.
func TestHardClaims(t *testing.T) {
	t.Parallel()
	const replicaFirst = " --route replica-first"
	for _, c := range []struct {
		args    string
		class   string // of all failures
		fails   int
		copies  int // runs that came back by a full copy
		hitsCut int
	}{
		{"--client leaders-only", "", 0, 5, 0},
		{"--client leaders-only --cut rst", "", 0, 5, 0},
		{"--client leaders-only --cut pause-then-close", "", 0, 5, 0},
		{"--client leaders-only --cut apply-then-cut", "", 0, 5, 0},

		{"--cut pause-then-close" + replicaFirst, committed, 5, 0, 5},
		{"--client never-retry-updates --cut pause-then-close" + replicaFirst, committed, 5, 0, 5},
		{"--client comm-error-unsent --cut pause-then-close" + replicaFirst, committed, 5, 0, 5},
		{"--client old-client-no-retry --cut pause-then-close" + replicaFirst, committed, 5, 0, 5},
		{"--client comm-error-all --cut pause-then-close" + replicaFirst, "", 0, 5, 5},
		{"--client lb-retries-all --cut pause-then-close" + replicaFirst, "", 0, 5, 5},
		{"--client old-client --cut pause-then-close" + replicaFirst, "", 0, 5, 5},

		{"--cut rst" + replicaFirst, "", 0, 5, 5},
		{"--client old-client --cut rst" + replicaFirst, "", 0, 5, 5},
		{"--client never-retry-updates --cut rst" + replicaFirst, notSent, 5, 0, 5},
		{"--client old-client-no-retry --cut rst" + replicaFirst, notSent, 5, 0, 5},

		{"--client old-client-no-retry" + replicaFirst, committed, 5, 0, 5},
		{"--client old-client" + replicaFirst, "", 0, 5, 5},
		{"--client comm-error-all" + replicaFirst, "", 0, 5, 5},
		{"--client lb-retries-all" + replicaFirst, "", 0, 5, 5},

		{"--cut apply-then-cut" + replicaFirst, committed, 5, 0, 5},
		{"--client comm-error-all --cut apply-then-cut" + replicaFirst, appliedTwice, 5, 5, 5},
		{"--client lb-retries-all --cut apply-then-cut" + replicaFirst, appliedTwice, 5, 5, 5},
		{"--client old-client --cut apply-then-cut" + replicaFirst, appliedTwice, 5, 5, 5},
		{"--client old-client-no-retry --cut apply-then-cut" + replicaFirst, committed, 5, 0, 5},

		{"--cut none", "", 0, 0, 0},
		{"--client old-client --cut none", "", 0, 0, 0},
		{"--adds 2 --client leaders-only", "", 0, 0, 0}, // the log holds two: no copy is needed
	} {
		t.Run(c.args, func(t *testing.T) {
			t.Parallel()
			tally := few(t, strings.Fields(c.args)...)
			if got := tally.Outcomes[rounds.Fail]; got != c.fails || tally.Classes[c.class] != c.fails {
				t.Errorf("failed %d times, %v; want %d %s", got, tally.Classes, c.fails, c.class)
			}
			if got := tally.Evidence[fullCopy]; got != c.copies {
				t.Errorf("%d full copies, want %d", got, c.copies)
			}
			if got := tally.Evidence[hitReplica]; got != c.hitsCut {
				t.Errorf("%d runs hit the cut replica, want %d", got, c.hitsCut)
			}
		})
	}
}

func TestNothingIsAppliedTwiceByAPlainCut(t *testing.T) {
	t.Parallel()
	for _, name := range cloudclient.Names() {
		for _, cut := range []string{cutFIN, cutReset, cutPauseThenClose} {
			t.Run(name+" "+cut, func(t *testing.T) {
				t.Parallel()
				tally := few(t, "--client", name, "--cut", cut, "--rounds", "3")
				if tally.Classes[appliedTwice] > 0 || tally.Classes[recovery] > 0 {
					t.Errorf("classes %v", tally.Classes)
				}
				if cut == cutReset && tally.Classes[committed] > 0 {
					t.Errorf("committed after a reset: %v", tally.Classes)
				}
			})
		}
	}
}

func TestOneRunIsARecordAndAnExitStatus(t *testing.T) {
	t.Parallel()
	procs := fmt.Sprint(runtime.GOMAXPROCS(0))
	for _, c := range []struct {
		args string
		exit int
		want rounds.Round
	}{
		{"--client leaders-only", exitPass, rounds.Round{Outcome: rounds.Pass, Evidence: []string{fullCopy}}},
		{"--client old-client-no-retry --route replica-first", exitFail, rounds.Round{Outcome: rounds.Fail, Class: committed, Evidence: []string{hitReplica}}},
	} {
		path := filepath.Join(t.TempDir(), "records")
		env := map[string]string{"FAILRATE_RECORDS": path, "FAILRATE_SEED": "1", "FAILRATE_TRIAL": "a#0001"}
		var out, errs bytes.Buffer
		args := append(strings.Fields(c.args), "--procs", procs)
		if code := run(context.Background(), args, func(n string) string { return env[n] }, &out, &errs); code != c.exit {
			t.Errorf("%s: exit %d, want %d: %s", c.args, code, c.exit, errs.String())
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var got rounds.Round
		if err := json.Unmarshal(text, &got); err != nil || strings.Count(string(text), "\n") != 1 {
			t.Fatalf("%s: records %q, %v", c.args, text, err)
		}
		if got.Outcome != c.want.Outcome || got.Class != c.want.Class || fmt.Sprint(got.Evidence) != fmt.Sprint(c.want.Evidence) {
			t.Errorf("%s: %s", c.args, text)
		}
		if got.Facts["gomaxprocs"] != procs || !strings.Contains(out.String(), "evidence full-copy") {
			t.Errorf("facts %v, summary:\n%s", got.Facts, out.String())
		}
	}
}

func TestAStoppedRunIsNotAPass(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var out, errs bytes.Buffer
	args := []string{"--procs", fmt.Sprint(runtime.GOMAXPROCS(0))}
	if code := run(ctx, args, func(string) string { return "" }, &out, &errs); code != exitBroken {
		t.Errorf("exit %d, want %d", code, exitBroken)
	}
}
