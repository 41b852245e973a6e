package study

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestInline(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	got, err := Inline(InlineOptions{Commands: []string{"before=./old.sh --x 1", "after=./new.sh"}, Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	want := parse(t, "study: before-vs-after\nsubject: {command: [./old.sh, --x, '1']}\nbaseline: before\nvariants: {before: {}, after: {command: [./new.sh]}}\n", dir)
	equal(t, got, want)
}

func TestInlineOptions(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	got, err := Inline(InlineOptions{
		Commands: []string{"a=x | y", "b.1=x; echo $HOME"}, Shell: true, Name: "pipes", Dir: dir, Timeout: time.Minute, Grace: time.Second, Iterations: 7,
		Format: ResultTAP, Image: "scratch", Platforms: []Platform{Container}, Env: map[string]string{"A": "1"},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := parse(t, `study: pipes
subject: {command: x | y, shell: true, timeout: 1m, grace: 1s, results: tap, image: scratch, env: {A: 1}}
variants: {a: {}, b.1: {command: x; echo $HOME}}
baseline: a
platforms: [container]
iterations: 7
`, dir)
	equal(t, got, want)
}

func TestInlineRunsInTheWorkingDirectory(t *testing.T) {
	t.Parallel()
	s, err := Inline(InlineOptions{Commands: []string{"only=./x"}})
	if err != nil {
		t.Fatal(err)
	}
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	if s.Dir != here || s.Subject.Dir != here || s.Name != "only" || s.Baseline != "only" {
		t.Errorf("%q in %q and %q", s.Name, s.Dir, s.Subject.Dir)
	}
}

func TestInlineNames(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 40)
	for name, commands := range map[string][]string{
		"a-vs-b-vs-c":                     {"a=x", "b=y", "c=z"},
		"a-1-vs-b-2":                      {"a.1=x", "b_2=y"},
		long + "-vs-" + long[:20]:         {long + "=x", long + "y=y"},
		"c-" + long[:20]:                  {"c-" + long[:20] + "=x"},
		long + "-vs-xxxxxxxxxxxxxxxxxx-v": {long + "=x", long[:18] + "=y", "z=z"},
	} {
		s, err := Inline(InlineOptions{Commands: commands, Dir: t.TempDir()})
		if err != nil {
			t.Error(err)
			continue
		}
		if s.Name != name || len(s.Variants) != len(commands) {
			t.Errorf("%q: study %q, want %q", commands, s.Name, name)
		}
	}
}

func TestBadInline(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, c := range map[string]struct {
		options InlineOptions
		want    string
	}{
		"none":         {InlineOptions{}, "-c: no command given\nhint: -c NAME=COMMAND"},
		"no name":      {InlineOptions{Commands: []string{"./x y"}}, "-c: \"./x y\" is not of the form NAME=COMMAND; a name is " + nameForm + "\nhint: -c before='./x y'"},
		"not a name":   {InlineOptions{Commands: []string{"./x --a=b's"}}, "-c: \"./x --a=b's\" is not of the form NAME=COMMAND; a name is " + nameForm + "\nhint: -c before='./x --a=b'\\''s'"},
		"empty":        {InlineOptions{Commands: []string{"a= "}}, "-c a: the command is empty"},
		"twice":        {InlineOptions{Commands: []string{"a=x", "a=y"}}, "-c a: there is a variant \"a\" before it\nhint: choose another name"},
		"pipe":         {InlineOptions{Commands: []string{"a=x", "b=x | y", "c=x > z"}}, "-c b: character 3: \"|\" needs a shell\nhint: quote it, or let a shell run the commands: --shell\n-c c: character 3: the redirection \">\" needs a shell\nhint: quote it, or let a shell run the commands: --shell"},
		"not UTF-8":    {InlineOptions{Commands: []string{"a=x \xff"}}, "-c a: the command is not UTF-8\nhint: put it in a script"},
		"image":        {InlineOptions{Commands: []string{"a=x"}, Image: "A B"}, "--image: \"A B\" is not an image's name: invalid reference format: repository name (library/A B) must be lowercase"},
		"name":         {InlineOptions{Commands: []string{"a=x"}, Name: "A B"}, "-c: \"A B\" cannot name a study\nhint: 1 to 64 of a-z, 0-9 and hyphen, starting with a letter or digit"},
		"timeout":      {InlineOptions{Commands: []string{"a=x"}, Timeout: -time.Second}, "-c: timeout must be a duration such as 90s, 10m or 1h30m, not \"-1s\""},
		"format":       {InlineOptions{Commands: []string{"a=x"}, Format: "xunit"}, "-c: results cannot be \"xunit\"\nhint: did you mean \"junit\"?"},
		"files":        {InlineOptions{Commands: []string{"a=x"}, Format: ResultJUnit}, "-c: junit needs to know its files\nhint: results: {junit: path/to/*.xml}"},
		"iterations":   {InlineOptions{Commands: []string{"a=x"}, Iterations: -1}, "-c: iterations must be from 1 to 1000000, not -1"},
		"no image":     {InlineOptions{Commands: []string{"a=x"}, Platforms: []Platform{Container}}, "-c: the platform container needs an image, and \"a\" has none\nhint: add subject.image, or subject.compile for a static program"},
		"placeholder":  {InlineOptions{Commands: []string{"a=x {delay}"}}, "-c: {delay} is not a parameter\nhint: declare it as parameters: {delay: [...]}, or put a space after the brace to keep it as text"},
		"NUL":          {InlineOptions{Commands: []string{"a=x 'y\x00'"}}, "-c a: character 5: U+0000 cannot stand in a command line\nhint: quote it, or let a shell run the commands: --shell"},
		"reserved env": {InlineOptions{Commands: []string{"a=x"}, Env: map[string]string{"FAILRATE_SEED": "1"}}, "-c: \"FAILRATE_SEED\": names that start with FAILRATE_ are the harness's own\nhint: choose another name"},
	} {
		c.options.Dir = dir
		s, err := Inline(c.options)
		if err == nil || err.Error() != c.want || reflect.TypeOf(err) != reflect.TypeOf(Errors{}) {
			t.Errorf("%s: %+v, %v\nwant %s", name, s, err, c.want)
		}
	}
}
