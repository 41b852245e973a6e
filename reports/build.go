package reports

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/failrate/failrate/harness/journal"
	"github.com/failrate/failrate/harness/plan"
	"github.com/failrate/failrate/stats"
)

// Builder counts a campaign's trials and makes its table. Add takes each trial's deciding record once.
type Builder struct {
	header  journal.Header
	cells   []plan.Cell
	stratum []int // by cell: index into Plan.Strata
	sources []Source
	tallies map[key]*tally
	partial []string
	looks   map[string]string // the latest look at each cell, by its id
	class   string            // the only class whose failures count; empty means all
}

// key is a cell on one kind of machine: strata differ by operating system and architecture too.
type key struct {
	cell     int
	os, arch string
}

// NewBuilder starts a table for the campaign of a header.
func NewBuilder(h journal.Header) *Builder {
	b := &Builder{header: h, tallies: map[key]*tally{}, looks: map[string]string{}}
	for i, s := range h.Plan.Strata {
		for range len(s.Cells) + len(s.Controls) {
			b.stratum = append(b.stratum, i)
		}
	}
	b.cells = h.Plan.Cells()
	return b
}

// AddSource names a journal and gives the index that Add takes.
func (b *Builder) AddSource(h journal.Header) int {
	b.sources = append(b.sources, Source{
		Campaign: h.Campaign, Shard: h.Shard, Attempt: h.Attempt, Host: h.Host, Tool: h.Tool, Jobs: h.Jobs,
		Created: h.Created, Platforms: h.Platforms,
	})
	source := len(b.sources) - 1
	for i := range b.cells { // a cell without any trial still has its row
		if len(h.Platforms) == 0 || slices.Contains(h.Platforms, string(b.cells[i].Platform)) {
			b.tally(source, i)
		}
	}
	return source
}

// Missing notes what the table lacks of the plan.
func (b *Builder) Missing(line string) { b.partial = append(b.partial, line) }

// Add counts the record that decides a trial. Nothing of it is kept.
func (b *Builder) Add(source int, r *journal.Record) { b.tally(source, r.Cell).add(source, r) }

func (b *Builder) tally(source, cell int) *tally {
	h := b.sources[source].Host
	k := key{cell: cell, os: h.OS, arch: h.Arch}
	k.os = systemOf(b.cells[cell], h.OS)
	if b.tallies[k] == nil {
		b.tallies[k] = &tally{}
	}
	return b.tallies[k]
}

// Table makes the table. An error means that the counts could not be turned into statistics, which is a fault of ours.
func (b *Builder) Table() (*Table, error) {
	h := b.header
	t := &Table{
		Study: h.Plan.Study, Texts: h.Study, Plan: h.Plan, PlanDigest: h.PlanDigest, Design: h.Design,
		Level: h.Study.Claims.Confidence, Sources: b.sources, Partial: b.partial, Repeat: h.Repeat,
	}
	if t.Level == 0 {
		t.Level = 0.95
	}
	if b.class != "" {
		if t.sequential() {
			return nil, fmt.Errorf("design %s looked at all failures: a class cannot be compared under it", t.Design)
		}
		t.note(nil, fmt.Sprintf("failed counts failures of class %s only: any other failure counts as a trial without it", name(b.class)))
	}
	for _, machine := range b.machines() {
		for i := range h.Plan.Strata {
			s, err := b.buildStratum(t, i, machine)
			if err != nil {
				return nil, err
			}
			if len(s.Cells) > 0 {
				t.Strata = append(t.Strata, s)
			}
		}
	}
	b.doubtOrder(t)
	for _, w := range h.Study.Warnings {
		t.note(nil, w)
	}
	return t, nil
}

// machines lists the kinds of machine seen, sorted.
func (b *Builder) machines() [][2]string {
	seen := map[[2]string]bool{}
	var out [][2]string
	for k := range b.tallies {
		m := [2]string{k.os, k.arch}
		if !seen[m] {
			seen[m] = true
			out = append(out, m)
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i][0]+"/"+out[i][1] < out[j][0]+"/"+out[j][1] })
	return out
}

