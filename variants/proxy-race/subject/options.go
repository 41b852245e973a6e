package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/failrate/failrate/variants/internal/rounds"
)

// minSettle is the least idle time before a cut: with bytes unread at the proxy, its kernel would send a reset.
const minSettle = 100 * time.Microsecond

// maxBody keeps a request inside the socket's buffer and the connection's first flow-control window, in bytes.
const maxBody = 32 << 10

type options struct {
	client string        // h2 or h1
	cut    string        // fin, rst, pause-then-close, none
	count  string        // any or committed: which failed sends count as failures
	delay  time.Duration // between the cut and the send
	settle time.Duration // idle time before the cut
	lead   time.Duration // between the announcement of a burst and the cut
	limit  time.Duration // no further round after this long
	rounds int
	warmup int // rounds that are not recorded
	procs  int
	body   int // bytes
	hogs   int // busy goroutines of a burst
}

func parse(args []string, help io.Writer) (options, error) {
	var o options
	var stress string
	f := flag.NewFlagSet("proxy-race", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.StringVar(&o.client, "client", "h2", "`kind` of client: h2 (pooled, with a reader) or h1 (reads only after it wrote)")
	f.StringVar(&o.cut, "cut", "fin", "`how` the proxy is cut: fin, rst, pause-then-close or none")
	f.StringVar(&o.count, "count", "any", "`which` failed sends are failures: any, or committed (one that was not sent is harmless and passes)")
	f.DurationVar(&o.delay, "delay", 0, "time between the cut and the send")
	f.DurationVar(&o.settle, "settle", time.Millisecond, "idle time before the cut, at least 100us")
	f.DurationVar(&o.lead, "lead", 3*time.Millisecond, "time between the start of a burst of load and the cut")
	f.DurationVar(&o.limit, "limit", 30*time.Second, "no further round after this long")
	f.IntVar(&o.rounds, "rounds", 1000, "rounds to record")
	f.IntVar(&o.warmup, "warmup", 20, "rounds before these that are not recorded")
	f.IntVar(&o.procs, "procs", 2, "GOMAXPROCS, which the result depends on")
	f.IntVar(&o.body, "body", 200, "bytes of the request's body")
	f.StringVar(&stress, "stress", "none", "`load` from inside this process: none, or burst:N for N busy goroutines around the cut")
	if err := f.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(help, "proxy-race sends one request to a replica whose proxy has just been cut, again and again.")
			f.SetOutput(help)
			f.PrintDefaults()
		}
		return o, err
	}
	if f.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q", f.Arg(0))
	}
	var err error
	if o.hogs, err = rounds.ParseHogs(stress); err != nil {
		return o, fmt.Errorf("--stress %w", err)
	}
	return o, o.check()
}

func (o options) check() error {
	for _, c := range []struct {
		flag, value string
		known       []string
	}{
		{"client", o.client, []string{"h2", "h1"}},
		{"cut", o.cut, []string{"fin", "rst", "pause-then-close", "none"}},
		{"count", o.count, []string{"any", "committed"}},
	} {
		if !slices.Contains(c.known, c.value) {
			return fmt.Errorf("--%s %q is not one of %s", c.flag, c.value, strings.Join(c.known, ", "))
		}
	}
	switch {
	case o.rounds < 1:
		return fmt.Errorf("--rounds must be at least 1, not %d", o.rounds)
	case o.warmup < 0:
		return fmt.Errorf("--warmup must not be negative")
	case o.procs < 1:
		return fmt.Errorf("--procs must be at least 1, not %d", o.procs)
	case o.settle < minSettle:
		return fmt.Errorf("--settle must be at least %v, or unread bytes turn the FIN into a reset", minSettle)
	case o.delay < 0 || o.lead < 0 || o.limit <= 0:
		return fmt.Errorf("--delay and --lead must not be negative, --limit must be above 0")
	case o.body < 0 || o.body > maxBody:
		return fmt.Errorf("--body must be from 0 to %d", maxBody)
	}
	return nil
}
