package classify

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/failrate/failrate/harness/study"
	"github.com/failrate/failrate/harness/trial"
)

// text is a source of a text.
func text(s string) Source {
	return func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(s)), nil }
}

// attempt is an attempt in a table: its facts, its files and the study.
type attempt struct {
	obs      trial.Observation
	log      string
	records  string
	files    map[string]string
	format   study.ResultFormat
	retried  string
	classes  []study.Class
	evidence []study.Evidence
}

// judge judges the attempt of the variant "v".
func (a attempt) judge(t testing.TB) Judgement {
	t.Helper()
	s := &study.Study{Classes: a.classes, Evidence: a.evidence}
	s.Subject.Results = study.Results{Format: a.format, RetriedPass: a.retried}
	results := fstest.MapFS{}
	for name, content := range a.files {
		results[name] = &fstest.MapFile{Data: []byte(content)}
	}
	a.obs.Results = slices.Sorted(maps.Keys(results))
	if len(results) > 0 {
		s.Subject.Results.Files = "*"
	}
	r, err := Compile(s)
	if err != nil {
		t.Fatal(err)
	}
	if a.obs.Output.Bytes == 0 {
		a.obs.Output.Bytes = int64(len(a.log))
	}
	in := Input{Log: text(a.log), Results: results}
	if a.records != "" {
		in.Records = text(a.records)
	}
	return r.Judge("v", a.obs, in)
}

func ended(exit int) trial.Observation { return trial.Observation{Exit: exit, Wall: time.Second} }

func died(signal string) trial.Observation {
	return trial.Observation{Exit: -1, Signal: signal, Wall: time.Second}
}

