package journal

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/failrate/failrate/harness/plan"
)

// A harness is killed while it appends, again and again, each time after some more acknowledgements than before. Nothing that was acknowledged may be missing, no trial may be done twice, and in the end the campaign is
// what an undisturbed one is.
func TestKilledHarnessLosesNothingAcknowledged(t *testing.T) {
	t.Parallel()
	h := testHeader(60)
	dir := written(t, filepath.Join(t.TempDir(), "killed"), h, 0)
	var acknowledged []string
	kills := 0
	for lines := 1; ; lines += 7 {
		said, killed := runHarness(t, dir, lines)
		acknowledged = append(acknowledged, said...)
		missing(t, dir, acknowledged)
		if !killed {
			break
		}
		kills++
	}
	if kills < 5 {
		t.Fatalf("only %d kills before the campaign was complete", kills)
	}
	ended := map[string]bool{}
	for _, line := range acknowledged {
		if id, ok := strings.CutPrefix(line, "finished "); ok {
			trial, _, _ := strings.Cut(id, "!")
			if ended[trial] {
				t.Errorf("trial %s finished twice", trial)
			}
			ended[trial] = true
		}
	}
	whole := written(t, filepath.Join(t.TempDir(), "whole"), h, -1)
	if got, want := results(t, dir), results(t, whole); !slices.Equal(got, want) {
		t.Errorf("after %d kills the results are\n%v, undisturbed they are\n%v", kills, got, want)
	}
}

// runHarness runs a harness for some records and two more, kills it after some acknowledgements, and gives all that it said.
func runHarness(t *testing.T, dir string, lines int) (said []string, killed bool) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), exe)
	c.Env = append(os.Environ(), childDir+"="+dir)
	allowed, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := allowed.Write(make([]byte, lines+2)); err != nil { // the kill meets it while it appends the last two
		t.Fatal(err)
	}
	in := bufio.NewScanner(out)
	for in.Scan() {
		if said = append(said, in.Text()); len(said) == lines {
			killed = c.Process.Kill() == nil // and the lines that are in the pipe count as well
		}
	}
	err = c.Wait()
	if len(said) > 0 && said[len(said)-1] == "complete" {
		return said, false
	}
	var exit *exec.ExitError
	if !killed || !errors.As(err, &exit) || exit.Exited() {
		t.Fatalf("the harness ended by itself: %v, after %q", err, said)
	}
	return said, true
}

// missing reports acknowledged records that the journal lacks.
func missing(t *testing.T, dir string, acknowledged []string) {
	t.Helper()
	data := string(read(t, dir))
	for _, line := range acknowledged {
		kind, id, _ := strings.Cut(line, " ")
		if id != "" && !strings.Contains(data, `{"type":"`+kind+`","id":"`+id+`"`) {
			t.Fatalf("%s was acknowledged and is not in the journal", line)
		}
	}
}

// results lists the outcome of every trial in plan order.
func results(t testing.TB, dirs ...string) (out []string) {
	t.Helper()
	var sources []Source
	for _, dir := range dirs {
		found, err := Find(dir, Limits{})
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, found...)
	}
	m, err := Merge(sources, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	cells := m.Header.Plan.Cells()
	if err := m.Each(func(tr *Trial) error {
		out = append(out, strings.Join([]string{m.Journals[tr.Journal].Header.Host.System(), plan.TrialID(cells[tr.Cell].ID(), tr.Number),
			tr.Outcome.String(), tr.Class, tr.Wall.String()}, " "))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	return out
}
