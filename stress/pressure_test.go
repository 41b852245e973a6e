package stress

import (
	"errors"
	"io/fs"
	"testing"
	"time"
)

func TestReadPressureOfACgroup(t *testing.T) {
	t.Parallel()
	got, err := ReadPressure("testdata/cpu.pressure")
	want := Pressure{Some: 1532160 * time.Microsecond, Full: 1532158 * time.Microsecond}
	if err != nil || got != want {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
	if _, err := ReadPressure("testdata/nowhere"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v for a missing file", err)
	}
}

func TestDamagedPressureIsAnError(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "some", "full avg10=0.00 total=3\n", "some avg10=0 total=\n", "some total=-1\n", "some total=99999999999999999999\n", "some total=1 2\n"} {
		if p, err := parsePressure(text); err == nil {
			t.Errorf("pressure %q is %+v", text, p)
		}
	}
}
