package classify

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

func TestLines(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 200_000)
	in := "one\r\n\ntwo\n" + long + "\n12345\r\nend"
	var got []string
	lines := newLineReader(strings.NewReader(in), 5)
	for {
		l, err := lines.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%d %s long=%v whole=%v", lines.number, l, lines.long, lines.whole))
	}
	want := `1 one long=false whole=true
2  long=false whole=true
3 two long=false whole=true
4 xxxxx long=true whole=true
5 12345 long=true whole=true
6 end long=false whole=false`
	if strings.Join(got, "\n") != want {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), want)
	}
}

func TestLinesGiveTheErrorOfTheStream(t *testing.T) {
	t.Parallel()
	gone := errors.New("gone")
	lines := newLineReader(io.MultiReader(strings.NewReader("a\nb"), failing{gone}), 10)
	if l, err := lines.next(); string(l) != "a" || err != nil {
		t.Errorf("%q %v", l, err)
	}
	if l, err := lines.next(); err != gone {
		t.Errorf("%q %v", l, err)
	}
}

// failing is a reader that only fails.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }
