package reports

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/failrate/failrate/harness/classify"
	"github.com/failrate/failrate/harness/journal"
)

// errNoTrials says that a table was made without its journals.
var errNoTrials = errors.New("the table has no trials at hand: read it from the results folder")

// CSV writes one row a trial (RFC 4180), streaming, in the plan's order. Control characters in foreign texts are written
// as U+FFFD; a text that a spreadsheet would run as a formula has an apostrophe before it, as has one that begins with an
// apostrophe: drop one to read the text.
func CSV(w io.Writer, t *Table) error {
	if t.Trials == nil {
		return errNoTrials
	}
	out := csv.NewWriter(w)
	out.UseCRLF = true
	row := make([]string, len(csvColumns))
	for i, c := range csvColumns {
		row[i] = c.name
	}
	if err := out.Write(row); err != nil {
		return err
	}
	err := t.Trials(func(tr *Trial) error {
		for i, c := range csvColumns {
			row[i] = c.text(t, tr)
		}
		return out.Write(row)
	})
	out.Flush()
	return errors.Join(err, out.Error())
}

type csvColumn struct {
	name string
	text func(*Table, *Trial) string
}

// trialText makes a column of a foreign text.
func trialText(get func(*Table, *Trial) string) func(*Table, *Trial) string {
	return func(t *Table, tr *Trial) string { return noFormula(printable(get(t, tr))) }
}

var csvColumns = []csvColumn{
	{"trial", trialText(func(_ *Table, tr *Trial) string { return tr.ID })},
	{"variant", trialText(func(_ *Table, tr *Trial) string { return tr.Cell.Variant })},
	{"role", func(_ *Table, tr *Trial) string {
		return role(Cell{Baseline: tr.Baseline, Control: tr.Cell.Control})
	}},
	{"platform", func(_ *Table, tr *Trial) string { return string(tr.Cell.Platform) }},
	{"os", trialText(func(_ *Table, tr *Trial) string { return tr.OS })},
	{"arch", trialText(func(_ *Table, tr *Trial) string { return tr.Arch })},
	{"stress", trialText(func(_ *Table, tr *Trial) string { return tr.Cell.Stress })},
	{"parameters", trialText(func(_ *Table, tr *Trial) string { return parameterText(tr) })},
	{"block", func(_ *Table, tr *Trial) string { return strconv.Itoa(tr.Number) }},
	{"phase", func(_ *Table, tr *Trial) string { return string(tr.Phase) }},
	{"campaign", trialText(func(t *Table, tr *Trial) string { return t.Sources[tr.Source].Campaign })},
	{"shard", trialText(func(t *Table, tr *Trial) string { return t.Sources[tr.Source].Shard })},
	{"host", trialText(func(t *Table, tr *Trial) string { return t.Sources[tr.Source].Host.Name })},
	{"attempts", func(_ *Table, tr *Trial) string { return strconv.Itoa(tr.Attempts) }},
	{"started", func(_ *Table, tr *Trial) string {
		if tr.Started.IsZero() {
			return ""
		}
		return tr.Started.UTC().Format(time.RFC3339Nano)
	}},
	{"outcome", func(_ *Table, tr *Trial) string { return tr.Outcome.String() }},
	{"class", trialText(func(_ *Table, tr *Trial) string { return tr.Class })},
	{"reason", trialText(func(_ *Table, tr *Trial) string {
		if tr.Outcome == classify.Pass {
			return ""
		}
		return tr.why()
	})},
	{"evidence", trialText(func(_ *Table, tr *Trial) string { return strings.Join(tr.Evidence, " ") })},
	{"wall_s", ended(func(tr *Trial) string { return secondsText(tr.Wall) })},
	{"user_s", ended(func(tr *Trial) string { return secondsText(tr.User) })},
	{"system_s", ended(func(tr *Trial) string { return secondsText(tr.System) })},
	{"max_rss_bytes", ended(func(tr *Trial) string { return strconv.FormatInt(tr.MaxRSS, 10) })},
	{"exit", ended(func(tr *Trial) string { return strconv.Itoa(tr.Exit) })},
	{"signal", trialText(func(_ *Table, tr *Trial) string { return tr.Signal })},
	{"rounds", func(_ *Table, tr *Trial) string {
		return roundsText(tr, func(r *classify.Rounds) int { return r.N })
	}},
	{"rounds_failed", func(_ *Table, tr *Trial) string {
		return roundsText(tr, func(r *classify.Rounds) int { return r.Failed })
	}},
	{"stress_cores", func(_ *Table, tr *Trial) string { return share(tr.Cores) }},
	{"machine_busy", func(_ *Table, tr *Trial) string { return share(tr.Busy) }},
	{"metrics", trialText(func(_ *Table, tr *Trial) string { return metricsJSON(tr.Metrics) })},
	{"output_bytes", ended(func(tr *Trial) string { return strconv.FormatInt(tr.Output, 10) })},
	{"log", trialText(func(_ *Table, tr *Trial) string {
		if tr.Outcome == classify.Pass || tr.Outcome == classify.Lost || tr.Output == 0 {
			return ""
		}
		return logFile(tr.Attempt)
	})},
}

// ended makes a column that a trial without an end leaves empty.
func ended(get func(*Trial) string) func(*Table, *Trial) string {
	return func(_ *Table, tr *Trial) string {
		if tr.Outcome == classify.Lost {
			return ""
		}
		return get(tr)
	}
}

func noFormula(s string) string {
	if s != "" && strings.ContainsRune("=+-@'\t\r\n", rune(s[0])) {
		return "'" + s
	}
	return s
}

func parameterText(tr *Trial) string {
	parts := make([]string, 0, len(tr.Cell.Parameters))
	for _, p := range tr.Cell.Parameters {
		parts = append(parts, p.Name+"="+p.Value)
	}
	return strings.Join(parts, " ")
}

func secondsText(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) }

func roundsText(tr *Trial, get func(*classify.Rounds) int) string {
	if tr.Rounds == nil {
		return ""
	}
	return strconv.Itoa(get(tr.Rounds))
}

func share(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'f', 4, 64)
}

// metricsJSON writes numbers by name as JSON, sorted; empty when there are none.
func metricsJSON(metrics []journal.Metric) string {
	if len(metrics) == 0 {
		return ""
	}
	values := make(map[string]float64, len(metrics))
	for _, m := range metrics {
		values[m.Name] = m.Value
	}
	data, err := json.Marshal(values)
	if err != nil { // a number that is none: the journal, which is JSON, cannot hold one
		return fmt.Sprint(err)
	}
	return string(data)
}
