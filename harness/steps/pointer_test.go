package steps

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

const document = ` {"a": {"b": [10, "x\ny", {"c": 1.50}]}, "": 1, "a/b": 2, "m~n": 3, "n": null, "t": true, "big": 12345678901234567890,
	"e": 1e3, "twice": 1, "twice": 2, "01": "lead", "u": "\ud83d\ude00<"} `

func TestFind(t *testing.T) {
	t.Parallel()
	for pointer, want := range map[string]string{
		"/a/b/0": "10", "/a/b/1": "x\ny", "/a/b/2/c": "1.50", "/a/b/2": `{"c":1.50}`, "/a": `{"b":[10,"x\ny",{"c":1.50}]}`,
		"/": "1", "/a~1b": "2", "/m~0n": "3", "/n": "null", "/t": "true", "/big": "12345678901234567890", "/e": "1e3", "/twice": "2", "/01": "lead",
		"/u": "😀<",
	} {
		if got, found, err := find([]byte(document), pointer); got != want || !found || err != nil {
			t.Errorf("%s: %q, %v, %v, want %q", pointer, got, found, err, want)
		}
	}
	for _, pointer := range []string{"/x", "/a/b/3", "/a/b/-", "/a/b/00", "/a/b/-1", "/t/0", "/u/0", "/n/a", "/a/b/1/", "//"} {
		if got, found, err := find([]byte(document), pointer); got != "" || found || err != nil {
			t.Errorf("%s: %q, %v, %v", pointer, got, found, err)
		}
	}
	if got, found, err := find([]byte(" [1, 2]\n"), ""); got != "[1,2]" || !found || err != nil {
		t.Errorf("the whole: %q, %v, %v", got, found, err)
	}
	for _, text := range []string{"", "{", `{"a":1}x`, "hello", `"` + "\x01" + `"`, strings.Repeat("[", 20000) + strings.Repeat("]", 20000)} {
		if _, found, err := find([]byte(text), "/a"); found || !errors.Is(err, errNotJSON) {
			t.Errorf("%.10q: %v, %v", text, found, err)
		}
	}
	if _, _, err := find([]byte("{}"), "a"); err == nil || errors.Is(err, errNotJSON) {
		t.Errorf("no pointer: %v", err)
	}
}

// FuzzFind looks for anything in any document and compares with package json where that can say.
func FuzzFind(f *testing.F) {
	for _, pointer := range []string{"", "/", "/a/b/0", "/a/b/2/c", "/m~0n", "/a~1b", "/twice", "/~", "/~01", "/x", "a"} {
		f.Add([]byte(document), pointer)
	}
	f.Add([]byte(`["\ud800", -0.0]`), "/0")
	f.Add([]byte(`[[[[]]]]`), "/0/0")
	f.Fuzz(func(t *testing.T, text []byte, pointer string) {
		got, found, err := find(text, pointer)
		if (found || err == nil) && !json.Valid(text) {
			t.Fatalf("found in what is not JSON: %q, %v", got, err)
		}
		if err != nil && (found || got != "") {
			t.Fatalf("%q and %v", got, err)
		}
		if err != nil && json.Valid(text) && (pointer == "" || pointer[0] == '/') {
			t.Fatalf("%q in %q: %v", pointer, text, err)
		}
		var object map[string]json.RawMessage
		if json.Unmarshal(text, &object) != nil || strings.ContainsAny(pointer, "~") || strings.Count(pointer, "/") != 1 || pointer[0] != '/' {
			return
		}
		raw, there := object[pointer[1:]]
		if there != found {
			t.Fatalf("%q in %q: found %v", pointer, text, found)
		}
		var s string
		if found && raw[0] == '"' && (json.Unmarshal(raw, &s) != nil || s != got) {
			t.Fatalf("%q in %q: %q, want %q", pointer, text, got, s)
		}
	})
}
