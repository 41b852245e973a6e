package classify

import (
	"errors"
)

// text takes a character between tags.
func (x *xmlText) text(r rune) {
	switch {
	case r == '<':
		x.markup()
		return
	case r == '&':
		x.write(x.reference())
	default:
		x.write(escaped(r))
	}
	if x.run >= xmlRun {
		x.split()
	}
}

// split ends the parser's piece of text: it stops at a comment.
func (x *xmlText) split() {
	x.run = 0
	x.out.WriteString("<!---->")
}

// markup takes what follows a < between tags.
func (x *xmlText) markup() {
	switch {
	case x.ahead("!--"):
		x.place = inComment
	case x.ahead("![CDATA["):
		x.place = inCDATA
	case x.ahead("?"):
		x.place = inInstruction
		x.encoding()
	case x.ahead("!"):
		x.err = errors.New("it has a document type declaration, which is refused")
	default:
		x.place, x.tag, x.values = inTag, 0, 0
		x.out.WriteByte('<')
	}
}

// inside takes a character of a tag outside its values.
func (x *xmlText) inside(r rune) {
	x.tag++
	switch {
	case x.tag > xmlTag:
		x.err = errors.New("it has a tag that is too long")
		return
	case r == '>':
		x.place, x.run = inText, 0
	case r == '"' || r == '\'':
		if x.values++; x.values > xmlAttributes {
			x.err = errors.New("it has a tag with too many attributes")
			return
		}
		x.place, x.quote, x.run = inValue, r, 0
	}
	x.out.WriteRune(r)
}

// value takes a character of an attribute's value.
func (x *xmlText) value(r rune) {
	s := escaped(r)
	switch r {
	case x.quote:
		x.place = inTag
		x.out.WriteRune(r)
		return
	case '&':
		s = x.reference()
	}
	if x.run < xmlRun {
		x.write(s)
	}
}

// write writes text.
func (x *xmlText) write(s string) {
	x.run += len(s)
	x.out.WriteString(s)
}

// escaped writes a character of text as XML does.
func escaped(r rune) string {
	switch r {
	case '&':
		return "&amp;"
	case '<':
		return "&lt;"
	case '>':
		return "&gt;"
	}
	return string(r)
}
