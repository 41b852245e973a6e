package nap

import (
	"testing"
	"time"
)

func TestForSleepsAtLeastThatLong(t *testing.T) {
	t.Parallel()
	for _, d := range []time.Duration{0, -time.Second, 50 * time.Microsecond, 3 * time.Millisecond} {
		start := time.Now()
		For(d)
		if got := time.Since(start); got < d {
			t.Errorf("For(%v) took %v", d, got)
		}
	}
}
