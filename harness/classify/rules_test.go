package classify

import (
	"strings"
	"testing"

	"github.com/failrate/failrate/harness/study"
)

func TestCompileListsEverythingThatIsWrong(t *testing.T) {
	t.Parallel()
	_, err := Compile(&study.Study{
		Subject: study.Subject{Results: study.Results{Format: "xunit", RetriedPass: "maybe"}},
		Classes: []study.Class{
			{Name: "a", Match: "(", Source: "study.yaml:9:5"}, {Name: "b", Match: "x"}, {Match: "y"}, {Name: "c", Match: `\Aq`},
		},
		Evidence: []study.Evidence{{Name: "e", Match: "[", After: "*"}, {Name: "f", Match: "x", After: "x*"}},
	})
	if err == nil {
		t.Fatal("no error")
	}
	lines := strings.Split(err.Error(), "\n")
	for i, want := range []string{
		`unknown result format "xunit"`,
		`retried-pass is "maybe"`,
		`study.yaml:9:5: match "(": error parsing regexp`,
		`class rule 3: a rule needs a class name or broken: true`,
		`class rule 4: match "\\Aq": \A and \z cannot be used`,
		`evidence "e": match "[": error parsing regexp`,
		`evidence "e": after "*": error parsing regexp`,
		`evidence "f": after "x*" matches the empty text`,
	} {
		if i >= len(lines) || !strings.HasPrefix(lines[i], want) {
			t.Errorf("line %d of\n%s\nshould begin %q", i+1, err, want)
		}
	}
	if len(lines) != 8 {
		t.Errorf("%d lines, want 8:\n%s", len(lines), err)
	}
}

// TestDigest changes with everything that changes a judgement, and with nothing else.
func TestDigest(t *testing.T) {
	t.Parallel()
	base := func() *study.Study {
		return &study.Study{
			Name:     "s",
			Subject:  study.Subject{Results: study.Results{Format: study.ResultJUnit, Files: "*.xml"}},
			Classes:  []study.Class{{Name: "a", Match: "x"}, {Name: "b", Exit: new(1)}},
			Evidence: []study.Evidence{{Name: "e", Match: "y", Except: []string{"v", "w"}}},
		}
	}
	digestOf := func(change func(*study.Study)) string {
		s := base()
		change(s)
		r, err := Compile(s)
		if err != nil {
			t.Fatal(err)
		}
		return r.Digest()
	}
	was := digestOf(func(*study.Study) {})
	if len(was) != 64 {
		t.Errorf("digest %q", was)
	}
	for name, change := range map[string]func(*study.Study){
		"name": func(s *study.Study) { s.Name = "other" }, "source": func(s *study.Study) { s.Classes[0].Source = "study.yaml:1:1" },
		"order of exceptions": func(s *study.Study) { s.Evidence[0].Except = []string{"w", "v"} },
		"a default spelt out": func(s *study.Study) { s.Subject.Results.RetriedPass = "fail" },
	} {
		if digestOf(change) != was {
			t.Errorf("%s changes the digest", name)
		}
	}
	for name, change := range map[string]func(*study.Study){
		"match": func(s *study.Study) { s.Classes[0].Match = "z" }, "order": func(s *study.Study) { s.Classes[0], s.Classes[1] = s.Classes[1], s.Classes[0] },
		"exit": func(s *study.Study) { s.Classes[1].Exit = new(2) }, "broken": func(s *study.Study) { s.Classes[0].Broken = true },
		"after": func(s *study.Study) { s.Evidence[0].After = "z" }, "optional": func(s *study.Study) { s.Evidence[0].Optional = true },
		"exceptions": func(s *study.Study) { s.Evidence[0].Except = nil }, "format": func(s *study.Study) { s.Subject.Results.Format = study.ResultTAP },
		"retried pass": func(s *study.Study) { s.Subject.Results.RetriedPass = "pass" },
	} {
		if digestOf(change) == was {
			t.Errorf("%s does not change the digest", name)
		}
	}
}
