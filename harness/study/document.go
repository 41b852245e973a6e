package study

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

const (
	maxFile  = 1 << 20 // bytes of a study.yaml
	maxNodes = 100_000 // values of a study.yaml once its aliases are followed
)

// document parses the bytes into the root value of exactly one YAML document, with positions.
func document(file string, data []byte) (*yaml.Node, error) {
	if err := readable(file, data); err != nil {
		return nil, err
	}
	hidden := hideColons(data)
	d := yaml.NewDecoder(bytes.NewReader(hidden))
	var first, second yaml.Node
	switch err := d.Decode(&first); {
	case errors.Is(err, io.EOF):
		return nil, Errors{{File: file, Line: 1, Col: 1, Message: "the file is empty", Hint: "failrate init writes one to start from"}}
	case err != nil:
		return nil, Errors{syntaxError(file, data, err)}
	}
	switch err := d.Decode(&second); {
	case err == nil:
		return nil, Errors{{File: file, Line: second.Line, Col: second.Column, Message: "a second document starts here", Hint: "one file is one study: remove the --- line and what follows it"}}
	case !errors.Is(err, io.EOF):
		return nil, Errors{syntaxError(file, data, err)}
	}
	root := first.Content[0]
	if !bytes.Equal(hidden, data) {
		showColons(root)
	}
	if bad, message := aliasBomb(root); bad != nil {
		return nil, Errors{{File: file, Line: bad.Line, Col: bad.Column, Message: message, Hint: "write the values out instead of using anchors"}}
	}
	return root, nil
}

// readable refuses what the YAML reader reports without a position, or would read in another encoding.
func readable(file string, data []byte) error {
	if len(data) > maxFile {
		return Errors{{File: file, Message: fmt.Sprintf("the file is larger than %d bytes", maxFile), Hint: "a study names large inputs by path"}}
	}
	line, col := 1, 1
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			return Errors{{File: file, Line: line, Col: col, Message: fmt.Sprintf("byte %#02x is not UTF-8", data[i]), Hint: "save the file as UTF-8"}}
		case r < ' ' && r != '\t' && r != '\n' && r != '\r', r == 0x7f, r >= 0x80 && r < 0xa0 && r != 0x85, r == 0xfffe, r == 0xffff:
			return Errors{{File: file, Line: line, Col: col, Message: fmt.Sprintf("control character %U", r), Hint: `write it as an escape in double quotes, such as "\x1b"`}}
		}
		i += size
		if col++; r == '\n' {
			line, col = line+1, 1
		}
	}
	return nil
}

var (
	lineInMessage  = regexp.MustCompile(`^line (\d+): `)
	unknownAnchor  = regexp.MustCompile(`^unknown anchor '(.*)' referenced`)
	grammarMessage = regexp.MustCompile(`^did not find expected (',' or|'-' indicator|<|key|node content)|^found (duplicate %|incompatible YAML|undefined tag)`)
)

// syntaxError gives the YAML reader's error a position. The reader counts the lines of its grammar errors from 0 and
// those of its token errors from 1, and has none for an unknown anchor.
func syntaxError(file string, data []byte, err error) Error {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	e := Error{File: file, Line: 1, Col: 1}
	if m := lineInMessage.FindStringSubmatch(text); m != nil {
		text = text[len(m[0]):]
		e.Line, _ = strconv.Atoi(m[1])
		if grammarMessage.MatchString(text) {
			e.Line++
		}
	}
	if m := unknownAnchor.FindStringSubmatch(text); m != nil {
		text = fmt.Sprintf("unknown anchor %q", m[1])
		if at := bytes.Index(data, []byte("*"+m[1])); at >= 0 {
			before := data[:at]
			e.Line = 1 + bytes.Count(before, []byte("\n"))
			e.Col = 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
		}
	}
	e.Message = "not YAML: " + text
	if rows := bytes.SplitN(data, []byte("\n"), e.Line+1); e.Line <= len(rows) && bytes.HasPrefix(bytes.TrimLeft(rows[e.Line-1], " "), []byte("\t")) {
		e.Hint = "indent with spaces, not tabs"
	}
	return e
}

// aliasBomb finds an alias that contains itself, or the first value past which a document with aliases grows too
// large. Every anchored value is counted once, so it takes time in proportion to the file.
func aliasBomb(root *yaml.Node) (*yaml.Node, string) {
	const open = -1
	sizes := map[*yaml.Node]int{}
	var bad *yaml.Node
	var message string
	var count func(n *yaml.Node) int
	count = func(n *yaml.Node) int {
		if bad != nil {
			return 0
		}
		if n.Kind == yaml.AliasNode {
			size, known := sizes[n.Alias]
			if known && size == open {
				bad, message = n, fmt.Sprintf("anchor %q contains itself", n.Value)
			}
			return size
		}
		sizes[n] = open
		total := 1
		for _, c := range n.Content {
			if total += count(c); total > maxNodes && bad == nil {
				bad, message = c, fmt.Sprintf("more than %d values once aliases are followed", maxNodes)
			}
		}
		sizes[n] = total
		return total
	}
	count(root)
	return bad, message
}
