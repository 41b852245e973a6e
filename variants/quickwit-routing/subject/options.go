package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/failrate/failrate/variants/internal/quickwit"
)

// options say which story is played, on what.
type options struct {
	build   quickwit.Build
	live    time.Duration // from the first ingest's answer to the deletion
	gap     time.Duration // from the deletion's answer to the second creation
	wait    time.Duration // from the second creation's answer to the second ingest
	nodes   int
	router  int           // the node that is sent the second ingest, from 1
	lost    bool          // the ingester never hears that it should drop the shards
	delay   time.Duration // it hears it that much later
	restart bool          // every node is restarted before the second creation
	rename  bool          // the second index has another name
	plan    time.Duration // the least between two indexing plans, for which a creation waits
	patient time.Duration // how long a failed ingest is tried again
	rounds  int
	seed    string
}

func parse(args []string, help io.Writer) (options, error) {
	var o options
	f := flag.NewFlagSet("quickwit-routing", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	build := f.String("build", "uid-compare", "the build: "+strings.Join(quickwit.BuildNames(), ", "))
	f.DurationVar(&o.live, "live", 200*time.Millisecond, "from the first ingest to the deletion")
	f.DurationVar(&o.gap, "gap", 0, "from the deletion to the second creation")
	f.DurationVar(&o.wait, "wait", 0, "from the second creation to the second ingest")
	f.IntVar(&o.nodes, "nodes", 1, "nodes of the cluster")
	f.IntVar(&o.router, "router", 1, "the node that is sent the second ingest")
	f.BoolVar(&o.lost, "retain-lost", false, "the ingester never hears that it should drop the shards")
	f.DurationVar(&o.delay, "retain-delay", 0, "the ingester hears it that much later")
	f.BoolVar(&o.restart, "restart", false, "restart every node before the second creation")
	f.BoolVar(&o.rename, "rename", false, "give the second index another name")
	f.DurationVar(&o.plan, "plan", 2*time.Second, "the least between two indexing plans, for which a creation waits")
	f.DurationVar(&o.patient, "patient", 30*time.Second, "how long a failed ingest is tried again, twice a second")
	f.IntVar(&o.rounds, "rounds", 100, "rounds, each on a cluster of its own")
	f.StringVar(&o.seed, "seed", "0", "decides what is left to chance; FAILRATE_SEED goes first")
	err := f.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(help, "quickwit-routing: is an index that was created again taken for the one before?\n\nFlags:")
		f.SetOutput(help)
		f.PrintDefaults()
	}
	if err != nil {
		return o, err
	}
	known := false
	if o.build, known = quickwit.BuildNamed(*build); !known {
		return o, fmt.Errorf("--build %q is not one of %s", *build, strings.Join(quickwit.BuildNames(), ", "))
	}
	return o, o.check(f.Args())
}

func (o options) check(rest []string) error {
	for name, d := range map[string]time.Duration{"live": o.live, "gap": o.gap, "wait": o.wait, "retain-delay": o.delay, "plan": o.plan, "patient": o.patient} {
		if d < 0 || d > 24*time.Hour {
			return fmt.Errorf("--%s %v is not from 0s to 24h", name, d)
		}
	}
	switch {
	case len(rest) > 0:
		return fmt.Errorf("%q is not a flag", rest[0])
	case o.nodes < 1 || o.nodes > 100:
		return fmt.Errorf("--nodes %d is not from 1 to 100", o.nodes)
	case o.router < 1 || o.router > o.nodes:
		return fmt.Errorf("--router %d is not one of the %d nodes", o.router, o.nodes)
	case o.rounds < 1:
		return fmt.Errorf("--rounds %d is not above 0", o.rounds)
	}
	return nil
}

func sorted(m map[string]int) []string { return slices.Sorted(maps.Keys(m)) }
