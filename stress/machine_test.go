package stress

import (
	"testing"
	"time"
)

func TestShares(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name           string
		before, after  machine
		busy, pressure float64 // -1 means unknown
	}{
		{"a quarter busy, half the time waiting", machine{busy: 100, all: 1000, pressure: true},
			machine{busy: 110, all: 1040, waited: time.Second, pressure: true}, 0.25, 0.5},
		{"idle", machine{busy: 100, all: 1000, pressure: true}, machine{busy: 100, all: 1010, pressure: true}, 0, 0},
		{"not readable", machine{}, machine{}, -1, -1},
		{"readable only later", machine{}, machine{busy: 1, all: 2, waited: 1, pressure: true}, -1, -1},
		{"too short for a tick", machine{busy: 100, all: 1000}, machine{busy: 100, all: 1000}, -1, -1},
		{"counters that went back", machine{busy: 100, all: 1000, waited: 5, pressure: true}, machine{busy: 90, all: 1100, pressure: true}, -1, -1},
		{"more waiting than time", machine{busy: 1, all: 1, pressure: true}, machine{busy: 3, all: 2, waited: time.Hour, pressure: true}, 1, 1},
	} {
		for name, got := range map[string]struct {
			share *float64
			want  float64
		}{
			"busy":     {c.after.busyShare(c.before), c.busy},
			"pressure": {c.after.pressureShare(c.before, 2*time.Second), c.pressure},
		} {
			if got.share == nil && got.want != -1 || got.share != nil && *got.share != got.want {
				t.Errorf("%s: %s share %v, want %v", c.name, name, got.share, got.want)
			}
		}
	}
}
