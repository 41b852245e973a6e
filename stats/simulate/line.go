package main

import (
	"fmt"
	"math/rand/v2"
	"sync"

	"github.com/failrate/failrate/stats"
)

// looker is what both designs are to a simulated campaign.
type looker interface {
	Look(base, variant stats.Count) (stats.Look, error)
}

// line is one row of the table: a design at one pair of rates.
type line struct {
	name          string
	start         func() looker
	every         int64 // blocks between looks
	first         int64 // trials per arm at the first look
	most          int64
	base, variant float64
	computed      *stats.Operating // nil for a design without a formula

	err                           error
	better, worse, futile, perArm float64 // shares of campaigns; mean trials
	largest                       int64
}

// linesFor lists the designs for one pair of rates to tell apart, each at that pair and
// at equal rates.
func linesFor(tell stats.Tell, fixed stats.Plan) ([]*line, error) {
	request := stats.SequentialRequest{Tell: &tell, DecisionsOnly: true, Claims: stats.Claims{Power: fixed.Power}}
	var lines []*line
	for _, d := range []struct {
		name   string
		change func(*stats.SequentialRequest)
	}{
		{"group-sequential", func(*stats.SequentialRequest) {}},
		{"group-sequential, no futility", func(r *stats.SequentialRequest) { r.Futility = -1 }},
		{"group-sequential, every 5 blocks", func(r *stats.SequentialRequest) { r.Every = 5 }},
	} {
		r := request
		d.change(&r)
		g, err := stats.NewGroupSequential(r)
		if err != nil {
			return nil, err
		}
		looks := g.Looks()
		for _, rates := range pairs(tell) {
			computed := g.Operating(rates[0], rates[1])
			lines = append(lines, &line{
				name: d.name, start: func() looker { return g.Restart() }, computed: &computed,
				every: step(looks), first: int64(looks[0]), most: int64(g.MaxPerArm()),
				base: rates[0], variant: rates[1],
			})
		}
	}
	// The anytime design has no formula for its most trials; these are the smallest that
	// reach the power of the fixed design in this simulation.
	r := request
	r.MaxPerArm = 49
	if tell.Variant > 0 {
		r.MaxPerArm = 62
	}
	a, err := stats.NewAnytime(r)
	if err != nil {
		return nil, err
	}
	for _, rates := range pairs(tell) {
		lines = append(lines, &line{
			name: "anytime", start: func() looker { return a.Restart() },
			every: 1, first: 1, most: int64(r.MaxPerArm), base: rates[0], variant: rates[1],
		})
	}
	return lines, nil
}

func step(looks []int) int64 {
	if len(looks) < 2 {
		return int64(looks[0])
	}
	return int64(looks[1] - looks[0])
}

func pairs(tell stats.Tell) [][2]float64 {
	out := [][2]float64{{tell.Base, tell.Variant}}
	for _, p := range []float64{0.01, 0.02, 0.05, 0.16, 0.50} {
		out = append(out, [2]float64{p, p})
	}
	return out
}

// simulateAll gives every line its own random stream, so that the number of workers
// changes nothing.
func simulateAll(lines []*line, campaigns int, seed uint64, workers int) {
	var wait sync.WaitGroup
	slots := make(chan struct{}, max(1, workers))
	for i, l := range lines {
		wait.Add(1)
		go func() {
			defer wait.Done()
			slots <- struct{}{}
			defer func() { <-slots }()
			l.simulate(campaigns, rand.New(rand.NewPCG(seed, uint64(i))))
		}()
	}
	wait.Wait()
}

func (l *line) simulate(campaigns int, rng *rand.Rand) {
	share := 1 / float64(campaigns)
	for range campaigns {
		look, err := l.campaign(rng)
		if err != nil {
			l.err = err
			return
		}
		switch look.Verdict {
		case stats.VerdictFixed, stats.VerdictBetter:
			l.better += share
		case stats.VerdictWorse:
			l.worse += share
		case stats.VerdictEquivalent, stats.VerdictInconclusive:
			if look.Decision == stats.DecisionFutile {
				l.futile += share
			}
		}
		l.perArm += share * float64(look.Base.N)
		l.largest = max(l.largest, look.Base.N)
	}
}

// campaign runs blocks of one baseline and one variant trial until the design stops.
func (l *line) campaign(rng *rand.Rand) (stats.Look, error) {
	design := l.start()
	var base, variant stats.Count
	for due := l.first; ; due = min(due+l.every, l.most) {
		for base.N < due {
			base, variant = base.Add(trial(rng, l.base)), variant.Add(trial(rng, l.variant))
		}
		look, err := design.Look(base, variant)
		if err != nil || look.Decision != stats.DecisionContinue {
			return look, err
		}
	}
}

func trial(rng *rand.Rand, rate float64) stats.Count {
	c := stats.Count{N: 1}
	if rng.Float64() < rate {
		c.K = 1
	}
	return c
}

func (l *line) format(fixed int64) string {
	what, share, computed := "false verdicts", l.better+l.worse, "         "
	if l.base != l.variant {
		what, share = "power         ", l.better
	}
	if c := l.computed; c != nil && l.base != l.variant {
		computed = fmt.Sprintf(" (%.4f)", c.Better)
	} else if c != nil {
		computed = fmt.Sprintf(" (%.4f)", c.Better+c.Worse)
	}
	what = fmt.Sprintf("%s %.4f%s", what, share, computed)
	return fmt.Sprintf("  %-33s %4g %% : %4g %%  %s  futile %.3f  mean %5.1f per arm = %5.1f %% of fixed Fisher  (at most %d)",
		l.name, 100*l.base, 100*l.variant, what, l.futile, l.perArm, 100*l.perArm/float64(fixed), l.largest)
}
