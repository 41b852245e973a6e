package classify

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/failrate/failrate/harness/study"
	"github.com/failrate/failrate/harness/trial"
)

// TestRecords judges trials that report rounds.
func TestRecords(t *testing.T) {
	t.Parallel()
	classes := []study.Class{
		{Name: "sent", Match: "Broken pipe"}, {Name: "unsent", Match: "NotSent"}, {Broken: true, Match: "disk full"},
	}
	const pass, fail = `{"outcome":"pass"}` + "\n", `{"outcome":"fail"}` + "\n"
	failed := func(class string) string { return fmt.Sprintf(`{"outcome":"fail","class":%q}`+"\n", class) }
	said := func(message string) string { return fmt.Sprintf(`{"outcome":"fail","message":%q}`+"\n", message) }
	const broken, blank = `{"outcome":"broken","message":"no port"}` + "\n", `{"outcome":"unexercised"}` + "\n"
	for name, c := range map[string]struct {
		attempt
		want   string
		rounds *Rounds
	}{
		"one that passes": {attempt: attempt{records: pass}, want: "pass  "},
		"one that fails":  {attempt: attempt{records: failed("sent")}, want: "fail sent round 1 failed"},
		"several": {
			attempt: attempt{records: pass + failed("unsent") + pass + failed("sent") + failed("unsent")},
			want:    "fail unsent 3 of 5 rounds failed, first round 2 failed",
			rounds:  &Rounds{N: 5, Failed: 3, Classes: map[string]int{"unsent": 2, "sent": 1}},
		},
		"all pass":            {attempt: attempt{records: pass + pass}, want: "pass  ", rounds: &Rounds{N: 2}},
		"no end of last line": {attempt: attempt{records: pass + `{"outcome":"pass"}`}, want: "pass  ", rounds: &Rounds{N: 2}},
		"a tie, rule order":   {attempt: attempt{records: failed("zeta") + failed("unsent") + failed("sent") + failed("alpha")}, want: "fail sent 4 of 4 rounds failed, first round 1 failed", rounds: &Rounds{N: 4, Failed: 4, Classes: map[string]int{"zeta": 1, "unsent": 1, "sent": 1, "alpha": 1}}},
		"a tie, no rules":     {attempt: attempt{records: failed("zeta") + failed("alpha")}, want: "fail alpha 2 of 2 rounds failed, first round 1 failed", rounds: &Rounds{N: 2, Failed: 2, Classes: map[string]int{"zeta": 1, "alpha": 1}}},
		"by message": {
			attempt: attempt{records: said("x NotSent") + said("other thing") + said("disk full") + pass, log: "Broken pipe"},
			want:    "fail unsent 2 of 3 rounds failed, first round 1 failed: x NotSent",
			rounds:  &Rounds{N: 3, Failed: 2, Broken: 1, Classes: map[string]int{"unsent": 1, "other": 1}},
		},
		"one by message":                          {attempt: attempt{records: said("x NotSent"), log: "Broken pipe"}, want: "fail unsent round 1 failed: x NotSent"},
		"one by output":                           {attempt: attempt{records: said("odd"), log: "Broken pipe"}, want: `fail sent round 1 failed: odd; class by rule match "Broken pipe"`},
		"silent ones by output":                   {attempt: attempt{records: fail + fail + failed("x"), log: "NotSent"}, want: `fail unsent 3 of 3 rounds failed, first round 1 failed; class by rule match "NotSent"`, rounds: &Rounds{N: 3, Failed: 3, Classes: map[string]int{"unsent": 2, "x": 1}}},
		"silent ones without a rule":              {attempt: attempt{records: fail + fail}, want: "fail other 2 of 2 rounds failed, first round 1 failed", rounds: &Rounds{N: 2, Failed: 2, Classes: map[string]int{"other": 2}}},
		"silent ones broken by output":            {attempt: attempt{records: fail + fail, log: "disk full"}, want: `broken  broken by rule match "disk full"; 2 of 2 rounds failed, first round 1 failed`},
		"some silent, broken by output":           {attempt: attempt{records: failed("x") + fail, log: "disk full"}, want: "fail x 2 of 2 rounds failed, first round 1 failed", rounds: &Rounds{N: 1, Failed: 1, Broken: 1, Classes: map[string]int{"x": 1}}},
		"its own class, whatever the output says": {attempt: attempt{records: failed("x"), log: "disk full"}, want: "fail x round 1 failed"},
		"no class for people":                     {attempt: attempt{records: failed("a\nb") + failed(strings.Repeat("x", 65))}, want: "fail other 2 of 2 rounds failed, first round 1 failed", rounds: &Rounds{N: 2, Failed: 2, Classes: map[string]int{"other": 2}}},

		"some broken":           {attempt: attempt{records: pass + broken}, want: "pass  ", rounds: &Rounds{N: 1, Broken: 1}},
		"all broken":            {attempt: attempt{records: broken + broken}, want: "broken  all 2 rounds are broken: no port"},
		"one broken, exit 1":    {attempt: attempt{records: pass + broken, obs: ended(1)}, want: "broken  exit status 1 and 1 broken rounds: no port"},
		"unexercised":           {attempt: attempt{records: blank + blank}, want: "unexercised  none of 2 rounds shows the required evidence", rounds: &Rounds{Unexercised: 2}},
		"some unexercised":      {attempt: attempt{records: pass + blank}, want: "pass  ", rounds: &Rounds{N: 1, Unexercised: 1}},
		"exit 1, all pass":      {attempt: attempt{records: pass + pass, obs: ended(1)}, want: "fail other exit status 1 though every round passed", rounds: &Rounds{N: 3, Failed: 1, Classes: map[string]int{"other": 1}}},
		"exit 1, one fails":     {attempt: attempt{records: pass + failed("x"), obs: ended(1)}, want: "fail x 1 of 2 rounds failed, first round 2 failed", rounds: &Rounds{N: 2, Failed: 1, Classes: map[string]int{"x": 1}}},
		"dies after two rounds": {attempt: attempt{records: pass + failed("x") + `{"outc`, obs: died("SIGSEGV")}, want: "fail other died by SIGSEGV", rounds: &Rounds{N: 3, Failed: 2, Classes: map[string]int{"x": 1, "other": 1}}},
		"hangs after one round": {attempt: attempt{records: pass, obs: trial.Observation{Exit: -1, Limit: true}}, want: "timeout  the time limit passed after 0.0 s", rounds: &Rounds{N: 2, Failed: 1, Classes: map[string]int{"timeout": 1}}},
		"hangs at once":         {attempt: attempt{obs: trial.Observation{Exit: -1, Limit: true}}, want: "timeout  the time limit passed after 0.0 s"},

		"none":                   {want: "broken  the subject wrote no records"},
		"none, exit 1":           {attempt: attempt{obs: ended(1)}, want: "broken  exit status 1, the subject wrote no records"},
		"none, exit 1, a rule":   {attempt: attempt{obs: ended(1), log: "NotSent"}, want: `fail unsent exit status 1, the subject wrote no records; class by rule match "NotSent"`},
		"an empty file":          {attempt: attempt{records: "\n"}, want: "broken  the subject wrote no records"},
		"forged in the output":   {attempt: attempt{log: pass}, want: "broken  the subject wrote no records"},
		"cut off":                {attempt: attempt{records: pass + `{"outcome":"pa`}, want: "broken  the records file: its last line, 2, is cut off"},
		"cut off, exit 1":        {attempt: attempt{records: pass + `{"outcome":"pa`, obs: ended(1)}, want: "fail other exit status 1, the records file: its last line, 2, is cut off", rounds: &Rounds{N: 2, Failed: 1, Classes: map[string]int{"other": 1}}},
		"not JSON":               {attempt: attempt{records: pass + "ouch\n" + fail}, want: "broken  the records file: line 2: column 1: invalid character 'o' looking for beginning of value"},
		"not JSON, exit 1":       {attempt: attempt{records: failed("x") + "{\"outcome\" \"fail\"}\n", obs: ended(1)}, want: `broken  the records file: line 2: column 12: invalid character '"' after object key`},
		"no object":              {attempt: attempt{records: "[]\n"}, want: `broken  the records file: line 1: column 1: array does not fit the record`},
		"wrong kind":             {attempt: attempt{records: `{"outcome":"pass","metrics":{"a":"b"}}` + "\n"}, want: `broken  the records file: line 1: column 36: string does not fit "metrics"`},
		"no outcome":             {attempt: attempt{records: "{}\n"}, want: "broken  the records file: line 1: column 1: no outcome (one of pass, fail, broken, unexercised)"},
		"unknown outcome":        {attempt: attempt{records: `{"outcome":"flaky"}` + "\n"}, want: `broken  the records file: line 1: column 1: outcome "flaky" is none of pass, fail, broken, unexercised`},
		"a line that never ends": {attempt: attempt{records: `{"outcome":"pass","message":"` + strings.Repeat("x", maxRecordLine)}, want: "broken  the records file: line 1: longer than 1048576 bytes"},
		"too large a number":     {attempt: attempt{records: `{"outcome":"pass","metrics":{"a":1e999}}` + "\n"}, want: `broken  the records file: line 1: column 38: number 1e999 does not fit "metrics"`},
		"no name for a metric":   {attempt: attempt{records: `{"outcome":"pass","metrics":{"":1}}` + "\n"}, want: `broken  the records file: line 1: "" cannot name a metric`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.format, c.classes = study.ResultRecords, classes
			j := c.judge(t)
			if got := fmt.Sprintf("%v %s %s", j.Outcome, j.Class, j.Reason); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if !reflect.DeepEqual(j.Rounds, c.rounds) {
				t.Errorf("rounds: got %+v, want %+v", j.Rounds, c.rounds)
			}
		})
	}
}

