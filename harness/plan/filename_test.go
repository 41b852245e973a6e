package plan

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/failrate/failrate/harness/study"
)

func TestFileNamesAreDistinctAndLeadNowhere(t *testing.T) {
	t.Parallel()
	values := append([]string{"~", "@", "+", "%7E", "%40", "%2B", "%257E", strings.Repeat("x", 300), strings.Repeat("x", 300) + "y"}, hostile...)
	s := &study.Study{Name: "s", Baseline: "a", Variants: []study.Variant{{Name: "a"}, {Name: "a-b"}}, Iterations: 3,
		Controls:  []study.Control{{Variant: study.Variant{Name: "c"}, Iterations: 1}},
		Platforms: []study.Platform{study.Native, study.Container}, Stress: []study.Stress{{Name: "none"}, {Name: "cpu-2x"}},
		Parameters: []study.Parameter{{Name: "p", Values: values}, {Name: "q", Values: values}}}
	p, err := New(s, "digest", Selection{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	of := map[string]string{}
	for b := range p.Blocks(Shard{}) {
		for _, tr := range b.Trials {
			for attempt := 1; attempt <= 3; attempt++ {
				id := AttemptID(tr.ID, attempt)
				name := FileName(id)
				if other, ok := of[name]; ok {
					t.Errorf("%q and %q share the file name %q", id, other, name)
				}
				of[name] = id
				if len(name) > maxFileName || strings.ContainsAny(name, "/\\\x00\n") || !filepath.IsLocal(name) || name[0] == '-' {
					t.Errorf("%q gives the file name %q", id, name)
				}
			}
		}
	}
	if len(of) != 3*p.Trials() {
		t.Errorf("%d names for %d attempts", len(of), 3*p.Trials())
	}
}
