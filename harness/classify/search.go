package classify

import "bytes"

// The bounds of a search, in bytes. Memory is at most twice searchWindow.
const (
	searchWindow  = 1 << 20  // searched at once; a longer line is searched in pieces
	searchOverlap = 64 << 10 // searched again with the next piece, so that a match over the edge is found
	searchTail    = 4 << 10  // always kept, for the excerpt
)

// search looks for rules and evidence in streams of any length. It is an io.Writer: write a stream to it, call end, write
// the next. Streams are independent: no match goes from one into the next.
type search struct {
	rules []rule  // tried in this order
	marks []*mark // evidence
	hit   int     // index of the first rule that matched so far; len(rules) means none
	spot  string  // excerpt around that match

	buf  []byte
	base int64  // offset of buf in the stream
	skip int    // bytes at the start of buf that are kept for the tail alone
	part bool   // what follows them begins inside a line
	tail []byte // the end of the last stream that was not empty
}

// mark is an evidence that is being looked for.
type mark struct {
	evidence
	seen  bool  // in this stream or an earlier one
	armed bool  // after matched in this stream
	from  int64 // end of the last match of after in this stream
	here  bool  // match seen after it
}

// newSearch takes the rules that may decide, in order, and the evidence. A rule without a pattern matches at once.
func newSearch(rules []rule, marks []evidence) *search {
	s := &search{rules: rules, hit: len(rules)}
	for i, r := range rules {
		if r.pattern == nil {
			s.hit = i
			break
		}
	}
	for _, e := range marks {
		if e.match != nil {
			s.marks = append(s.marks, &mark{evidence: e})
		}
	}
	return s
}

// matched gives the first rule that matched, and the excerpt around the match (empty for a rule without a pattern).
func (s *search) matched() (rule, string, bool) {
	if s.hit == len(s.rules) {
		return rule{}, "", false
	}
	return s.rules[s.hit], s.spot, true
}

// wanting reports whether anything in this stream could still change the result.
func (s *search) wanting() bool {
	if s.hit > 0 {
		return true
	}
	for _, m := range s.marks {
		if !m.seen {
			return true
		}
	}
	return false
}

// Write takes the next piece of the stream. It never fails.
func (s *search) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		k := min(len(p), 2*searchWindow-len(s.buf))
		s.buf = append(s.buf, p[:k]...)
		p = p[k:]
		if !s.wanting() {
			s.buf, s.skip = s.buf[:copy(s.buf, s.buf[max(0, len(s.buf)-searchTail):])], 0
		} else if len(s.buf) == 2*searchWindow {
			s.advance()
		}
	}
	return n, nil
}

// advance searches the whole lines in the buffer and keeps what the next piece needs.
func (s *search) advance() {
	n := bytes.LastIndexByte(s.buf, '\n') + 1
	if len(s.buf)-n > searchWindow { // one long line: search what is there of it
		n = len(s.buf)
	}
	s.look(s.buf[s.skip:n], s.base+int64(s.skip))
	next := n - searchOverlap
	if i := bytes.IndexByte(s.buf[next:n], '\n'); i >= 0 {
		next += i + 1 // start at a line, so that ^ does not match inside one
	}
	s.part = s.buf[next-1] != '\n'
	keep := min(next, len(s.buf)-searchTail)
	s.base, s.skip = s.base+int64(keep), next-keep
	s.buf = s.buf[:copy(s.buf, s.buf[keep:])]
}

// end searches what is left of the stream and makes ready for the next one.
func (s *search) end() {
	s.look(s.buf[s.skip:], s.base+int64(s.skip))
	if len(s.buf) > 0 {
		s.tail = append(s.tail[:0], s.buf[max(0, len(s.buf)-searchTail):]...)
	}
	s.buf, s.base, s.skip, s.part = s.buf[:0], 0, 0, false
	for _, m := range s.marks {
		m.seen = m.seen || m.here
		m.armed, m.here, m.from = false, false, 0
	}
}

// look searches one window, which begins at base.
func (s *search) look(b []byte, base int64) {
	if len(b) == 0 || !s.wanting() {
		return
	}
	for i, r := range s.rules[:s.hit] {
		from := s.from(r.pattern, b)
		if loc := r.pattern.find(b[from:]); loc != nil {
			s.hit, s.spot = i, around(b, from+loc[0], from+loc[1])
			break
		}
	}
	for _, m := range s.marks {
		if !m.seen {
			s.mark(m, b, base)
		}
	}
}

// from gives where to look for a pattern in a window. One that begins inside a line has no true match at its first byte:
// either ^ took it for the start of a line, or the window before had the match too. Then the look begins at the next line.
func (s *search) from(p *pattern, b []byte) int {
	if !s.part {
		return 0
	}
	if loc := p.find(b); loc == nil || loc[0] > 0 {
		return 0
	}
	return min(len(b), index(b, []byte{'\n'}, 0)+1)
}

// mark looks for evidence in one window, which begins at base. Only what comes after the last match of after counts, so a
// new match of after takes back what was seen before it.
func (s *search) mark(m *mark, b []byte, base int64) {
	from := s.from(m.match, b)
	if m.after == nil {
		m.seen = m.match.find(b[from:]) != nil
		return
	}
	begin := s.from(m.after, b)
	if end := m.after.lastEnd(b[begin:]); end >= 0 && (!m.armed || base+int64(begin+end) > m.from) {
		m.armed, m.here, m.from = true, false, base+int64(begin+end)
	}
	if m.armed && !m.here {
		from = max(from, int(m.from-base))
		m.here = from <= len(b) && m.match.find(b[from:]) != nil
	}
}

// saw reports whether the evidence was seen in any stream.
func (s *search) saw(name string) bool {
	for _, m := range s.marks {
		if m.Name == name && m.seen {
			return true
		}
	}
	return false
}