func (b *Builder) buildStratum(t *Table, index int, machine [2]string) (Stratum, error) {
	p := b.header.Plan.Strata[index]
	s := Stratum{
		ID: fmt.Sprintf("%s (%s/%s)", p.ID(), machine[0], machine[1]), Platform: string(p.Platform),
		OS: machine[0], Arch: machine[1], Stress: p.Stress, Parameters: p.Parameters,
	}
	var tallies []*tally
	for i, c := range b.cells {
		tl := b.tallies[key{cell: i, os: machine[0], arch: machine[1]}]
		if b.stratum[i] != index || tl == nil {
			continue
		}
		cell, err := b.buildCell(t, c, tl)
		if err != nil {
			return s, fmt.Errorf("cell %s: %w", c.ID(), err)
		}
		t.describe(&cell)
		if err := t.expose(&cell); err != nil {
			return s, fmt.Errorf("cell %s: %w", c.ID(), err)
		}
		t.doubt(&cell, tl)
		s.Cells = append(s.Cells, cell)
		tallies = append(tallies, tl)
	}
	if t.sequential() {
		return s, t.compareSequential(&s, b.looks)
	}
	return s, t.compare(&s, tallies)
}

func (b *Builder) buildCell(t *Table, c plan.Cell, tl *tally) (Cell, error) {
	cell := Cell{
		ID: c.ID(), Variant: c.Variant, Control: c.Control, Baseline: c.Variant == b.header.Plan.Baseline,
		Planned: c.Trials, Counts: tl.counts, Classes: tl.classes, Rate: tl.counts.Rate(),
		Wall: tl.quantiles(), Load: tl.load.load(),
	}
	if b.class != "" {
		if tl.several {
			return cell, fmt.Errorf("its trials report rounds, and one class is compared over trials only")
		}
		cell.Rate.K = int64(tl.classes[b.class])
	}
	var err error
	if cell.Metrics, err = medians(tl.metrics, t.Level); err != nil {
		return cell, err
	}
	if cell.Rate.N > 0 {
		if err := t.rate(&cell, tl); err != nil {
			return cell, err
		}
	}
	cell.Timeline, err = tl.timeline(t.Level)
	return cell, err
}

// rate gives a cell its interval: over trials, or over rounds when trials report several.
func (t *Table) rate(c *Cell, tl *tally) error {
	if !tl.several {
		var err error
		c.Interval, err = t.valid(c.Rate)
		return err
	}
	found, err := stats.KornGraubard(tl.rounds, t.Level)
	if err != nil {
		return err
	}
	c.Rate, c.Interval, c.Classes = found.Count, found.Interval, tl.roundClasses
	c.Clustered = &Clustered{Trials: found.Trials, DesignEffect: found.Deff, EffectiveN: found.EffectiveN}
	for _, w := range found.Warnings {
		t.note(c, name(c.ID)+": "+w.Sentence())
	}
	return nil
}

// note adds a footnote, once per text, and points the cell to it.
func (t *Table) note(c *Cell, text string) {
	at := slices.Index(t.Footnotes, text)
	if at < 0 {
		at = len(t.Footnotes)
		t.Footnotes = append(t.Footnotes, text)
	}
	t.point(c, at)
}

// warn adds a warning's facts to the footnote that gives the same advice, so that a doubt which many cells raise is read
// once, with all of their numbers.
func (t *Table) warn(c *Cell, w stats.Warning) {
	advice := ": " + w.Advice
	at := slices.IndexFunc(t.Footnotes, func(f string) bool { return strings.HasSuffix(f, advice) })
	if at < 0 {
		t.note(c, w.Sentence())
		return
	}
	t.Footnotes[at] = strings.TrimSuffix(t.Footnotes[at], advice) + "; " + w.Facts + advice
	t.point(c, at)
}

// point gives a cell the mark of a footnote, counted from 0.
func (t *Table) point(c *Cell, at int) {
	if c != nil && !slices.Contains(c.Notes, at+1) {
		c.Notes = append(c.Notes, at+1)
	}
}
