package classify

import (
	"fmt"
	"strings"
	"testing"
)

// events writes events as "action package test output", one a line; missing words are left out.
func events(lines ...string) string {
	var b strings.Builder
	for _, l := range lines {
		if strings.HasPrefix(l, "|") {
			b.WriteString(l[1:] + "\n")
			continue
		}
		w := append(strings.SplitN(l, " ", 4), "", "", "")
		fmt.Fprintf(&b, `{"Action":%q,"Package":%q,"Test":%q,"Output":%q}`+"\n", w[0], w[1], strings.Trim(w[2], "-"), w[3])
	}
	return b.String()
}

func TestGoTest(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, want, retried string }{
		"pass and skip": {in: events("start p", "run p A", "pass p A", "run p B", "skip p B", "pass p"), want: "1 passed 0 failed 1 skipped"},
		"fail": {
			in:   events("start p", "run p A", "output p A === RUN A\n", "output p A x_test.go:1: boom\n", "fail p A", "fail p"),
			want: "0 passed 1 failed 0 skipped, first A failed: x_test.go:1: boom",
		},
		"fails outside any test":       {in: events("start p", "run p A", "pass p A", "fail p"), want: "1 passed 1 failed 0 skipped, first p failed: the package failed outside any test"},
		"running when it failed":       {in: events("start p", "run p A", "run p B", "fail p"), want: "0 passed 2 failed 0 skipped, first A failed: it was running when its package failed"},
		"no end":                       {in: events("start q", "start p", "run p A", "pass p A"), want: "1 passed 0 failed 0 skipped, doubt: package p has no end"},
		"no end of a failed one":       {in: events("start p", "run p A", "fail p A"), want: "0 passed 1 failed 0 skipped, doubt: package p has no end, first A failed"},
		"passed while one ran":         {in: events("start p", "run p A", "pass p"), want: "0 passed 0 failed 0 skipped, doubt: package p passed while A was running"},
		"a benchmark":                  {in: events("start p", "run p BenchmarkA", "pass p"), want: "1 passed 0 failed 0 skipped"},
		"build failed, before Go 1.24": {in: events("|# p", "|./a.go:1: undefined", "start p", "output p - FAIL\tp [build failed]\n", "fail p"), want: "0 passed 0 failed 0 skipped, unreadable: package p could not be built"},
		"build failed":                 {in: events("start q", "run q A", "fail q A", "fail q") + `{"Action":"fail","Package":"p","FailedBuild":"p"}`, want: "0 passed 0 failed 0 skipped, unreadable: package p could not be built"},
		"a test that prints so":        {in: events("start p", "run p A", "output p A FAIL\tp [build failed]\n", "fail p A", "fail p"), want: "0 passed 1 failed 0 skipped, first A failed: FAIL\tp [build failed]"},
		"nothing":                      {in: "", want: "0 passed 0 failed 0 skipped, missing: there is no event of go test -json in it"},
		"no event":                     {in: "go: no such tool\n{}\n{\"Action\":3}\n{\"Action\":\"pa", want: "0 passed 0 failed 0 skipped, missing: there is no event of go test -json in it"},
		"lines between":                {in: events("|warning: x", "start p", "|{not JSON", "run p A", "pass p A", "pass p", "|exit status 1"), want: "1 passed 0 failed 0 skipped"},
		"cut off in the last line":     {in: events("start p", "run p A", "pass p A") + `{"Action":"pass","Package":"p`, want: "1 passed 0 failed 0 skipped, doubt: package p has no end"},
		"-count, one run fails":        {in: events("start p", "run p A", "fail p A", "run p A", "pass p A", "fail p"), want: "1 passed 1 failed 0 skipped, first A failed", retried: "1 passed 1 failed 0 skipped, first A failed"},
		"run again and passed":         {in: events("start p", "run p A", "fail p A", "fail p", "start p", "run p A", "pass p A", "pass p"), want: "1 passed 1 failed 0 skipped, first A failed", retried: "1 passed 0 failed 0 skipped"},
		"run again and failed":         {in: events("start p", "run p A", "fail p A", "fail p", "start p", "run p A", "fail p A", "fail p"), want: "0 passed 1 failed 0 skipped, first A failed", retried: "0 passed 1 failed 0 skipped, first A failed"},
		"passed, then failed":          {in: events("start p", "run p A", "pass p A", "pass p", "start p", "run p A", "fail p A", "fail p"), want: "1 passed 1 failed 0 skipped, first A failed", retried: "1 passed 1 failed 0 skipped, first A failed"},
		"run again in another package": {in: events("start p", "run p A", "fail p A", "fail p", "start q", "run q A", "pass q A", "pass q"), want: "1 passed 1 failed 0 skipped, first A failed", retried: "1 passed 1 failed 0 skipped, first A failed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := counted(readGoTest(strings.NewReader(c.in), false)); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if c.retried == "" {
				return
			}
			if got := counted(readGoTest(strings.NewReader(c.in), true)); got != c.retried {
				t.Errorf("where a retried pass is a pass: got  %s\nwant %s", got, c.retried)
			}
		})
	}
}

func TestGoText(t *testing.T) {
	t.Parallel()
	var got strings.Builder
	in := events("start p", "output p A say <\"hi\">\n", "|plain", "output p A cut ", "output p A here\n")
	if err := goText(strings.NewReader(in), &got); err != nil || got.String() != "say <\"hi\">\nplain\ncut here\n" {
		t.Errorf("%q (%v)", got.String(), err)
	}
}
