package classify

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"unicode/utf8"
)

// The bounds of an XML document's parts: what is longer is cut (text is split, values lose their end) or refused.
const (
	xmlRun        = 32 << 10 // bytes of text that the parser gets at once, and that are kept of an attribute's value
	xmlTag        = 64 << 10 // bytes of a tag outside its values
	xmlAttributes = 100      // of one tag
)

// xmlPlace is where in a document the next character stands.
type xmlPlace uint8

const (
	inText xmlPlace = iota
	inTag
	inValue
	inCDATA
	inComment
	inInstruction
)

// xmlText turns XML as test tools really write it into XML that encoding/xml reads in bounded memory. Characters that
// XML forbids, raw or as references, become question marks, as do bytes that are not UTF-8; comments and processing
// instructions go; CDATA becomes plain text, and long text comes in pieces; document type declarations, and so entity
// bombs, are refused. A document that is cut off stays cut off.
// It is an io.ByteReader, so that the parser is never ahead of what it has parsed, and line is right.
type xmlText struct {
	in     *bufio.Reader
	out    bytes.Buffer // a few bytes
	err    error        // given once out is empty
	line   int          // of the input, from 1
	latin1 bool         // a byte is a character
	place  xmlPlace
	quote  rune // around the value
	run    int  // bytes of the text since its last split, or of the value
	tag    int  // bytes of the tag outside values
	values int  // of the tag
}

func newXMLText(r io.Reader) *xmlText {
	x := &xmlText{in: bufio.NewReaderSize(r, 64<<10), line: 1}
	switch mark, _ := x.in.Peek(3); {
	case bytes.HasPrefix(mark, []byte("\xef\xbb\xbf")):
		x.skip(3)
	case bytes.HasPrefix(mark, []byte("\xff\xfe")), bytes.HasPrefix(mark, []byte("\xfe\xff")):
		x.err = errors.New("encoding UTF-16 is not supported")
	}
	return x
}

// Read gives the next bytes of the cleaned document.
func (x *xmlText) Read(p []byte) (int, error) {
	if err := x.fill(); err != nil {
		return 0, err
	}
	return x.out.Read(p)
}

// ReadByte gives the next byte of the cleaned document.
func (x *xmlText) ReadByte() (byte, error) {
	if err := x.fill(); err != nil {
		return 0, err
	}
	return x.out.ReadByte()
}

// fill takes steps until there is something to give.
func (x *xmlText) fill() error {
	for x.out.Len() == 0 {
		if x.err != nil {
			return x.err
		}
		x.step()
	}
	return nil
}

// step reads one character, or the mark that ends a construct, and writes what becomes of it.
func (x *xmlText) step() {
	if x.place != inTag && x.plain() {
		return
	}
	switch {
	case x.place == inCDATA && x.ahead("]]>"), x.place == inComment && x.ahead("-->"), x.place == inInstruction && x.ahead("?>"):
		x.place = inText
		return
	}
	r, ok := x.rune()
	if !ok {
		if x.place != inText && errors.Is(x.err, io.EOF) {
			x.err = io.ErrUnexpectedEOF
		}
		return
	}
	switch x.place {
	case inText:
		x.text(r)
	case inTag:
		x.inside(r)
	case inValue:
		x.value(r)
	case inCDATA:
		if x.write(escaped(r)); x.run >= xmlRun {
			x.split()
		}
	case inComment, inInstruction:
	}
}

// plain takes the ordinary characters that come next, all at once; it gives false when there are none.
func (x *xmlText) plain() bool {
	next, _ := x.in.Peek(min(x.in.Buffered(), xmlRun-x.run%xmlRun))
	n := 0
	for n < len(next) && ordinary(next[n]) {
		n++
	}
	switch x.place {
	case inText, inCDATA:
		x.out.Write(next[:n])
		if x.run += n; n > 0 && x.run >= xmlRun {
			x.split()
		}
	case inValue:
		if x.run < xmlRun {
			x.out.Write(next[:n])
			x.run += n
		}
	case inTag, inComment, inInstruction:
	}
	x.skip(n)
	return n > 0
}

// ordinary reports whether a byte is a character that means nothing and needs nothing anywhere outside a tag.
func ordinary(b byte) bool {
	switch b {
	case '<', '>', '&', '"', '\'', ']', '-', '?':
		return false
	}
	return b >= ' ' && b < 0x7f || b == '\t'
}

// ahead reports whether s comes next, and if so skips it.
func (x *xmlText) ahead(s string) bool {
	if next, _ := x.in.Peek(len(s)); string(next) != s {
		return false
	}
	x.skip(len(s))
	return true
}

// skip drops bytes that were peeked at.
func (x *xmlText) skip(n int) {
	_, _ = x.in.Discard(n) // cannot fail: they are in the buffer
}

// rune reads one character; one that XML forbids comes as a question mark.
func (x *xmlText) rune() (rune, bool) {
	r, size, err := x.in.ReadRune()
	if err != nil {
		x.err = err
		return 0, false
	}
	if r == '\n' {
		x.line++
	}
	if r == utf8.RuneError && size == 1 {
		r = '?'
		if err := x.in.UnreadRune(); err == nil {
			b, _ := x.in.ReadByte()
			if x.latin1 {
				r = rune(b)
			}
		}
	}
	if !xmlCharacter(r) {
		r = '?'
	}
	return r, true
}
