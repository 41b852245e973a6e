package reports

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"strings"
	"testing"
)

// TestPictures draws the hostile table and a campaign with a swept parameter.
func TestPictures(t *testing.T) {
	t.Parallel()
	hostileSVG := render(t, func(b *bytes.Buffer) error { return SVG(b, hostileTable(t)) })
	golden(t, "hostile.svg", hostileSVG)
	plain := plainTable(t, 40)
	for name, data := range map[string][]byte{"hostile": hostileSVG, "plain": render(t, func(b *bytes.Buffer) error { return SVG(b, plain) })} {
		texts := svgTexts(t, data)
		for _, want := range []string{"(baseline)", "failure rate"} {
			if !strings.Contains(texts, want) {
				t.Errorf("%s: the picture does not say %q", name, want)
			}
		}
		if name == "plain" && (!strings.Contains(texts, "against delay") || !strings.Contains(texts, "leaders-only  0/40")) {
			t.Errorf("the curve or a count is missing: %.2000s", texts)
		}
	}
	img, err := png.Decode(bytes.NewReader(render(t, func(b *bytes.Buffer) error { return PNG(b, plain) })))
	if err != nil {
		t.Fatal(err)
	}
	if size := img.Bounds().Size(); size.X != 1296 || size.Y < 1000 {
		t.Errorf("the picture has %v pixels", size)
	}
	if err := SVG(io.Discard, &Table{}); err == nil {
		t.Error("an empty table has a picture")
	}
}

// svgTexts parses a picture strictly, refuses every element that pictures here have no use for, and gives its texts.
func svgTexts(t *testing.T, data []byte) string {
	t.Helper()
	var out strings.Builder
	d := xml.NewDecoder(bytes.NewReader(data))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return out.String()
		}
		if err != nil {
			t.Fatalf("not well-formed: %v", err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			switch token.Name.Local {
			case "svg", "g", "path", "text", "rect", "clipPath", "defs", "style":
			default:
				t.Errorf("the picture holds <%s>", token.Name.Local)
			}
		case xml.CharData:
			out.Write(token)
			out.WriteByte('\n')
		}
	}
}

// TestCurves places durations, numbers and words.
func TestCurves(t *testing.T) {
	t.Parallel()
	curves := plainTable(t, 20).Curves()
	if len(curves) != 6 { // 3 variants on 2 platforms
		t.Fatalf("%d curves, want 6", len(curves))
	}
	c := curves[0]
	if c.Unit != "s" || len(c.Points) != 3 || c.Points[1].X != 50e-6 || c.Points[2].X != 1e-3 || c.Points[1].Count.N != 19 {
		t.Errorf("curve %+v", c)
	}
	spec := plainSpec("c1", 7, 5)
	for values, want := range map[string][]float64{"3 1 2": {1, 2, 3}, "low high": {0, 1}, "1 NaN": {0, 1}} {
		spec.parameters = strings.Fields(values)
		table, err := Read([]string{spec.write(t)})
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range table.Curves()[0].Points {
			if p.X != want[i] {
				t.Errorf("%s: point %d is at %g, want %g", values, i, p.X, want[i])
			}
		}
	}
}
