package steps

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestMain lets tests run this program as the subject of a trial.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == Argument {
		os.Exit(Main())
	}
	os.Exit(m.Run())
}

// subject is a process that runs a script; no script means an environment without one.
func subject(t *testing.T, script string, records string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), self, Argument)
	c.Env = []string{"FAILRATE_RECORDS=" + records}
	if script != "" {
		c.Env = append(c.Env, Variable+"="+script)
	}
	return c
}

func TestProgram(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		steps          []Step
		outcome, class string
		status         int
	}{
		"pass":   {[]Step{{Name: "a", Wait: "0s"}}, Passed, "", 0},
		"fail":   {[]Step{{Differ: []string{"a", "a"}, Class: "c"}}, Failed, "c", 1},
		"broken": {[]Step{{Wait: "{nobody}"}}, Broken, "", 1},
	} {
		script, err := Script{c.steps}.Encode()
		if err != nil {
			t.Fatal(err)
		}
		records := filepath.Join(t.TempDir(), "records")
		p := subject(t, script, records)
		out, err := p.CombinedOutput()
		text, rerr := os.ReadFile(records)
		if rerr != nil {
			t.Fatal(rerr, err, string(out))
		}
		var r Record
		if err := json.Unmarshal(text, &r); err != nil || r.Outcome != c.outcome || r.Class != c.class || p.ProcessState.ExitCode() != c.status || !strings.HasSuffix(string(text), "}\n") {
			t.Errorf("%s: %v, %s, %s", name, p.ProcessState, text, out)
		}
	}
}

// A program that cannot say what became of the trial says so, and does not pass.
func TestProgramWithoutAScript(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]string{
		"":                          "error: FAILRATE_STEPS holds no steps",
		"{":                         "error: read the steps: ",
		`{"steps":[{"wait":"0s"}]}`: "error: write the record: ",
	} {
		out, err := subject(t, script, "/nowhere/records").CombinedOutput()
		if !strings.Contains(string(out), want) || err == nil || err.Error() != "exit status 2" {
			t.Errorf("%s: %v, %s", script, err, out)
		}
	}
}

func TestTerm(t *testing.T) {
	t.Parallel()
	records := filepath.Join(t.TempDir(), "records")
	p := subject(t, `{"steps":[{"wait":"1h"}]}`, records)
	out, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	begun := make([]byte, 1)
	if _, err := out.Read(begun); err != nil {
		t.Fatal(err)
	}
	if err := p.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := p.Wait(); err == nil || err.Error() != "signal: terminated" {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(records); err == nil {
		t.Error("there is a record")
	}
}
