package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/failrate/failrate/variants/internal/rounds"
)

// trial runs the subject as failrate does, and gives its rounds.
func trial(t *testing.T, args ...string) []rounds.Round {
	t.Helper()
	records := filepath.Join(t.TempDir(), "records")
	env := map[string]string{"FAILRATE_RECORDS": records, "FAILRATE_SEED": "11"}
	var out, errs bytes.Buffer
	if status := run(append([]string{"--rounds", "40"}, args...), func(k string) string { return env[k] }, &out, &errs); status != exitDone {
		t.Fatalf("%q: status %d: %s", args, status, errs.String())
	}
	text, err := os.ReadFile(records)
	if err != nil {
		t.Fatal(err)
	}
	var all []rounds.Round
	for line := range strings.Lines(string(text)) {
		var r rounds.Round
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	if len(all) != 40 {
		t.Fatalf("%q: %d rounds", args, len(all))
	}
	return all
}

func TestStories(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args     string
		class    string // of every round; empty when all passed
		evidence string // that every round has
		never    string // and none has
	}{
		{"", "503-stale", "uids-differ shards-removed stale-entry", ""},
		{"--build good-92a526b", "", "uids-differ shards-removed stale-entry", "recovered"},
		{"--build node-routing --live 6s --gap 10s", "503-stale", "seen-by-a-tick stale-entry", "recovered"},
		{"--live 6s --gap 10s", "", "seen-by-a-tick", "stale-entry"},
		{"--build fix1", "", "stale-entry", ""},
		{"--build sync-delete", "503-stale", "stale-entry", ""},
		{"--rename", "", "uids-differ stale-entry", ""},
		{"--restart", "", "uids-differ", "stale-entry"},
		{"--nodes 2 --router 2", "", "uids-differ", ""},
		{"--retain-lost", "200-but-lost", "stale-entry", "shards-removed"},
		{"--retain-delay 15s", "200-but-lost", "stale-entry", "shards-removed"},
		{"--build fix1 --retain-lost", "200-but-lost", "", ""},
		{"--build sync-delete --retain-lost", "delete-refused", "", ""},
	} {
		t.Run(c.args, func(t *testing.T) {
			t.Parallel()
			for i, r := range trial(t, strings.Fields(c.args)...) {
				if r.Class != c.class || (r.Outcome == rounds.Pass) != (c.class == "") || r.Outcome == rounds.Broken {
					t.Fatalf("round %d: %s %q %s, want %q", i, r.Outcome, r.Class, r.Message, c.class)
				}
				for _, e := range strings.Fields(c.evidence) {
					if !slices.Contains(r.Evidence, e) {
						t.Errorf("round %d lacks %s: %q", i, e, r.Evidence)
					}
				}
				for _, e := range strings.Fields(c.never) {
					if slices.Contains(r.Evidence, e) {
						t.Errorf("round %d has %s: %q", i, e, r.Evidence)
					}
				}
			}
		})
	}
}

// TestSeenRecovers: what a broadcast saw is cleared by the next one, so trying again helps within its period.
func TestSeenRecovers(t *testing.T) {
	t.Parallel()
	failed := 0
	for _, r := range trial(t, "--live", "6s") {
		if r.Outcome != rounds.Fail {
			continue
		}
		failed++
		if s := r.Metrics["recovery_s"]; r.Metrics["permanent"] != 0 || s <= 0 || s > 5.5 {
			t.Errorf("recovered after %v s, permanent %v", s, r.Metrics["permanent"])
		}
	}
	if failed == 0 {
		t.Error("no round failed")
	}
}

// TestPlanDelaysCreation: a creation waits for the next indexing plan, which gives a broadcast more time to come.
func TestPlanDelaysCreation(t *testing.T) {
	t.Parallel()
	failed := func(plan string) (n int) {
		for _, r := range trial(t, "--live", "4s", "--plan", plan) {
			if r.Outcome == rounds.Fail {
				n++
			}
		}
		return n
	}
	if at0, at2 := failed("0s"), failed("2s"); at0 != 40 || at2 == 0 || at2 == 40 {
		t.Errorf("%d of 40 failed without a wait, %d with one of 2 s", at0, at2)
	}
}

func TestSameSeedSameRounds(t *testing.T) {
	t.Parallel()
	a, _ := json.Marshal(trial(t, "--live", "2s", "--nodes", "3"))
	b, _ := json.Marshal(trial(t, "--live", "2s", "--nodes", "3"))
	if !bytes.Equal(a, b) {
		t.Error("two runs with one seed differ")
	}
}

func TestFlags(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"--build x": `--build "x" is not one of good-92a526b`, "--live -1s": "--live -1s is not from 0s", "--nodes 0": "--nodes 0",
		"--router 2": "--router 2 is not one of the 1 nodes", "--rounds 0": "--rounds 0", "x": `"x" is not a flag`, "--y": "-y",
	} {
		var out, errs bytes.Buffer
		if status := run(strings.Fields(args), os.Getenv, &out, &errs); status != exitUsage || !strings.Contains(errs.String(), want) {
			t.Errorf("%s: status %d, %s", args, status, errs.String())
		}
	}
	var out, errs bytes.Buffer
	if status := run([]string{"--help"}, os.Getenv, &out, &errs); status != exitDone || !strings.Contains(out.String(), "retain-lost") {
		t.Errorf("--help: %d, %s", status, out.String())
	}
}
