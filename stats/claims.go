package stats

import "fmt"

// Test names the exact test of two arms.
type Test string

// The two exact tests.
const (
	BoschlooTest Test = "boschloo"
	FisherTest   Test = "fisher"
)

// Claims are the thresholds of a study. The zero value means 95 % confidence, Boschloo's
// test, Wilson intervals, 80 % power for further trials, no tolerated rate, no margin.
type Claims struct {
	Confidence float64 // 0 means 0.95
	Tolerate   float64 // highest rate that counts as fixed; 0 means none is stated
	Margin     float64 // largest difference that counts as equivalent; 0 means none is stated
	Power      float64 // 0 means 0.8
	Test       Test    // empty means Boschloo
	Interval   Method  // empty means Wilson
}

// withDefaults fills zero fields and refuses values outside their range.
func (c Claims) withDefaults() (Claims, error) {
	if c.Confidence == 0 {
		c.Confidence = 0.95
	}
	if c.Power == 0 {
		c.Power = 0.8
	}
	if c.Test == "" {
		c.Test = BoschlooTest
	}
	if c.Interval == "" {
		c.Interval = MethodWilson
	}
	if err := checkOpen("confidence", c.Confidence); err != nil {
		return c, err
	}
	if err := checkOpen("power", c.Power); err != nil {
		return c, err
	}
	for _, x := range []struct {
		name  string
		value float64
	}{{"tolerated rate", c.Tolerate}, {"margin", c.Margin}} {
		if x.value != 0 {
			if err := checkOpen(x.name, x.value); err != nil {
				return c, err
			}
		}
	}
	if c.Test != BoschlooTest && c.Test != FisherTest {
		return c, fmt.Errorf("test %q: use %q or %q", string(c.Test), BoschlooTest, FisherTest)
	}
	return c, nil
}

// exactTest runs the named test; Boschloo gives way to Fisher when the arms are too large
// for it, and the test that was run is returned.
func exactTest(test Test, base, variant Count) (float64, Test, error) {
	if test == BoschlooTest && base.N+variant.N <= boschlooMaxTrials {
		p, err := Boschloo(base, variant)
		return p, BoschlooTest, err
	}
	p, err := Fisher(base, variant)
	return p, FisherTest, err
}
