package classify

import (
	"fmt"
	"io"

	"github.com/failrate/failrate/harness/study"
	"github.com/failrate/failrate/harness/trial"
)

// findings is what a trial's results say, whatever their format.
type findings struct {
	passed, failed, skipped int
	first                   failure // the first that counts; the rest only count

	// At most one of these three is set, and each says why.
	missing    string // there is no result at all
	doubt      string // results are there but do not add up: they end early, or are others than were planned
	unreadable string // what is there cannot be trusted or says that nothing could be run

	spot   string // excerpt of what is unreadable
	rounds *tally // of records
}

// failure is one failed test or round.
type failure struct {
	name    string // empty means unnamed
	message string // one line is enough
	excerpt string // printable
}

// String says what failed in one line.
func (f failure) String() string {
	switch {
	case f.name == "":
		return firstLine(f.message)
	case f.message == "":
		return f.name + " failed"
	}
	return f.name + " failed: " + firstLine(f.message)
}

// fail counts a failure and keeps the first.
func (f *findings) fail(x failure) {
	if f.failed++; f.failed == 1 {
		f.first = x
	}
}

// add takes in the findings of a further file.
func (f *findings) add(g findings) {
	if f.failed == 0 {
		f.first = g.first
	}
	f.passed, f.failed, f.skipped = f.passed+g.passed, f.failed+g.failed, f.skipped+g.skipped
	for _, s := range []struct{ to, from *string }{
		{&f.missing, &g.missing}, {&f.doubt, &g.doubt}, {&f.unreadable, &g.unreadable}, {&f.spot, &g.spot},
	} {
		if *s.to == "" {
			*s.to = *s.from
		}
	}
}

// ran is the number of tests that ran to a result that says something.
func (f *findings) ran() int { return f.passed + f.failed }

// maxResultBytes bounds one result file, in bytes. Reading is in pieces, so this bounds time and not memory.
const maxResultBytes = 256 << 20

// read gives the findings of the study's result format. Nothing that cannot be read counts as a failure.
func (r *Rules) read(variant string, obs trial.Observation, in Input) findings {
	var f findings
	switch r.results.Format {
	case study.ResultExit:
	case study.ResultRecords:
		f.rounds = newTally(r.holding(obs), r.marks, variant)
		if !each(&f, in.Records, "the records file", func(s io.Reader) findings { return readRecords(s, f.rounds) }) {
			f.missing = "the subject wrote no records"
		}
	case study.ResultJUnit:
		r.readFiles(&f, obs, in, func(s io.Reader) findings { return readJUnit(s, r.retriedPass(), nil) })
	case study.ResultGoTest:
		r.readStream(&f, obs, in, func(s io.Reader) findings { return readGoTest(s, r.retriedPass()) })
	case study.ResultTAP:
		r.readStream(&f, obs, in, readTAP)
	}
	return f
}

// readStream reads results from the study's files, or from standard output when it names none.
func (r *Rules) readStream(f *findings, obs trial.Observation, in Input, parse func(io.Reader) findings) {
	if r.results.Files != "" {
		r.readFiles(f, obs, in, parse)
		return
	}
	if !each(f, r.stdout(in), "standard output", parse) {
		f.missing = "the subject wrote nothing"
	}
	if obs.Output.Dropped > 0 && f.doubt == "" && f.missing == "" && f.unreadable == "" {
		f.doubt = fmt.Sprintf("%d bytes of the output were not kept, so results may be missing (raise max-output)", obs.Output.Dropped)
	}
}

// stdout is where results on standard output are read from.
func (r *Rules) stdout(in Input) Source {
	if in.Stdout != nil {
		return in.Stdout
	}
	return in.Log
}

// readFiles reads every result file that was collected.
func (r *Rules) readFiles(f *findings, obs trial.Observation, in Input, parse func(io.Reader) findings) {
	for _, name := range obs.Results {
		if !each(f, fileIn(in, name), fmt.Sprintf("result file %q", name), parse) {
			f.unreadable = fmt.Sprintf("result file %q was collected and is not there", name)
		}
		if f.unreadable != "" {
			return
		}
	}
	if len(obs.Results) == 0 {
		f.missing = fmt.Sprintf("no result file matches %q", r.results.Files)
	}
}

// each adds to f what parse finds in one stream, which reasons call by name. It gives false when the stream is absent.
func each(f *findings, from Source, name string, parse func(io.Reader) findings) bool {
	s, err := from.open()
	if absent(err) {
		return false
	}
	if err != nil {
		f.unreadable = fmt.Sprintf("%s cannot be read: %v", name, err)
		return true
	}
	defer s.Close()
	bounded := &boundedReader{r: s, left: maxResultBytes}
	g := parse(bounded)
	if bounded.err != nil { // what was parsed is a part of it
		g = findings{unreadable: bounded.err.Error()}
	}
	for _, why := range []*string{&g.doubt, &g.unreadable} {
		if *why != "" {
			*why = name + ": " + *why
		}
	}
	f.add(g)
	return true
}

// boundedReader fails, rather than ends, at its bound, and remembers the first error that is not the end.
type boundedReader struct {
	r    io.Reader
	left int64
	err  error
}

// Read reads from the stream below.
func (b *boundedReader) Read(p []byte) (int, error) {
	if b.left <= 0 {
		b.err = fmt.Errorf("more than %d MiB of results", maxResultBytes>>20)
		return 0, b.err
	}
	n, err := b.r.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	if err != nil && err != io.EOF {
		b.err = err
	}
	return n, err
}
