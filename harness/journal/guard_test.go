package journal

import (
	"errors"
	"strings"
	"testing"
)

func TestSameRunGuardsResumption(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*Header)
		want   string // empty when it may be resumed
	}{
		"nothing":      {func(*Header) {}, ""},
		"another name": {func(h *Header) { h.Host.Name = "renamed"; h.Host.Kernel = "6.19" }, ""},
		"fixed":        {func(h *Header) { h.Design = "" }, ""},
		"tool":         {func(h *Header) { h.Tool = "2" }, "the version of failrate"},
		"campaign":     {func(h *Header) { h.Campaign = "c2" }, `the campaign is "c1" here and "c2" there`},
		"shard":        {func(h *Header) { h.Shard = "1/2" }, `the shard is "whole" here and "1/2" there`},
		"system":       {func(h *Header) { h.Host.Arch = "arm64" }, `the system is "linux/amd64" here and "linux/arm64" there`},
		"jobs":         {func(h *Header) { h.Jobs = 4 }, "the number of trials at once"},
	} {
		h, other := testHeader(3), testHeader(3)
		c.change(&other)
		err := h.SameRun(other)
		var d *DiffersError
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case c.want != "" && (!errors.As(err, &d) || !strings.Contains(err.Error(), c.want) || !errors.Is(err, ErrRefused) || d.Hint() == ""):
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func TestSameCampaignNamesEveryDifferenceAndNoRepetition(t *testing.T) {
	t.Parallel()
	h, other := testHeader(3), testHeader(3)
	other.Tool, other.Rules, other.Plan.Seed = "2", "r2", 8
	other.PlanDigest = other.Plan.Digest()
	var d *DiffersError
	if err := h.SameCampaign(other); !errors.As(err, &d) {
		t.Fatal(err)
	}
	var what []string
	for _, x := range d.Differences {
		what = append(what, x.What)
	}
	if got := strings.Join(what, ", "); got != "the version of failrate, the seed, the digest of the rules" {
		t.Errorf("differences: %s", got)
	}
	if err := h.SameCampaign(h); err != nil {
		t.Errorf("a header differs from itself: %v", err)
	}
}
