package campaign

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/failrate/failrate/harness/classify"
	"github.com/failrate/failrate/harness/journal"
	"github.com/failrate/failrate/harness/plan"
)

// record is what a journal says of one trial.
type record struct {
	judgement classify.Judgement
	attempts  int
}

// settled reports whether no further attempt is wanted, given how many a trial may have.
func (r record) settled() bool {
	switch r.judgement.Outcome {
	case classify.Pass, classify.Fail, classify.Timeout, classify.Unexercised:
		return true
	case classify.Broken, classify.Censored, classify.Lost:
		return false
	}
	return false
}

// journalPast is the Past of a journal.
type journalPast map[string]record

// ReadPast reads what a campaign's journal has of each trial. A folder without a journal has nothing.
func ReadPast(dir string, p *plan.Plan) (Past, error) {
	path := filepath.Join(dir, journal.FileName)
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return journalPast{}, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	past := journalPast{}
	cells := p.Cells()
	ids := make([]string, len(cells))
	for i, c := range cells {
		ids[i] = c.ID()
	}
	_, err = journal.Replay(f, path, func(r *journal.Record) error {
		switch r.Kind {
		case journal.KindStarted:
			id := plan.TrialID(ids[r.Cell], r.Number)
			was := past[id]
			was.attempts = r.Attempt
			past[id] = was
		case journal.KindFinished:
			id := plan.TrialID(ids[r.Cell], r.Number)
			past[id] = record{judgement: classify.Judgement{Outcome: r.Outcome, Class: r.Class}, attempts: r.Attempt}
		case journal.KindHeader, journal.KindNote:
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read what is on record: %w", err)
	}
	return past, nil
}

// Settled gives the judgement of a trial that needs no further attempt.
func (p journalPast) Settled(id string) (classify.Judgement, bool) {
	r, ok := p[id]
	return r.judgement, ok && r.settled()
}

// Attempts is how many attempts of a trial are on record.
func (p journalPast) Attempts(id string) int { return p[id].attempts }
