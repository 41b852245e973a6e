package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/failrate/failrate/variants/internal/rounds"
	"github.com/failrate/failrate/variants/internal/shard"
)

// The classes of a failed run. Where several apply, the first in this order is given.
const (
	appliedTwice = "applied-twice" // an add was applied twice, and the client does not know
	committed    = "committed"     // an add failed after the socket had accepted bytes of it
	notSent      = "not-sent"      // an add failed, and no socket had accepted a byte of it
	recovery     = "recovery"      // the replica did not come back level
)

// The evidence of a run.
const (
	hitReplica = "cut-replica-hit" // an add went to the cut replica's port
	fullCopy   = "full-copy"       // the replica came back by a full copy
)

// judge turns a story into a round.
func judge(t story) rounds.Round {
	r := rounds.Round{Outcome: rounds.Fail, Metrics: map[string]float64{
		"cloud_retries": float64(t.retries), "lb_failovers": float64(t.failover), "add_us": micros(t.firstAdd),
	}}
	if t.hit {
		r.Evidence = append(r.Evidence, hitReplica)
	}
	if t.way == shard.FullCopy {
		r.Evidence = append(r.Evidence, fullCopy)
	}
	if t.way != "" {
		r.Metrics["missed_updates"], r.Metrics["catch_up_us"] = float64(t.missed), micros(t.catchUp)
	}
	switch {
	case len(t.twice) > 0:
		r.Class, r.Message = appliedTwice, fmt.Sprintf("applied twice: document %s", strings.Join(t.twice, ", "))
	case t.lost != nil && t.sent:
		r.Class, r.Message = committed, t.lost.Error()
	case t.lost != nil:
		r.Class, r.Message = notSent, t.lost.Error()
	case t.recovery != nil:
		r.Class, r.Message = recovery, t.recovery.Error()
	default:
		r.Outcome = rounds.Pass
	}
	return r
}

func micros(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }

// summarise prints the tally for people.
func summarise(w io.Writer, o options, t *rounds.Tally) {
	facts := rounds.HostFacts()
	fmt.Fprintf(w, "soft-commit client=%s cut=%s route=%s delay=%v adds=%d hogs=%d gomaxprocs=%s cpus=%s kernel=%s go=%s\n",
		o.policy.Name, o.cut, o.route, o.delay, o.adds, o.hogs, facts["gomaxprocs"], facts["cpus"], facts["kernel"], facts["go"])
	n := t.Outcomes[rounds.Pass] + t.Outcomes[rounds.Fail]
	fmt.Fprintf(w, "runs %d: failed %d of %d, broken %d\n", t.Rounds(), t.Outcomes[rounds.Fail], n, t.Outcomes[rounds.Broken])
	for _, class := range []string{appliedTwice, committed, notSent, recovery} {
		if t.Classes[class] > 0 {
			fmt.Fprintf(w, "class %s: %d\n", class, t.Classes[class])
		}
	}
	for _, name := range []string{hitReplica, fullCopy} {
		fmt.Fprintf(w, "evidence %s: %d of %d\n", name, t.Evidence[name], n)
	}
	for _, name := range t.Metrics() {
		fmt.Fprintf(w, "%s p50 %.1f p90 %.1f sum %.0f\n", name, t.Quantile(name, 0.5), t.Quantile(name, 0.9), t.Sum(name))
	}
	for _, reason := range slices.Sorted(maps.Keys(t.Broken)) {
		fmt.Fprintf(w, "broken %d times: %q\n", t.Broken[reason], reason)
	}
}
