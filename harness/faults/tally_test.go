package faults

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/tw"
)

// tally counts the points of every kind. Safe for use by several goroutines.
type tally struct {
	mu   sync.Mutex
	rows map[string]*row
}

// row is one kind of fault.
type row struct {
	Kind     string        `json:"kind"`
	Tried    int           `json:"tried"`
	Survived int           `json:"survived"`
	Slowest  time.Duration `json:"slowest_ns,omitempty"` // of what the kind bounds in time; 0 when it bounds nothing
}

func (c *tally) change(kind string, f func(*row)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.rows == nil {
		c.rows = map[string]*row{}
	}
	if c.rows[kind] == nil {
		c.rows[kind] = &row{Kind: kind}
	}
	f(c.rows[kind])
}

// point counts this test as one point of a kind: survived unless the test fails. Call it first in the test (or the
// subtest) that is the point, so that what the test's cleanups find counts too. A skipped test is no point.
func (c *tally) point(t *testing.T, kind string) {
	t.Helper()
	t.Cleanup(func() {
		if t.Skipped() {
			return
		}
		c.change(kind, func(r *row) {
			r.Tried++
			if !t.Failed() {
				r.Survived++
			}
		})
	})
}

// took notes how long something took that the kind of fault bounds; the table shows the slowest.
func (c *tally) took(kind string, d time.Duration) {
	c.change(kind, func(r *row) { r.Slowest = max(r.Slowest, d) })
}

// list gives the rows by kind.
func (c *tally) list() []row {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := []row{}
	for _, kind := range slices.Sorted(maps.Keys(c.rows)) {
		out = append(out, *c.rows[kind])
	}
	return out
}

// print writes the table.
func (c *tally) print(w io.Writer) error {
	rows := c.list()
	if len(rows) == 0 {
		return nil
	}
	left, right := tw.AlignLeft, tw.AlignRight
	table := tablewriter.NewTable(w, tablewriter.WithConfig(tablewriter.Config{
		Header: tw.CellConfig{Formatting: tw.CellFormatting{AutoFormat: tw.Off}},
		Row:    tw.CellConfig{Alignment: tw.CellAlignment{PerColumn: []tw.Align{left, right, right}}},
		Footer: tw.CellConfig{Alignment: tw.CellAlignment{PerColumn: []tw.Align{left, right, right}}, Formatting: tw.CellFormatting{AutoFormat: tw.Off}},
	}))
	table.Header([]string{"fault", "survived of tried", "slowest"})
	var all row
	for _, r := range rows {
		slowest := ""
		if r.Slowest > 0 {
			slowest = r.Slowest.Round(time.Millisecond).String()
		}
		if err := table.Append([]string{r.Kind, fmt.Sprintf("%d of %d", r.Survived, r.Tried), slowest}); err != nil {
			return err
		}
		all.Tried, all.Survived = all.Tried+r.Tried, all.Survived+r.Survived
	}
	table.Footer([]string{"all", fmt.Sprintf("%d of %d", all.Survived, all.Tried), ""})
	return table.Render()
}

// save writes the rows as JSON to the file that FAULTS_JSON names, if it names one.
func (c *tally) save() error {
	path := os.Getenv("FAULTS_JSON")
	if path == "" {
		return nil
	}
	text, err := json.MarshalIndent(c.list(), "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o600)
}
