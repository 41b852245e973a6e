package study

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// The reference is the shell itself: what it hands to a program as words.
func TestSplitAsAShellDoes(t *testing.T) {
	t.Parallel()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Fatalf("no sh to compare with: %v", err)
	}
	for _, line := range []string{
		"./old.sh --x 1", "a", "  a   b\tc ", "a 'b c'", `a "b c"`, `a b\ c`, `a'b'"c"d`, `a '' "" b`, `a 'it'\''s'`,
		`a "\d \\ \" \a"`, `a \d\\\n\t`, `a '\d\n'`, "a \\\n b", `a "b` + "\\\n" + `c"`, "a # b", "a#b '#c'", `a "*" '?' \[ "~"`, "a b~c", "a 'é' \"ü\" ö",
		"a {b} {c,d} {}", `a \; \| \& \> \$X`, `a "|" '&&' '$X' '$(x)'`, "a --b=c", `a "\$X \` + "`" + `"`, "a !x", "a x=y",
	} {
		out, err := exec.Command(sh, "-c", `each() { for w; do printf '%s\0' "$w"; done; }; each `+line).Output()
		if err != nil {
			t.Fatalf("%q: the shell: %v", line, err)
		}
		want := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
		got, err := Split(line)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %q (%v), the shell has %q", line, got, err, want)
		}
	}
}

func TestSplitLeavesShellsWorkToShells(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"":                 "no command in it",
		" # b":             "no command in it",
		"a | b":            `character 3: "|" needs a shell`,
		"é | b":            `character 3: "|" needs a shell`,
		"a && b":           `character 3: "&&" needs a shell`,
		"a || b":           `character 3: "||" needs a shell`,
		"a &":              `character 3: "&" needs a shell`,
		"a; b":             `character 2: ";" needs a shell`,
		"a\nb":             "character 3: a second command needs a shell",
		"! a":              `character 1: "!" needs a shell`,
		"a > x":            `character 3: the redirection ">" needs a shell`,
		"a 2>&1":           `character 4: the redirection ">&" needs a shell`,
		"a <<E\nx\nE\n":    `character 3: the redirection "<<" needs a shell`,
		"A=1 b":            "character 1: an assignment before the command needs a shell",
		"A=1":              "character 1: an assignment before the command needs a shell",
		"a $X":             `character 3: "$" needs a shell`,
		"a ${X}":           `character 3: "$" needs a shell`,
		`a "b $X"`:         `character 6: "$" needs a shell`,
		"a $(b)":           "character 3: a command substitution needs a shell",
		"a `b`":            "character 3: a command substitution needs a shell",
		"a $((1))":         "character 3: arithmetic needs a shell",
		"~/a":              `character 1: "~" needs a shell`,
		"a *.x":            "character 3: the pattern character '*' needs a shell",
		"a x?":             "character 3: the pattern character '?' needs a shell",
		"a [b]":            "character 3: the pattern character '[' needs a shell",
		"{ a; }":           "character 1: a compound command needs a shell",
		"(a)":              "character 1: a compound command needs a shell",
		"if a; then b; fi": "character 1: a compound command needs a shell",
		"a 'b":             "character 3: reached EOF without closing quote `'`",
		"a )":              "character 3: a command can only contain words and redirects; encountered `)`",
	} {
		if words, err := Split(line); err == nil || err.Error() != want {
			t.Errorf("%q: %q, %v; want %s", line, words, err, want)
		}
	}
}
