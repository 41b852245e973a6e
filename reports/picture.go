package reports

import (
	"errors"
	"fmt"
	"image/color"
	"io"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// The bounds of a picture, for trackers that take pictures.
const (
	pictureWidth = 9 * vg.Inch
	maxPanels    = 16 // strata and curves; more do not fit a picture that can be read
)

// SVG draws the interval plot of every stratum, and the curve of every swept parameter.
func SVG(w io.Writer, t *Table) error {
	panels, err := panelsOf(t)
	if err != nil {
		return err
	}
	c := vgsvg.New(pictureWidth, heightOf(panels))
	drawPanels(draw.New(c), panels)
	_, err = c.WriteTo(w)
	return err
}

// PNG draws the same picture at 144 dots per inch.
func PNG(w io.Writer, t *Table) error {
	panels, err := panelsOf(t)
	if err != nil {
		return err
	}
	c := vgimg.NewWith(vgimg.UseWH(pictureWidth, heightOf(panels)), vgimg.UseDPI(144))
	drawPanels(draw.New(c), panels)
	_, err = vgimg.PngCanvas{Canvas: c}.WriteTo(w)
	return err
}

// panel is one plot and its height.
type panel struct {
	plot   *plot.Plot
	height vg.Length
}

func heightOf(panels []panel) vg.Length {
	h := vg.Length(0)
	for _, p := range panels {
		h += p.height
	}
	return h
}

func drawPanels(c draw.Canvas, panels []panel) {
	top := c.Max.Y
	for _, p := range panels {
		area := draw.Canvas{Canvas: c.Canvas, Rectangle: c.Rectangle}
		area.Max.Y, area.Min.Y = top-2*vg.Millimeter, top-p.height+2*vg.Millimeter
		area.Min.X, area.Max.X = c.Min.X+2*vg.Millimeter, c.Max.X-4*vg.Millimeter
		p.plot.Draw(area)
		top -= p.height
	}
}

func panelsOf(t *Table) ([]panel, error) {
	var out []panel
	for i := range t.Strata {
		p, err := intervalPanel(t, &t.Strata[i])
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	curves, err := curvePanels(t)
	if err != nil {
		return nil, err
	}
	out = append(out, curves...)
	if len(out) == 0 {
		return nil, errors.New("the table has no stratum to draw")
	}
	for _, p := range curves {
		p.plot.Y.Max *= 1.2 // room for the legend
	}
	if len(out) > maxPanels {
		left := len(out) - maxPanels
		out = out[:maxPanels]
		last := out[maxPanels-1].plot
		last.X.Label.Text = fmt.Sprintf("%s — %d more panels are left out; the HTML form has them", last.X.Label.Text, left)
	}
	return out, nil
}

// intervalPanel draws rates with their intervals, one line a variant; the baseline's rate is marked through all lines.
func intervalPanel(t *Table, s *Stratum) (panel, error) {
	p := plot.New()
	p.Title.Text = fmt.Sprintf("%s: failure rate with %g %% interval", name(s.ID), 100*t.Level)
	p.X.Label.Text, p.X.Min, p.X.Tick.Marker = "failure rate", 0, percentTicks{}
	p.X.Max = 0.01
	n := len(s.Cells)
	p.Y.Min, p.Y.Max = -0.6, float64(n)-0.4
	var ticks []plot.Tick
	for i, c := range s.Cells {
		y := float64(n - 1 - i)
		ticks = append(ticks, plot.Tick{Value: y, Label: fmt.Sprintf("%s  %d/%d", variantLabel(c), c.Rate.K, c.Rate.N)})
		if c.Interval.Level == 0 {
			continue
		}
		p.X.Max = max(p.X.Max, min(1, c.Interval.High*1.05))
		if err := addInterval(p, c, y); err != nil {
			return panel{}, err
		}
		if c.Baseline {
			line, err := plotter.NewLine(plotter.XYs{{X: c.Rate.Rate(), Y: p.Y.Min}, {X: c.Rate.Rate(), Y: p.Y.Max}})
			if err != nil {
				return panel{}, err
			}
			line.Color, line.Dashes = color.Gray{0x77}, []vg.Length{vg.Points(3), vg.Points(3)}
			p.Add(line)
		}
	}
	p.Y.Tick.Marker = plot.ConstantTicks(ticks)
	p.Y.Tick.Length, p.Y.LineStyle.Width = 0, 0
	return panel{p, vg.Length(n)*0.3*vg.Inch + 1.1*vg.Inch}, nil
}

// variantLabel is the variant's name as short as a picture needs it.
func variantLabel(c Cell) string {
	text := cleanTo(c.Variant, 32)
	switch {
	case c.Baseline:
		text += " (baseline)"
	case c.Control:
		text += " (control)"
	}
	return text
}

// addInterval draws a bar from bound to bound and a dot at the rate. The verdict is told by the dot's shape as well as
// by its colour.
func addInterval(p *plot.Plot, c Cell, y float64) error {
	bar, err := plotter.NewLine(plotter.XYs{{X: c.Interval.Low, Y: y}, {X: c.Interval.High, Y: y}})
	if err != nil {
		return err
	}
	dot, err := plotter.NewScatter(plotter.XYs{{X: c.Rate.Rate(), Y: y}})
	if err != nil {
		return err
	}
	tint, shape := look(c)
	bar.Color, bar.Width = tint, vg.Points(2)
	dot.Color, dot.Radius, dot.Shape = tint, vg.Points(4), shape
	p.Add(bar, dot)
	return nil
}

// look gives a cell its colour and shape. The colours are Okabe and Ito's, which colour-blind readers can tell apart.
func look(c Cell) (color.Color, draw.GlyphDrawer) {
	if c.Comparison == nil {
		return color.RGBA{0x33, 0x33, 0x33, 0xff}, draw.SquareGlyph{}
	}
	switch v := c.Comparison.Verdict; {
	case v == "fixed" || v == "better":
		return palette[0], draw.CircleGlyph{}
	case v == "worse":
		return palette[1], draw.TriangleGlyph{}
	}
	return color.Gray{0x77}, draw.RingGlyph{}
}

var palette = []color.RGBA{
	{0x00, 0x72, 0xb2, 0xff}, {0xd5, 0x5e, 0x00, 0xff}, {0x00, 0x9e, 0x73, 0xff}, {0xcc, 0x79, 0xa7, 0xff},
	{0xe6, 0x9f, 0x00, 0xff}, {0x56, 0xb4, 0xe9, 0xff}, {0x33, 0x33, 0x33, 0xff},
}

// curvePanels draws the curves of one parameter and place together.
func curvePanels(t *Table) ([]panel, error) {
	var out []panel
	var plots []*plot.Plot
	at := map[[2]string]int{}
	drawn := map[int]int{}
	for _, c := range t.Curves() {
		key := [2]string{c.Parameter, c.Where}
		i, known := at[key]
		if !known {
			i = len(plots)
			at[key] = i
			p := plot.New()
			p.Title.Text = fmt.Sprintf("%s: failure rate against %s, with %g %% intervals", name(c.Where), name(c.Parameter), 100*t.Level)
			p.X.Label.Text, p.Y.Min, p.Y.Tick.Marker, p.Legend.Top = axisLabel(c), 0, percentTicks{}, true
			plots, out = append(plots, p), append(out, panel{p, 3.4 * vg.Inch})
		}
		if err := addCurve(plots[i], c, drawn[i]); err != nil {
			return nil, err
		}
		drawn[i]++
	}
	return out, nil
}

func axisLabel(c Curve) string {
	if c.Unit == "" {
		return name(c.Parameter)
	}
	return name(c.Parameter) + ", " + c.Unit
}

func addCurve(p *plot.Plot, c Curve, nth int) error {
	var line plotter.XYs
	band := make(plotter.XYs, 2*len(c.Points))
	for i, at := range c.Points {
		line = append(line, plotter.XY{X: at.X, Y: at.Count.Rate()})
		band[i] = plotter.XY{X: at.X, Y: at.Interval.High}
		band[len(band)-1-i] = plotter.XY{X: at.X, Y: at.Interval.Low}
	}
	tint := palette[nth%len(palette)]
	area, err := plotter.NewPolygon(band)
	if err != nil {
		return err
	}
	area.Color, area.LineStyle.Width = color.NRGBA{tint.R, tint.G, tint.B, 0x33}, 0
	l, dots, err := plotter.NewLinePoints(line)
	if err != nil {
		return err
	}
	l.Color, dots.Color = tint, tint
	l.Width, dots.Shape = vg.Points(1.5), glyphs[nth%len(glyphs)]
	l.Dashes = dashes[nth%len(dashes)]
	p.Add(area, l, dots)
	p.Legend.Add(cleanTo(c.Variant, 32), l, dots)
	return nil
}

var (
	glyphs = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.TriangleGlyph{}, draw.SquareGlyph{}, draw.PyramidGlyph{}, draw.RingGlyph{}}
	dashes = [][]vg.Length{nil, {vg.Points(6), vg.Points(2)}, {vg.Points(2), vg.Points(2)}, {vg.Points(8), vg.Points(2), vg.Points(2), vg.Points(2)}}
)

// percentTicks labels shares as percentages.
type percentTicks struct{}

// Ticks gives the default ticks, labelled as percentages.
func (percentTicks) Ticks(low, high float64) []plot.Tick {
	ticks := plot.DefaultTicks{}.Ticks(low, high)
	for i := range ticks {
		if ticks[i].Label != "" {
			ticks[i].Label = strings.TrimSuffix(fmt.Sprintf("%.4g", math.Round(1e6*ticks[i].Value)/1e4), ".0") + " %"
		}
	}
	return ticks
}
