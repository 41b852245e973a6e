package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Create begins a campaign in a folder, which it makes if need be (mode 0700): journal.jsonl with the header on disk,
// and campaign.json. It fills in the header's version, plan digest and attempt. A folder that holds a journal already is
// refused with ErrExists; one whose harness was ended before its header was whole is taken over.
func Create(dir string, h Header) (*Writer, error) {
	h.Version, h.PlanDigest, h.Attempt = Version, h.Plan.Digest(), max(h.Attempt, 1)
	if _, err := h.check(); err != nil {
		return nil, err
	}
	if _, err := h.Plan.Index(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	f, err := openLocked(dir, os.O_CREATE)
	if err != nil {
		return nil, err
	}
	w, err := begin(f, dir, h)
	if err != nil {
		unlock(f)
		_ = f.Close()
		return nil, err
	}
	return w, nil
}

// begin writes the header to a locked file that holds none.
func begin(f *os.File, dir string, h Header) (*Writer, error) {
	switch _, err := replayFile(f, nil); {
	case err == nil:
		return nil, &refusal{kind: ErrExists, text: f.Name() + ": it is the record of another campaign",
			hint: "resume that one, or give this one a folder of its own"}
	case !errors.Is(err, ErrEmpty):
		return nil, err
	}
	if err := f.Truncate(0); err != nil {
		return nil, err
	}
	var buf bytes.Buffer
	if _, err := seal(&buf, headerLine{typeHeader, &h}, 0); err != nil {
		return nil, fmt.Errorf("%s: the header: %w", f.Name(), err)
	}
	if _, err := f.Write(buf.Bytes()); err != nil {
		return nil, errors.Join(err, f.Truncate(0))
	}
	if err := errors.Join(f.Sync(), writeCampaign(dir, h), syncDir(filepath.Dir(dir))); err != nil {
		return nil, err
	}
	stats, err := replayFile(f, nil) // what was written is what a resumption will read
	if err != nil {
		return nil, err
	}
	return newWriter(locked{f}, f.Name(), stats, nil), nil
}

// Open goes on with a campaign. It replays the journal; what a crash left in place of its last record is moved to a
// file of its own, journal.jsonl.torn-N. The state says which trials are done and which attempts were used; opening
// again gives the same. Errors: ErrNone, ErrEmpty, a *LockedError, a *DamagedError; then nothing was changed.
func Open(dir string) (*Writer, *State, error) {
	f, err := openLocked(dir, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, &refusal{kind: ErrNone, text: fmt.Sprintf("%s: there is no %s, so there is nothing to resume", dir, FileName),
			hint: "give the folder that a campaign was written to"}
	}
	if err != nil {
		return nil, nil, err
	}
	var notes []Note
	stats, err := replayFile(f, func(r *Record) error {
		if r.Kind != KindNote {
			return nil
		}
		n, err := r.Note()
		notes = append(notes, n)
		return err
	})
	if err == nil && stats.Torn > 0 {
		err = repair(f, stats)
	}
	if _, missing := os.Lstat(filepath.Join(dir, CampaignName)); err == nil && missing != nil { // ended while beginning
		err = writeCampaign(dir, stats.Header)
	}
	if err != nil {
		unlock(f)
		_ = f.Close()
		return nil, nil, err
	}
	w := newWriter(locked{f}, f.Name(), stats, notes)
	return w, w.state, nil
}

// replayFile replays what the file holds now. each may be nil.
func replayFile(f *os.File, each func(*Record) error) (Stats, error) {
	info, err := f.Stat()
	if err != nil {
		return Stats{}, err
	}
	if each == nil {
		each = func(*Record) error { return nil }
	}
	return newReader().replay(io.NewSectionReader(f, 0, info.Size()), f.Name(), (*parser).brief, each)
}

// repair cuts the torn end off. What it cuts off is on disk elsewhere before it is cut, whatever happens in between.
func repair(f *os.File, s Stats) error {
	torn := make([]byte, s.Torn)
	if _, err := f.ReadAt(torn, s.Bytes); err != nil {
		return err
	}
	if err := keepTorn(f.Name(), torn); err != nil {
		return fmt.Errorf("%s: the torn last record cannot be kept, so nothing was repaired: %w", f.Name(), err)
	}
	if err := f.Truncate(s.Bytes); err != nil {
		return err
	}
	return f.Sync()
}

func keepTorn(path string, torn []byte) error {
	for n := 1; ; n++ {
		name := fmt.Sprintf("%s.torn-%d", path, n)
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return err
		}
		_, err = f.Write(torn)
		if err = errors.Join(err, f.Sync(), f.Close(), syncDir(filepath.Dir(path))); err != nil {
			_ = os.Remove(name)
		}
		return err
	}
}