// TestOrderOfJudgement has one line for each thing that decides, and for what it decides against.
func TestOrderOfJudgement(t *testing.T) {
	t.Parallel()
	const (
		goodXML = `<testsuite tests="1"><testcase name="a"/></testsuite>`
		badXML  = `<testsuite tests="1" failures="1"><testcase name="a"><failure message="boom"/></testcase></testsuite>`
		skipXML = `<testsuite tests="1"><testcase name="a"><skipped/></testcase></testsuite>`
	)
	xml := func(s string) map[string]string { return map[string]string{"a.xml": s} }
	boom, disk := study.Class{Name: "boom", Match: "boom"}, study.Class{Broken: true, Match: "disk full"}
	all := trial.Observation{Exit: -1, Signal: "SIGKILL", Stopped: true, Fault: "no such image", OOM: true, Limit: true, Wall: 2 * time.Second}
	without := func(change func(*trial.Observation)) trial.Observation {
		obs := all
		change(&obs)
		return obs
	}
	three := 3
	cut := study.Evidence{Name: "cut", Match: "was cut"}
	for _, c := range []struct {
		name string
		attempt
		want string // outcome, class, reason
	}{
		{"stopped before all else", attempt{obs: all, log: "boom", classes: []study.Class{boom}}, "censored  stopped before its end"},
		{"fault", attempt{obs: without(func(o *trial.Observation) { o.Stopped = false })}, "broken  no such image"},
		{"memory", attempt{obs: without(func(o *trial.Observation) { o.Stopped, o.Fault = false, "" })}, "broken  ended by the kernel for want of memory"},
		{"memory, though it exited well", attempt{obs: trial.Observation{OOM: true}}, "broken  ended by the kernel for want of memory"},
		{"no end", attempt{obs: trial.Observation{Exit: -1}}, "broken  no exit status, signal or fault on record"},

		{"time limit", attempt{obs: trial.Observation{Exit: -1, Signal: "SIGKILL", Limit: true, Wall: 2 * time.Second}}, "timeout  the time limit passed after 2.0 s"},
		{"time limit, though it exited well", attempt{obs: trial.Observation{Limit: true}}, "timeout  the time limit passed after 0.0 s"},
		{"time limit, class rule", attempt{obs: trial.Observation{Limit: true}, log: "boom", classes: []study.Class{boom}}, "timeout  the time limit passed after 0.0 s"},
		{"time limit, broken rule", attempt{obs: trial.Observation{Limit: true}, log: "disk full", classes: []study.Class{boom, disk}}, `broken  broken by rule match "disk full"; the time limit passed after 0.0 s`},
		{"time limit, class rule first", attempt{obs: trial.Observation{Limit: true}, log: "disk full boom", classes: []study.Class{boom, disk}}, "timeout  the time limit passed after 0.0 s"},
		{"a service died", attempt{obs: trial.Observation{Exit: -1, Signal: "SIGTERM", Death: "node ended: exit status 3"}, log: "refused", classes: []study.Class{{Name: "gone", Match: "refused"}}}, `fail gone node ended: exit status 3; class by rule match "refused"`},
		{"a service died before the subject succeeded", attempt{obs: trial.Observation{Death: "node ended: exit status 3"}}, "fail other node ended: exit status 3"},
		{"time limit, broken rule on our own signal", attempt{obs: trial.Observation{Exit: -1, Signal: "SIGTERM", Limit: true}, log: "disk full", classes: []study.Class{{Broken: true, Signal: "TERM", Match: "disk"}, {Broken: true, Signal: "TERM"}, {Broken: true}}}, "timeout  the time limit passed after 0.0 s"},
		{"time limit, bad results", attempt{obs: trial.Observation{Limit: true}, format: study.ResultJUnit, files: xml("<")}, "timeout  the time limit passed after 0.0 s"},

		{"signal", attempt{obs: died("SIGSEGV")}, "fail other died by SIGSEGV"},
		{"signal, class", attempt{obs: died("SIGSEGV"), classes: []study.Class{{Name: "exit", Exit: new(int)}, {Name: "abort", Signal: "SIGABRT"}, {Name: "crash", Signal: "segv"}}}, "fail crash died by SIGSEGV; class by rule signal SIGSEGV"},
		{"signal, good results", attempt{obs: died("SIGABRT"), format: study.ResultJUnit, files: xml(goodXML)}, "fail other died by SIGABRT"},
		{"signal, results cut off", attempt{obs: died("SIGABRT"), format: study.ResultJUnit, files: xml("<testsuite>")}, "fail other died by SIGABRT"},
		{"signal, no results", attempt{obs: died("SIGABRT"), format: study.ResultJUnit}, "fail other died by SIGABRT"},
		{"signal, broken rule", attempt{obs: died("SIGBUS"), log: "disk full", classes: []study.Class{disk}}, `broken  broken by rule match "disk full"; died by SIGBUS`},

		{"exit 0", attempt{obs: ended(0)}, "pass  "},
		{"exit 0, rules", attempt{obs: ended(0), log: "boom disk full", classes: []study.Class{disk, boom, {Name: "any"}}}, "pass  "},
		{"exit 0, evidence", attempt{obs: ended(0), log: "it was cut", evidence: []study.Evidence{cut}}, "pass  "},
		{"exit 0, no evidence", attempt{obs: ended(0), log: "boom", evidence: []study.Evidence{cut}, classes: []study.Class{boom}}, `unexercised  passed without required evidence "cut"`},
		{"exit 0, optional evidence", attempt{obs: ended(0), evidence: []study.Evidence{{Name: "cut", Match: "was cut", Optional: true}}}, "pass  "},
		{"exit 0, excepted evidence", attempt{obs: ended(0), evidence: []study.Evidence{{Name: "cut", Match: "was cut", Except: []string{"v"}}}}, "pass  "},
		{"exit 0, evidence perhaps dropped", attempt{obs: trial.Observation{Output: trial.Captured{Bytes: 99, Dropped: 9}}, evidence: []study.Evidence{cut}}, `unexercised  passed without required evidence "cut" (9 bytes of output were not kept)`},

		{"exit 1", attempt{obs: ended(1)}, "fail other exit status 1"},
		{"exit 1, no evidence", attempt{obs: ended(1), evidence: []study.Evidence{cut}}, "fail other exit status 1"},
		{"exit 3, rule for 3", attempt{obs: ended(3), classes: []study.Class{{Name: "four", Exit: new(int)}, {Name: "three", Exit: &three}}}, "fail three exit status 3; class by rule exit 3"},
		{"exit 3, needs both", attempt{obs: ended(3), log: "boom", classes: []study.Class{{Name: "x", Match: "absent", Exit: &three}, {Name: "y", Match: "boom", Exit: &three}}}, `fail y exit status 3; class by rule match "boom" exit 3`},
		{"exit 1, first rule that matches", attempt{obs: ended(1), log: "disk full, then boom", classes: []study.Class{boom, disk}}, `fail boom exit status 1; class by rule match "boom"`},
		{"exit 1, broken rule", attempt{obs: ended(1), log: "boom, then disk full", classes: []study.Class{disk, boom}}, `broken  broken by rule match "disk full"; exit status 1`},
		{"exit 1, where the rule stands", attempt{obs: ended(1), classes: []study.Class{{Name: "rest", Source: "study.yaml:7:3"}}}, "fail rest exit status 1; class by rule study.yaml:7:3"},
		{"not found", attempt{obs: ended(127), classes: []study.Class{{Name: "any"}, boom}}, "broken  exit status 127, a shell's word for a command that was not found"},
		{"not executable", attempt{obs: ended(126)}, "broken  exit status 126, a shell's word for a command that cannot be executed"},
		{"127 that a rule names", attempt{obs: ended(127), classes: []study.Class{{Name: "its-own", Exit: new(127)}}}, "fail its-own exit status 127, a shell's word for a command that was not found; class by rule exit 127"},
		{"127 that a rule names by its output", attempt{obs: ended(127), log: "boom", classes: []study.Class{boom}}, `fail boom exit status 127, a shell's word for a command that was not found; class by rule match "boom"`},

		{"failed test, exit 0", attempt{obs: ended(0), format: study.ResultJUnit, files: xml(badXML)}, "fail other a failed: boom"},
		{"failed test, class by its message", attempt{obs: ended(1), format: study.ResultJUnit, files: xml(badXML), classes: []study.Class{boom}}, `fail boom a failed: boom; class by rule match "boom"`},
		{"failed test, broken by its message", attempt{obs: ended(1), format: study.ResultJUnit, files: xml(badXML), classes: []study.Class{{Broken: true, Match: "^boom$"}}}, `broken  broken by rule match "^boom$"; a failed: boom`},
		{"failed and unreadable", attempt{obs: ended(1), format: study.ResultJUnit, files: map[string]string{"a.xml": badXML, "b.xml": "<testsuite>"}}, `broken  result file "b.xml": line 1: it is cut off`},
		{"unreadable, class rule", attempt{obs: ended(1), format: study.ResultJUnit, files: xml("<testsuite>"), log: "boom", classes: []study.Class{boom}}, `broken  result file "a.xml": line 1: it is cut off`},
		{"unreadable, exit 0", attempt{obs: ended(0), format: study.ResultJUnit, files: xml("")}, `broken  result file "a.xml": it is empty`},

		{"passed tests, exit 1", attempt{obs: ended(1), format: study.ResultJUnit, files: xml(goodXML)}, "fail other exit status 1 though every test passed"},
		{"passed tests, exit 1, class", attempt{obs: ended(1), format: study.ResultJUnit, files: xml(goodXML), log: "boom", classes: []study.Class{boom}}, `fail boom exit status 1 though every test passed; class by rule match "boom"`},
		{"passed tests, exit 0", attempt{obs: ended(0), format: study.ResultJUnit, files: xml(goodXML)}, "pass  "},
		{"no test ran, exit 0", attempt{obs: ended(0), format: study.ResultJUnit, files: xml(skipXML), log: "boom", classes: []study.Class{boom}}, "unexercised  no test ran, 1 skipped"},
		{"no test ran, exit 5", attempt{obs: ended(5), format: study.ResultJUnit, files: xml(skipXML), classes: []study.Class{{Name: "any"}}}, "unexercised  exit status 5, no test ran, 1 skipped"},
		{"no test ran, exit 5, class by match", attempt{obs: ended(5), format: study.ResultJUnit, files: xml(skipXML), log: "boom", classes: []study.Class{boom}}, `fail boom exit status 5, no test ran, 1 skipped; class by rule match "boom"`},
		{"no results, exit 0", attempt{obs: ended(0), format: study.ResultJUnit, log: "boom", classes: []study.Class{boom}}, `broken  no result file matches ""`},
		{"no results, exit 1", attempt{obs: ended(1), format: study.ResultJUnit, classes: []study.Class{{Name: "any"}, {Name: "one", Exit: new(1)}}}, `broken  exit status 1, no result file matches ""`},
		{"no results, exit 1, class by match", attempt{obs: ended(1), format: study.ResultJUnit, log: "boom", classes: []study.Class{boom}}, `fail boom exit status 1, no result file matches ""; class by rule match "boom"`},
		{"no results, exit 1, broken by exit", attempt{obs: ended(3), format: study.ResultJUnit, classes: []study.Class{{Broken: true, Exit: &three}}}, `broken  broken by rule exit 3; exit status 3, no result file matches ""`},
		{"in doubt, exit 0", attempt{obs: ended(0), format: study.ResultTAP, log: "1..2\nok 1\n"}, "broken  standard output: 1 of 2 planned tests"},
		{"in doubt, exit 1", attempt{obs: ended(1), format: study.ResultTAP, log: "1..2\nok 1\n"}, "fail other exit status 1, standard output: 1 of 2 planned tests"},
		{"in doubt, nothing ran, exit 1", attempt{obs: ended(1), format: study.ResultTAP, log: "1..2\n"}, "broken  exit status 1, standard output: 0 of 2 planned tests"},
		{"in doubt, a failed test, exit 0", attempt{obs: ended(0), format: study.ResultTAP, log: "1..2\nnot ok 1 - x\n"}, "fail other x failed"},
		{"output dropped, exit 0", attempt{obs: trial.Observation{Output: trial.Captured{Bytes: 99, Dropped: 9}}, format: study.ResultTAP, log: "1..1\nok 1\n"}, "broken  9 bytes of the output were not kept, so results may be missing (raise max-output)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			j := c.judge(t)
			if got := fmt.Sprintf("%v %s %s", j.Outcome, j.Class, j.Reason); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestEvidenceIsListed lists what was seen in the study's order, also of failures and timeouts.
func TestEvidenceIsListed(t *testing.T) {
	t.Parallel()
	a := attempt{log: "second\nfirst\n", evidence: []study.Evidence{
		{Name: "one", Match: "first"}, {Name: "none", Match: "absent", Optional: true}, {Name: "two", Match: "second"},
	}}
	for _, obs := range []trial.Observation{ended(0), ended(1), {Limit: true}} {
		a.obs = obs
		if got := a.judge(t).Evidence; !slices.Equal(got, []string{"one", "two"}) {
			t.Errorf("%+v: %q", obs, got)
		}
	}
}

// TestExcerpt shows the output around what decided.
func TestExcerpt(t *testing.T) {
	t.Parallel()
	noise := strings.Repeat("noise\n", 2000)
	a := attempt{obs: ended(1), log: noise + "Broken \x1b[31mpipe\x1b[0m here\x00\xff\n" + noise + "the end\n"}
	if got := a.judge(t).Excerpt; !strings.HasSuffix(got, "noise\nthe end\n") || len(got) > MaxExcerpt || len(got) < MaxExcerpt-20 {
		t.Errorf("without a rule: %d bytes, %q", len(got), got)
	}
	a.classes = []study.Class{{Name: "pipe", Match: `Broken .*pipe`}}
	got := a.judge(t).Excerpt
	at := strings.Index(got, "Broken pipe here??\n")
	if at < MaxExcerpt/2-100 || at > MaxExcerpt/2+100 || len(got) > MaxExcerpt {
		t.Errorf("with a rule: at %d of %d bytes: %q", at, len(got), got)
	}
	a.obs = ended(0)
	if got := a.judge(t).Excerpt; got != "" {
		t.Errorf("of a pass: %q", got)
	}
}

// TestUnreadableOutput never makes a failure without its class.
func TestUnreadableOutput(t *testing.T) {
	t.Parallel()
	gone := errors.New("input/output error")
	r := compiled(t, []study.Class{{Name: "x", Match: "x"}}, nil)
	for name, log := range map[string]Source{
		"cannot be opened": func() (io.ReadCloser, error) { return nil, gone },
		"was not kept":     nil,
		"cannot be read": func() (io.ReadCloser, error) {
			return io.NopCloser(io.MultiReader(strings.NewReader("begin"), failing{gone})), nil
		},
	} {
		obs := ended(1)
		obs.Output.Bytes = 5
		if j := r.Judge("v", obs, Input{Log: log}); j.Outcome != Broken || !strings.Contains(j.Reason, "its output cannot be read") {
			t.Errorf("%s: %+v", name, j)
		}
		if err := r.Check(obs, Input{Log: log}); (err == nil) != (name == "cannot be read") {
			t.Errorf("%s: check says %v", name, err)
		}
	}
	if j := r.Judge("v", ended(1), Input{}); j.Outcome != Fail || j.Class != OtherClass {
		t.Errorf("a subject that wrote nothing: %+v", j)
	}
	if j := compiled(t, nil, nil).Judge("v", trial.Observation{Exit: 1, Output: trial.Captured{Bytes: 5}}, Input{}); j.Outcome != Fail {
		t.Errorf("no rule asks for the output, and it is %+v", j)
	}
}

// TestResultsThatCannotBeRead are broken, whatever was read of them before.
func TestResultsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	r, err := Compile(&study.Study{Subject: study.Subject{Results: study.Results{Format: study.ResultRecords}}})
	if err != nil {
		t.Fatal(err)
	}
	cut := io.MultiReader(strings.NewReader(`{"outcome":"fail"}`+"\n"), failing{errors.New("input/output error")})
	in := Input{Records: func() (io.ReadCloser, error) { return io.NopCloser(cut), nil }}
	if j := r.Judge("v", ended(1), in); j.Outcome != Broken || j.Reason != "the records file: input/output error" || j.Rounds != nil {
		t.Errorf("%+v", j)
	}
	in = Input{Records: func() (io.ReadCloser, error) { return nil, errors.New("permission denied") }}
	if j := r.Judge("v", ended(1), in); j.Outcome != Broken || j.Reason != "the records file cannot be read: permission denied" {
		t.Errorf("%+v", j)
	}
}

// TestResultsAreBounded reads more than may be read.
func TestResultsAreBounded(t *testing.T) {
	t.Parallel()
	var f findings
	source := func() (io.ReadCloser, error) {
		return io.NopCloser(&repeatReader{body: strings.Repeat("x", 1<<20), count: 257}), nil
	}
	read := func(r io.Reader) findings {
		n, _ := io.Copy(io.Discard, r)
		return findings{passed: int(n)}
	}
	if !each(&f, source, "it", read) || f.unreadable != "it: more than 256 MiB of results" || f.passed > 0 {
		t.Error(counted(f))
	}
}

// TestCheck asks for what the study's format needs.
func TestCheck(t *testing.T) {
	t.Parallel()
	compile := func(results study.Results) *Rules {
		r, err := Compile(&study.Study{Subject: study.Subject{Results: results}})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	obs := ended(0)
	obs.Output.Bytes, obs.Results = 1, []string{"a.xml"}
	log := text("x")
	full := Input{Log: log, Stdout: log, Records: log, Results: fstest.MapFS{"a.xml": {}}}
	for _, c := range []struct {
		results study.Results
		lack    func(*Input)
	}{
		{study.Results{Format: study.ResultRecords}, func(in *Input) { in.Records = nil }},
		{study.Results{Format: study.ResultJUnit}, func(in *Input) { in.Results = nil }},
		{study.Results{Format: study.ResultJUnit}, func(in *Input) { in.Results = fstest.MapFS{} }},
		{study.Results{Format: study.ResultTAP}, func(in *Input) { in.Stdout, in.Log = nil, nil }},
		{study.Results{Format: study.ResultGoTest, Files: "*.json"}, func(in *Input) { in.Results = nil }},
	} {
		r, in := compile(c.results), full
		if err := r.Check(obs, in); err != nil {
			t.Errorf("%+v: with everything there: %v", c.results, err)
		}
		c.lack(&in)
		if err := r.Check(obs, in); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%+v: %v", c.results, err)
		}
		if err := r.Check(trial.Observation{Stopped: true}, Input{}); err != nil {
			t.Errorf("censored: %v", err)
		}
	}
}
