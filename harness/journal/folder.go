package journal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// The files of a results folder that this package writes.
const (
	FileName     = "journal.jsonl" // the truth
	CampaignName = "campaign.json" // the header once more, for people
	pidName      = "journal.pid"   // who writes; a lock on the journal itself decides
)

// writeCampaign writes the header for people.
func writeCampaign(dir string, h Header) error {
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(h); err != nil {
		return fmt.Errorf("%s cannot be written as JSON: %w", CampaignName, err)
	}
	if err := replace(filepath.Join(dir, CampaignName), buf.Bytes(), (*os.File).Sync); err != nil {
		return err
	}
	return syncDir(dir)
}

// replace gives a file new contents, or leaves it as it is: a crash cannot leave half of them. A link in its place is
// replaced and not followed. settle, if any, is called before the file takes its name.
func replace(path string, contents []byte, settle func(*os.File) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+halfOf+"*") // mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = f.Close()
			_ = os.Remove(f.Name())
		}
	}()
	if _, err = f.Write(contents); err != nil {
		return err
	}
	if settle != nil {
		if err = settle(f); err != nil {
			return err
		}
	}
	if err = f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// halfOf is between the name of a file that replace writes and what makes its temporary name its own.
const halfOf = ".new-"

// forgetHalves removes what replace left in a folder when its harness was killed in its midst. Whoever calls it holds the
// journal's lock, so nobody is writing them. One that cannot be removed is in nobody's way.
func forgetHalves(dir string) {
	entries, _ := os.ReadDir(dir) // the lock was just taken in it
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), CampaignName+halfOf) || strings.HasPrefix(e.Name(), pidName+halfOf) {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// syncDir makes the names in a folder survive a power cut.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer func() { _ = d.Close() }()
	return d.Sync()
}
