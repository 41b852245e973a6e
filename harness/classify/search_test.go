package classify

import (
	"bytes"
	"math/rand/v2"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/failrate/failrate/harness/study"
)

// compiled gives the rules of classes and evidence.
func compiled(t testing.TB, classes []study.Class, marks []study.Evidence) *Rules {
	t.Helper()
	r, err := Compile(&study.Study{Classes: classes, Evidence: marks})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// searched searches one stream, written in pieces of the given size.
func searched(r *Rules, text []byte, piece int) *search {
	s := newSearch(r.classes, r.marks)
	for len(text) > 0 {
		n := min(piece, len(text))
		s.Write(text[:n])
		text = text[n:]
	}
	s.end()
	return s
}

func TestFirstMatchingRuleWins(t *testing.T) {
	t.Parallel()
	r := compiled(t, []study.Class{{Name: "first", Match: "alpha"}, {Name: "second", Match: "beta"}, {Name: "third", Match: "gamma"}}, nil)
	for text, want := range map[string]string{
		"beta\nalpha\n": "first", "gamma beta": "second", "gamma": "third", "nothing": "",
	} {
		c, spot, matched := searched(r, []byte(text), 1).matched()
		if c.Name != want || matched != (want != "") || matched && !strings.Contains(text, spot) {
			t.Errorf("%q: %q %q %v", text, c.Name, spot, matched)
		}
	}
}

func TestEvidenceAfter(t *testing.T) {
	t.Parallel()
	r := compiled(t, nil, []study.Evidence{{Name: "e", Match: "recovered", After: "cut"}})
	for text, want := range map[string]bool{
		"recovered":                                false,
		"cut":                                      false,
		"recovered\ncut\n":                         false,
		"cut\nrecovered\n":                         true,
		"cut recovered":                            true,
		"cut\nrecovered\ncut\n":                    false,
		"cut\nrecovered\ncut\nrecovered\n":         true,
		"cut\ncut\nrecovered\nrecovered":           true,
		strings.Repeat("cut\n", 9000):              false,
		strings.Repeat("cut ", 9000):               false,
		strings.Repeat("cut ", 9000) + "recovered": true,
	} {
		if got := searched(r, []byte(text), 7).saw("e"); got != want {
			t.Errorf("%.60q: seen %v", text, got)
		}
	}
}

// TestEvidenceStreamsAreIndependent writes after into one stream and match into the next.
func TestEvidenceStreamsAreIndependent(t *testing.T) {
	t.Parallel()
	r := compiled(t, nil, []study.Evidence{{Name: "e", Match: "recovered", After: "cut"}})
	s := newSearch(nil, r.marks)
	for _, text := range []string{"cut\n", "recovered\n"} {
		s.Write([]byte(text))
		s.end()
	}
	if s.saw("e") {
		t.Error("a match in another stream than after counts")
	}
	s.Write([]byte("cut, recovered"))
	s.end()
	s.Write([]byte("cut"))
	s.end()
	if !s.saw("e") {
		t.Error("what one stream shows is taken back by another")
	}
}

// TestSearchAcrossWindows puts a match at every kind of edge of the windows that a long stream is searched in.
func TestSearchAcrossWindows(t *testing.T) {
	t.Parallel()
	const mark = "the needle of\nthis search"
	r := compiled(t, []study.Class{{Name: "found", Match: "^the needle of\nthis search$"}}, []study.Evidence{
		{Name: "later", Match: "search", After: "needle"}, {Name: "never", Match: "needle", After: "search"},
	})
	for _, filler := range []string{"x\n", strings.Repeat("z", 100_000) + "\n"} {
		for _, edge := range []int{2 * searchWindow, 2*searchWindow - searchOverlap} {
			for _, shift := range []int{-len(mark) - 1, -14, 0} {
				at := edge + shift
				text := []byte(strings.Repeat(filler, 3*searchWindow/len(filler)))
				copy(text[at-1:], "\n"+mark+"\n")
				s := searched(r, text, 1<<16)
				if _, _, found := s.matched(); !found || !s.saw("later") || s.saw("never") {
					t.Errorf("filler of %d, at %d: found %v, later %v, never %v", len(filler), at, found, s.saw("later"), s.saw("never"))
				}
			}
		}
	}
}

// TestAnchorsMatchAtLinesOnly ends a long line where the buffer does, so that only a part of the line is kept.
func TestAnchorsMatchAtLinesOnly(t *testing.T) {
	t.Parallel()
	r := compiled(t, []study.Class{{Name: "inside", Match: "^xx"}}, nil)
	long := "a" + strings.Repeat("x", 2*searchWindow-2) + "\n"
	if _, spot, found := searched(r, []byte(long+long+"end\n"), 1<<16).matched(); found {
		t.Errorf("^ matches inside a line: %.20q", spot)
	}
}

// TestSearchAgreesWithWholeText compares with one look over the whole text, for random texts of several windows.
func TestSearchAgreesWithWholeText(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	r := compiled(t, []study.Class{{Name: "a", Match: "rare one"}, {Name: "b", Match: `^other \d{3}$`}, {Name: "c", Match: "line"}},
		[]study.Evidence{{Name: "e", Match: "good", After: `cut \d`}, {Name: "f", Match: "good"}})
	for range 4 {
		var text []byte
		for len(text) < 3*searchWindow {
			switch rng.IntN(40_000) {
			case 0:
				text = append(text, "rare one\n"...)
			case 1:
				text = append(text, "other 123\nother 1234\n"...)
			case 2:
				text = append(text, "cut 7\n"...)
			case 3:
				text = append(text, "good\n"...)
			default:
				text = append(text, "some longer line of no meaning, as logs have them\n"[rng.IntN(40):]...)
			}
		}
		s := searched(r, text, 50_000)
		want := len(r.classes)
		for i := range r.classes {
			if r.classes[i].pattern.re.Match(text) {
				want = i
				break
			}
		}
		if s.hit != want {
			t.Errorf("rule %d, want %d", s.hit, want)
		}
		after := 0
		if all := regexp.MustCompile(`cut \d`).FindAllIndex(text, -1); len(all) > 0 {
			after = all[len(all)-1][1]
		}
		if got, want := s.saw("e"), after > 0 && bytes.Contains(text[after:], []byte("good")); got != want {
			t.Errorf("evidence %v, want %v", got, want)
		}
		if got, want := s.saw("f"), bytes.Contains(text, []byte("good")); got != want {
			t.Errorf("evidence anywhere %v, want %v", got, want)
		}
	}
}

// TestSearchMemory searches 30 MB, a third of it in one line.
func TestSearchMemory(t *testing.T) {
	r := compiled(t, []study.Class{{Name: "a", Match: "not there"}, {Name: "b", Match: "x.*needle"}}, []study.Evidence{{Name: "e", Match: "good", After: "cut"}})
	s := newSearch(r.classes, r.marks)
	long, short := bytes.Repeat([]byte("x"), 1<<20), []byte(strings.Repeat("some line\n", 100_000))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for i := range 30 {
		if i < 10 {
			s.Write(long)
		} else {
			s.Write(short)
		}
	}
	s.Write([]byte("the needle x needle"))
	s.end()
	runtime.ReadMemStats(&after)
	if c, _, _ := s.matched(); c.Name != "b" || !strings.HasSuffix(string(s.tail), "needle x needle") {
		t.Errorf("class %q, tail %.20q", c.Name, s.tail)
	}
	if got := after.TotalAlloc - before.TotalAlloc; got > 12<<20 {
		t.Errorf("%d bytes allocated", got)
	}
}

// TestTail keeps the end of the stream, whatever the windows did to it.
func TestTail(t *testing.T) {
	t.Parallel()
	for _, classes := range [][]study.Class{nil, {{Name: "a", Match: "not there"}}, {{Name: "a"}}} {
		r := compiled(t, classes, nil)
		for _, n := range []int{0, 10, searchTail, 2 * searchWindow, 2*searchWindow + 5, 5 * searchWindow} {
			text := []byte(strings.Repeat("0123456789", n/10+1)[:n])
			for i := range text {
				text[i] += byte(i >> 12 % 60)
			}
			want := text[max(0, n-searchTail):]
			if got := searched(r, text, 1<<15).tail; len(classes) == 0 && !bytes.HasSuffix(want, got) || !bytes.HasSuffix(got, want[max(0, len(want)-MaxExcerpt):]) {
				t.Errorf("%d rules, %d bytes: a tail of %d", len(classes), n, len(got))
			}
		}
	}
}
