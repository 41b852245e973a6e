package stress

import (
	"strings"
	"testing"
	"time"
)

func TestReadOrders(t *testing.T) {
	t.Parallel()
	level := Level{CPU: 2, Duty: 0.5, Burst: true, Place: Inside}
	args := append(level.WorkerArgs(7*time.Millisecond), "-cores=3", "-burst=/tmp/burst")
	got, err := readOrders(args)
	if want := (orders{level: level, cores: 3, path: "/tmp/burst", window: 7 * time.Millisecond}); err != nil || got != want {
		t.Errorf("%q are %+v, %v, want %+v", args, got, err, want)
	}
	got, err = readOrders(Level{Workers: 1}.WorkerArgs(0))
	if err != nil || got.window != DefaultWindow || got.cores < 1 || got.serve {
		t.Errorf("the defaults are %+v, %v", got, err)
	}
}

func TestBurstFileFromTheEnvironment(t *testing.T) {
	t.Setenv(BurstVariable, "/failrate/burst")
	got, err := readOrders(Level{Workers: 1, Burst: true}.WorkerArgs(0))
	if err != nil || got.path != "/failrate/burst" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestReadOrdersRefuses(t *testing.T) {
	t.Setenv(BurstVariable, "")
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, `unknown word ""`},
		{[]string{"-level=none"}, "has no workers"},
		{[]string{"-level=quota 1"}, "has no workers"},
		{[]string{"-level=burst"}, "set FAILRATE_BURST"},
		{[]string{"-level=1x", "-window=-1s"}, "is no burst"},
		{[]string{"-nice=3"}, "-nice"},
	} {
		if o, err := readOrders(c.args); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q are %+v, error %v, want one with %q", c.args, o, err, c.want)
		}
	}
}

func TestUsageTravels(t *testing.T) {
	t.Parallel()
	want := usage{workers: 4, at: time.Second, cpu: 1500 * time.Millisecond, bursts: 2, bursting: 60 * time.Millisecond}
	if got, err := parseUsage(want.String() + "\n"); err != nil || got != want {
		t.Errorf("%q is %+v, %v", want, got, err)
	}
	for _, line := range []string{"", "\n", "usage", "usage 1 2 3 4\n", "usage 1 2 3 4 5 6\n", "usage 1 2 3 4 5x\n", "usage 01 2 3 4 5\n", "ok\t0.1s\n", strings.Repeat("x", 500)} {
		if got, err := parseUsage(line); err == nil || len(err.Error()) > 300 {
			t.Errorf("%.20q is %+v, error %v", line, got, err)
		}
	}
}

func TestUsageGivesCores(t *testing.T) {
	t.Parallel()
	before := usage{at: time.Second, cpu: time.Second}
	for after, want := range map[usage]float64{
		{at: 3 * time.Second, cpu: 4 * time.Second}: 1.5,
		{at: 3 * time.Second, cpu: time.Second}:     0,
		before:                                      0,
	} {
		if got := after.cores(before); got != want {
			t.Errorf("%+v is %v cores, want %v", after, got, want)
		}
	}
}
