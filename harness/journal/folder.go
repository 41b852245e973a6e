package journal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
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
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".new-*") // mode 0600
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

// syncDir makes the names in a folder survive a power cut.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer func() { _ = d.Close() }()
	return d.Sync()
}
