package trialtest

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"github.com/failrate/failrate/harness/trial"
)

// outputs are what a subject may write to its streams.
func outputs() []testCase {
	return []testCase{
		{name: "silent", check: func(t *testing.T, r trial.Request, o trial.Observation) {
			missing(t, r.Out.Log)
			if o.Output != (trial.Captured{}) {
				t.Errorf("observed %+v, want no output", o.Output)
			}
		}},
		{name: "streams", args: []string{"stdout=out", "stderr=err"}, check: func(t *testing.T, r trial.Request, _ trial.Observation) {
			if got := read(t, r.Out.Log); got != "out\nerr\n" && got != "err\nout\n" {
				t.Errorf("log %q, want both streams", got)
			}
		}},
		{
			name: "stdout-alone", args: []string{"stdout=out", "stderr=err", "stdout=more"},
			prepare: func(_ *testing.T, r *trial.Request) { r.Out.Stdout = r.Out.Log + ".stdout" },
			check: func(t *testing.T, r trial.Request, o trial.Observation) {
				if got := read(t, r.Out.Stdout); got != "out\nmore\n" {
					t.Errorf("stdout %q, want that stream alone", got)
				}
				if got := read(t, r.Out.Log); len(got) != 13 || o.Output.Bytes != 13 {
					t.Errorf("log %q of %d bytes, want both streams", got, o.Output.Bytes)
				}
			},
		},
		{name: "ten-megabytes", args: []string{"bytes=10000000"}, check: wrote(10_000_000)},
		{name: "long-line", args: []string{"line=1000000"}, check: wrote(1_000_001)},
		{name: "not-utf-8", args: []string{"invalid="}, check: func(t *testing.T, r trial.Request, _ trial.Observation) {
			if got := read(t, r.Out.Log); got != "a\xff\xfe\xc3\x28\x00b\n" {
				t.Errorf("log %q, want the bytes as they were", got)
			}
		}},
		{
			name: "capped", args: []string{"bytes=10000000", "stdout=the end"},
			prepare: func(_ *testing.T, r *trial.Request) { r.MaxOutput = 100_000 }, check: capped,
		},
		{name: "no-input", args: []string{"stdin="}, check: logs("stdin 0 <nil>\n")},
	}
}

// wrote requires that so many bytes were written and every one was kept.
func wrote(n int64) func(*testing.T, trial.Request, trial.Observation) {
	return func(t *testing.T, r trial.Request, o trial.Observation) {
		t.Helper()
		text := read(t, r.Out.Log)
		if int64(len(text)) != n || o.Output.Bytes != n || o.Output.Dropped != 0 {
			t.Errorf("log of %d bytes, observed %+v, want %d bytes and nothing dropped", len(text), o.Output, n)
		}
		if n > 0 {
			checkDigest(t, text, o)
		}
	}
}

// capped requires that the head and the tail of 10 MB are there and the middle is not.
func capped(t *testing.T, r trial.Request, o trial.Observation) {
	text := read(t, r.Out.Log)
	if !strings.HasPrefix(text, "line 1\nline 2\n") || !strings.HasSuffix(text, "the end\n") {
		t.Errorf("log begins %.40q and ends %.40q", text, text[max(0, len(text)-40):])
	}
	const written = 10_000_000 + int64(len("the end\n"))
	if o.Output.Bytes != written || o.Output.Dropped < written-100_000 || o.Output.Dropped >= written {
		t.Errorf("observed %+v, want %d bytes of which 100000 at most are kept", o.Output, written)
	}
	if len(text) > 100_200 { // room for the line that says what is missing
		t.Errorf("log of %d bytes, want 100000 and a note", len(text))
	}
	checkDigest(t, text, o)
}

func checkDigest(t *testing.T, text string, o trial.Observation) {
	t.Helper()
	sum := sha256.Sum256([]byte(text))
	if got := hex.EncodeToString(sum[:]); o.Output.SHA256 != got {
		t.Errorf("digest %q, but the log's is %q", o.Output.SHA256, got)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
