package journal

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/failrate/failrate/harness/plan"
)

// replayed gives the lines that a replay delivered, one after the other.
func replayed(r *reader, data []byte) (lines []byte, s Stats, err error) {
	s, err = r.replay(bytes.NewReader(data), "journal.jsonl", (*parser).record, func(r *Record) error {
		lines = append(append(lines, r.raw...), '\n')
		return nil
	})
	return lines, s, err
}

// What a kill or a power cut leaves is some prefix, perhaps with zeros after it. Every one is either refused or gives
// back whole records as they were, and no others.
func TestEveryTruncationIsAPrefixOrRefused(t *testing.T) {
	t.Parallel()
	data := small(t)
	firstLine := bytes.IndexByte(data, '\n') + 1
	r := newReader()
	for cut := range len(data) + 1 {
		whole := bytes.LastIndexByte(data[:cut], '\n') + 1
		for _, tail := range []int{0, 600} {
			text := append(slices.Clone(data[:cut]), make([]byte, tail)...)
			got, s, err := replayed(r, text)
			if cut < firstLine {
				if !errors.Is(err, ErrEmpty) {
					t.Errorf("cut at %d: %v, want no header", cut, err)
				}
				continue
			}
			if err != nil || !bytes.Equal(got, data[:whole]) {
				t.Errorf("cut at %d with %d zeros: %v, and %d bytes of records instead of %d", cut, tail, err, len(got), whole)
			}
			if s.Bytes != int64(whole) || s.Torn != int64(len(text)-whole) {
				t.Errorf("cut at %d with %d zeros: %d whole and %d torn, want %d and %d", cut, tail, s.Bytes, s.Torn, whole, len(text)-whole)
			}
		}
	}
}

func TestEveryFlippedBitIsRefusedWithItsPosition(t *testing.T) {
	t.Parallel()
	data := small(t)
	r := newReader()
	line, offset := int64(1), int64(0)
	for i := range data {
		for _, bit := range []int{0, 5, i % 8} { // the digit's neighbour, the other case of a letter, and every bit in turn
			bad := slices.Clone(data)
			bad[i] ^= 1 << bit
			got, _, err := replayed(r, bad)
			var d *DamagedError
			if !errors.As(err, &d) || !errors.Is(err, ErrRefused) {
				t.Fatalf("bit %d of byte %d (%q) flipped: %v", bit, i, data[i], err)
			}
			if d.Line != line || d.Offset != offset {
				t.Errorf("bit %d of byte %d flipped is reported at line %d, byte %d, not %d, %d", bit, i, d.Line, d.Offset, line, offset)
			}
			if !bytes.Equal(got, data[:offset]) {
				t.Errorf("bit %d of byte %d flipped: %d bytes of records came before, not %d", bit, i, len(got), offset)
			}
		}
		if data[i] == '\n' {
			line, offset = line+1, int64(i+1)
		}
	}
}

