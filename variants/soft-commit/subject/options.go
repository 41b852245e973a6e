package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/failrate/failrate/variants/internal/cloudclient"
	"github.com/failrate/failrate/variants/internal/rounds"
)

// minSettle is the least idle time before a cut: with bytes unread at the proxy, its kernel would send a reset.
const minSettle = 100 * time.Microsecond

// The kinds of cut.
const (
	cutFIN            = "fin"
	cutReset          = "rst"
	cutNone           = "none"
	cutPauseThenClose = "pause-then-close" // the first add gets into the kernel's buffers and no further
	cutApplyThenCut   = "apply-then-cut"   // the first add is applied, and its answer lost
)

// The orders in which nodes are tried.
const (
	routeShuffle = "shuffle"
	routeReplica = "replica-first"
	routeLeader  = "leader-first"
)

type options struct {
	policy cloudclient.Policy
	cut    string
	route  string
	delay  time.Duration // between the cut and the next add
	settle time.Duration // idle time before the cut
	lead   time.Duration // between the announcement of a burst and the cut
	adds   int           // after the cut
	keep   int           // updates in the log (numRecordsToKeep)
	rounds int
	warmup int // runs that are not recorded
	procs  int
	hogs   int    // busy goroutines of a burst
	seed   string // of the shuffle; empty means the trial's
}

func parse(args []string, help io.Writer) (options, error) {
	var o options
	var client, stress string
	f := flag.NewFlagSet("soft-commit", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.StringVar(&client, "client", "baseline", "`policy` of the client: "+strings.Join(cloudclient.Names(), ", "))
	f.StringVar(&o.cut, "cut", cutFIN, "`how` the replica is cut off: "+strings.Join(cuts(), ", "))
	f.StringVar(&o.route, "route", routeShuffle, "`order` in which nodes are tried: "+strings.Join(routes(), ", "))
	f.DurationVar(&o.delay, "delay", 0, "time between the cut and the next add")
	f.DurationVar(&o.settle, "settle", time.Millisecond, "idle time before the cut, at least 100us")
	f.DurationVar(&o.lead, "lead", 3*time.Millisecond, "time between the start of a burst of load and the cut")
	f.IntVar(&o.adds, "adds", 3, "documents added after the cut")
	f.IntVar(&o.keep, "keep", 2, "updates in the log: a replica that misses more needs a full copy")
	f.IntVar(&o.rounds, "rounds", 1, "runs to record")
	f.IntVar(&o.warmup, "warmup", 0, "runs before these that are not recorded")
	f.IntVar(&o.procs, "procs", 4, "GOMAXPROCS, which the result depends on")
	f.StringVar(&o.seed, "seed", "", "seed of the shuffle; empty means the trial's, or a random one")
	f.StringVar(&stress, "stress", "none", "`load` from inside this process: none, or burst:N for N busy goroutines around the cut")
	if err := f.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(help, "soft-commit plays a recovery test against a shard whose replica is cut off.")
			f.SetOutput(help)
			f.PrintDefaults()
		}
		return o, err
	}
	if f.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q", f.Arg(0))
	}
	var known bool
	if o.policy, known = cloudclient.Named(client); !known {
		return o, fmt.Errorf("--client %q is not one of %s", client, strings.Join(cloudclient.Names(), ", "))
	}
	var err error
	if o.hogs, err = rounds.ParseHogs(stress); err != nil {
		return o, fmt.Errorf("--stress %w", err)
	}
	return o, o.check()
}

func cuts() []string {
	return []string{cutFIN, cutReset, cutPauseThenClose, cutApplyThenCut, cutNone}
}

func routes() []string { return []string{routeShuffle, routeReplica, routeLeader} }

func (o options) check() error {
	switch {
	case !slices.Contains(cuts(), o.cut):
		return fmt.Errorf("--cut %q is not one of %s", o.cut, strings.Join(cuts(), ", "))
	case !slices.Contains(routes(), o.route):
		return fmt.Errorf("--route %q is not one of %s", o.route, strings.Join(routes(), ", "))
	case o.rounds < 1:
		return fmt.Errorf("--rounds must be at least 1, not %d", o.rounds)
	case o.adds < 1:
		return fmt.Errorf("--adds must be at least 1, not %d", o.adds)
	case o.keep < 1:
		return fmt.Errorf("--keep must be at least 1, not %d", o.keep)
	case o.warmup < 0:
		return fmt.Errorf("--warmup must not be negative")
	case o.procs < 1:
		return fmt.Errorf("--procs must be at least 1, not %d", o.procs)
	case o.settle < minSettle:
		return fmt.Errorf("--settle must be at least %v, or unread bytes turn the FIN into a reset", minSettle)
	case o.delay < 0 || o.lead < 0:
		return fmt.Errorf("--delay and --lead must not be negative")
	}
	return nil
}
