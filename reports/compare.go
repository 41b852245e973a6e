package reports

import (
	"fmt"
	"math"

	"github.com/failrate/failrate/stats"
)

// compare judges every variant of a stratum against its baseline, and says in words what the counts alone invite to
// misread. tallies go with the stratum's cells.
func (t *Table) compare(s *Stratum, tallies []*tally) error {
	base := -1
	var variants []int
	var arms []stats.Arm
	for i, c := range s.Cells {
		switch {
		case c.Baseline:
			base = i
		case !c.Control && c.Rate.N > 0:
			variants = append(variants, i)
			arms = append(arms, arm(c))
		}
	}
	if base < 0 || s.Cells[base].Rate.N == 0 {
		return nil
	}
	found, err := stats.Judge(arm(s.Cells[base]), arms, t.claims())
	if err != nil {
		return fmt.Errorf("stratum %s: %w", s.ID, err)
	}
	for k, i := range variants {
		c := &s.Cells[i]
		t.doubtPair(c, s.Cells[base])
		c.Comparison, c.BaseRate = &found[k], s.Cells[base].Rate.Rate()
		if err := shifts(c, tallies[base].metrics, tallies[i].metrics, t.Level); err != nil {
			return fmt.Errorf("cell %s: %w", c.ID, err)
		}
		t.Verdicts = append(t.Verdicts, verdictSentence(s, s.Cells[base], *c))
		if found[k].BestCase != "" || found[k].WorstCase != "" {
			t.note(c, fmt.Sprintf("%s: if its excluded trials had all passed the verdict would be %s, if they had all failed %s",
				name(c.ID), or(found[k].BestCase, found[k].Verdict), or(found[k].WorstCase, found[k].Verdict)))
		}
	}
	return nil
}

func (t *Table) claims() stats.Claims {
	c := t.Texts.Claims
	return stats.Claims{Confidence: t.Level, Tolerate: c.Tolerate, Margin: c.Margin}
}

func arm(c Cell) stats.Arm {
	a := stats.Arm{Name: c.Variant, Count: c.Rate, Excluded: int64(c.Counts.Excluded())}
	if c.Clustered != nil {
		a.Deff = c.Clustered.DesignEffect
	}
	return a
}

func or(v, fallback stats.Verdict) stats.Verdict {
	if v == "" {
		return fallback
	}
	return v
}

// verdictSentence is the sentence that gets quoted: it holds every number that made the verdict.
func verdictSentence(s *Stratum, base, c Cell) string {
	text := fmt.Sprintf("%s in %s: %d of %d (%g %% interval %s) against %d of %d: %s", name(c.Variant), name(s.ID),
		c.Rate.K, c.Rate.N, 100*c.Interval.Level, stats.Range(c.Interval), base.Rate.K, base.Rate.N, c.Comparison.Verdict)
	text += " (" + c.Comparison.Reason
	if f := c.Comparison.Further; f != nil {
		if f.PerArm > 0 {
			text += fmt.Sprintf("; about %d more trials per variant would settle it with %.0f %% power at the observed rates", furtherTrials(c, f.PerArm), 100*f.Power)
		} else {
			text += "; no number of further trials settles two equal rates without a margin"
		}
	}
	return text + ")"
}

// furtherTrials turns further independent observations into trials: with rounds, a trial is worth as many of them as it
// has rounds, less what their likeness costs.
func furtherTrials(c Cell, observations int64) int64 {
	r := c.Clustered
	if r == nil || r.Trials == 0 || c.Rate.N == 0 {
		return observations
	}
	worth := float64(c.Rate.N) / max(1, r.DesignEffect) / float64(r.Trials)
	return int64(math.Ceil(float64(observations) / worth))
}

// describe adds the footnotes that a cell's own counts call for.
func (t *Table) describe(c *Cell) {
	if !t.sequential() && c.Rate.N > 0 && c.Interval.Level > 0 && (c.Rate.K == 0 || c.Rate.K == c.Rate.N) {
		t.note(c, stats.Words(c.Rate, c.Interval))
	}
	if c.Counts.Unexercised > 0 {
		t.note(c, "unexercised trials passed without the required evidence that the path under test ran: they prove nothing and are in no rate")
	}
	if r := c.Clustered; r != nil {
		t.note(c, fmt.Sprintf("counted in rounds: the rounds of one trial are alike, so %s's %d rounds in %d trials say as much as %.0f independent ones (design effect %.2g); interval by Korn and Graubard",
			name(c.ID), c.Rate.N, r.Trials, r.EffectiveN, r.DesignEffect))
	}
	if done := int(c.Counts.Rate().N) + c.Counts.Excluded(); done < c.Planned && !t.sequential() {
		t.note(c, fmt.Sprintf("%s: %d of %d planned trials have not run", name(c.ID), c.Planned-done, c.Planned))
	}
}

// expose adds the rate that the measured one implies where only a share of real runs meets the condition.
func (t *Table) expose(c *Cell) error {
	share := t.Texts.Exposure
	if share == 0 || c.Interval.Level == 0 || c.Control {
		return nil
	}
	implied, err := stats.Implied(c.Rate, c.Interval, stats.Exposure{Share: share})
	if err != nil {
		return err
	}
	c.Implied = implied.Interval
	t.note(nil, fmt.Sprintf("implied, not measured: the study states that %s of real runs meet the condition that its variants force; the implied rate is the measured one times that share",
		stats.Percent(share)))
	return nil
}
