package reports

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"testing"
)

func TestFractionsHaveTwelveDigits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, want string }{
		{`0.037`, `0.037`},
		{`0.30000000000000004`, `0.3`},
		{`-0.12345678901251`, `-0.123456789013`},
		{`1.2345678901234567e-9`, `1.23456789012e-9`},
		{`123456789012345678`, `123456789012345678`}, // a count is whole, and stays
		{`99999999999999.9`, `100000000000000`},
		{`["0.30000000000000004","\"0.30000000000000004\\",0.30000000000000004,1]`, `["0.30000000000000004","\"0.30000000000000004\\",0.3,1]`},
		{`{"a":1.7976931348623157e+308}`, `{"a":1.79769313486e+308}`},
	} {
		if got := string(shortened([]byte(c.in))); got != c.want {
			t.Errorf("%s: %s, want %s", c.in, got, c.want)
		}
	}
}

// TestTheCPUDoesNotShow encodes what two CPUs may make of the same sum.
func TestTheCPUDoesNotShow(t *testing.T) {
	t.Parallel()
	a, b, c := 0.1, 10.0, -1.0
	fused, apart := math.FMA(a, b, c), float64(a*b)+c
	if fused == apart {
		t.Fatal("this sum does not tell the two apart")
	}
	for _, x := range []float64{0.31, 2.0 / 3, 1e-7 / 3} {
		var first, second bytes.Buffer
		if err := writeJSON(&first, x, ""); err != nil {
			t.Fatal(err)
		}
		if err := writeJSON(&second, x*(1+fused), ""); err != nil {
			t.Fatal(err)
		}
		if first.String() != second.String() {
			t.Errorf("%s and %s", first.String(), second.String())
		}
	}
}

// FuzzShortened holds that only the last digits of fractions change.
func FuzzShortened(f *testing.F) {
	for _, s := range []string{`{"a\"0.1234567890123456":[0.1234567890123456,-1e-300,null,true,"é\\"]}`, `1`, `"\\"`, `1.5E+0000000000007`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var before, after any
		if json.Unmarshal(text, &before) != nil {
			return
		}
		if err := json.Unmarshal(shortened(text), &after); err != nil {
			t.Fatalf("%q is no longer JSON: %v", shortened(text), err)
		}
		if !near(before, after) {
			t.Errorf("%q became %q", text, shortened(text))
		}
	})
}

func near(a, b any) bool {
	switch a := a.(type) {
	case float64:
		b, ok := b.(float64)
		return ok && math.Abs(a-b) <= 1e-11*math.Abs(a)
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !near(a[i], b[i]) {
				return false
			}
		}
		return true
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for k := range a {
			if !near(a[k], b[k]) {
				return false
			}
		}
		return true
	}
	return reflect.DeepEqual(a, b)
}
