// Command quickwit-503 stands in for Quickwit where its image is not to be had: a model of its ingest routing behind its
// HTTP interface, on real sockets and in real time. The study's steps cannot tell the two apart.
//
// It takes the product's own settings from the environment (QW_LISTEN_ADDRESS, QW_REST_LISTEN_PORT, QW_NODE_ID), and
// MODEL_BUILD and MODEL_RETAIN for what only a model can be told; flags go first. It is one node, and answers until it is ended.
// The log says what the product's does when an ingester has no shard, and when it drops some.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"github.com/failrate/failrate/variants/internal/quickwit"
	"github.com/failrate/failrate/variants/internal/quickwit/api"
)

// The exit statuses.
const (
	exitDone  = 0
	exitError = 1
	exitUsage = 2
)

// patience is how long requests that are under way may take when the server is ended.
const patience = time.Second

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	status := run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

func run(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) int {
	o, err := parse(args, getenv, stdout)
	if errors.Is(err, flag.ErrHelp) {
		return exitDone
	}
	if err != nil {
		fmt.Fprintln(stderr, "error:", err)
		fmt.Fprintln(stderr, "hint: quickwit-503 --help lists flags and variables")
		return exitUsage
	}
	if err := serve(ctx, o, stdout); err != nil {
		fmt.Fprintln(stderr, "error:", err)
		return exitError
	}
	return exitDone
}

// serve answers until ctx ends.
func serve(ctx context.Context, o options, stdout io.Writer) error {
	log := slog.New(slog.NewTextHandler(stdout, &slog.HandlerOptions{Level: slog.LevelDebug})).With("node_id", o.id)
	clock := quickwit.NewReal()
	defer clock.Close()
	o.cluster.Log = func(e quickwit.Event) { tell(log, e) }
	made := make(chan *quickwit.Cluster, 1)
	clock.After(0, func() { made <- quickwit.NewCluster(o.cluster, clock, quickwit.Dice(o.seed)) })
	cluster := <-made

	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort(o.host, strconv.Itoa(o.port)))
	if err != nil {
		return err
	}
	s := &http.Server{Handler: api.Handler(cluster, clock, 0, func(int) string { return o.id }), ReadHeaderTimeout: time.Minute}
	failed := make(chan error, 1)
	go func() { failed <- s.Serve(l) }()
	log.Info("REST server is ready", "address", l.Addr().String(), "build", o.cluster.Build.Name)
	select {
	case err = <-failed:
		return err
	case <-ctx.Done():
	}
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	if s.Shutdown(end) != nil {
		return s.Close()
	}
	return nil
}

// tell writes an event as a line of the log.
func tell(log *slog.Logger, e quickwit.Event) {
	level := map[string]slog.Level{"DEBUG": slog.LevelDebug, "INFO": slog.LevelInfo, "WARN": slog.LevelWarn}[e.Level]
	log.Log(context.Background(), level, e.Message, "index_uid", e.UID.String(), "source_id", quickwit.Source)
}
