package main

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/failrate/failrate/variants/internal/rounds"
)

// summarise prints the tally for people.
func summarise(w io.Writer, o options, t *rounds.Tally) {
	facts := rounds.HostFacts()
	n := t.Outcomes[rounds.Pass] + t.Outcomes[rounds.Fail]
	fmt.Fprintf(w, "proxy-race client=%s cut=%s delay=%v settle=%v hogs=%d gomaxprocs=%s cpus=%s kernel=%s go=%s\n",
		o.client, o.cut, o.delay, o.settle, o.hogs, facts["gomaxprocs"], facts["cpus"], facts["kernel"], facts["go"])
	fmt.Fprintf(w, "rounds %d: committed %s, not-sent %s, passed %d, broken %d\n", t.Rounds(),
		share(t.Classes[committed], n), share(t.Classes[notSent]+t.Evidence[notSent], n), t.Outcomes[rounds.Pass], t.Outcomes[rounds.Broken])
	fmt.Fprintf(w, "naive: the library says it wrote the headers in %s\n", share(int(t.Sum("headers_written")), n))
	for _, name := range t.Metrics() {
		if name == "headers_written" {
			continue
		}
		fmt.Fprintf(w, "%s p50 %.1f p90 %.1f p99 %.1f\n", name, t.Quantile(name, 0.5), t.Quantile(name, 0.9), t.Quantile(name, 0.99))
	}
	for _, reason := range slices.Sorted(maps.Keys(t.Broken)) {
		fmt.Fprintf(w, "broken %d times: %q\n", t.Broken[reason], reason)
	}
}

func share(k, n int) string {
	if n == 0 {
		return "0/0"
	}
	return fmt.Sprintf("%d/%d (%.1f%%)", k, n, 100*float64(k)/float64(n))
}
