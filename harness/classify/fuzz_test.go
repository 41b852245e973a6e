package classify

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/failrate/failrate/harness/study"
	"github.com/failrate/failrate/harness/trial"
)

// TestFuzzSeeds counts the committed seeds, so that none is lost and every target has some.
func TestFuzzSeeds(t *testing.T) {
	t.Parallel()
	for target, want := range map[string]int{"FuzzJUnit": 21, "FuzzGoTest": 14, "FuzzTAP": 14, "FuzzRecords": 11, "FuzzJudge": 13} {
		seeds, err := os.ReadDir(filepath.Join("testdata/fuzz", target))
		if err != nil || len(seeds) != want {
			t.Errorf("%s has %d seeds and should have %d (%v)", target, len(seeds), want, err)
		}
	}
}

// judgeBytes judges data as the results of a format, with exit status 0 or 1, and checks what holds for all of them.
func judgeBytes(t *testing.T, format study.ResultFormat, data []byte, exit int, f findings) Judgement {
	t.Helper()
	a := attempt{obs: ended(exit), format: format}
	switch format {
	case study.ResultRecords:
		a.records = string(data)
	case study.ResultJUnit:
		a.files = map[string]string{"a": string(data)}
	case study.ResultGoTest, study.ResultTAP, study.ResultExit:
		a.log = string(data)
	}
	j := a.judge(t)
	checkJudgement(t, j)
	if again := a.judge(t); !reflect.DeepEqual(j, again) {
		t.Fatalf("judged again:\n%+v\nand before:\n%+v", again, j)
	}
	if f.unreadable != "" && j.Outcome != Broken {
		t.Fatalf("unreadable (%s) is %v", f.unreadable, j.Outcome)
	}
	if f.failed == 0 && f.ran() == 0 && j.Outcome != Broken && j.Outcome != Unexercised {
		t.Fatalf("nothing ran and it is %v: %s", j.Outcome, j.Reason)
	}
	if j.Outcome == Fail && exit == 0 && f.failed == 0 {
		t.Fatalf("nothing failed and it is a fail: %s", j.Reason)
	}
	return j
}

// checkJudgement checks what holds for every judgement.
func checkJudgement(t *testing.T, j Judgement) {
	t.Helper()
	switch j.Outcome {
	case Pass, Fail, Timeout, Unexercised, Broken, Censored:
	case Lost:
		t.Fatal("an observation is never lost")
	default:
		t.Fatalf("outcome %v", j.Outcome)
	}
	if (j.Class != "") != (j.Outcome == Fail) {
		t.Fatalf("a %v of class %q", j.Outcome, j.Class)
	}
	if (j.Reason == "") != (j.Outcome == Pass) {
		t.Fatalf("a %v for %q", j.Outcome, j.Reason)
	}
	if len(j.Reason) > MaxReason || len(j.Excerpt) > MaxExcerpt {
		t.Fatalf("reason of %d bytes, excerpt of %d", len(j.Reason), len(j.Excerpt))
	}
	for _, s := range []string{j.Reason, strings.NewReplacer("\n", "", "\t", "").Replace(j.Excerpt)} {
		if !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Fatalf("not printable: %q", s)
		}
	}
	if r := j.Rounds; r != nil {
		sum := 0
		for class, n := range r.Classes {
			if sum += n; n <= 0 || class == "" {
				t.Fatalf("%d rounds of class %q", n, class)
			}
		}
		if r.Failed > r.N || sum != r.Failed || r.N+r.Broken+r.Unexercised < 2 {
			t.Fatalf("rounds %+v", r)
		}
	}
	text, err := json.Marshal(j)
	var back Judgement
	if err != nil || json.Unmarshal(text, &back) != nil || back.Outcome != j.Outcome {
		t.Fatalf("does not survive the journal: %v", err)
	}
}

func FuzzJUnit(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte, exit bool) {
		found := readJUnit(bytes.NewReader(data), false, nil)
		judgeBytes(t, study.ResultJUnit, data, status(exit), found)
		retried := readJUnit(bytes.NewReader(data), true, io.Discard)
		if retried.unreadable != found.unreadable || retried.failed > found.failed || retried.failed > 0 && found.failed == 0 {
			t.Fatalf("where a retried pass is a pass: %s; else %s", counted(retried), counted(found))
		}
		if strings.HasPrefix(found.unreadable, "line ") && wellFormed(data) {
			t.Fatalf("XML that is well formed is not: %s", found.unreadable)
		}
	})
}