// The checksum runs on from line to line, so whole lines cannot go missing or come twice either.
func TestMissingDoubledAndMovedLinesAreRefused(t *testing.T) {
	t.Parallel()
	lines := bytes.SplitAfter(small(t), []byte("\n"))
	lines = lines[:len(lines)-1]
	r := newReader()
	try := func(what string, lines [][]byte) {
		if _, _, err := replayed(r, bytes.Join(lines, nil)); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for i := range lines {
		if i < len(lines)-1 { // what follows the last line is nobody's knowledge
			try(fmt.Sprintf("without line %d", i+1), slices.Delete(slices.Clone(lines), i, i+1))
		}
		try(fmt.Sprintf("line %d twice", i+1), slices.Insert(slices.Clone(lines), i, lines[i]))
		if i > 0 {
			swapped := slices.Clone(lines)
			swapped[i-1], swapped[i] = swapped[i], swapped[i-1]
			try(fmt.Sprintf("lines %d and %d swapped", i, i+1), swapped)
		}
	}
	try("two journals in one file", append(slices.Clone(lines), lines...))
	try("Windows line ends", [][]byte{bytes.ReplaceAll(bytes.Join(lines, nil), []byte("\n"), []byte("\r\n"))})
}

// Every offset again, through Open: what is cut off is kept, what stays goes on, and opening again changes nothing.
func TestOpenRepairsTruncations(t *testing.T) {
	t.Parallel()
	data := encoded(t, testHeader(1), start(id1), finish(id1, 1), start(id2))
	for cut := bytes.IndexByte(data, '\n') + 1; cut <= len(data); cut++ {
		whole := bytes.LastIndexByte(data[:cut], '\n') + 1
		dir := t.TempDir()
		path := filepath.Join(dir, FileName)
		if err := os.WriteFile(path, data[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		w, _, err := Open(dir)
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		if got := read(t, dir); !bytes.Equal(got, data[:whole]) {
			t.Fatalf("cut at %d: repaired to %d bytes, want %d", cut, len(got), whole)
		}
		kept, err := os.ReadFile(path + ".torn-1")
		if cut > whole && (err != nil || !bytes.Equal(kept, data[whole:cut])) || cut == whole && err == nil {
			t.Fatalf("cut at %d: %d bytes were kept (%v), want %d", cut, len(kept), err, cut-whole)
		}
		run(t, w, -1)
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if _, stats, err := texts(read(t, dir)); err != nil || stats.Torn > 0 || !bytes.HasPrefix(read(t, dir), data[:whole]) {
			t.Fatalf("cut at %d: going on gave %v", cut, err)
		}
	}
}

func TestOpenRefusesDamageAndChangesNothing(t *testing.T) {
	t.Parallel()
	data := small(t)
	at := bytes.Index(data, []byte(`"judgement"`))
	data[at+3] ^= 1
	data = append(data, lineOpen...) // a torn tail besides
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, FileName), data, 0o600); err != nil {
		t.Fatal(err)
	}
	var d *DamagedError
	if _, _, err := Open(dir); !errors.As(err, &d) || d.Line != 4 || d.Path != filepath.Join(dir, FileName) || d.Hint() == "" {
		t.Fatalf("Open: %v", err)
	}
	if _, err := Create(dir, testHeader(3)); !errors.Is(err, ErrDamaged) {
		t.Errorf("Create over it: %v", err)
	}
	if got := read(t, dir); !bytes.Equal(got, data) {
		t.Error("the refused journal was changed")
	}
	if torn, _ := filepath.Glob(filepath.Join(dir, "*.torn-*")); len(torn) > 0 {
		t.Errorf("the refusal left %v", torn)
	}
}

// A harness that dies between keeping the torn end and cutting it off does both again.
func TestRepairDoesNotOverwriteWhatAnEarlierOneKept(t *testing.T) {
	t.Parallel()
	dir := written(t, filepath.Join(t.TempDir(), "c"), testHeader(1), 1)
	path := filepath.Join(dir, FileName)
	for i, tail := range []string{`{"type":"sta`, `{"type":"fin`, "\x00\x00"} {
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(tail); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		w, _, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if kept, err := os.ReadFile(fmt.Sprintf("%s.torn-%d", path, i+1)); err != nil || string(kept) != tail {
			t.Errorf("torn end %d is kept as %q, %v", i+1, kept, err)
		}
	}
}

func FuzzReplay(f *testing.F) {
	data := small(f)
	f.Add(data)
	f.Add(data[:len(data)-7])
	f.Add(append(slices.Clone(data), "\x00\x00\x00"...))
	f.Add([]byte(lineOpen))
	f.Add(encoded(f, testHeader(1), start(id1), start(plan.AttemptID(id1, 2))))
	f.Add(encoded(f, testHeader(1), map[string]any{"type": "finished", "id": 1, "judgement": []int{1}}))
	hostile := testHeader(1)
	hostile.Plan.Strata[0].Cells[0].Trials = plan.MaxTrials - 100
	hostile.PlanDigest, hostile.Shard = hostile.Plan.Digest(), "1/100000"
	f.Add(encoded(f, hostile, start("a/container/none#60000001")))
	r := newReader()
	f.Fuzz(func(t *testing.T, data []byte) {
		got, s, err := replayed(r, data)
		if !bytes.HasPrefix(data, got) {
			t.Errorf("records came out that are not in the file")
		}
		if s.Bytes+s.Torn > int64(len(data)) || err == nil && s.Bytes+s.Torn != int64(len(data)) {
			t.Errorf("%d whole and %d torn of %d bytes, %v", s.Bytes, s.Torn, len(data), err)
		}
		var d *DamagedError
		if errors.As(err, &d) && (d.Line < 1 || d.Offset < 0 || d.Offset > int64(len(data)) || d.Line != 1+int64(bytes.Count(data[:d.Offset], []byte("\n")))) {
			t.Errorf("damage at line %d, byte %d is no position", d.Line, d.Offset)
		}
		if err != nil && !errors.Is(err, ErrRefused) {
			t.Errorf("bytes alone gave the error %v", err)
		}
		resealed(t, r, data)
	})
}

// resealed gives the fuzzer's lines right checksums, so that what is behind them is reached as well.
func resealed(t *testing.T, r *reader, data []byte) {
	header := encoded(t, testHeader(3))
	sum := uint32(0)
	_, sum, _ = unseal(header[:len(header)-1])
	out := header
	for line := range bytes.SplitSeq(data, []byte("\n")) {
		if body, _, ok := unseal(line); ok {
			line = append(slices.Clone(body), '}')
		}
		if len(line) < 2 {
			continue
		}
		body := line[:len(line)-1]
		sum = crc32.Update(sum, castagnoli, body)
		out = fmt.Appendf(append(out, body...), "%s%08x%s\n", sumOpen, sum, sumClose)
	}
	brief, errBrief := Stats{}, error(nil)
	full, _, errFull := replayed(r, out)
	brief, errBrief = r.replay(bytes.NewReader(out), "journal.jsonl", (*parser).brief, func(rec *Record) error {
		_, _ = rec.Note()
		_, _ = rec.Started()
		_, _ = rec.Finished()
		return nil
	})
	if errFull == nil && (errBrief != nil || brief.Bytes != int64(len(full))) {
		t.Errorf("record reads the journal, brief gives %v", errBrief)
	}
}
