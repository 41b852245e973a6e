// Package trackers posts a table as a comment on an issue of GitHub or Jira, and finds that comment again to update it.
//
// It comes after reports in the pipeline: it takes a Table and gives the address of a comment. It never decides what the
// table says, reads no environment and keeps nothing; the token that it is given goes to the tracker's own host and into
// no error or output.
package trackers

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/failrate/failrate/reports"
)

// Result says where the comment is.
type Result struct {
	URL     string
	Updated bool // an earlier one was updated, instead of a new one posted
}

// Connection is how a tracker is reached. The zero value is the real network and clock.
type Connection struct {
	HTTP *http.Client                               // nil means one of its own
	Wait func(context.Context, time.Duration) error // between attempts; nil waits
}

// Mark identifies the comment of a study from a host, so that a second run finds what the first one posted. It holds no
// foreign text.
func Mark(t *reports.Table) string {
	names := []string{t.Study}
	for _, s := range t.Sources {
		if !slices.Contains(names[1:], s.Host.Name) {
			names = append(names, s.Host.Name)
		}
	}
	slices.Sort(names[1:])
	sum := sha256.Sum256([]byte(strings.Join(names, "\x00")))
	return "failrate-" + hex.EncodeToString(sum[:8])
}

// Error is why a tracker did not take the comment, in one line, with the next step.
type Error struct {
	Text string
	Next string
}

func (e *Error) Error() string { return e.Text }

// Hint is the next step.
func (e *Error) Hint() string { return e.Next }

// line makes one bounded line of what a server says.
func line(s string) string {
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(s, "?") {
		if b.Len() > 200 {
			b.WriteString("…")
			break
		}
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			r = ' '
		}
		b.WriteRune(r)
	}
	return strings.TrimSpace(b.String())
}

// within renders a page and adds the mark; the whole stays within the tracker's limit.
func within(limit int, frame string, render func(b *strings.Builder, room int) error) (string, error) {
	var b strings.Builder
	b.WriteString(frame)
	if err := render(&b, limit-len(frame)); err != nil {
		return "", err
	}
	if b.Len() > limit {
		return "", fmt.Errorf("the table takes %d bytes in its shortest form, the limit is %d", b.Len(), limit)
	}
	return b.String(), nil
}