// TestRecordBounds goes one beyond each bound.
func TestRecordBounds(t *testing.T) {
	t.Parallel()
	read := func(body string, n int) findings {
		most := newTally(nil, nil, "v")
		most.passed = maxRounds - 2
		return readRecords(&repeatReader{body: body, count: n}, most)
	}
	for name, c := range map[string]struct {
		body string
		n    int
		want string
	}{
		"rounds":      {`{"outcome":"pass"}` + "\n", 3, "line 3: more than 1000000 rounds"},
		"blank lines": {"\n", maxBlankLines + 1, "more than 1000000 blank lines"},
		"metrics":     {`{"outcome":"pass","metrics":{` + manyMetrics(maxMetrics+1) + "}}\n", 1, "line 1: more than 32 metrics"},
	} {
		if f := read(c.body, c.n); f.unreadable != c.want || name == "rounds" && f.passed != maxRounds {
			t.Errorf("%s: %s", name, counted(f))
		}
	}
}

func manyMetrics(n int) string {
	var names []string
	for i := range n {
		names = append(names, fmt.Sprintf(`"m%d":%d`, i, i))
	}
	return strings.Join(names, ",")
}

// TestMetricsAndFacts takes the median over the rounds that count, and the first value of a fact.
func TestMetricsAndFacts(t *testing.T) {
	t.Parallel()
	const big = "1.7976931348623157e308"
	a := attempt{format: study.ResultRecords, records: `{"outcome":"pass","metrics":{"us":3,"big":` + big + `},"facts":{"jdk":"17\u001b[1m","` + strings.Repeat("x", 65) + `":"too long a name"}}
{"outcome":"fail","class":"x","metrics":{"us":1,"big":` + big + `},"facts":{"jdk":"21"}}
{"outcome":"broken","metrics":{"us":100}}
{"outcome":"unexercised","metrics":{"us":100}}
{"outcome":"pass","metrics":{"us":10,"once":-1}}
{"outcome":"pass","metrics":{"us":4}}
`}
	j := a.judge(t)
	if want := map[string]float64{"us": 3.5, "big": 1.7976931348623157e308, "once": -1}; !maps.Equal(j.Metrics, want) {
		t.Errorf("metrics %v, want %v", j.Metrics, want)
	}
	if want := map[string]string{"jdk": "17"}; !maps.Equal(j.Facts, want) {
		t.Errorf("facts %v, want %v", j.Facts, want)
	}
}

