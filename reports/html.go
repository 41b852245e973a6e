package reports

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"io"
	"slices"
	"strings"
)

// The page's parts. plot.js is Observable Plot: its charts are SVG, which prints, scales, follows the reader's colours
// and carries labels for screen readers, where smaller libraries paint on a canvas that does none of it.
var (
	//go:embed html/page.html
	pageHTML string
	//go:embed html/page.css
	pageCSS string
	//go:embed html/page.js
	pageJS string
	//go:embed html/plot.js
	plotJS string
)

// htmlPage is what the template takes.
type htmlPage struct {
	Policy, Study, Title string
	Page                 htmlText
	Style                template.CSS
	Library, Script      template.JS
	Data                 template.JS // JSON, in a script element that is not run
}

// htmlText is a page as the template shows it.
type htmlText struct {
	Partial, Verdicts, Notes, Facts, Repeat []string
	Summary                                 []string // of the verdicts, when they are too many to read
	Grids                                   []htmlGrid
}

type htmlGrid struct {
	Title, Caption string
	Head           []htmlHead
	Rows           [][]htmlField
}

type htmlHead struct {
	Text  string
	Right bool
}

type htmlField struct{ Text, Class string }

// HTML writes one file that needs nothing else: tables, charts and every trial that did not pass. Its policy lets no
// request leave it and no script run but its own; every foreign text is put in as text.
func HTML(w io.Writer, t *Table) error {
	data, err := viewOf(t)
	if err != nil {
		return err
	}
	var encoded bytes.Buffer
	if err := writeJSON(&encoded, data, ""); err != nil {
		return err
	}
	tmpl, err := template.New("page").Parse(pageHTML)
	if err != nil {
		return err
	}
	return tmpl.Execute(w, htmlPage{
		Policy: "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; style-src 'unsafe-inline'; script-src " + sourceHash(plotJS) + " " + sourceHash(pageJS),
		Study:  name(t.Study), Title: clean(t.Texts.Title), Page: textOf(t),
		Style: template.CSS(pageCSS), Library: template.JS(plotJS), Script: template.JS(pageJS), Data: template.JS(encoded.String()), //nolint:gosec // ours, and JSON with its angle brackets escaped
	})
}

// sourceHash names a script in a content security policy.
func sourceHash(script string) string {
	sum := sha256.Sum256([]byte(script))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

func textOf(t *Table) htmlText {
	p := newPage(t)
	out := htmlText{
		Partial: escapeAll(p.partial, clean), Verdicts: escapeAll(p.verdicts, clean), Notes: escapeAll(p.notes, clean),
		Facts: escapeAll(p.facts, clean), Repeat: p.repeat,
	}
	if lines := verdictLines(t, p.verdicts); !slices.Equal(lines, p.verdicts) {
		out.Summary = escapeAll(lines[:len(lines)-1], clean) // the last names another format, and this page has the sentences
	}
	for _, g := range p.grids {
		h := htmlGrid{Title: clean(g.title), Caption: g.caption}
		for i, text := range g.head {
			h.Head = append(h.Head, htmlHead{clean(text), g.right[i]})
		}
		for _, row := range g.rows {
			fields := make([]htmlField, len(row))
			for i, text := range row {
				fields[i] = htmlField{Text: clean(text)}
				switch {
				case g.right[i]:
					fields[i].Class = "right"
				case g.head[i] == "metrics":
					fields[i].Class = "long metrics"
				case slices.Contains([]string{"classes", "excluded"}, g.head[i]):
					fields[i].Class = "long"
				}
			}
			h.Rows = append(h.Rows, fields)
		}
		out.Grids = append(out.Grids, h)
	}
	return out
}

// repeatCell is the command that repeats one cell of a campaign; empty when the campaign has none on record.
func repeatCell(repeat []string, s *Stratum, c *Cell) string {
	if len(repeat) == 0 {
		return ""
	}
	words := append(slices.Clone(repeat), "--on", s.Platform, "--stress", s.Stress)
	if !c.Control {
		words = append(words, "--variant", c.Variant)
	}
	for _, p := range s.Parameters {
		words = append(words, "--param", p.Name+"="+p.Value)
	}
	return shellLine(words)
}

// stratumKey finds a trial's stratum in a table.
func stratumKey(campaign, os, arch, cell string) string {
	return strings.Join([]string{campaign, os, arch, cell}, "\x00")
}
