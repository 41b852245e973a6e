package stress

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// number is a plain decimal that no rounding changes; what it allows beyond a level's bounds is refused by Validate.
var number = regexp.MustCompile(`^[0-9]{1,5}(\.[0-9]{1,6})?$`)

// separator stands between two words; two of them in a row leave an empty word, which is unknown.
var separator = regexp.MustCompile(`\s*,\s*|\s+|-`)

const wordsHint = `words are none, cpu 2x, workers 3, duty 50%, burst, beside, inside, quota 0.5`

// ParseLevel reads a level in words, in any order, between spaces, commas or hyphens: "2x", "cpu-2x", "50%",
// "burst 2x", "workers 3, inside, quota 0.5", "none". "cpu" and "duty" may be left out, because x and % tell. Duty or
// burst without a number of workers means one per core.
func ParseLevel(text string) (Level, error) {
	l, err := parseLevel(strings.TrimSpace(text))
	if err != nil {
		return Level{}, fmt.Errorf("stress level %q: %w", text, err)
	}
	return l, nil
}

func parseLevel(text string) (Level, error) {
	words := separator.Split(text, -1)
	if len(words) == 1 && words[0] == "none" {
		return Level{}, nil
	}
	p := levelParser{seen: map[string]bool{}}
	for len(words) > 0 {
		n, err := p.term(words)
		if err != nil {
			return Level{}, err
		}
		words = words[n:]
	}
	if !p.seen["cpu"] && !p.seen["workers"] && (p.seen["duty"] || p.level.Burst) {
		p.level.CPU = 1
	}
	if p.level.None() {
		return Level{}, errors.New("it says where and not how much: add a number such as 2x")
	}
	if err := p.level.Validate(); err != nil {
		return Level{}, err
	}
	return p.level, nil
}

// levelParser collects terms; each may be there once.
type levelParser struct {
	level Level
	seen  map[string]bool
}

// term reads the term that words begin with and gives how many words it took.
func (p *levelParser) term(words []string) (int, error) {
	name, value, taken := words[0], "", 1
	switch {
	case strings.HasSuffix(name, "x"):
		name, value = "cpu", words[0]
	case strings.HasSuffix(name, "%"):
		name, value = "duty", words[0]
	case name == "cpu" || name == "duty" || name == "workers" || name == "quota":
		if len(words) == 1 {
			return 0, fmt.Errorf("nothing after %q (%s)", name, wordsHint)
		}
		value, taken = words[1], 2
	}
	slot := name
	if name == string(Beside) || name == string(Inside) {
		slot = "place"
	}
	if p.seen[slot] {
		return 0, fmt.Errorf("%s is given twice", slot)
	}
	p.seen[slot] = true
	return taken, p.set(name, value)
}

func (p *levelParser) set(name, value string) (err error) {
	switch name {
	case "cpu":
		p.level.CPU, err = positive(name, value, "x")
	case "duty":
		if p.level.Duty, err = positive(name, value, "%"); err == nil {
			p.level.Duty /= 100
		}
		if p.level.Duty == 1 {
			p.level.Duty = 0
		}
	case "quota":
		p.level.Quota.CPUs, err = positive(name, value, "")
	case "workers":
		var n float64
		if n, err = positive(name, value, ""); err == nil && n != float64(int(n)) {
			err = fmt.Errorf("workers %q is not a whole number", value)
		}
		p.level.Workers = int(n)
	case "burst":
		p.level.Burst = true
	case string(Inside):
		p.level.Place = Inside
	case string(Beside): // the default
	case "none":
		err = errors.New("none is not combined with other words")
	default:
		err = fmt.Errorf("unknown word %q (%s)", name, wordsHint)
	}
	return err
}

// positive reads a number above zero that ends in the unit.
func positive(name, value, unit string) (float64, error) {
	digits, ok := strings.CutSuffix(value, unit)
	if !ok || !number.MatchString(digits) {
		return 0, fmt.Errorf("%s %q is not a number%s (%s)", name, value, withUnit(unit), wordsHint)
	}
	v, err := strconv.ParseFloat(digits, 64)
	if err != nil {
		return 0, fmt.Errorf("%s %q: %w", name, value, err)
	}
	if v == 0 {
		return 0, fmt.Errorf("%s %q is nothing: leave it out, or say none", name, value)
	}
	return v, nil
}

func withUnit(unit string) string {
	if unit == "" {
		return ""
	}
	return " with " + unit
}
