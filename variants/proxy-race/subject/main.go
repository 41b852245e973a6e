// Command proxy-race measures one race: a replica is cut off, and a client that has a pooled connection to it sends one
// request. Either the client notices the end of the connection first, and nothing is sent (not-sent), or its kernel
// accepts bytes that nobody will read (committed), which no client may repeat without the risk of applying it twice.
//
// It takes flags, and from failrate the environment of a trial; it gives one record for each round, and a summary on
// stdout. Everything is real sockets on the loopback in one process: server, proxy, client. Nothing is random.
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

// The exit statuses. A failed round is a finding, not an error.
const (
	exitDone  = 0
	exitError = 1
	exitUsage = 2
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
		return exitDone
	}
	if err != nil {
		fmt.Fprintln(stderr, "error:", err)
		fmt.Fprintln(stderr, "hint: proxy-race --help lists the flags")
		return exitUsage
	}
	runtime.GOMAXPROCS(o.procs)
	rec, err := measure(ctx, o, rounds.PlaceFrom(getenv))
	if err != nil {
		fmt.Fprintln(stderr, "error:", err)
		return exitError
	}
	summarise(stdout, o, &rec.Tally)
	if rec.Tally.Outcomes[rounds.Broken] == rec.Tally.Rounds() {
		fmt.Fprintln(stderr, "error: no round could be run")
		return exitError
	}
	return exitDone
}

// measure runs the rounds and records them.
func measure(ctx context.Context, o options, place rounds.Place) (*rounds.Recorder, error) {
	rec, err := rounds.NewRecorder(place.Records, rounds.HostFacts())
	if err != nil {
		return nil, err
	}
	defer rec.Close()
	r, err := newRace(o, place.Burst)
	if err != nil {
		return nil, err
	}
	if err := r.run(ctx, rec); err != nil {
		r.close()
		return nil, err
	}
	return rec, r.close()
}
