package stress

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// holderVariable makes the test binary a harness that holds a level until it is killed.
const holderVariable = "STRESS_TEST_HOLD"

func TestMain(m *testing.M) {
	if IsWorker() {
		os.Exit(RunWorker())
	}
	if text := os.Getenv(holderVariable); text != "" {
		os.Exit(holder(text))
	}
	os.Exit(m.Run())
}

// holder starts a level, says so, and never stops it.
func holder(text string) int {
	level, err := ParseLevel(text)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	l, err := Start(context.Background(), level, Options{Burst: os.Getenv(BurstVariable)})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println("holding", l.PID())
	select {}
}

// family is a holder and its workers. They all inherit one end of a pipe, so that its other end tells by an end of
// file, and by nothing else, that none of them is left.
type family struct {
	holder *exec.Cmd
	worker int
	alive  *os.File
}

func startFamily(t *testing.T, level string, env ...string) *family {
	t.Helper()
	alive, inherited, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { alive.Close() })
	f := &family{holder: exec.Command(os.Args[0]), alive: alive}
	f.holder.Env = append(os.Environ(), append(env, holderVariable+"="+level)...)
	f.holder.ExtraFiles = []*os.File{inherited}
	out, err := f.holder.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	err = f.holder.Start()
	inherited.Close()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = f.holder.Process.Kill()
		_ = f.holder.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if _, bad := fmt.Sscanf(line, "holding %d", &f.worker); err != nil || bad != nil || f.worker == 0 {
		t.Fatalf("the holder says %q, %v", line, err)
	}
	return f
}

// waitGone returns when no process of the family is left.
func (f *family) waitGone(t *testing.T) {
	t.Helper()
	if err := f.alive.SetReadDeadline(time.Now().Add(deadline)); err != nil {
		t.Fatal(err)
	}
	if b, err := io.ReadAll(f.alive); err != nil || len(b) != 0 {
		_ = syscall.Kill(f.worker, syscall.SIGKILL)
		t.Fatalf("the family is not gone: its pipe gives %q, %v", b, err)
	}
}
