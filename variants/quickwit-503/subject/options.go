package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/failrate/failrate/variants/internal/quickwit"
)

// options say where the model listens and what it is.
type options struct {
	host    string
	port    int
	id      string // of the node
	cluster quickwit.Config
	seed    string
}

func parse(args []string, getenv func(string) string, help io.Writer) (options, error) {
	o := options{id: cmp.Or(getenv("QW_NODE_ID"), "node-1"), seed: getenv("FAILRATE_SEED") + getenv("HOSTNAME")}
	f := flag.NewFlagSet("quickwit-503", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	listen := f.String("listen", net.JoinHostPort(cmp.Or(getenv("QW_LISTEN_ADDRESS"), "127.0.0.1"), cmp.Or(getenv("QW_REST_LISTEN_PORT"), "7280")),
		"where to listen, port 0 for a free one; QW_LISTEN_ADDRESS and QW_REST_LISTEN_PORT otherwise")
	build := f.String("build", cmp.Or(getenv("MODEL_BUILD"), "uid-compare"), "MODEL_BUILD: "+strings.Join(quickwit.BuildNames(), ", "))
	retain := f.String("retain", getenv("MODEL_RETAIN"), "MODEL_RETAIN: lost, or a delay: what becomes of the request to drop shards")
	err := f.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(help, "quickwit-503 [run]: a model of Quickwit's ingest routing behind its HTTP interface\n\nFlags:")
		f.SetOutput(help)
		f.PrintDefaults()
	}
	if err != nil {
		return o, err
	}
	if rest := f.Args(); len(rest) > 1 || len(rest) == 1 && rest[0] != "run" {
		return o, fmt.Errorf("%q is neither a flag nor run", rest[0])
	}
	return o, o.fill(*listen, *build, *retain)
}

func (o *options) fill(listen, build, retain string) error {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return fmt.Errorf("--listen %q is not HOST:PORT", listen)
	}
	o.host = host
	if o.port, err = strconv.Atoi(port); err != nil || o.port < 0 || o.port > 65535 {
		return fmt.Errorf("--listen: the port %q is not from 0 to 65535", port)
	}
	known := false
	if o.cluster.Build, known = quickwit.BuildNamed(build); !known {
		return fmt.Errorf("--build %q is not one of %s", build, strings.Join(quickwit.BuildNames(), ", "))
	}
	o.cluster.Phase = -1
	switch retain {
	case "":
	case "lost":
		o.cluster.RetainLost = true
	default:
		if o.cluster.RetainDelay, err = time.ParseDuration(retain); err != nil || o.cluster.RetainDelay < 0 {
			return fmt.Errorf("--retain %q is neither lost nor a duration", retain)
		}
	}
	return nil
}
