// Command simulate measures what the sequential designs of package stats promise: false
// verdicts when nothing differs, power and trials when something does. It takes a number
// of campaigns and a seed, drives the designs block by block as a campaign does, and
// writes one table to standard output, with the computed chance in brackets beside the
// simulated one where there is a formula. The same seed gives the same table. It belongs
// to the package as a benchmark and is never part of the product.
package main

import (
	"flag"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/failrate/failrate/stats"

	"gonum.org/v1/gonum/stat/distuv"
)

func main() {
	campaigns := flag.Int("campaigns", 20000, "campaigns per line")
	seed := flag.Uint64("seed", 18530, "random seed")
	workers := flag.Int("workers", 2, "lines simulated at the same time")
	flag.Parse()
	if err := run(os.Stdout, *campaigns, *seed, *workers); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// run simulates the lines with a few workers and prints them in order.
func run(out io.Writer, campaigns int, seed uint64, workers int) error {
	for _, tell := range []stats.Tell{{Base: 0.16, Variant: 0}, {Base: 0.20, Variant: 0.02}} {
		fixed, err := stats.PlanCompare(stats.PlanRequest{Base: tell.Base, Variant: tell.Variant, Test: stats.FisherTest})
		if err != nil {
			return err
		}
		exact, err := stats.PlanCompare(stats.PlanRequest{Base: tell.Base, Variant: tell.Variant})
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "tell %g %% from %g %%, two-sided 5 %%: fixed Fisher %d per arm (power %.3f), fixed Boschloo %d (%.3f); Wald's bound %.1f %% of a fixed design\n",
			100*tell.Base, 100*tell.Variant, fixed.PerArm, fixed.Power, exact.PerArm, exact.Power, 100*waldShare(0.05, 0.8))
		lines, err := linesFor(tell, fixed)
		if err != nil {
			return err
		}
		simulateAll(lines, campaigns, seed, workers)
		for _, l := range lines {
			if l.err != nil {
				return l.err
			}
			fmt.Fprintln(out, l.format(fixed.PerArm))
		}
		fmt.Fprintln(out)
	}
	return nil
}

// waldShare is the mean size of Wald's sequential test at the alternative as a share of
// the fixed design with the same errors (Wald 1945, formula 3:57, normal observations).
func waldShare(alpha, power float64) float64 {
	a, beta := alpha/2, 1-power
	sequential := 2 * (power*math.Log(power/a) + beta*math.Log(beta/(1-a)))
	z := distuv.UnitNormal.Quantile(1-a) + distuv.UnitNormal.Quantile(power)
	return sequential / (z * z)
}