// TestRecordEvidence asks every passed round for the evidence that only records can carry.
func TestRecordEvidence(t *testing.T) {
	t.Parallel()
	const with, without = `{"outcome":"pass","evidence":["cut","unknown"]}` + "\n", `{"outcome":"pass"}` + "\n"
	for name, c := range map[string]struct {
		records, log string
		mark         study.Evidence
		want         Outcome
		seen         []string
		rounds       Rounds
	}{
		"every round":         {with + with, "", study.Evidence{Name: "cut"}, Pass, []string{"cut"}, Rounds{N: 2}},
		"some rounds":         {with + without + without, "", study.Evidence{Name: "cut"}, Pass, []string{"cut"}, Rounds{N: 1, Unexercised: 2}},
		"no round":            {without + without, "", study.Evidence{Name: "cut"}, Unexercised, nil, Rounds{Unexercised: 2}},
		"optional":            {without + without, "", study.Evidence{Name: "cut", Optional: true}, Pass, nil, Rounds{N: 2}},
		"excepted":            {without + without, "", study.Evidence{Name: "cut", Except: []string{"v"}}, Pass, nil, Rounds{N: 2}},
		"a failed round":      {without + `{"outcome":"fail"}`, "", study.Evidence{Name: "cut"}, Fail, nil, Rounds{N: 1, Failed: 1, Unexercised: 1, Classes: map[string]int{"other": 1}}},
		"in the output":       {without + without, "was cut", study.Evidence{Name: "cut", Match: "was cut"}, Pass, []string{"cut"}, Rounds{N: 2}},
		"not in the output":   {without + without, "", study.Evidence{Name: "cut", Match: "was cut"}, Unexercised, nil, Rounds{Unexercised: 2}},
		"in a record instead": {with + without, "", study.Evidence{Name: "cut", Match: "was cut"}, Pass, []string{"cut"}, Rounds{N: 2}},
	} {
		a := attempt{format: study.ResultRecords, records: c.records, log: c.log, evidence: []study.Evidence{c.mark}}
		j := a.judge(t)
		if j.Outcome != c.want || !slices.Equal(j.Evidence, c.seen) || !reflect.DeepEqual(j.Rounds, &c.rounds) {
			t.Errorf("%s: %v, %q, %+v", name, j.Outcome, j.Evidence, j.Rounds)
		}
	}
}
