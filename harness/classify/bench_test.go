package classify

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"github.com/failrate/failrate/harness/study"
	"github.com/failrate/failrate/harness/trial"
)

// BenchmarkJudge judges a failed trial with 10 MB of output by five rules and an evidence: when the last rule matches
// near the end, when none does, and when every line holds a text that a rule looks for first but no match.
func BenchmarkJudge(b *testing.B) {
	r := compiled(b, []study.Class{
		{Name: "committed", Match: `IOException occurred when talking to server|Broken pipe|ClosedChannelException`},
		{Name: "not-sent", Match: `RequestNotSentException`}, {Broken: true, Match: `No space left on device|Could not resolve`},
		{Name: "assertion", Match: `^java\.lang\.AssertionError: .*expected:<\d+>`}, {Name: "hang", Match: `test timed out after \d+`},
	}, []study.Evidence{{Name: "recovered", Match: "Replication Recovery was successful", After: `Closing \d+ connections to`}})
	line := "2026-12-01 02:14:07.123 INFO  (qtp123-45) [n:127.0.0.1:1234_solr c:coll s:shard1] o.a.s.c.S.Request %s path=/update status=0 QTime=12\n"
	plain := bytes.Repeat(fmt.Appendf(nil, line, "webapp=/solr"), 10<<20/len(line))
	for name, log := range map[string][]byte{
		"last": append(bytes.Clone(plain), "panic: test timed out after 60s\n"...), "none": plain,
		"near": bytes.Repeat(fmt.Appendf(nil, line, "test timed out after all, java.lang.AssertionError: "), 10<<20/len(line)),
	} {
		b.Run(name, func(b *testing.B) {
			in := Input{Log: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(log)), nil }}
			obs := trial.Observation{Exit: 1, Output: trial.Captured{Bytes: int64(len(log))}}
			b.SetBytes(int64(len(log)))
			b.ReportAllocs()
			for b.Loop() {
				if j := r.Judge("baseline", obs, in); j.Outcome != Fail {
					b.Fatal(j)
				}
			}
		})
	}
}

// BenchmarkJudgePass judges a pass by its exit status alone, as most trials of a loop are.
func BenchmarkJudgePass(b *testing.B) {
	r := compiled(b, []study.Class{{Name: "x", Match: "x"}}, nil)
	b.ReportAllocs()
	for b.Loop() {
		if j := r.Judge("baseline", trial.Observation{}, Input{}); j.Outcome != Pass {
			b.Fatal(j)
		}
	}
}
