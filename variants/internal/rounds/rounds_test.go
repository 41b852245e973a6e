package rounds

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRecordsAreOneJSONLineForEachRound(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "records")
	rec, err := NewRecorder(path, map[string]string{"gomaxprocs": "4"})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []Round{
		{Outcome: Fail, Class: "committed", Evidence: []string{"cut"}, Metrics: map[string]float64{"notice_us": 31.2}},
		{Outcome: Pass},
		{Outcome: Broken, Message: "a\nline \"break\""},
	} {
		if err := rec.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"outcome":"fail","class":"committed","evidence":["cut"],"metrics":{"notice_us":31.2},"facts":{"gomaxprocs":"4"}}
{"outcome":"pass"}
{"outcome":"broken","message":"a\nline \"break\""}
`
	if string(text) != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
}

func TestRecordsAreAppended(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "records")
	for range 2 {
		rec, err := NewRecorder(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := rec.Add(Round{Outcome: Pass}); err != nil {
			t.Fatal(err)
		}
		rec.Close()
	}
	text, _ := os.ReadFile(path)
	if got := strings.Count(string(text), "\n"); got != 2 {
		t.Errorf("%d lines, want 2", got)
	}
}

func TestARecorderWithoutAFileTallies(t *testing.T) {
	t.Parallel()
	rec, err := NewRecorder("", map[string]string{"a": "b"})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		round := Round{Outcome: Pass, Metrics: map[string]float64{"us": float64(i)}, Evidence: []string{"cut"}}
		if i < 3 {
			round.Outcome, round.Class = Fail, "committed"
		}
		rec.Add(round)
	}
	rec.Add(Round{Outcome: Broken, Message: "port"})
	tally := &rec.Tally
	if tally.Rounds() != 11 || tally.Outcomes[Pass] != 7 || tally.Outcomes[Fail] != 3 || tally.Outcomes[Broken] != 1 {
		t.Errorf("outcomes %v", tally.Outcomes)
	}
	if tally.Classes["committed"] != 3 || tally.Evidence["cut"] != 10 || tally.Broken["port"] != 1 {
		t.Errorf("tally %+v", tally)
	}
	if lo, mid, hi := tally.Quantile("us", 0), tally.Quantile("us", 0.5), tally.Quantile("us", 1); lo != 0 || mid != 5 || hi != 9 {
		t.Errorf("quantiles %v %v %v, want 0 5 9", lo, mid, hi)
	}
	if got := tally.Sum("us"); got != 45 {
		t.Errorf("sum %v, want 45", got)
	}
	if tally.Quantile("none", 0.5) != 0 || len(tally.Metrics()) != 1 {
		t.Errorf("metrics %v", tally.Metrics())
	}
	if err := rec.Close(); err != nil {
		t.Error(err)
	}
}

func TestARecordsFileThatCannotBeOpenedIsAnError(t *testing.T) {
	t.Parallel()
	if _, err := NewRecorder(filepath.Join(t.TempDir(), "missing", "records"), nil); err == nil || !strings.Contains(err.Error(), "records") {
		t.Errorf("got %v", err)
	}
}

func TestPlaceComesFromTheEnvironment(t *testing.T) {
	t.Parallel()
	env := map[string]string{"FAILRATE_TRIAL": "a/native/none#0001", "FAILRATE_SEED": "7", "FAILRATE_RECORDS": "/r", "FAILRATE_BURST": "/b"}
	want := Place{Trial: "a/native/none#0001", Seed: "7", Records: "/r", Burst: "/b"}
	if got := PlaceFrom(func(name string) string { return env[name] }); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestHostFactsAreAllKnown(t *testing.T) {
	t.Parallel()
	for name, value := range HostFacts() {
		if value == "" || value == "unknown" || value == "0" {
			t.Errorf("%s is %q", name, value)
		}
	}
	if _, err := json.Marshal(HostFacts()); err != nil {
		t.Error(err)
	}
}
