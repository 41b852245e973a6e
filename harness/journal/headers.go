package journal

import (
	"archive/zip"
	"errors"
	"fmt"
)

// Headers reads the header of each source and nothing else, so that journals of several campaigns can be told apart
// before each campaign's are merged. A journal without one, whose harness was ended before its first trial, has the zero
// Header. Errors are those of Replay, and of an archive that is not usable.
func Headers(sources []Source) ([]Header, error) {
	h := headers{reader: newReader()}
	defer h.close()
	out := make([]Header, len(sources))
	for i, s := range sources {
		var err error
		if out[i], err = h.of(s); err != nil && !errors.Is(err, ErrEmpty) {
			return nil, err
		}
	}
	return out, nil
}

// headers keeps the archive that was looked into last: sources of one archive follow each other.
type headers struct {
	reader  *reader
	path    string
	archive *zip.ReadCloser
	entries map[string]*zip.File
}

func (h *headers) close() {
	if h.archive != nil {
		_ = h.archive.Close() // it was only read
	}
	h.path, h.archive, h.entries = "", nil, nil
}

func (h *headers) of(s Source) (Header, error) {
	if s.Entry == "" {
		header, _, err := content{path: s.Path}.header(h.reader, s.String())
		return header, err
	}
	if err := h.open(s.Path); err != nil {
		return Header{}, err
	}
	f := h.entries[s.Entry]
	if f == nil {
		return Header{}, bad(s.Path, fmt.Sprintf("it has no entry %.80q any more", s.Entry))
	}
	in, err := f.Open()
	if err != nil {
		return Header{}, bad(s.Path, fmt.Sprintf("the entry %.80q: %v", s.Entry, err))
	}
	defer func() { _ = in.Close() }()
	header, _, err := h.reader.headerOf(in, s.String())
	return header, err
}

// open opens an archive, unless it is the one at hand.
func (h *headers) open(path string) error {
	if h.archive != nil && h.path == path {
		return nil
	}
	h.close()
	z, err := zip.OpenReader(path)
	if err != nil {
		return bad(path, err.Error())
	}
	h.path, h.archive, h.entries = path, z, map[string]*zip.File{}
	for _, f := range z.File {
		h.entries[f.Name] = f
	}
	return nil
}