func status(failed bool) int {
	if failed {
		return 1
	}
	return 0
}

// wellFormed asks the parser alone about documents of which we refuse no part.
func wellFormed(data []byte) bool {
	if bytes.Contains(data, []byte("<!")) || bytes.Contains(data, []byte("<?")) || len(data) > xmlTag || bytes.Count(data, []byte{'"'}) > xmlAttributes {
		return false
	}
	for d := xml.NewDecoder(bytes.NewReader(data)); ; {
		if _, err := d.Token(); err != nil {
			return err == io.EOF
		}
	}
}

func FuzzGoTest(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte, exit bool) {
		found := readGoTest(bytes.NewReader(data), false)
		judgeBytes(t, study.ResultGoTest, data, status(exit), found)
		if retried := readGoTest(bytes.NewReader(data), true); retried.unreadable != found.unreadable || retried.failed > found.failed {
			t.Fatalf("where a retried pass is a pass: %s; else %s", counted(retried), counted(found))
		}
	})
}

func FuzzTAP(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte, exit bool) {
		judgeBytes(t, study.ResultTAP, data, status(exit), readTAP(bytes.NewReader(data)))
	})
}

func FuzzRecords(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte, exit bool) {
		found := readRecords(bytes.NewReader(data), newTally(nil, nil, "v"))
		found.passed += found.rounds.unexercised
		if len(data) > 0 {
			judgeBytes(t, study.ResultRecords, data, status(exit), found)
		}
	})
}

func FuzzJudge(f *testing.F) {
	formats := []study.ResultFormat{study.ResultExit, study.ResultRecords, study.ResultJUnit, study.ResultGoTest, study.ResultTAP}
	f.Fuzz(func(t *testing.T, flags uint16, exit int, signal, fault string, log, results []byte, match, after string) {
		a := attempt{
			log: string(log), records: string(results), format: formats[int(flags>>8)%len(formats)],
			files: map[string]string{"a": string(results)},
			classes: []study.Class{
				{Broken: true, Match: "disk full"}, {Name: "m", Match: match}, {Name: "x", Exit: new(3)}, {Name: "s", Signal: "SEGV"}, {Broken: true, Exit: new(75)},
			},
			evidence: []study.Evidence{{Name: "e", Match: match, After: after, Optional: flags&64 != 0}, {Name: "r", Optional: flags&128 != 0}},
		}
		if compileError(a) != nil {
			return
		}
		a.obs = trial.Observation{Exit: exit, Signal: signal, Fault: fault, Stopped: flags&1 != 0, OOM: flags&2 != 0, Limit: flags&4 != 0, Wall: time.Second}
		if flags&8 != 0 {
			a.obs.Output.Bytes, a.obs.Output.Dropped = 1<<30, 1<<29
		}
		j := a.judge(t)
		checkJudgement(t, j)
		if again := a.judge(t); !reflect.DeepEqual(j, again) {
			t.Fatalf("judged again:\n%+v\nand before:\n%+v", again, j)
		}
		switch o := a.obs; {
		case o.Stopped:
			must(t, j, Censored)
		case o.Fault != "" || o.OOM:
			must(t, j, Broken)
		case o.Limit:
			must(t, j, Timeout, Broken)
		case o.Signal != "":
			must(t, j, Fail, Broken)
		case o.Exit != 0:
			must(t, j, Fail, Broken, Unexercised)
		default:
			must(t, j, Pass, Fail, Broken, Unexercised)
		}
	})
}

// compileError tells whether the attempt's study is a study at all.
func compileError(a attempt) error {
	_, err := Compile(&study.Study{Classes: a.classes, Evidence: a.evidence})
	return err
}

// must checks that the outcome is one of those given.
func must(t *testing.T, j Judgement, want ...Outcome) {
	t.Helper()
	for _, o := range want {
		if j.Outcome == o {
			return
		}
	}
	t.Fatalf("outcome %v (%s), want one of %v", j.Outcome, j.Reason, want)
}
