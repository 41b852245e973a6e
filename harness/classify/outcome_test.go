package classify

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// TestOutcomes walks the closed set: every outcome has its word, which reads back, and its place in the rate.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	want := map[Outcome]struct {
		word           string
		inRate, failed bool
	}{
		Pass: {"pass", true, false}, Fail: {"fail", true, true}, Timeout: {"timeout", true, true},
		Unexercised: {"unexercised", false, false}, Broken: {"broken", false, false},
		Censored: {"censored", false, false}, Lost: {"lost", false, false},
	}
	if len(Outcomes()) != len(want) {
		t.Fatalf("%d outcomes, want %d", len(Outcomes()), len(want))
	}
	for _, o := range Outcomes() {
		w := want[o]
		if o.String() != w.word || o.InRate() != w.inRate || o.Failed() != w.failed {
			t.Errorf("%v: in rate %v, failed %v; want %v", o, o.InRate(), o.Failed(), w)
		}
		text, err := json.Marshal(Judgement{Outcome: o})
		if err != nil {
			t.Fatal(err)
		}
		var back Judgement
		if err := json.Unmarshal(text, &back); err != nil || back.Outcome != o {
			t.Errorf("%s reads back as %v (%v)", text, back.Outcome, err)
		}
	}
	if _, err := ParseOutcome("flaky"); err == nil {
		t.Error("flaky is no outcome")
	}
	if got := Outcome(0).String(); got != "outcome(0)" {
		t.Errorf("the zero value is %q", got)
	}
}

// TestSwitchesNameEveryOutcome reads this package's source: a switch that names one outcome names them all.
func TestSwitchesNameEveryOutcome(t *testing.T) {
	t.Parallel()
	names := []string{"Pass", "Fail", "Timeout", "Unexercised", "Broken", "Censored", "Lost"}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			s, ok := n.(*ast.SwitchStmt)
			if !ok {
				return true
			}
			named := map[string]bool{}
			for _, c := range s.Body.List {
				for _, e := range c.(*ast.CaseClause).List {
					if id, ok := e.(*ast.Ident); ok {
						named[id.Name] = true
					}
				}
			}
			if !named["Pass"] && !named["Fail"] && !named["Broken"] {
				return true
			}
			found++
			for _, name := range names {
				if !named[name] {
					t.Errorf("%s: a switch over outcomes does not name %s", set.Position(s.Pos()), name)
				}
			}
			return true
		})
	}
	if found < 6 {
		t.Errorf("found %d switches over outcomes: the walk misses some", found)
	}
}
