package classify

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// xmlCharacter reports whether XML 1.0 allows the character (section 2.2).
func xmlCharacter(r rune) bool {
	return r == '\t' || r == '\n' || r == '\r' || r >= 0x20 && r <= 0xD7FF || r >= 0xE000 && r <= 0xFFFD || r >= 0x10000 && r <= 0x10FFFF
}

// xmlReference matches what follows the ampersand of a reference.
var xmlReference = regexp.MustCompile(`^(?:#([0-9]{1,9})|#x([0-9a-fA-F]{1,8})|amp|lt|gt|quot|apos);`)

// reference reads what follows an ampersand and gives the whole reference. One to a character that XML forbids becomes
// a question mark; an ampersand that begins none stands for itself.
func (x *xmlText) reference() string {
	next, _ := x.in.Peek(12) // the longest there is
	m := xmlReference.FindStringSubmatch(string(next))
	if m == nil {
		return "&amp;"
	}
	x.skip(len(m[0]))
	digits, base := m[1], 10
	if m[2] != "" {
		digits, base = m[2], 16
	}
	if digits != "" {
		if n, err := strconv.ParseUint(digits, base, 32); err != nil || n > utf8.MaxRune || !xmlCharacter(rune(n)) {
			return "?"
		}
	}
	return "&" + m[0]
}

// xmlEncoding finds the encoding in an XML declaration, after its <?.
var xmlEncoding = regexp.MustCompile(`^xml\s[^>]*?encoding\s*=\s*["']([^"'<>]*)["']`)

// encoding takes the encoding from an XML declaration. In single-byte encodings a byte is taken for the character of
// that number, which is right for ISO 8859-1 and wrong for some letters of the others.
func (x *xmlText) encoding() {
	next, _ := x.in.Peek(200)
	m := xmlEncoding.FindSubmatch(next)
	if m == nil {
		return
	}
	switch label := strings.ToLower(string(m[1])); {
	case label == "utf-8", label == "utf8", strings.HasSuffix(label, "ascii"):
	case label == "latin1", strings.HasPrefix(label, "iso-8859-"), strings.HasPrefix(label, "windows-125"):
		x.latin1 = true
	default:
		x.err = fmt.Errorf("encoding %q is not supported", label)
	}
}
