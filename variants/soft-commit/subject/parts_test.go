package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/failrate/failrate/variants/internal/cloudclient"
	"github.com/failrate/failrate/variants/internal/rounds"
	"github.com/failrate/failrate/variants/internal/shard"
)

func TestJudge(t *testing.T) {
	t.Parallel()
	lost := errors.New("add 3 failed")
	for name, c := range map[string]struct {
		story    story
		class    string // empty for a pass
		evidence string
	}{
		"all in, full copy":          {story{way: shard.FullCopy, hit: true, cut: 1}, "", "[cut-replica-hit full-copy]"},
		"all in, peer sync":          {story{way: shard.PeerSync}, "", "[]"},
		"lost after bytes left":      {story{lost: lost, sent: true, hit: true}, committed, "[cut-replica-hit]"},
		"lost before":                {story{lost: lost}, notSent, "[]"},
		"did not come back":          {story{recovery: errors.New("x"), way: shard.FullCopy}, recovery, "[full-copy]"},
		"twice":                      {story{twice: []string{"3"}, way: shard.FullCopy}, appliedTwice, "[full-copy]"},
		"twice beats everything":     {story{twice: []string{"3"}, lost: lost, sent: true}, appliedTwice, "[]"},
		"a lost add beats no return": {story{lost: lost, recovery: errors.New("x")}, notSent, "[]"},
	} {
		r := judge(c.story)
		if (r.Outcome == rounds.Pass) != (c.class == "") || r.Class != c.class || fmt.Sprint(r.Evidence) != c.evidence {
			t.Errorf("%s: %+v, want class %q and evidence %s", name, r, c.class, c.evidence)
		}
		if (r.Message == "") != (c.class == "") {
			t.Errorf("%s: message %q", name, r.Message)
		}
	}
}

// shuffles gives the first orders that a seed and a trial lead to.
func shuffles(flagSeed string, place rounds.Place) string {
	var out strings.Builder
	by := order(routeShuffle, newDice(flagSeed, place))
	for range 40 {
		nodes := []cloudclient.Endpoint{{Addr: "r"}, {Addr: "l", Leader: true}}
		by(nodes)
		out.WriteString(nodes[0].Addr)
	}
	return out.String()
}

func TestTheShuffleFollowsSeedAndTrial(t *testing.T) {
	t.Parallel()
	one := shuffles("", rounds.Place{Seed: "1", Trial: "baseline#0001"})
	if again := shuffles("", rounds.Place{Seed: "1", Trial: "baseline#0001"}); again != one {
		t.Errorf("the same trial gave %s and %s", one, again)
	}
	for what, other := range map[string]string{
		"another seed":  shuffles("", rounds.Place{Seed: "2", Trial: "baseline#0001"}),
		"another trial": shuffles("", rounds.Place{Seed: "1", Trial: "leaders-only#0001"}),
		"a flag":        shuffles("9", rounds.Place{Seed: "1", Trial: "baseline#0001"}),
	} {
		if other == one {
			t.Errorf("%s gave the same shuffles", what)
		}
	}
	free := []string{shuffles("", rounds.Place{}), shuffles("", rounds.Place{})}
	if free[0] == free[1] {
		t.Error("without a seed every run is the same")
	}
	if r := strings.Count(one, "r"); r < 8 || r > 32 {
		t.Errorf("the replica is first in %d of 40 shuffles: %s", r, one)
	}
}

func TestRoutesThatAreNotShuffled(t *testing.T) {
	t.Parallel()
	for route, want := range map[string]string{routeReplica: "r", routeLeader: "l"} {
		by := order(route, newDice("1", rounds.Place{}))
		for _, nodes := range [][]cloudclient.Endpoint{{{Addr: "r"}, {Addr: "l", Leader: true}}, {{Addr: "l", Leader: true}, {Addr: "r"}}} {
			if by(nodes); nodes[0].Addr != want {
				t.Errorf("%s: %v", route, nodes)
			}
		}
	}
}

func TestUsageErrors(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"--client new":  `--client "new" is not one of baseline, never-retry-updates`,
		"--cut halfway": `--cut "halfway" is not one of fin, rst, pause-then-close, apply-then-cut, none`,
		"--route north": `--route "north" is not one of shuffle, replica-first, leader-first`,
		"--rounds 0":    "--rounds must be at least 1, not 0",
		"--adds 0":      "--adds must be at least 1, not 0",
		"--keep 0":      "--keep must be at least 1, not 0",
		"--warmup -1":   "--warmup must not be negative",
		"--procs 0":     "--procs must be at least 1, not 0",
		"--settle 1us":  "--settle must be at least 100µs",
		"--lead -1s":    "--delay and --lead must not be negative",
		"--stress hogs": `--stress "hogs" is neither none nor burst:N`,
		"--colour":      "flag provided but not defined",
		"leftover":      `unexpected argument "leftover"`,
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
	if code := run(context.Background(), []string{"--help"}, os.Getenv, &out, &errs); code != exitPass || errs.Len() > 0 {
		t.Errorf("exit %d, stderr %q", code, errs.String())
	}
	for _, flag := range []string{"-client", "-cut", "-adds", "-procs", "-rounds", "-route", "old-client-no-retry"} {
		if !strings.Contains(out.String(), flag) {
			t.Errorf("help does not name %s", flag)
		}
	}
}
