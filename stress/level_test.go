package stress

import (
	"math"
	"strings"
	"testing"
)

// levels are texts with what they mean and how String says it.
var levels = []struct {
	text  string
	level Level
	words string
}{
	{"none", Level{}, "none"},
	{" none ", Level{}, "none"},
	{"2x", Level{CPU: 2}, "cpu 2x"},
	{"cpu 2x", Level{CPU: 2}, "cpu 2x"},
	{"cpu-2x", Level{CPU: 2}, "cpu 2x"},
	{"0.5x", Level{CPU: 0.5}, "cpu 0.5x"},
	{"50%", Level{CPU: 1, Duty: 0.5}, "cpu 1x duty 50%"},
	{"2x 12.5%", Level{CPU: 2, Duty: 0.125}, "cpu 2x duty 12.5%"},
	{"7% 2x", Level{CPU: 2, Duty: 0.07}, "cpu 2x duty 7%"},
	{"2x 100%", Level{CPU: 2}, "cpu 2x"},
	{"duty 0.01% workers 4096", Level{Workers: 4096, Duty: 0.0001}, "workers 4096 duty 0.01%"},
	{"burst", Level{CPU: 1, Burst: true}, "cpu 1x burst"},
	{"burst-2x", Level{CPU: 2, Burst: true}, "cpu 2x burst"},
	{"workers 3, inside,quota 0.5", Level{Workers: 3, Place: Inside, Quota: Quota{CPUs: 0.5}}, "workers 3 inside quota 0.5"},
	{"beside 1x", Level{CPU: 1}, "cpu 1x"},
	{"quota 1.5", Level{Quota: Quota{CPUs: 1.5}}, "quota 1.5"},
	{"64x", Level{CPU: 64}, "cpu 64x"},
}

func TestParseLevel(t *testing.T) {
	t.Parallel()
	for _, c := range levels {
		got, err := ParseLevel(c.text)
		if err != nil || got != c.level {
			t.Errorf("%q is %+v, %v, want %+v", c.text, got, err, c.level)
		}
		if got.String() != c.words {
			t.Errorf("%q is in words %q, want %q", c.text, got, c.words)
		}
	}
}

func TestParseLevelRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"", `unknown word ""`},
		{"-2x", `unknown word ""`},
		{"2x,,50%", `unknown word ""`},
		{"2", `unknown word "2"`},
		{"busy 2x", `unknown word "busy"`},
		{"cpu", `nothing after "cpu"`},
		{"cpu 2", `cpu "2" is not a number with x`},
		{"2X", `unknown word "2X"`},
		{"1e3x", `cpu "1e3x" is not a number`},
		{"NaNx", `cpu "NaNx" is not a number`},
		{"+1x", `cpu "+1x" is not a number`},
		{"1.1234567x", "is not a number"},
		{"0x", `cpu "0x" is nothing`},
		{"0%", `duty "0%" is nothing`},
		{"65x", "cpu 65 is not between"},
		{"99999999x", "is not a number"},
		{"101%", "duty 1.01 is not between"},
		{"0.001% 1x", "is not between"},
		{"workers 1.5", "not a whole number"},
		{"workers 4097", "workers 4097 is not between"},
		{"2x workers 3", "give one"},
		{"2x 3x", "cpu is given twice"},
		{"inside", "where and not how much"},
		{"inside beside 1x", "place is given twice"},
		{"none 2x", "none is not combined"},
		{"2x none", "none is not combined"},
		{"quota 0.0001", "quota 0.0001 is not between"},
		{"2x\x00", `unknown word "2x\x00"`},
	} {
		l, err := ParseLevel(c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q is %+v, error %v, want one with %q", c.text, l, err, c.want)
		}
	}
}

func TestValidateRefuses(t *testing.T) {
	t.Parallel()
	for _, l := range []Level{
		{CPU: math.NaN()}, {CPU: math.Inf(1)}, {CPU: -1}, {CPU: 1e-9},
		{Workers: -1},
		{CPU: 1, Duty: 1.5}, {CPU: 1, Duty: -0.5}, {CPU: 1, Duty: math.NaN()},
		{Duty: 0.5}, {Burst: true}, {Burst: true, Quota: Quota{CPUs: 1}},
		{CPU: 1, Place: "elsewhere"},
		{Quota: Quota{CPUs: -1}}, {Quota: Quota{CPUs: math.Inf(1)}},
	} {
		if l.Validate() == nil {
			t.Errorf("%+v is not refused", l)
		}
	}
	if err := (Level{}).Validate(); err != nil {
		t.Errorf("the zero level: %v", err)
	}
}

func TestCount(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		level Level
		cores int
		want  int
	}{
		{Level{}, 8, 0},
		{Level{Quota: Quota{CPUs: 1}}, 8, 0},
		{Level{CPU: 2}, 2, 4},
		{Level{CPU: 0.5}, 2, 1},
		{Level{CPU: 0.1}, 2, 1},
		{Level{CPU: 1.5}, 3, 5},
		{Level{CPU: 0.1}, 30, 3},
		{Level{CPU: 2}, 0, 2},
		{Level{Workers: 3}, 64, 3},
	} {
		if got := c.level.Count(c.cores); got != c.want {
			t.Errorf("%v on %d cores is %d workers, want %d", c.level, c.cores, got, c.want)
		}
	}
}

func TestNone(t *testing.T) {
	t.Parallel()
	for l, want := range map[Level]bool{{}: true, {Place: Inside}: true, {CPU: 1}: false, {Workers: 1}: false, {Quota: Quota{CPUs: 1}}: false} {
		if l.None() != want {
			t.Errorf("%+v is none: %v, want %v", l, l.None(), want)
		}
	}
}

// FuzzParseLevel: any text is a valid level or an error, and a level's words mean the level.
func FuzzParseLevel(f *testing.F) {
	for _, c := range levels {
		f.Add(c.text)
	}
	f.Add("inside") // was a level other than none with the words "none"
	f.Add("2x 50% burst inside quota 0.5")
	f.Add("workers 3--duty\u00a05%")
	f.Fuzz(func(t *testing.T, text string) {
		l, err := ParseLevel(text)
		if err != nil {
			if l != (Level{}) {
				t.Errorf("%q gives %+v beside the error %v", text, l, err)
			}
			return
		}
		if err := l.Validate(); err != nil {
			t.Errorf("%q is an invalid level: %v", text, err)
		}
		if again, err := ParseLevel(l.String()); err != nil || again != l {
			t.Errorf("%q is %+v, and its words %q are %+v, %v", text, l, l, again, err)
		}
	})
}
