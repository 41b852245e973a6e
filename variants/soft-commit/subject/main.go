// Command soft-commit plays one integration test, again and again if asked: documents are added to a shard of a leader
// and a replica, a soft commit opens a searcher, the replica is cut off, more documents are added, the replica is
// reached again and has to come back level with the leader by a full copy. What is measured is how often an add during
// the cut fails, for clients that differ in one rule each.
//
// It takes flags, and from failrate the environment of a trial; it gives one record for each run, a summary on stdout,
// and the exit status: 0 when every run passed, 1 when one failed, 3 when one could not be played. Sockets, kernel and
// HTTP are real and on the loopback in one process; the cluster is a model in memory. The only dice is the order in
// which the client tries the nodes.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"github.com/failrate/failrate/variants/internal/rounds"
)

// The exit statuses.
const (
	exitPass   = 0
	exitFail   = 1
	exitUsage  = 2
	exitBroken = 3
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	status := run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

func run(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) int {
	o, err := parse(args, stdout)
	if errors.Is(err, flag.ErrHelp) {
		return exitPass
	}
	if err != nil {
		fmt.Fprintln(stderr, "error:", err)
		fmt.Fprintln(stderr, "hint: soft-commit --help lists the flags")
		return exitUsage
	}
	runtime.GOMAXPROCS(o.procs)
	rec, err := measure(ctx, o, rounds.PlaceFrom(getenv))
	if err != nil {
		fmt.Fprintln(stderr, "error:", err)
		return exitBroken
	}
	summarise(stdout, o, &rec.Tally)
	switch {
	case rec.Tally.Rounds() == 0, rec.Tally.Outcomes[rounds.Broken] > 0:
		return exitBroken
	case rec.Tally.Outcomes[rounds.Fail] > 0:
		return exitFail
	}
	return exitPass
}

// measure plays the runs and records them.
func measure(ctx context.Context, o options, place rounds.Place) (*rounds.Recorder, error) {
	rec, err := rounds.NewRecorder(place.Records, rounds.HostFacts())
	if err != nil {
		return nil, err
	}
	defer rec.Close()
	dice := newDice(o.seed, place)
	burst := &rounds.Burst{File: place.Burst, Hogs: o.hogs, Lead: o.lead}
	for i := range o.warmup + o.rounds {
		round := play(ctx, o, dice, burst)
		if ctx.Err() != nil {
			break // stopped in the middle of a run: it says nothing
		}
		if i < o.warmup {
			continue
		}
		if err := rec.Add(round); err != nil {
			return nil, err
		}
	}
	return rec, nil
}
