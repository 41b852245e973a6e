package reports

import (
	"fmt"
	"slices"
	"strings"
)

// factLines lists what a reader must know beside the numbers: conditions, seed, design, machines, how to repeat.
func factLines(t *Table) []string {
	var out []string
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if t.Texts.Conditions != "" {
		add("Conditions: %s", t.Texts.Conditions)
	}
	if t.Texts.Source != "" {
		add("Source: %s", t.Texts.Source)
	}
	add("Study %s%s", name(t.Study), campaigns(t))
	if t.sequential() {
		add("p and intervals: valid under design %s although the campaign looked at the data on the way, Bonferroni over the variants of a stratum; excluded trials are in no rate.", t.Design)
	} else {
		add("p: exact two-sided test against the baseline, Holm-adjusted over the variants of a stratum; excluded trials are in no rate.")
	}
	for _, s := range t.Sources {
		out = append(out, sourceLine(s))
	}
	out = append(out, loadLines(t)...)
	return out
}

// campaigns says what the plan of each campaign was.
func campaigns(t *Table) string {
	if len(t.Campaigns) == 0 {
		return fmt.Sprintf(", seed %d, %d trials per cell, design %s, plan %.12s.", t.Plan.Seed, t.Plan.Iterations, t.Design, t.PlanDigest)
	}
	var b strings.Builder
	for _, c := range t.Campaigns {
		fmt.Fprintf(&b, "; campaign %s: seed %d, %d trials per cell, design %s, plan %.12s", name(c.ID), c.Seed, c.Iterations, c.Design, c.PlanDigest)
	}
	return b.String() + "."
}

// repeats gives the command lines that repeat the table's campaigns, quoted for a shell.
func repeats(t *Table) []string {
	var out []string
	if len(t.Repeat) > 0 {
		out = append(out, shellLine(t.Repeat))
	}
	for _, c := range t.Campaigns {
		if len(c.Repeat) > 0 {
			out = append(out, shellLine(c.Repeat))
		}
	}
	return out
}

func sourceLine(s Source) string {
	h := s.Host
	parts := []string{fmt.Sprintf("%s: %s/%s, kernel %s, %s, %d cores", h.Name, h.OS, h.Arch, orUnknown(h.Kernel), orUnknown(h.CPU), h.Cores)}
	if h.Engine != "" {
		parts = append(parts, "engine "+h.Engine)
	}
	for _, name := range sortedKeys(h.Facts) {
		parts = append(parts, name+" "+h.Facts[name])
	}
	parts = append(parts, fmt.Sprintf("%d at once", max(1, s.Jobs)), "failrate "+s.Tool)
	if s.Shard != "" {
		parts = append(parts, "shard "+s.Shard)
	}
	if len(s.Platforms) > 0 {
		parts = append(parts, "only "+strings.Join(s.Platforms, ", "))
	}
	return strings.Join(parts, "; ")
}

// loadLines says for each stress level what was asked for and what was achieved.
func loadLines(t *Table) []string {
	var out []string
	for _, s := range t.Strata {
		var asked string
		var cores, busy, pressure []float32
		throttled := 0
		for _, c := range s.Cells {
			if c.Load.Asked != "" {
				asked = c.Load.Asked
			}
			cores, busy, pressure = collect(cores, c.Load.Cores), collect(busy, c.Load.Busy), collect(pressure, c.Load.Pressure)
			throttled += c.Load.ThrottledTrials
		}
		if len(cores) == 0 && len(busy) == 0 && len(pressure) == 0 {
			continue
		}
		line := fmt.Sprintf("Stress in %s: asked %s", s.ID, orUnknown(asked))
		if len(cores) > 0 {
			line += fmt.Sprintf(", achieved %.2f cores", quantile(cores, 0.5))
		}
		if len(busy) > 0 {
			line += fmt.Sprintf(", machine busy %.0f %%", 100*quantile(busy, 0.5))
		}
		if len(pressure) > 0 {
			line += fmt.Sprintf(", CPU pressure %.0f %%", 100*quantile(pressure, 0.5))
		}
		if throttled > 0 {
			line += fmt.Sprintf(", %d trials throttled", throttled)
		}
		out = append(out, line)
	}
	return out
}

func collect(to []float32, v *float64) []float32 {
	if v == nil {
		return to
	}
	return append(to, float32(*v))
}

func orUnknown(s string) string {
	if s == "" {
		return "unknown"
	}
	return s
}

func sortedKeys(m map[string]string) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
