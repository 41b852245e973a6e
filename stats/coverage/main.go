// Command coverage draws the exact coverage of the single-rate intervals of package stats
// against the true rate, as an SVG for the documentation of the package. It takes the
// number of rates to enumerate and the file to write; it is no part of the product.
//
// Run from the stats folder: go run ./coverage -out coverage.svg
package main

import (
	"bytes"
	"flag"
	"fmt"
	"image/color"
	"os"

	"github.com/failrate/failrate/stats"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

func main() {
	out := flag.String("out", "coverage.svg", "file to write")
	rates := flag.Int("rates", 400, "rates to enumerate between 0 and 1")
	flag.Parse()
	data, err := render(*rates)
	if err == nil {
		err = os.WriteFile(*out, data, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

const level = 0.95

// render stacks one panel per number of trials.
func render(points int) ([]byte, error) {
	grid := make([]float64, points-1)
	for i := range grid {
		grid[i] = float64(i+1) / float64(points)
	}
	var rows [][]*plot.Plot
	for _, n := range []int64{10, 20, 50, 100} {
		p, err := panel(n, grid)
		if err != nil {
			return nil, err
		}
		rows = append(rows, []*plot.Plot{p})
	}
	canvas := vgsvg.New(22*vg.Centimeter, 30*vg.Centimeter)
	tiles := draw.Tiles{Rows: len(rows), Cols: 1, PadY: 4 * vg.Millimeter, PadTop: 2 * vg.Millimeter, PadBottom: 2 * vg.Millimeter, PadRight: 4 * vg.Millimeter, PadLeft: 2 * vg.Millimeter}
	for i, row := range plot.Align(rows, tiles, draw.New(canvas)) {
		rows[i][0].Draw(row[0])
	}
	var out bytes.Buffer
	if _, err := canvas.WriteTo(&out); err != nil {
		return nil, fmt.Errorf("write svg: %w", err)
	}
	return out.Bytes(), nil
}

// panel draws the three methods and the level.
func panel(n int64, grid []float64) (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text = fmt.Sprintf("Coverage of 95 %% intervals, %d trials", n)
	p.X.Label.Text, p.Y.Label.Text = "true rate", "coverage"
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 1, 0.80, 1
	p.Legend.Top, p.Legend.XOffs, p.Legend.YOffs = false, -4*vg.Millimeter, 2*vg.Millimeter
	for _, m := range []struct {
		method stats.Method
		color  color.RGBA
	}{
		{stats.MethodClopperPearson, color.RGBA{R: 0x44, G: 0x77, B: 0xaa, A: 0xff}},
		{stats.MethodJeffreys, color.RGBA{R: 0xcc, G: 0xbb, B: 0x44, A: 0xff}},
		{stats.MethodWilson, color.RGBA{R: 0xee, G: 0x66, B: 0x77, A: 0xff}},
	} {
		coverage, err := stats.Coverage(m.method, n, level, grid)
		if err != nil {
			return nil, err
		}
		line, err := plotter.NewLine(points(grid, coverage))
		if err != nil {
			return nil, fmt.Errorf("line of %s: %w", m.method, err)
		}
		line.Color, line.Width = m.color, vg.Points(0.9)
		p.Add(line)
		p.Legend.Add(string(m.method), line)
	}
	nominal, err := plotter.NewLine(plotter.XYs{{X: 0, Y: level}, {X: 1, Y: level}})
	if err != nil {
		return nil, fmt.Errorf("line of the level: %w", err)
	}
	nominal.Dashes = []vg.Length{vg.Points(4), vg.Points(3)}
	p.Add(nominal)
	return p, nil
}

// points cuts what lies below the panel.
func points(grid, coverage []float64) plotter.XYs {
	xy := make(plotter.XYs, len(grid))
	for i := range grid {
		xy[i].X, xy[i].Y = grid[i], max(coverage[i], 0.80)
	}
	return xy
}
