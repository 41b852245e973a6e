package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/failrate/failrate/variants/internal/rounds"
	"github.com/failrate/failrate/variants/internal/wire"
)

// few measures some rounds in this process, with GOMAXPROCS as it is.
func few(t *testing.T, args ...string) *rounds.Tally {
	t.Helper()
	o, err := parse(append([]string{"--rounds", "20", "--warmup", "1"}, args...), &bytes.Buffer{})
	if err != nil {
		t.Fatal(err)
	}
	rec, err := measure(context.Background(), o, rounds.Place{})
	if err != nil {
		t.Fatal(err)
	}
	if got := rec.Tally.Rounds(); got != o.rounds || rec.Tally.Outcomes[rounds.Broken] > 0 {
		t.Fatalf("%d of %d rounds, broken: %v", got, o.rounds, rec.Tally.Broken)
	}
	return &rec.Tally
}

// The claims that hold on every machine.
func TestHardClaims(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args      string
		committed int
		notSent   int
	}{
		{"--cut rst", 0, 20},
		{"--cut rst --delay 1ms", 0, 20},
		{"--cut rst --client h1", 0, 20},
		{"--client h1", 20, 0},
		{"--client h1 --delay 1ms", 20, 0},
		{"--cut pause-then-close", 20, 0},
		{"--cut pause-then-close --body 0", 20, 0},
		{"--cut pause-then-close --body 20000", 20, 0},
		{"--cut pause-then-close --client h1", 20, 0},
		{"--cut none", 0, 0},
		{"--cut none --client h1", 0, 0},
	} {
		t.Run(c.args, func(t *testing.T) {
			t.Parallel()
			tally := few(t, strings.Fields(c.args)...)
			if got := tally.Classes[committed]; got != c.committed {
				t.Errorf("committed %d of 20, want %d", got, c.committed)
			}
			if got := tally.Classes[notSent]; got != c.notSent {
				t.Errorf("not sent %d of 20, want %d", got, c.notSent)
			}
			if got, want := tally.Outcomes[rounds.Pass], 20-c.committed-c.notSent; got != want {
				t.Errorf("passed %d, want %d", got, want)
			}
			if got, want := tally.Evidence["cut"], c.committed+c.notSent; got != want {
				t.Errorf("%d rounds saw the cut, want %d", got, want)
			}
		})
	}
}

func TestEveryRoundOfH2AfterAFINFailsOneWayOrTheOther(t *testing.T) {
	t.Parallel()
	tally := few(t)
	if got := tally.Classes[committed] + tally.Classes[notSent]; got != 20 {
		t.Errorf("%v of 20 rounds failed", tally.Classes)
	}
	if tally.Sum("accepted_bytes") == 0 != (tally.Classes[committed] == 0) {
		t.Errorf("%v bytes accepted, %d committed", tally.Sum("accepted_bytes"), tally.Classes[committed])
	}
}

func TestASendThatDidNotLeaveCanCountAsAPass(t *testing.T) {
	t.Parallel()
	tally := few(t, "--cut", "rst", "--count", "committed")
	if tally.Outcomes[rounds.Pass] != 20 || tally.Evidence[notSent] != 20 || tally.Classes[notSent] != 0 {
		t.Errorf("%+v", tally)
	}
	if tally := few(t, "--client", "h1", "--count", "committed"); tally.Classes[committed] != 20 {
		t.Errorf("%+v", tally)
	}
}

func TestBurstsAreAnnouncedAndEnd(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	o, err := parse([]string{"--rounds", "3", "--warmup", "0", "--stress", "burst:2"}, &bytes.Buffer{})
	if err != nil {
		t.Fatal(err)
	}
	rec, err := measure(context.Background(), o, rounds.Place{Burst: filepath.Join(dir, "burst")})
	if err != nil || rec.Tally.Rounds() != 3 {
		t.Fatalf("%+v, %v", rec, err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestRecordsSayWhatHappened(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "records")
	env := map[string]string{"FAILRATE_RECORDS": path}
	var out, errs bytes.Buffer
	args := []string{"--client", "h1", "--rounds", "3", "--warmup", "0", "--procs", fmt.Sprint(runtime.GOMAXPROCS(0))}
	if code := run(context.Background(), args, func(n string) string { return env[n] }, &out, &errs); code != exitDone {
		t.Fatalf("exit %d: %s", code, errs.String())
	}
	if !strings.Contains(out.String(), "committed 3/3 (100.0%)") {
		t.Errorf("summary:\n%s", out.String())
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(lines) != 3 {
		t.Fatalf("%d lines:\n%s", len(lines), text)
	}
	for i, line := range lines {
		var r rounds.Round
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		if r.Outcome != rounds.Fail || r.Class != committed || r.Metrics["headers_written"] != 1 || r.Metrics["accepted_bytes"] == 0 {
			t.Errorf("line %d: %s", i, line)
		}
		if known := r.Facts["gomaxprocs"] != ""; known != (i == 0) {
			t.Errorf("line %d has facts: %t", i, known)
		}
	}
}

func TestAStoppedRunRecordsNothing(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	o, _ := parse(nil, &bytes.Buffer{})
	rec, err := measure(ctx, o, rounds.Place{})
	if err != nil || rec.Tally.Rounds() != 0 {
		t.Errorf("%+v, %v", rec, err)
	}
}

func TestJudgeTellsHarnessTroubleFromAFinding(t *testing.T) {
	t.Parallel()
	o, _ := parse(nil, &bytes.Buffer{})
	r, err := newRace(o, "")
	if err != nil {
		t.Fatal(err)
	}
	defer r.close()
	now := time.Now()
	shotWith := func(cut int, err, harness error) shot {
		return shot{cutAt: now, sentAt: now, cut: cut, err: err, harness: harness}
	}
	send := func(fault wire.Fault, accepted int64) error {
		return &wire.Failure{Fault: fault, Accepted: accepted, Err: errors.New("x")}
	}
	for name, c := range map[string]struct {
		shot  shot
		class string // "broken" for trouble of the harness
	}{
		"a byte accepted":      {shotWith(1, send(wire.Closed, 1), nil), committed},
		"none accepted":        {shotWith(1, send(wire.Unsent, 0), nil), notSent},
		"refused":              {shotWith(1, send(wire.Refused, 0), nil), notSent},
		"success":              {shotWith(1, nil, nil), ""},
		"no connection to cut": {shotWith(0, send(wire.Refused, 0), nil), "broken"},
		"time limit":           {shotWith(1, send(wire.TimedOut, 9), nil), "broken"},
		"an answer":            {shotWith(1, send(wire.Status, 9), nil), "broken"},
		"not a send":           {shotWith(1, errors.New("x"), nil), "broken"},
		"the cut failed":       {shotWith(1, send(wire.Closed, 1), errors.New("x")), "broken"},
	} {
		round, err := r.judge(c.shot)
		got := round.Class
		if err != nil {
			got = "broken"
		}
		if got != c.class {
			t.Errorf("%s: %q, want %q", name, got, c.class)
		}
	}
}
