package containers

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestReadProgress(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	id, err := readProgress(strings.NewReader(`{"status":"Pulling","id":"abc"}
{"status":"Downloading","id":"abc","progressDetail":{"current":1,"total":2},"progress":"[=>]"}
{"stream":"Step 1/2\n"}{"status":"sha256:1234"}`), &log)
	if err != nil || id != "sha256:1234" {
		t.Errorf("%q, %v", id, err)
	}
	if want := "abc Pulling\nStep 1/2\nsha256:1234\n"; log.String() != want {
		t.Errorf("log %q, want %q", log.String(), want)
	}
	for _, bad := range []string{`{"stream":"x`, `nonsense`, `{"stream":1}`} {
		if _, err := readProgress(strings.NewReader(bad), &log); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

func TestReadProgressError(t *testing.T) {
	t.Parallel()
	var in strings.Builder
	for i := range 30 {
		fmt.Fprintf(&in, `{"stream":"line %d\n"}`, i)
	}
	in.WriteString(`{"stream":"bad \u001b[31m text"}{"errorDetail":{"message":"exit\nstatus 3"},"error":"exit"}`)
	_, err := readProgress(strings.NewReader(in.String()), &strings.Builder{})
	var o *OutputError
	if !errors.As(err, &o) || o.Error() != "exit status 3" {
		t.Fatalf("error %v", err)
	}
	if len(o.Tail) != 20 || o.Tail[0] != "line 11" || o.Tail[19] != "bad ?[31m text" {
		t.Errorf("tail %q", o.Tail)
	}
}

func TestLines(t *testing.T) {
	t.Parallel()
	var l lines
	for _, s := range []string{"a", "b\nc\r\n", "\n", strings.Repeat("x", 10_000), "y\nend"} {
		l.add(s)
	}
	if got := l.last(); !slices.Equal(got, []string{"ab", "c", "", strings.Repeat("x", longestLine), "end"}) {
		t.Errorf("%q", got)
	}
}

func TestDockerQuote(t *testing.T) {
	t.Parallel()
	if got, want := dockerQuote("a\"b\\c$d\ne"), `"a\"b\\c\$d e"`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
