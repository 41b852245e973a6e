package campaign

import (
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"github.com/failrate/failrate/harness/classify"
	"github.com/failrate/failrate/harness/plan"
	"github.com/failrate/failrate/harness/study"
	"github.com/failrate/failrate/harness/trial"
)

// Files says where outputs go: while an attempt runs into Scratch, and what is kept of it into Results.
type Files struct {
	Results string // the campaign's results folder
	Scratch string // a folder of this session's own; each attempt that runs has a folder in it
}

// places gives attempts their folders. One that an attempt left empty is used again: making and removing a folder takes
// a tenth of a short trial's time. The files in it bear the attempt's name, so whoever holds on to an earlier name cannot
// write into a later attempt's file.
type places struct {
	files Files

	mu    sync.Mutex
	made  int
	empty []string
}

// place is the folder of one attempt. close or discard ends it.
type place struct {
	of   *places
	name string // file name of the attempt
	dir  string
}

// open finds a folder for an attempt and names the files in it that the attempt needs. None of them is there yet.
func (p *places) open(r trial.Request, stdout bool) (*place, trial.Output, error) {
	a := &place{of: p, name: plan.FileName(r.ID)}
	var err error
	if a.dir, err = p.take(); err != nil {
		return nil, trial.Output{}, err
	}
	out := trial.Output{Log: a.file(".log"), Records: a.file(".records.jsonl"), Artifacts: a.file(".artifacts")}
	if stdout {
		out.Stdout = a.file(".stdout")
	}
	if r.Burst {
		out.Burst = a.file(".burst")
	}
	if len(r.Services) > 0 {
		out.Services = a.file(".services")
	}
	if r.Results != "" {
		out.Results = a.file(".results")
		return a, out, os.Mkdir(out.Results, 0o700)
	}
	return a, out, nil
}

func (p *places) take() (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if last := len(p.empty) - 1; last >= 0 {
		dir := p.empty[last]
		p.empty = p.empty[:last]
		return dir, nil
	}
	p.made++
	dir := filepath.Join(p.files.Scratch, strconv.Itoa(p.made))
	return dir, os.Mkdir(dir, 0o700)
}

func (a *place) file(ending string) string { return filepath.Join(a.dir, a.name+ending) }

// close keeps what the policy says and removes the rest. Artifacts are kept whenever the subject left some.
func (a *place) close(keep study.Keep, o classify.Outcome) error {
	if isEmpty(a.dir) {
		a.of.mu.Lock()
		defer a.of.mu.Unlock()
		a.of.empty = append(a.of.empty, a.dir)
		return nil
	}
	var errs []error
	if keeps(keep, o) {
		errs = append(errs, a.keepFile(".log"), a.keepFile(".stdout"), a.keepFile(".records.jsonl"), a.keepResults(), a.keepServices())
	}
	if hasFiles(a.file(".artifacts")) {
		errs = append(errs, move(a.file(".artifacts"), filepath.Join(a.of.files.Results, "artifacts", a.name)))
	}
	return errors.Join(append(errs, a.discard())...)
}

// discard removes everything.
func (a *place) discard() error { return os.RemoveAll(a.dir) }

func keeps(keep study.Keep, o classify.Outcome) bool {
	switch keep {
	case study.KeepAll:
		return true
	case study.KeepNone:
		return false
	case study.KeepFailed:
		return o != classify.Pass
	}
	return o != classify.Pass
}

// keepServices compresses the output of the services, each beside the trial's log.
func (a *place) keepServices() error {
	entries, err := os.ReadDir(a.file(".services"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		err = errors.Join(err, a.keep(filepath.Join(a.file(".services"), e.Name()), ".service-"+e.Name()))
	}
	return err
}

// keepFile compresses a file of the attempt into the results folder. One that was never made is no error.
func (a *place) keepFile(ending string) error { return a.keep(a.file(ending), ending) }

func (a *place) keep(path, ending string) error {
	in, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer in.Close()
	if err := os.MkdirAll(a.logs(), 0o700); err != nil {
		return err
	}
	out, err := os.OpenFile(filepath.Join(a.logs(), a.name+ending+".gz"), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	z := gzip.NewWriter(out)
	_, err = io.Copy(z, in)
	return errors.Join(err, z.Close(), out.Close())
}

// keepResults keeps the collected result files, so that outcomes can be derived again.
func (a *place) keepResults() error {
	from := a.file(".results")
	if !hasFiles(from) {
		return nil
	}
	return move(from, filepath.Join(a.logs(), a.name+".results"))
}

func (a *place) logs() string { return filepath.Join(a.of.files.Results, "logs") }

func hasFiles(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && len(entries) > 0
}

// isEmpty reports whether a folder is there and holds nothing.
func isEmpty(dir string) bool {
	d, err := os.Open(dir)
	if err != nil {
		return false
	}
	defer d.Close()
	_, err = d.Readdirnames(1)
	return errors.Is(err, io.EOF)
}

// move renames a folder, or copies it when it lies on another file system. Symbolic links are not followed and not kept.
func move(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	if os.Rename(from, to) == nil {
		return nil
	}
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		switch {
		case d.IsDir():
			return os.MkdirAll(filepath.Join(to, rel), 0o700)
		case d.Type().IsRegular():
			return copyFile(path, filepath.Join(to, rel))
		}
		return nil
	})
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
