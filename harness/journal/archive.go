package journal

import (
	"archive/zip"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// archived lists the journals in a zip archive. Nothing is unpacked, so that no name in it chooses a path; names that
// try are refused all the same, as are links, two entries of one name, and sizes that only a bomb has.
func archived(file string, l Limits) ([]Source, error) {
	z, err := zip.OpenReader(file)
	if err != nil {
		return nil, bad(file, err.Error())
	}
	defer func() { _ = z.Close() }()
	var journals []*zip.File
	folders := map[string]bool{}
	for _, f := range z.File {
		if path.Base(f.Name) != FileName {
			continue
		}
		if what := suspect(f, l); what != "" {
			return nil, bad(file, what)
		}
		if folders[path.Dir(f.Name)] {
			return nil, bad(file, fmt.Sprintf("it holds the entry %.80q twice", f.Name))
		}
		folders[path.Dir(f.Name)] = true
		journals = append(journals, f)
	}
	var out []Source
	left := l.bytes()
	for _, f := range journals {
		if inside(folders, path.Dir(f.Name)) || strings.Count(f.Name, "/") > depth {
			continue
		}
		if left -= int64(f.UncompressedSize64); left < 0 {
			return nil, bad(file, fmt.Sprintf("its journals are longer than %d bytes", l.bytes()))
		}
		out = append(out, Source{Path: file, Entry: f.Name})
	}
	if len(out) > l.journals() {
		return nil, bad(file, fmt.Sprintf("it holds %d journals, more than %d", len(out), l.journals()))
	}
	slices.SortFunc(out, func(a, b Source) int { return strings.Compare(a.Entry, b.Entry) })
	return out, nil
}

// inside reports whether a folder lies in a results folder of the archive: what a subject left there is not a journal.
func inside(folders map[string]bool, dir string) bool {
	for dir != "." && dir != "/" {
		dir = path.Dir(dir)
		if folders[dir] {
			return true
		}
	}
	return false
}

// suspect says why an entry is not what failrate and CI make; empty when it may be.
func suspect(f *zip.File, l Limits) string {
	size := f.UncompressedSize64
	switch {
	case !filepath.IsLocal(f.Name) || strings.ContainsAny(f.Name, "\\\x00"):
		return fmt.Sprintf("the entry %.80q leads out of the archive", f.Name)
	case !f.Mode().IsRegular():
		return fmt.Sprintf("the entry %.80q is not a regular file", f.Name)
	case size > uint64(l.bytes()):
		return fmt.Sprintf("the entry %.80q is longer than %d bytes", f.Name, l.bytes())
	case size > 1<<20 && size/max(f.CompressedSize64, 1) > uint64(l.ratio()):
		return fmt.Sprintf("the entry %.80q unpacks to more than %d times its size", f.Name, l.ratio())
	}
	return ""
}

func bad(file, what string) error {
	return &refusal{kind: ErrDamaged, text: fmt.Sprintf("%s: not a usable archive: %s", file, what),
		hint: "download it again, or unpack it and give the folder"}
}

// spool holds the unpacked journals of all archives in one file without a name, so that nothing stays behind.
type spool struct {
	file *os.File
	size int64
}

func (s *spool) close() error {
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}

// add unpacks entries of one archive and gives where each is.
func (s *spool) add(archive string, entries []string, l Limits) (map[string]*io.SectionReader, error) {
	if s.file == nil {
		f, err := os.CreateTemp("", "failrate-merge-*")
		if err != nil {
			return nil, err
		}
		if err := os.Remove(f.Name()); err != nil {
			_ = f.Close()
			return nil, err
		}
		s.file = f
	}
	z, err := zip.OpenReader(archive)
	if err != nil {
		return nil, bad(archive, err.Error())
	}
	defer func() { _ = z.Close() }()
	byName := map[string]*zip.File{}
	for _, f := range z.File {
		byName[f.Name] = f
	}
	out := map[string]*io.SectionReader{}
	left := l.bytes()
	for _, name := range entries {
		f := byName[name]
		if f == nil {
			return nil, bad(archive, fmt.Sprintf("it has no entry %.80q any more", name))
		}
		n, err := s.unpack(f, left)
		if err != nil {
			return nil, bad(archive, fmt.Sprintf("the entry %.80q: %v", name, err))
		}
		left -= n
		out[name] = io.NewSectionReader(s.file, s.size-n, n)
	}
	return out, nil
}

// unpack appends one entry, whatever the archive says of its size.
func (s *spool) unpack(f *zip.File, most int64) (int64, error) {
	in, err := f.Open()
	if err != nil {
		return 0, err
	}
	defer func() { _ = in.Close() }()
	n, err := io.Copy(s.file, io.LimitReader(in, most+1))
	s.size += n
	if err == nil && n > most {
		err = fmt.Errorf("it is longer than %d bytes", most)
	}
	return n, err
}
