package campaign

import (
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/failrate/failrate/harness/classify"
	"github.com/failrate/failrate/harness/plan"
	"github.com/failrate/failrate/harness/study"
	"github.com/failrate/failrate/harness/trial"
)

// Files says where outputs go: while an attempt runs into Scratch, and what is kept of it into Results.
type Files struct {
	Results string // the campaign's results folder
	Scratch string // a folder of this session's own; each attempt gets a folder in it
}

// Place is the folder of one attempt. Close or Discard ends it.
type Place struct {
	files Files
	name  string // file name of the attempt
	dir   string
}

// Open makes the folder of an attempt and names the files in it that the attempt needs: a trial of a millisecond
// should not wait for folders that stay empty. The scratch folder is this session's own, so the name is free.
func (f Files) Open(r trial.Request, stdout bool) (*Place, trial.Output, error) {
	p := &Place{files: f, name: plan.FileName(r.ID)}
	p.dir = filepath.Join(f.Scratch, p.name)
	if err := os.Mkdir(p.dir, 0o700); err != nil {
		return nil, trial.Output{}, err
	}
	out := trial.Output{
		Log:       filepath.Join(p.dir, "log"),
		Records:   filepath.Join(p.dir, "records.jsonl"),
		Artifacts: filepath.Join(p.dir, "artifacts"),
	}
	if stdout {
		out.Stdout = filepath.Join(p.dir, "stdout")
	}
	if r.Burst {
		out.Burst = filepath.Join(p.dir, "burst")
	}
	if r.Results != "" {
		out.Results = filepath.Join(p.dir, "results")
		return p, out, os.Mkdir(out.Results, 0o700)
	}
	return p, out, nil
}

// Close keeps what the policy says and removes the rest. Artifacts are kept whenever the subject left some.
func (p *Place) Close(keep study.Keep, o classify.Outcome) error {
	var errs []error
	if keeps(keep, o) {
		errs = append(errs, p.keepFile("log", ".log"), p.keepFile("records.jsonl", ".records.jsonl"), p.keepResults())
	}
	if hasFiles(filepath.Join(p.dir, "artifacts")) {
		errs = append(errs, move(filepath.Join(p.dir, "artifacts"), filepath.Join(p.files.Results, "artifacts", p.name)))
	}
	return errors.Join(append(errs, os.RemoveAll(p.dir))...)
}

// Discard removes everything.
func (p *Place) Discard() error { return os.RemoveAll(p.dir) }

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

// keepFile compresses a file of the attempt into the results folder. One that was never made is no error.
func (p *Place) keepFile(name, ending string) error {
	in, err := os.Open(filepath.Join(p.dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer in.Close()
	if err := os.MkdirAll(p.logs(), 0o700); err != nil {
		return err
	}
	out, err := os.OpenFile(filepath.Join(p.logs(), p.name+ending+".gz"), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	z := gzip.NewWriter(out)
	_, err = io.Copy(z, in)
	return errors.Join(err, z.Close(), out.Close())
}

// keepResults keeps the collected result files, so that outcomes can be derived again.
func (p *Place) keepResults() error {
	from := filepath.Join(p.dir, "results")
	if !hasFiles(from) {
		return nil
	}
	return move(from, filepath.Join(p.logs(), p.name+".results"))
}

func (p *Place) logs() string { return filepath.Join(p.files.Results, "logs") }

func hasFiles(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && len(entries) > 0
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
