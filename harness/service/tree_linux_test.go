package service

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/failrate/failrate/harness/study"
)

func TestAServicesTreeEndsWithIt(t *testing.T) {
	t.Parallel()
	b := newBench(t, study.NativeShared)
	script := `(setsid sh -c 'trap "" TERM; echo $$ > pid; echo ready; while :; do sleep 1; done' &) ; sleep 1000`
	if o, _ := b.run(t.Context(), t, "true", service("node", script)); o.Exit != 0 || o.Fault != "" {
		t.Errorf("%+v", o)
	}
	pid, err := os.ReadFile(filepath.Join(b.dir, "tree", "pid"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat("/proc/" + strings.TrimSpace(string(pid))); err == nil {
		t.Errorf("process %s is left", pid)
	}
}
