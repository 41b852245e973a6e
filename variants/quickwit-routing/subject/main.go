// Command quickwit-routing plays one story again and again on a model of Quickwit's ingest routing: an index is created,
// takes documents, lives for a while and is deleted; it is created again by the same name, and takes documents again.
// What is measured is how often that second ingest fails, and how, for builds whose routing differs.
//
// It takes flags, and from failrate the environment of a trial; it gives one record for each round, and a summary on
// stdout. Nothing real is used: the clock jumps from event to event, so a round of a minute costs a fraction of a
// millisecond. Every round has a cluster of its own, at a random moment between two of its broadcasts; that moment, and
// what the cluster itself leaves to chance, follow from the seed and the number of the round.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/failrate/failrate/variants/internal/rounds"
)

// The exit statuses. A failed round is a finding, not an error.
const (
	exitDone  = 0
	exitError = 1
	exitUsage = 2
)

func main() { os.Exit(run(os.Args[1:], os.Getenv, os.Stdout, os.Stderr)) }

func run(args []string, getenv func(string) string, stdout, stderr io.Writer) int {
	o, err := parse(args, stdout)
	if errors.Is(err, flag.ErrHelp) {
		return exitDone
	}
	if err != nil {
		fmt.Fprintln(stderr, "error:", err)
		fmt.Fprintln(stderr, "hint: quickwit-routing --help lists the flags")
		return exitUsage
	}
	rec, err := measure(o, rounds.PlaceFrom(getenv))
	if err != nil {
		fmt.Fprintln(stderr, "error:", err)
		return exitError
	}
	summarise(stdout, o, &rec.Tally)
	return exitDone
}

// measure plays the rounds and records them.
func measure(o options, place rounds.Place) (*rounds.Recorder, error) {
	rec, err := rounds.NewRecorder(place.Records, nil)
	if err != nil {
		return nil, err
	}
	defer rec.Close()
	if place.Seed != "" {
		o.seed = place.Seed
	}
	for i := range o.rounds {
		if err := rec.Add(play(o, i)); err != nil {
			return nil, err
		}
	}
	return rec, nil
}

func summarise(w io.Writer, o options, t *rounds.Tally) {
	fmt.Fprintf(w, "%s: %d rounds, %d failed\n", o.build.Name, t.Rounds(), t.Outcomes[rounds.Fail])
	for _, class := range sorted(t.Classes) {
		fmt.Fprintf(w, "  %s: %d\n", class, t.Classes[class])
	}
	for _, name := range sorted(t.Evidence) {
		fmt.Fprintf(w, "  (seen) %s: %d\n", name, t.Evidence[name])
	}
	for message, n := range t.Broken {
		fmt.Fprintf(w, "  broken: %s: %d\n", message, n)
	}
}
