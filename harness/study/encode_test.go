package study

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"
)

// again encodes a study and loads it, without what only says where a rule stood.
func again(t testing.TB, s *Study) *Study {
	t.Helper()
	data, err := Encode(s)
	if err != nil {
		t.Fatalf("encode: %v", err)
	}
	out, err := Parse(FileName, data, s.Dir)
	if err != nil {
		t.Fatalf("what was encoded does not load: %v\n%s", err, data)
	}
	return unplaced(out)
}

func unplaced(s *Study) *Study {
	c := *s
	c.Classes = withoutSource(s.Classes)
	c.Subject.Steps = withoutPlaces(s.Subject.Steps)
	return &c
}

func TestEncodeLoadsEqual(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"solr-recovery", "all-keys"} {
		s := load(t, filepath.Join("testdata", name))
		equal(t, again(t, s), unplaced(s))
	}
	dir := badFolder(t)
	for _, doc := range goodFiles {
		s := parse(t, doc, dir)
		equal(t, again(t, s), unplaced(s))
	}
}

// A study that a person has to read and go on with.
func TestEncodeReadsWell(t *testing.T) {
	t.Parallel()
	s := parse(t, `{"study": "before-vs-after", "subject": {"command": "./old.sh --x 1", "timeout": "90m"}, "baseline": "before",
"iterations": 20, "keep": "failed", "variants": {"before": {}, "after": {"command": ["./new.sh", "a b"]}}}`, t.TempDir())
	data, err := Encode(s)
	if err != nil {
		t.Fatal(err)
	}
	want := `study: before-vs-after
subject:
  command: [./old.sh, --x, "1"]
  timeout: 1h30m
baseline: before
variants:
  before: {}
  after: {command: [./new.sh, a b]}
platforms: [native]
stress:
  none: {}
iterations: 20
`
	if string(data) != want {
		t.Errorf("got\n%s\nwant\n%s", data, want)
	}
}

func TestEncodeKeepsScriptsReadable(t *testing.T) {
	t.Parallel()
	s := parse(t, "study: s\nsubject:\n  shell: true\n  command: |\n    set -e\n    ./a | tee log\n", t.TempDir())
	data, err := Encode(s)
	if err != nil {
		t.Fatal(err)
	}
	if want := "  command: |\n    set -e\n    ./a | tee log\n"; !strings.Contains(string(data), want) {
		t.Errorf("no script in\n%s", data)
	}
}

func TestEncodeKeepsAnyText(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		" x ", "\tx", "x\n", "\nx", "x\n\n", "x\n y", " x\ny", "x \ny", "x\r\ny", "x\ry", "~", "null", "true", "0x1", "1e3", "-", "- a", "? a", ": a", "a: b",
		"#", "a #b", "'", `"`, `\`, "{ a}", "[a]", "*a", "&a", "!a", "%a", "@a", "`a`", "é", "\u2028", "\u0085", "\ufeff", "\ue000", "\ue000: :a", "\x1b[0m", "😀", "2001-01-01", "<<", "=",
	} {
		s := parse(t, "study: s\nsubject: {command: [x]}\n", t.TempDir())
		s.Subject.Command = []string{"x", text, "z"}
		s.Subject.Env = map[string]string{"A": text}
		if got := again(t, s); got.Subject.Command[1] != text || got.Subject.Env["A"] != text {
			t.Errorf("%q came back as %q and %q", text, got.Subject.Command[1], got.Subject.Env["A"])
		}
	}
}

func TestEncodeRefusesPathsThatNoFileCanSay(t *testing.T) {
	t.Parallel()
	s := parse(t, oneStudy, t.TempDir())
	s.Subject.Dir = "/somewhere/else"
	if _, err := Encode(s); err == nil || !strings.Contains(err.Error(), "/somewhere/else is not inside its folder") {
		t.Errorf("got %v", err)
	}
}

func TestShortDurations(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		10 * time.Minute: "10m", time.Hour: "1h", 90 * time.Second: "1m30s", 10 * time.Second: "10s", time.Hour + time.Second: "1h0m1s", 100 * time.Minute: "1h40m",
	} {
		if got := short(d); got != want {
			t.Errorf("%s as %s, want %s", d, got, want)
		}
	}
}

func TestStrIsText(t *testing.T) {
	t.Parallel()
	if n := str("5"); n.ShortTag() != "!!str" || n.Kind != yaml.ScalarNode {
		t.Errorf("%v", n)
	}
}
