package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
	"time"
)

func TestDefaultsAreTheOrdinaryRace(t *testing.T) {
	t.Parallel()
	o, err := parse(nil, &bytes.Buffer{})
	want := options{client: "h2", cut: "fin", count: "any", settle: time.Millisecond, lead: 3 * time.Millisecond,
		limit: 30 * time.Second, rounds: 1000, warmup: 20, procs: 2, body: 200}
	if err != nil || o != want {
		t.Errorf("got %+v, %v; want %+v", o, err, want)
	}
}

func TestALaterFlagWins(t *testing.T) {
	t.Parallel()
	o, err := parse([]string{"--cut", "fin", "--cut", "rst"}, &bytes.Buffer{})
	if err != nil || o.cut != "rst" {
		t.Errorf("got %q, %v: variants append their arguments and rely on this", o.cut, err)
	}
}

func TestUsageErrors(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"--client h3":        `--client "h3" is not one of h2, h1`,
		"--cut halfway":      `--cut "halfway" is not one of fin, rst, pause-then-close, none`,
		"--count few":        `--count "few" is not one of any, committed`,
		"--rounds 0":         "--rounds must be at least 1, not 0",
		"--warmup -1":        "--warmup must not be negative",
		"--procs 0":          "--procs must be at least 1, not 0",
		"--settle 50us":      "--settle must be at least 100µs",
		"--delay -1s":        "--delay and --lead must not be negative",
		"--limit 0s":         "--limit must be above 0",
		"--body 40000":       "--body must be from 0 to 32768",
		"--stress hogs":      `--stress "hogs" is neither none nor burst:N`,
		"--delay soon":       "invalid value",
		"--colour":           "flag provided but not defined",
		"--cut fin leftover": `unexpected argument "leftover"`,
	} {
		var out, errs bytes.Buffer
		code := run(context.Background(), strings.Fields(args), os.Getenv, &out, &errs)
		if code != exitUsage || !strings.Contains(errs.String(), want) || !strings.Contains(errs.String(), "hint:") || out.Len() > 0 {
			t.Errorf("%s: exit %d, stdout %q, stderr %q; want exit %d and %q", args, code, out.String(), errs.String(), exitUsage, want)
		}
	}
}

func TestHelpGoesToStdout(t *testing.T) {
	t.Parallel()
	var out, errs bytes.Buffer
	if code := run(context.Background(), []string{"--help"}, os.Getenv, &out, &errs); code != exitDone || errs.Len() > 0 {
		t.Errorf("exit %d, stderr %q", code, errs.String())
	}
	for _, flag := range []string{"-client", "-cut", "-delay", "-settle", "-rounds", "-procs", "-stress"} {
		if !strings.Contains(out.String(), flag) {
			t.Errorf("help does not name %s", flag)
		}
	}
}
