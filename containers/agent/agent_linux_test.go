package agent

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestParseStat(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]process{
		"12 (sh) S 1 12 12":         {pid: 12, parent: 1, name: "sh", state: 'S'},
		"7 (a) b (c)) Z 3 0":        {pid: 7, parent: 3, name: "a) b (c)", state: 'Z'},
		"7 (a\x1b[31m\n\xff) R 3 0": {pid: 7, parent: 3, name: "a?[31m??", state: 'R'},
		"7 () D 3 0":                {pid: 7, parent: 3, state: 'D'},
		"":                          {},
		"7 (x":                      {},
		"x (x) R 3":                 {},
		"7 (x) R":                   {},
		"7 (x) RR 3":                {},
		") 7 (":                     {},
	} {
		got, ok := parseStat(text)
		if ok != (want.pid != 0) || ok && got != want {
			t.Errorf("%q: got %+v, %t; want %+v", text, got, ok, want)
		}
	}
	headless := "9 (h) Z 1 9 9 0 -1 0 0 0 0 0 0 0 0 0 20 0 2 0 5"
	if p, ok := parseStat(headless); !ok || p.threads != 2 || p.ended() {
		t.Errorf("a process without its first thread: %+v, %t", p, ok)
	}
	own, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		t.Fatal(err)
	}
	if p, ok := parseStat(string(own)); !ok || p.pid != os.Getpid() || p.parent != os.Getppid() {
		t.Errorf("of this process: %+v, %t", p, ok)
	}
}

func TestDescribe(t *testing.T) {
	t.Parallel()
	if got := describe([]process{{pid: 3, name: "a b"}, {pid: 4, name: "c"}}); !slices.Equal(got, []string{"a b (3)", "c (4)"}) {
		t.Errorf("%q", got)
	}
	if got := describe(make([]process, 50)); len(got) != maxLeaked {
		t.Errorf("%d names", len(got))
	}
}

func TestSignalName(t *testing.T) {
	t.Parallel()
	for s := syscall.Signal(1); s < 65; s++ {
		name, usual := signalName(s), strings.HasPrefix(signalName(s), "SIG")
		if want := s < 32 && !slices.Contains([]syscall.Signal{17, 18, 19, 20, 21, 22, 23, 28}, s); usual != want { // those end no process
			t.Errorf("%d is %q", s, name)
		}
	}
}

func TestSumPackets(t *testing.T) {
	t.Parallel()
	const text = `Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo:     840      10    0    0    0     0          0         0      840      11    0    0    0     0       0          0
  eth0:123      200    0    0    0     0          0         0      840      3000    0    0    0     0       0          0
`
	if got, want := sumPackets(text), int64(10+11+200+3000); got != want {
		t.Errorf("%d, want %d", got, want)
	}
	if got := sumPackets("nonsense: 1"); got != 0 {
		t.Errorf("%d", got)
	}
}

func TestField(t *testing.T) {
	t.Parallel()
	f := filepath.Join(t.TempDir(), "cpu.stat")
	if err := os.WriteFile(f, []byte("nr_periods 32\nnr_throttled 31\nbad x\nlong 1 2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if v, ok := field(f, "nr_throttled"); v != 31 || !ok {
		t.Error(v, ok)
	}
	for _, name := range []string{"nr_thrott", "bad", "long", ""} {
		if v, ok := field(f, name); ok {
			t.Errorf("%q is %d", name, v)
		}
	}
	if _, ok := field(f+"none", "nr_periods"); ok {
		t.Error("a missing file has a value")
	}
}

func TestSince(t *testing.T) {
	t.Parallel()
	var r Result
	counters{killed: 3, packets: 7, periods: 15, throttled: 6, quota: true}.since(counters{killed: 3, periods: 10, throttled: 5, quota: true}, &r)
	if r.OOM || r.Packets != 7 || *r.Periods != 5 || *r.Throttled != 1 {
		t.Errorf("%+v", r)
	}
	r = Result{}
	counters{killed: 4}.since(counters{killed: 3}, &r)
	if !r.OOM || r.Periods != nil {
		t.Errorf("%+v", r)
	}
}

func TestEnvironment(t *testing.T) {
	t.Parallel()
	got := environment([]string{"PATH=/bin", "HOME=/", "TMPDIR=/x", "A=1"},
		Run{Dir: "/work", Env: []string{"A=2", "B==", "FAILRATE_RECORDS=/forged"}, Records: true, Burst: true})
	want := []string{"PATH=/bin", "HOME=/", "TMPDIR=" + temporaryFolder, "A=2", "PWD=/work", "B==", "FAILRATE_RECORDS=" + recordsFile,
		"FAILRATE_BURST=" + burstFile}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestLookup(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, mode := range map[string]os.FileMode{"tool": 0o755, "plain": 0o644, "bin/tool": 0o755, "bin/other": 0o755, "bin/plain": 0o755} {
		p := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(p), 0o755), os.WriteFile(p, nil, mode)); err != nil {
			t.Fatal(err)
		}
	}
	env := []string{"X=1", "PATH=bin:/nowhere"}
	for name, want := range map[string]string{
		"tool": "tool", "other": "bin/other", "plain": "bin/plain", "./plain": "plain", "bin/x": "bin/x", "bin": "", "none": "",
	} {
		got, err := lookup(name, dir, env)
		if (err != nil) != (want == "") || want != "" && got != filepath.Join(dir, want) {
			t.Errorf("%q: %q, %v; want %q", name, got, err, want)
		}
	}
	if got, err := lookup("/bin/x", dir, env); got != "/bin/x" || err != nil {
		t.Error(got, err)
	}
}

