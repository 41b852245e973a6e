package agent

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// The places of one attempt.
const (
	recordsFile     = Scratch + "/records.jsonl"
	artifactsFolder = Scratch + "/artifacts"
	temporaryFolder = Scratch + "/tmp"
	burstFile       = Scratch + "/burst"
)

// makePlaces makes the scratch folder and its folders, which an earlier attempt may have left untouched.
func makePlaces() error {
	for _, f := range []string{Scratch, artifactsFolder, temporaryFolder} {
		if err := os.Mkdir(f, 0o700); err != nil && !os.IsExist(err) {
			return fmt.Errorf("make the scratch folder: %w", err)
		}
	}
	return nil
}

// cleanScratch removes what an attempt has put into the scratch folder; in the last attempt the container goes anyway.
// Most attempts leave the folders as they were made, and looking is quicker than making them again.
func cleanScratch(last bool) error {
	if last || untouched() {
		return nil
	}
	_ = filepath.WalkDir(Scratch, func(p string, d fs.DirEntry, _ error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(p, 0o700) // a folder that its owner may not read keeps what is in it
		}
		return nil
	})
	if err := os.RemoveAll(Scratch); err != nil {
		return fmt.Errorf("clean the scratch folder: %w", err)
	}
	return nil
}

func untouched() bool {
	list, err := os.ReadDir(Scratch)
	if err != nil || len(list) != 2 {
		return false
	}
	for _, d := range list {
		info, err := os.Lstat(filepath.Join(Scratch, d.Name()))
		inside, unread := os.ReadDir(filepath.Join(Scratch, d.Name()))
		if err != nil || unread != nil || len(inside) > 0 || info.Mode() != fs.ModeDir|0o700 {
			return false
		}
	}
	return true
}
