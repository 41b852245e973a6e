package agent

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// drainTime bounds how long output is awaited after every process has ended: only a pipe end that hides in a socket's
// queue can hold it.
const drainTime = 2 * time.Second

// run carries out one attempt from its scratch folder to its Result.
func (s *server) run(r Run) Result {
	res := Result{Seq: r.Seq, Exit: -1}
	if err := s.attempt(r, &res); err != nil {
		res.Fault = err.Error()
	}
	if err := cleanScratch(r.Last); err != nil && res.Fault == "" {
		res.Fault = err.Error()
	}
	return res
}

func (s *server) attempt(r Run, res *Result) error {
	env := environment(os.Environ(), r)
	program, argv, err := command(r, env)
	if err != nil {
		return err
	}
	if err := makePlaces(); err != nil {
		return err
	}
	before, err := takeSnapshot(r)
	if err != nil {
		return err
	}
	if r.Burst {
		stop, err := watchBurst(burstFile, func(what string) { _ = s.frames.Frame(KindBurst, []byte(what)) })
		if err != nil {
			return fmt.Errorf("watch for the burst: %w", err)
		}
		defer stop()
	}
	out, err := s.newOutput(r.Split)
	if err != nil {
		return fmt.Errorf("make output pipes: %w", err)
	}
	defer out.close()
	family, err := startLoad(r.Load, env)
	if err != nil {
		return err
	}
	defer family.stopLoad()
	count := counters{killed: s.killed}
	if r.CPU {
		count.periods, count.throttled, count.quota = quotaPeriods()
	}
	family.started = time.Now()
	family.subject, err = syscall.ForkExec(program, argv, &syscall.ProcAttr{
		Dir: r.Dir, Env: env, Files: out.files(), Sys: &syscall.SysProcAttr{Setsid: true}})
	out.closeWriters()
	if err != nil {
		family.endAll(res)
		return startError(program, r.Dir, err)
	}
	preferVictim(family.subject)
	s.supervise(r, family, res)
	family.endAll(res)
	if family.lost {
		return errors.New("the stress worker ended before the subject did")
	}
	out.drain(drainTime)
	after := readCounters(r)
	after.since(count, res)
	s.killed = after.killed
	return sendFiles(s.frames, r, before)
}

// environment is the image's environment, then the request's over it, then the places of this attempt.
func environment(image []string, r Run) []string {
	all := append(append([]string{}, image...), "PWD="+r.Dir, "TMPDIR="+temporaryFolder)
	all = append(all, r.Env...)
	if r.Records {
		all = append(all, "FAILRATE_RECORDS="+recordsFile)
	}
	if r.Artifacts {
		all = append(all, "FAILRATE_ARTIFACTS="+artifactsFolder)
	}
	if r.Burst {
		all = append(all, "FAILRATE_BURST="+burstFile)
	}
	at := map[string]int{}
	var env []string
	for _, e := range all {
		name, _, _ := strings.Cut(e, "=")
		if i, ok := at[name]; ok {
			env[i] = e
			continue
		}
		at[name] = len(env)
		env = append(env, e)
	}
	return env
}

// command is the program to start and its arguments, the program's name first.
func command(r Run, env []string) (program string, argv []string, err error) {
	if r.Shell {
		return "/bin/sh", append([]string{"sh", "-c", r.Argv[0], "sh"}, r.Argv[1:]...), nil
	}
	program, err = lookup(r.Argv[0], r.Dir, env)
	return program, r.Argv, err
}

// lookup finds the program: a path as it is, a word in the tree and then in PATH.
func lookup(name, dir string, env []string) (string, error) {
	if strings.Contains(name, "/") {
		if filepath.IsAbs(name) {
			return name, nil
		}
		return filepath.Join(dir, name), nil
	}
	folders := []string{dir}
	for _, e := range env {
		if list, ok := strings.CutPrefix(e, "PATH="); ok {
			folders = append(folders, filepath.SplitList(list)...)
		}
	}
	for _, f := range folders {
		if !filepath.IsAbs(f) {
			f = filepath.Join(dir, f)
		}
		path := filepath.Join(f, name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return path, nil
		}
	}
	return "", fmt.Errorf("start %q: not found in the tree or in PATH", name)
}

// startError says what is missing: the kernel reports a missing folder, program and interpreter alike.
func startError(program, dir string, err error) error {
	if info, missing := os.Stat(dir); missing != nil || !info.IsDir() {
		return fmt.Errorf("start %q: its folder %q is missing", program, dir)
	}
	_, missing := os.Stat(program)
	switch {
	case errors.Is(err, fs.ErrNotExist) && missing == nil:
		return fmt.Errorf("start %q: its interpreter or loader is not in the image: %w", program, err)
	case errors.Is(err, syscall.ENOEXEC):
		return fmt.Errorf("start %q: neither a program for this platform nor a script with a #! line: %w", program, err)
	}
	return fmt.Errorf("start %q: %w", program, err)
}
