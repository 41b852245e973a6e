package reports

import (
	"errors"
	"fmt"
	"slices"

	"github.com/failrate/failrate/harness/journal"
)

// Results are the journals under some paths, open for reading: one campaign or several of one study.
type Results struct{ runs []*campaignRun }

// campaignRun is one campaign: all its shards.
type campaignRun struct{ merged *journal.Merged }

// Options say how several campaigns become one table.
type Options struct {
	// Pool adds to the campaigns side by side what each variant's effect is over them, stratum by stratum. Counts of
	// different campaigns are never added up.
	Pool bool
	// Class makes every rate that of the failures of one class: other failures count as trials in which it did not
	// happen. Empty means all failures.
	Class string
}

// Read reads the journals under the paths (results folders, folders of them, zip archives) and makes one table of them.
// Journals of one plan are merged; several campaigns of one study stand side by side.
func Read(paths []string) (*Table, error) {
	r, err := Open(paths)
	if err != nil {
		return nil, err
	}
	t, err := r.Table(Options{})
	if err := errors.Join(err, r.Close()); err != nil {
		return nil, err
	}
	t.Trials = func(f func(*Trial) error) error {
		r, err := Open(paths)
		if err != nil {
			return err
		}
		return errors.Join(r.each(f), r.Close())
	}
	return t, nil
}

// Open finds and merges the journals under the paths. Close the result.
func Open(paths []string) (*Results, error) {
	var sources []journal.Source
	for _, path := range paths {
		found, err := journal.Find(path, journal.Limits{})
		if err != nil {
			return nil, err
		}
		sources = append(sources, found...)
	}
	groups, err := byCampaign(sources)
	if err != nil {
		return nil, err
	}
	r := &Results{}
	for _, group := range groups {
		m, err := journal.Merge(group, journal.Limits{})
		if err != nil {
			return nil, errors.Join(err, r.Close())
		}
		r.runs = append(r.runs, &campaignRun{m})
	}
	return r, nil
}

// byCampaign puts journals of one plan and seed together, in the order of their first appearance. Merge compares the
// rest, and says what differs. Once a shard is among them all stay together: a shard of another plan is a mistake, and
// not another campaign.
func byCampaign(sources []journal.Source) ([][]journal.Source, error) {
	headers, err := journal.Headers(sources)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(headers, func(h journal.Header) bool { return h.Shard != "" }) {
		return [][]journal.Source{sources}, nil
	}
	var groups [][]journal.Source
	var empty []journal.Source // without a header: merged with the first, which notes them
	at := map[string]int{}
	for k, h := range headers {
		if h.Version == 0 {
			empty = append(empty, sources[k])
			continue
		}
		key := fmt.Sprintf("%q %q %d", h.Plan.Study, h.PlanDigest, h.Plan.Seed)
		i, known := at[key]
		if !known {
			i = len(groups)
			at[key] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], sources[k])
	}
	if len(groups) == 0 {
		return [][]journal.Source{empty}, nil
	}
	groups[0] = append(groups[0], empty...)
	return groups, nil
}

// Close lets go of the journals.
func (r *Results) Close() error {
	var errs []error
	for _, run := range r.runs {
		errs = append(errs, run.merged.Close())
	}
	return errors.Join(errs...)
}

// Table counts the journals. Its Trials read them again, until Close.
func (r *Results) Table(o Options) (*Table, error) {
	var tables []*Table
	for _, run := range r.runs {
		t, err := fromMerged(run.merged, o.Class)
		if err != nil {
			return nil, err
		}
		tables = append(tables, t)
	}
	t, err := sideBySide(tables, o)
	if err != nil {
		return nil, err
	}
	t.Trials = r.each
	return t, nil
}

func (r *Results) each(f func(*Trial) error) error {
	first := 0
	for _, run := range r.runs {
		if err := run.trials(first, f); err != nil {
			return err
		}
		first += len(run.merged.Journals)
	}
	return nil
}

// FromMerged counts merged journals.
func FromMerged(m *journal.Merged) (*Table, error) { return fromMerged(m, "") }

func fromMerged(m *journal.Merged, class string) (*Table, error) {
	b := NewBuilder(m.Header)
	b.class = class
	for _, j := range m.Journals {
		b.AddSource(j.Header)
		b.takeLooks(j.Notes)
	}
	for _, s := range m.Missing {
		b.Missing(fmt.Sprintf("shard %s of %s is missing: %d trials, %.0f %% of the plan", s.Shard, s.System, s.Trials, 100*s.Share))
	}
	if err := m.Each(func(t *journal.Trial) error {
		b.Add(t.Journal, t.Record)
		return nil
	}); err != nil {
		return nil, err
	}
	t, err := b.Table()
	if err != nil {
		return nil, err
	}
	t.Complete = !m.Partial
	for _, s := range m.Superseded {
		t.note(nil, fmt.Sprintf("%s, attempt %d of shard %s, is excluded: a later attempt replaced it", s.Journal.Source, s.Journal.Header.Attempt, s.Journal.Header.Shard))
	}
	for _, w := range m.Warnings {
		t.note(nil, w)
	}
	return t, nil
}
