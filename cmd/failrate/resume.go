package main

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/failrate/failrate/harness/journal"
)

// recall puts back the options of the campaign that is resumed: the command line in its header, read by the same flags.
// What the user said beside --resume stays where the header has no say.
func (j *job) recall() error {
	dir := j.opts.run.Resume
	h, err := readHeader(dir)
	if err != nil {
		return journalError(err)
	}
	var old measureOptions
	c := newMeasureFlags(&old)
	if len(h.Repeat) < 2 {
		return fail(exitJournal, "", "%s: its header has no command line", dir)
	}
	if err := c.ParseFlags(h.Repeat[2:]); err != nil {
		return fail(exitJournal, "", "%s: its command line: %w", dir, err)
	}
	now := j.opts
	if now.source.Study == "" && len(now.source.Commands) == 0 {
		now.source = old.source
		if args := c.Flags().Args(); len(args) > 0 {
			now.source.Study = args[0]
		}
	}
	now.selection, now.until = old.selection, old.until
	now.selection.Seed = h.Plan.Seed
	now.run.Shard, now.run.CIAttempt, now.run.Jobs, now.run.HostName = h.Shard, h.Attempt, h.Jobs, h.Host.Name
	now.run.Mask, now.run.NoMask = append(now.run.Mask, old.run.Mask...), now.run.NoMask || old.run.NoMask
	if len(now.run.Images) == 0 {
		now.run.Images = old.run.Images
	}
	j.opts = now
	return nil
}

// adopt checks that what would be run is what was begun, and takes over its header and folder.
func (j *job) adopt() error {
	h, err := readHeader(j.opts.run.Resume)
	if err != nil {
		return journalError(err)
	}
	j.header.Campaign = h.Campaign
	if err := j.header.SameRun(h); err != nil {
		return journalError(err)
	}
	j.header, j.dir = h, j.opts.run.Resume
	return nil
}

// readHeader reads the header of the journal in a results folder.
func readHeader(dir string) (journal.Header, error) {
	path := filepath.Join(dir, journal.FileName)
	f, err := os.Open(path)
	if err != nil {
		return journal.Header{}, err
	}
	defer f.Close()
	enough := errors.New("read enough")
	stats, err := journal.Replay(f, path, func(*journal.Record) error { return enough })
	if errors.Is(err, enough) {
		err = nil
	}
	return stats.Header, err
}
