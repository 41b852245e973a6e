package reports

import (
	"errors"
	"fmt"

	"github.com/failrate/failrate/harness/journal"
)

// Read reads the journals under the paths (results folders, folders of them, zip archives) and makes one table of them.
// They must be of one plan; the error says what differs.
func Read(paths []string) (t *Table, err error) {
	var sources []journal.Source
	for _, path := range paths {
		found, err := journal.Find(path, journal.Limits{})
		if err != nil {
			return nil, err
		}
		sources = append(sources, found...)
	}
	m, err := journal.Merge(sources, journal.Limits{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	return FromMerged(m)
}

// FromMerged counts merged journals.
func FromMerged(m *journal.Merged) (*Table, error) {
	b := NewBuilder(m.Header)
	for _, j := range m.Journals {
		b.AddSource(j.Header)
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
	for _, s := range m.Superseded {
		t.note(nil, fmt.Sprintf("%s, attempt %d of shard %s, is excluded: a later attempt replaced it", s.Journal.Source, s.Journal.Header.Attempt, s.Journal.Header.Shard))
	}
	for _, w := range m.Warnings {
		t.note(nil, w)
	}
	return t, nil
}
