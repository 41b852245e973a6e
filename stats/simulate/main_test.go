package main

import (
	"bytes"
	"strings"
	"testing"
)

// The same seed gives the same table, however many workers there are.
func TestTableDependsOnTheSeedAlone(t *testing.T) {
	t.Parallel()
	table := func(seed uint64, workers int) string {
		var out bytes.Buffer
		if err := run(&out, 20, seed, workers); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	one := table(1, 1)
	if two := table(1, 4); two != one {
		t.Errorf("four workers:\n%s\none worker:\n%s", two, one)
	}
	if other := table(2, 4); other == one {
		t.Error("another seed gives the same table")
	}
	if n := strings.Count(one, "false verdicts"); n != 40 {
		t.Errorf("%d lines of equal rates, want 2 pairs of 4 designs at 5 rates:\n%s", n, one)
	}
}

// Wald's bound at two-sided 5 % and 80 % power, worked by hand:
// 2·(0.8·ln 32 + 0.2·ln(0.2/0.975)) / (1.95996 + 0.84162)² = 4.9117 / 7.8489.
func TestWaldShare(t *testing.T) {
	t.Parallel()
	if got := waldShare(0.05, 0.8); got < 0.6255 || got > 0.6262 {
		t.Errorf("%v, want 0.6258", got)
	}
}
