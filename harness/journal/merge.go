package journal

import (
	"errors"
	"fmt"
	"io"

	"github.com/failrate/failrate/harness/plan"
)

// Merged is many journals of one plan as one: every trial once. A trial's identity is its host's system with its id.
type Merged struct {
	Header     Header       // of the first journal
	Journals   []Journal    // those that count, sorted by system and shard
	Superseded []Superseded // those that a later attempt of the same CI job replaced: excluded
	Missing    []Missing    // shards that no journal is of
	Warnings   []string     // what else a reader has to know, sorted
	Partial    bool         // shards are missing, or trials have no result although no design stopped them

	index   *plan.Index
	systems []*system
	spool   *spool
}

// Journal is one journal and what it says in sum.
type Journal struct {
	Source   Source
	Copies   []Source // of the same journal: counted once
	Header   Header
	Records  int64
	Torn     int64  // bytes of a torn last record, which was left out
	Planned  int    // trials of its shard on the platforms that its host runs
	Counts   Counts // trials by outcome, over all cells; those planned and not in it never started
	Attempts int    // started
	Broken   int    // attempts that were broken, retried ones among them
	Notes    []Note // the first 4 MiB of them

	shard   plan.Shard
	content content
	whole   int64 // bytes of whole records
	ledger  *ledger
	stopped bool // a stopping design ended its campaign
}

// maxNotes bounds the notes of one journal that a merge keeps, in bytes of their lines.
const maxNotes = 4 << 20

// Unstarted is how many planned trials have no attempt on record.
func (j *Journal) Unstarted() int {
	n := j.Planned
	for _, c := range j.Counts {
		n -= c
	}
	return n
}

// Superseded is a journal that does not count, and the one that replaced it.
type Superseded struct {
	Journal Journal
	By      Source
}

// Missing is a shard that no journal is of.
type Missing struct {
	System string // such as linux/amd64
	Shard  string // such as 3/20
	Trials int    // that it holds
	Share  float64
}

// Merge reads journals of one plan: the shards of a campaign, perhaps from several systems, perhaps again by a CI job's
// later attempt, perhaps twice. The order of the sources does not matter and neither does any file's time. Close the
// result.
//
// Errors: a *DiffersError (by errors.As) when they are not of one campaign, a *DamagedError, ErrRefused for two
// journals that contradict each other, ErrNone when no source has a header.
func Merge(sources []Source, l Limits) (*Merged, error) {
	m := &Merged{spool: &spool{}}
	if err := m.merge(sources, l); err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return m, nil
}

// Close lets go of what was unpacked.
func (m *Merged) Close() error { return m.spool.close() }

func (m *Merged) merge(sources []Source, l Limits) error {
	contents, err := m.locate(sources, l)
	if err != nil {
		return err
	}
	r := newReader()
	all, err := m.readAll(r, sources, contents)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return &refusal{kind: ErrNone, text: fmt.Sprintf("none of the %d journals has a header, so nothing was measured", len(sources)),
			hint: "the harness was ended before its first trial; start the campaign again"}
	}
	if err := m.settle(all); err != nil {
		return err
	}
	m.Header = m.Journals[0].Header
	m.index = r.plans[m.Header.PlanDigest].index
	m.takeStock()
	return nil
}

// locate says where the contents of every source are; archives are unpacked, each at once.
func (m *Merged) locate(sources []Source, l Limits) ([]content, error) {
	entries := map[string][]string{}
	var archives []string
	for _, s := range sources {
		if s.Entry == "" {
			continue
		}
		if entries[s.Path] == nil {
			archives = append(archives, s.Path)
		}
		entries[s.Path] = append(entries[s.Path], s.Entry)
	}
	unpacked := map[string]map[string]*io.SectionReader{}
	for _, path := range archives {
		at, err := m.spool.add(path, entries[path], l)
		if err != nil {
			return nil, err
		}
		unpacked[path] = at
	}
	var out []content
	for _, s := range sources {
		if s.Entry == "" {
			out = append(out, content{path: s.Path})
		} else {
			out = append(out, content{section: unpacked[s.Path][s.Entry]})
		}
	}
	return out, nil
}

// readAll replays every source. The headers are compared first: a foreign journal is told from a damaged one that way.
func (m *Merged) readAll(r *reader, sources []Source, contents []content) ([]*Journal, error) {
	var all []*Journal
	for i, s := range sources {
		header, shard, err := contents[i].header(r, s.String())
		switch {
		case errors.Is(err, ErrEmpty):
			m.Warnings = append(m.Warnings, err.Error())
		case err != nil:
			return nil, err
		default:
			all = append(all, &Journal{Source: s, Header: header, shard: shard, content: contents[i]})
		}
	}
	byPlace(all)
	for _, j := range all {
		if err := all[0].Header.SameCampaign(j.Header); err != nil {
			return nil, fmt.Errorf("%s and %s do not add up: %w", all[0].Source, j.Source, err)
		}
	}
	for _, j := range all {
		if err := j.read(r); err != nil {
			return nil, err
		}
		if j.Torn > 0 {
			m.Warnings = append(m.Warnings, fmt.Sprintf("%s: the last record is torn (%d bytes) and was left out", j.Source, j.Torn))
		}
	}
	return all, nil
}

// read replays the journal.
func (j *Journal) read(r *reader) error {
	var stats Stats
	kept := 0
	err := j.content.open(func(in io.ReaderAt, size int64) (err error) {
		stats, err = r.replay(io.NewSectionReader(in, 0, size), j.Source.String(), (*parser).brief, func(rec *Record) error {
			if rec.Kind != KindNote {
				return nil
			}
			n, err := rec.Note()
			j.stopped = j.stopped || n.Kind == NoteStopped
			if kept += len(rec.raw); kept <= maxNotes {
				j.Notes = append(j.Notes, n)
			}
			return err
		})
		return err
	})
	if err != nil {
		return err
	}
	j.Records, j.Torn, j.whole, j.ledger = stats.Records, stats.Torn, stats.Bytes, stats.ledger
	j.sum()
	return nil
}

// sum adds up over the cells.
func (j *Journal) sum() {
	j.Attempts, j.Broken = j.ledger.total.started, j.ledger.total.broken
	for cell, c := range j.Header.Plan.Cells() {
		if j.Header.takes(string(c.Platform)) {
			j.Planned += j.ledger.index.Count(cell, j.shard)
		}
		for o, n := range j.ledger.tally[cell] {
			j.Counts[o] += n
		}
	}
}
