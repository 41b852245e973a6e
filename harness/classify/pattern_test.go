package classify

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"
)

func TestRequiredTexts(t *testing.T) {
	t.Parallel()
	for expr, want := range map[string][]string{
		`IOException occurred|Broken pipe|ClosedChannelException`: {"IOException occurred", "Broken pipe", "ClosedChannelException"},
		`Closing \d+ connections to`:                              {" connections to"},
		`(foo|ba)+x`:                                              {"foo", "ba"},
		`(?:retry){2,5}`:                                          {"retry"},
		`(?i)broken`:                                              nil,
		`(?:maybe)?`:                                              nil,
		`(?:maybe)*x`:                                             nil,
		`a|long enough`:                                           nil,
		`\x{FFFD}\x{FFFD}`:                                        nil,
		`^$`:                                                      nil,
	} {
		tree, err := syntax.Parse("(?m)"+expr, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		if got := required(tree); !slices.Equal(got, want) {
			t.Errorf("%s requires %q, want %q", expr, got, want)
		}
	}
}

// TestPatternFindsWhatTheExpressionFinds compares with the expression alone, over random expressions and texts.
func TestPatternFindsWhatTheExpressionFinds(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	found := 0
	for range 4_000 {
		expr := randomExpression(rng, 3)
		p, err := compilePattern(expr)
		if err != nil {
			t.Fatalf("%s: %v", expr, err)
		}
		if p == nil {
			continue
		}
		text := randomText(rng, 30)
		want := regexp.MustCompile("(?m)" + expr).FindIndex(text)
		if got := p.find(text); !slices.Equal(got, want) {
			t.Fatalf("%s in %q: %v, want %v", expr, text, got, want)
		}
		last := -1
		if all := regexp.MustCompile("(?m)"+expr).FindAllIndex(text, -1); len(all) > 0 {
			last = all[len(all)-1][1]
		}
		if got := p.lastEnd(text); got != last {
			t.Fatalf("%s in %q: the last match ends at %d, want %d", expr, text, got, last)
		}
		if want != nil {
			found++
		}
	}
	if found < 200 {
		t.Errorf("only %d matches: the expressions are too hard", found)
	}
}

func randomExpression(rng *rand.Rand, depth int) string {
	if depth == 0 {
		return []string{"a", "b", "ab", "ba", ".", "\n", "[ab]", "\xc3\xa9", "(?i:ab)"}[rng.IntN(9)]
	}
	x, y := randomExpression(rng, depth-1), randomExpression(rng, depth-1)
	switch rng.IntN(8) {
	case 0:
		return "(" + x + "|" + y + ")"
	case 1:
		return "(" + x + ")*" + y
	case 2:
		return "(?:" + x + ")+"
	case 3:
		return "(?:" + x + "){1,2}" + y
	case 4:
		return "^" + x
	case 5:
		return x + "$"
	}
	return x + y
}

func randomText(rng *rand.Rand, limit int) []byte {
	out := make([]byte, rng.IntN(limit))
	for i := range out {
		out[i] = "aaabbb\n\xc3\xa9B"[rng.IntN(10)]
	}
	return out
}

func TestTextAnchorsAreRefused(t *testing.T) {
	t.Parallel()
	for _, expr := range []string{`\Afoo`, `foo\z`, `(a|(?-m:^b))`} {
		if _, err := compilePattern(expr); err != errTextAnchor {
			t.Errorf("%s: error %v", expr, err)
		}
	}
	for _, expr := range []string{`^foo$`, `a\b`, `(?m)^x`} {
		if _, err := compilePattern(expr); err != nil {
			t.Errorf("%s: %v", expr, err)
		}
	}
}

func TestLongAlternations(t *testing.T) {
	t.Parallel()
	var words []string
	for i := range maxRequired + 1 {
		words = append(words, fmt.Sprintf("%cword", 'a'+i))
	}
	p, err := compilePattern(strings.Join(words, "|"))
	if err != nil || p.need != nil {
		t.Fatalf("looks for %q first (%v)", p.need, err)
	}
	if p.find([]byte("a cword")) == nil {
		t.Error("not found")
	}
}
