package journal

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"
)

// Source is one journal: a file, or an entry of a zip archive such as a CI artifact.
type Source struct {
	Path  string // of the file or the archive
	Entry string // the entry's name in the archive; empty for a file
}

// String names the source in messages, where a name that somebody else chose must not do anything.
func (s Source) String() string {
	name := s.Path
	if s.Entry != "" {
		name += ":" + s.Entry
	}
	if strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(name)
	}
	return name
}

// Folder is the results folder of the source, where its logs are; empty for an archive's entry.
func (s Source) Folder() string {
	if s.Entry != "" {
		return ""
	}
	return filepath.Dir(s.Path)
}

// Limits bound what is taken from archives, which may come from anyone. The zero value has sensible bounds.
type Limits struct {
	Bytes    int64 // of all journals of one archive, unpacked; 0 means 8 GiB
	Journals int   // in one archive; 0 means 10,000
	Ratio    int64 // unpacked to packed size of a journal above 1 MiB; 0 means 200 (failrate's reach about 15)
}

func (l Limits) bytes() int64 {
	if l.Bytes == 0 {
		return 8 << 30
	}
	return l.Bytes
}

func (l Limits) journals() int {
	if l.Journals == 0 {
		return 10_000
	}
	return l.Journals
}

func (l Limits) ratio() int64 {
	if l.Ratio == 0 {
		return 200
	}
	return l.Ratio
}

// depth is how many folders down a journal is looked for: artifact, study, campaign and one to spare.
const depth = 4

// Find lists the journals of a results folder, of a folder full of them (up to four levels down; zip archives on the
// way are looked into), of a zip archive, or a journal file itself. Links inside a folder are not followed, and a
// results folder's own artifacts are not searched. It is ErrNone when there are no journals.
func Find(path string, l Limits) ([]Source, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	var found []Source
	switch {
	case info.IsDir():
		found, err = search(path, depth, l)
	case filepath.Base(path) == FileName:
		found = []Source{{Path: path}}
	default:
		found, err = archived(path, l)
	}
	if err == nil && len(found) == 0 {
		err = nothing(path, info)
	}
	return found, err
}

// nothing says that there is no journal in a place.
func nothing(path string, info fs.FileInfo) error {
	r := &refusal{kind: ErrNone, text: fmt.Sprintf("%s: no %s in it, nor up to %d folders down", path, FileName, depth),
		hint: "give a results folder, a folder of them, or their zip archives; an archive inside an archive has to be unpacked first"}
	if entries, err := os.ReadDir(path); info.IsDir() && err == nil && len(entries) == 0 {
		r.text = path + ": the folder is empty"
	}
	return r
}

// search looks through a folder. Where a journal is, nothing below belongs to another.
func search(dir string, levels int, l Limits) ([]Source, error) {
	entries, err := os.ReadDir(dir) // sorted by name
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if e.Name() == FileName {
			return []Source{{Path: filepath.Join(dir, FileName)}}, nil
		}
	}
	var out []Source
	for _, e := range entries {
		var found []Source
		path := filepath.Join(dir, e.Name())
		switch {
		case e.IsDir() && levels > 0:
			found, err = search(path, levels-1, l)
		case e.Type().IsRegular() && strings.EqualFold(filepath.Ext(path), ".zip"):
			found, err = archived(path, l)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	return out, nil
}
