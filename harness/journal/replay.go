package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/valyala/fastjson"

	"github.com/failrate/failrate/harness/plan"
)

// Stats says how far a replay came: over the whole records and no further.
type Stats struct {
	Header  Header
	Records int64 // whole ones, the header among them
	Bytes   int64 // of these
	Torn    int64 // bytes after them, which a crash left in place of a record; 0 for a journal that was closed

	sum    uint32
	ledger *ledger
}

// Replay reads a journal and calls each for every record, the header first. It verifies every line's checksum and that
// attempts start before they finish; a torn last line is left out and counted in Stats.Torn. The name is for messages.
//
// Memory does not grow with the journal but for 16 bytes for each trial. Errors: a *DamagedError, ErrEmpty when there
// is no header, a refused format version, what r returned, or what each returned, as it is.
func Replay(r io.Reader, name string, each func(*Record) error) (Stats, error) {
	return newReader().replay(r, name, (*parser).record, each)
}

// ReplayFile is Replay of a file, which may be written meanwhile: it is read up to where it ends now.
func ReplayFile(path string, each func(*Record) error) (Stats, error) {
	f, err := openRegular(path)
	if err != nil {
		return Stats{}, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return Stats{}, err
	}
	return Replay(io.NewSectionReader(f, 0, info.Size()), path, each)
}

// reader replays one journal after the other with the same buffers, and keeps each plan once.
type reader struct {
	pipeline *pipeline
	plans    map[string]known // by digest
	head     batch            // the first lines
}

// known is a plan that was checked.
type known struct {
	plan  plan.Plan
	index *plan.Index
}

func newReader() *reader {
	return &reader{pipeline: newPipeline(workers()), plans: map[string]known{}}
}

// replay is Replay with the parsing that the caller needs: parser.record or parser.brief.
func (r *reader) replay(in io.Reader, name string, parse func(*parser, []byte, *Record) error, each func(*Record) error) (Stats, error) {
	f := &feed{in: in, name: name}
	first := &r.head
	first.used, first.err = 0, nil
	more := f.fill(first)
	header, shard, err := r.header(f, first)
	if err != nil {
		return Stats{Torn: f.torn}, err
	}
	index := r.plans[header.PlanDigest].index
	for _, p := range r.pipeline.parsers {
		p.index = index
	}
	stats := Stats{Header: header, ledger: newLedger(index, shard)}
	work := func(p *parser, b *batch) { p.lines(b, name, parse) }
	deliver := func(b *batch) bool {
		for i := range b.records[:b.used] {
			if err = stats.record(&b.records[i], name, each); err != nil {
				return false
			}
		}
		err = b.err
		return err == nil
	}
	if !more { // a short journal is not worth a goroutine
		work(r.pipeline.parsers[0], first)
		deliver(first)
	} else {
		r.pipeline.run(func(b *batch) bool {
			if first == nil {
				return f.fill(b)
			}
			b.buf, b.line, b.offset, b.sum = append(b.buf[:0], first.buf...), first.line, first.offset, first.sum
			first = nil
			return true
		}, work, deliver)
	}
	stats.Torn = f.torn
	return stats, err
}

// record notes one record and hands it on.
func (s *Stats) record(r *Record, name string, each func(*Record) error) error {
	var err error
	switch r.Kind {
	case KindHeader:
		if r.Line > 1 {
			err = errors.New("a second header")
		}
	case KindStarted:
		err = s.ledger.start(r.Cell, r.Number, r.Attempt, r.Offset)
	case KindFinished:
		err = s.ledger.finish(r.Cell, r.Number, r.Attempt, r.Outcome, r.Offset)
	case KindNote:
	}
	if err != nil {
		return &DamagedError{Path: name, Line: r.Line, Offset: r.Offset, What: err.Error()}
	}
	s.Records++
	s.Bytes = r.Offset + int64(len(r.raw)) + 1
	_, s.sum, _ = unseal(r.raw)
	return each(r)
}

// lines verifies and parses the batch's lines up to the first that is damaged.
func (p *parser) lines(b *batch, name string, parse func(*parser, []byte, *Record) error) {
	sum, line, offset := b.sum, b.line, b.offset
	for rest := b.buf; len(rest) > 0; line++ {
		text := cutLine(rest)
		rest = rest[len(text)+1:]
		var damage string
		if sum, damage = verify(text, sum); damage == "" {
			r := b.next()
			r.Line, r.Offset = line, offset
			if err := parse(p, text, r); err != nil {
				damage = err.Error()
				b.used--
			}
		}
		if damage != "" {
			b.err = &DamagedError{Path: name, Line: line, Offset: offset, What: damage}
			return
		}
		offset += int64(len(text)) + 1
	}
}

// header reads the first line of the first batch. The version is looked at before the rest, which it may give another meaning.
func (r *reader) header(f *feed, b *batch) (Header, plan.Shard, error) {
	if len(b.buf) == 0 {
		if b.err != nil {
			return Header{}, plan.Shard{}, b.err
		}
		return Header{}, plan.Shard{}, &refusal{kind: ErrEmpty, text: f.name + ": there is no header, so nothing was measured",
			hint: "the harness was ended before its first trial; start the campaign again"}
	}
	damaged := func(what string) (Header, plan.Shard, error) {
		return Header{}, plan.Shard{}, &DamagedError{Path: f.name, Line: 1, What: what}
	}
	line := cutLine(b.buf)
	if _, damage := verify(line, 0); damage != "" {
		return damaged(damage)
	}
	if v, err := fastjson.ParseBytes(line); err == nil && string(v.GetStringBytes("type")) == typeHeader && v.GetInt("version") != Version {
		return Header{}, plan.Shard{}, &refusal{kind: ErrDiffers,
			text: fmt.Sprintf("%s: the journal's format is version %d, and this failrate reads version %d", f.name, v.GetInt("version"), Version),
			hint: fmt.Sprintf("use failrate %.40q, which wrote it", v.GetStringBytes("tool"))}
	}
	var h headerLine
	if err := json.Unmarshal(line, &h); err != nil || h.Type != typeHeader || h.Header == nil {
		return damaged("the first line is not a header")
	}
	shard, err := h.Header.check()
	if err != nil {
		return damaged(err.Error())
	}
	k, ok := r.plans[h.PlanDigest]
	if !ok {
		k.plan = h.Plan
		if k.index, err = h.Plan.Index(); err != nil {
			return damaged(err.Error())
		}
		r.plans[h.PlanDigest] = k
	}
	h.Plan = k.plan
	return *h.Header, shard, nil
}
