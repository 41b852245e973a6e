package steps

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// errNotJSON says that an answer cannot be looked into.
var errNotJSON = errors.New("the answer is not JSON")

// find gives the text of the value that a JSON pointer (RFC 6901) leads to: a string's content, a number as it is written,
// true, false, null, and an object or array without blanks. It keeps no more of the document than a copy of its parts, as
// the document is whatever a server likes to send. The last of two equal keys counts, as in package json.
func find(document []byte, pointer string) (text string, found bool, err error) {
	if !json.Valid(document) { // which also bounds its depth
		return "", false, errNotJSON
	}
	value := bytes.TrimSpace(document)
	for rest := pointer; rest != ""; {
		var token string
		if token, rest, err = cutToken(rest); err != nil {
			return "", false, err
		}
		if value, err = member(value, token); err != nil || value == nil {
			return "", false, err
		}
	}
	text, err = textOf(value)
	return text, err == nil, err
}

// cutToken takes the first token off a pointer. In it, ~1 is a slash and ~0 a tilde.
func cutToken(pointer string) (token, rest string, err error) {
	inner, slash := strings.CutPrefix(pointer, "/")
	if !slash {
		return "", "", fmt.Errorf("%q is not a JSON pointer", pointer)
	}
	if i := strings.IndexByte(inner, '/'); i >= 0 {
		inner, rest = inner[:i], inner[i:]
	}
	return strings.ReplaceAll(strings.ReplaceAll(inner, "~1", "/"), "~0", "~"), rest, nil
}

// member is one part of a value; nil when there is none of that name.
func member(value []byte, name string) (found []byte, err error) {
	d := json.NewDecoder(bytes.NewReader(value))
	open, err := d.Token()
	if err != nil {
		return nil, err
	}
	if open != json.Delim('{') && open != json.Delim('[') {
		return nil, nil // a string or a number has no parts
	}
	for i := 0; d.More(); i++ {
		at := json.Token(strconv.Itoa(i))
		if open == json.Delim('{') {
			if at, err = d.Token(); err != nil {
				return nil, err
			}
		}
		var part json.RawMessage
		if err := d.Decode(&part); err != nil {
			return nil, err
		}
		if at == json.Token(name) {
			found = part
		}
	}
	return found, nil
}

func textOf(value []byte) (string, error) {
	switch value[0] {
	case '"':
		var s string
		err := json.Unmarshal(value, &s)
		return s, err
	case '{', '[':
		var b bytes.Buffer
		err := json.Compact(&b, value)
		return b.String(), err
	}
	return string(value), nil
}