func TestStartError(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	script := filepath.Join(dir, "script")
	if err := os.WriteFile(script, []byte("#!/no/such/interpreter\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		program, dir string
		err          error
		want         string
	}{
		{script, dir, syscall.ENOENT, "interpreter or loader"},
		{script + "none", dir, syscall.ENOENT, "no such file"},
		{script, dir + "none", syscall.ENOENT, "folder"},
		{script, dir, syscall.ENOEXEC, "neither a program"},
		{script, dir, syscall.EACCES, "permission denied"},
	} {
		if err := startError(c.program, c.dir, c.err); !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.program) {
			t.Errorf("%v: %q, want %q in it", c.err, err, c.want)
		}
	}
}

// TestPump requires that output which is in the pipe is carried though somebody holds the pipe open, and though the
// deadline has passed before anybody looked.
func TestPump(t *testing.T) {
	t.Parallel()
	r, w, err := widePipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	text := bytes.Repeat([]byte("late"), 15_000) // less than any pipe holds
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := r.SetReadDeadline(time.Now().Add(-time.Second)); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	pump(&Writer{To: &b}, KindOutput, r)
	var got []byte
	for b.Len() > 0 {
		kind, payload, err := ReadFrame(&b, nil)
		if err != nil || kind != KindOutput {
			t.Fatal(kind, err)
		}
		got = append(got, payload...)
	}
	if !bytes.Equal(got, text) {
		t.Errorf("%d bytes, want %d", len(got), len(text))
	}
}

// TestWatchBurst requires every touch and removal of the file to be told, and nothing of its neighbours'.
func TestWatchBurst(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "burst")
	told := make(chan string, 100)
	stop, err := watchBurst(file, func(what string) { told <- what })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop() })
	step := func(want string, do func() error) {
		t.Helper()
		if err := do(); err != nil {
			t.Fatal(err)
		}
		for got := range told { // several events may come of one step
			if got == want {
				return
			}
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "other"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	step(BurstTouched, func() error { return os.WriteFile(file, nil, 0o600) })
	step(BurstRemoved, func() error { return os.Remove(file) })
	step(BurstTouched, func() error { return os.WriteFile(file, nil, 0o600) })
	step(BurstTouched, func() error { return os.WriteFile(file, []byte("x"), 0o600) })
	step(BurstRemoved, func() error { return os.Rename(file, file+"2") })
	if len(told) > 4 {
		t.Errorf("%d more events", len(told))
	}
}

func TestMaskOf(t *testing.T) {
	t.Parallel()
	if mask := maskOf([]byte("too short"), "x"); mask != 0 {
		t.Error(mask)
	}
	long := make([]byte, syscall.SizeofInotifyEvent)
	long[12] = 0xff // a name longer than what there is
	if mask := maskOf(long, ""); mask != 0 {
		t.Error(mask)
	}
}

// TestMainElsewhere requires that the agent runs as nothing but process 1: it kills everything it can reach.
func TestMainElsewhere(t *testing.T) {
	t.Parallel()
	if code := Main(nil, nil); code != 2 {
		t.Errorf("exit status %d", code)
	}
	if code := Main([]string{loadArgument, "x"}, nil); code != 2 {
		t.Errorf("exit status %d", code)
	}
	if code := Main([]string{loadArgument, "x", "y"}, func(args []string) int { return len(args) }); code != 2 {
		t.Errorf("exit status %d", code)
	}
}
