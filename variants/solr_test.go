package variants

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The studies of Solr end to end: the real command compiles them with Maven, runs one short trial of each variant below
// on this host, and what its journal says of the trial is what the study promises.
func TestSolrStudies(t *testing.T) {
	t.Parallel()
	needJava(t)
	classes := fetchJars(t)
	t.Run("nodes end with the subject", func(t *testing.T) { nodesEndWithTheSubject(t, classes) })
	failrate := filepath.Join(t.TempDir(), "failrate")
	tool(t, "..", nil, "build", "-o", failrate, "./cmd/failrate")
	for _, c := range []struct {
		study string
		flags []string
		want  map[string]solrTrial // by variant
	}{
		{
			"solr-alias-hotspot", []string{"--param", "tenants=5", "--param", "nodes=8", "--variant", "anchor-first"},
			map[string]solrTrial{
				"tenant-first": {
					outcomes: []string{"fail"}, classes: []string{"hotspot"}, evidence: []string{"even-load", "as-predicted", "forwarded", "update-in-first"},
					// Of 8 nodes 3 have a replica of the first tenant: 5/8 is passed on, and no node may have less than 1/3 of it all.
					metrics: map[string][2]float64{"proxied_share": {0.625, 0.625}, "max_share": {1. / 3, 1}, "max_over_mean": {8. / 3, 8}, "shard_requests_per_query": {5, 5}},
				},
				"anchor-first": {
					outcomes: []string{"pass"}, evidence: []string{"even-load", "as-predicted", "update-in-first"},
					metrics: map[string][2]float64{"proxied_share": {0, 0}, "max_share": {0.125, 0.125}, "max_over_mean": {1, 1}, "shard_requests_per_query": {6, 6}},
				},
			},
		},
		{
			"solr-send", []string{"--stress", "none", "--param", "delay=0s", "--variant", "jetty-h2"},
			map[string]solrTrial{"jetty-h2": {
				outcomes: []string{"fail"}, classes: []string{"committed", "not-sent", "refused"}, evidence: []string{"cut"},
				metrics: map[string][2]float64{"delay_us": {0, 1e6}, "took_us": {1, 1e7}},
			}},
		},
		{
			"solr-recovery", []string{"--stress", "none", "--param", "procs=2", "--variant", "baseline"},
			map[string]solrTrial{"baseline": {
				outcomes: []string{"pass", "fail"}, classes: []string{"committed", "not-sent", "refused"}, evidence: []string{"full-copy"},
				metrics: map[string][2]float64{"recovery_ms": {1, 1e6}, "tries": {1, 1e6}},
			}},
		},
	} {
		t.Run(c.study, func(t *testing.T) {
			trials := measure(t, failrate, append([]string{c.study}, c.flags...)...)
			if len(trials) != len(c.want) {
				t.Errorf("%d trials, want %d", len(trials), len(c.want))
			}
			for _, got := range trials {
				variant, _, _ := strings.Cut(got.ID, "/")
				if want, ok := c.want[variant]; ok {
					want.check(t, got)
				} else {
					t.Errorf("nobody asked for %s", got.ID)
				}
			}
		})
	}
}

// nodesEndWithTheSubject kills a subject whose nodes are JVMs of their own, as soon as these begin. They have its standard
// error, so that is open for as long as one of them lives.
func nodesEndWithTheSubject(t *testing.T, classes string) {
	const nodes = 2
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	subject := exec.CommandContext(ctx, "java", "-ea", "-Xmx256m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Djetty.testMode=1", "-cp", "classes:lib/*",
		"failrate.solr.AliasHotspot", "--nodes", fmt.Sprintf("%d-processes", nodes), "--replicas", "1", "--tenants", "1", "--rounds", "1")
	subject.Dir = classes
	subject.Env = append(os.Environ(), "TMPDIR="+t.TempDir(), "FAILRATE_RECORDS=")
	subject.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	subject.Cancel = func() error { return syscall.Kill(-subject.Process.Pid, syscall.SIGKILL) } // its nodes as well
	errs, err := subject.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := subject.Start(); err != nil {
		t.Fatal(err)
	}
	started := 0
	for s := bufio.NewScanner(errs); s.Scan(); { // until nobody has it open
		if strings.Contains(s.Text(), "Start Jetty") {
			if started++; started == nodes {
				_ = subject.Process.Kill()
			}
		}
	}
	_ = subject.Wait() // by a signal
	if started != nodes || ctx.Err() != nil {
		t.Errorf("%d of %d nodes were started, and we had to end them: %v", started, nodes, ctx.Err())
	}
}

// solrTrial is what a trial must have come to.
type solrTrial struct {
	outcomes, classes, evidence []string
	metrics                     map[string][2]float64 // the least and the most
}

func (want solrTrial) check(t *testing.T, got finished) {
	t.Helper()
	j := got.Judgement
	if !slices.Contains(want.outcomes, j.Outcome) || j.Outcome == "fail" && !slices.Contains(want.classes, j.Class) {
		t.Errorf("%s: %s %q (%s); want one of %q, of a class of %q", got.ID, j.Outcome, j.Class, j.Reason, want.outcomes, want.classes)
	}
	for _, mark := range want.evidence {
		if !slices.Contains(j.Evidence, mark) {
			t.Errorf("%s: no evidence %q, only %q", got.ID, mark, j.Evidence)
		}
	}
	for name, bounds := range want.metrics {
		const off = 1e-9 // of numbers written as text
		if v, ok := j.Metrics[name]; !ok || math.IsNaN(v) || v < bounds[0]-off || v > bounds[1]+off {
			t.Errorf("%s: %s is %v (there: %v), want %v", got.ID, name, v, ok, bounds)
		}
	}
}

// finished is what the test reads of a journal's record.
type finished struct {
	Type, ID  string
	Judgement struct {
		Outcome, Class, Reason string
		Evidence               []string
		Metrics                map[string]float64
	}
}

// measure runs one trial of each variant, and gives what the journal says of them.
func measure(t *testing.T, failrate string, args ...string) (trials []finished) {
	t.Helper()
	ctx, home := t.Context(), t.TempDir()
	if end, ok := t.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, end.Add(-time.Minute))
		defer cancel()
	}
	results := filepath.Join(home, "results")
	cmd := exec.CommandContext(ctx, failrate, append([]string{"measure"}, append(args, "-n", "1", "--on", "native", "--no-controls", "--seed", "1", "--results", results)...)...)
	cmd.Env = append(os.Environ(), "FAILRATE_CACHE="+filepath.Join(home, "cache"), "NO_COLOR=1", "GITHUB_STEP_SUMMARY=")
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) } // so that it ends its trial
	cmd.WaitDelay = 40 * time.Second
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("failrate measure %s: %v\n%s", strings.Join(args, " "), err, text)
	}
	journals, err := filepath.Glob(filepath.Join(results, "*", "*", "journal.jsonl"))
	if err != nil || len(journals) != 1 {
		t.Fatalf("journals: %q, %v", journals, err)
	}
	text, err := os.ReadFile(journals[0])
	if err != nil {
		t.Fatal(err)
	}
	for s := bufio.NewScanner(bytes.NewReader(text)); s.Scan(); {
		var f finished
		if err := json.Unmarshal(s.Bytes(), &f); err != nil {
			t.Fatal(err)
		}
		if f.Type == "finished" {
			t.Logf("%s: %s %s, %s, %v", f.ID, f.Judgement.Outcome, f.Judgement.Class, f.Judgement.Evidence, f.Judgement.Metrics)
			trials = append(trials, f)
		}
	}
	return trials
}

// needJava skips the test where a program is missing. Where REQUIRE_JAVA is set, it fails instead.
func needJava(t *testing.T) {
	t.Helper()
	for _, name := range []string{"java", "javac", "mvn"} {
		if _, err := exec.LookPath(name); err != nil {
			if os.Getenv("REQUIRE_JAVA") != "" {
				t.Fatalf("REQUIRE_JAVA is set, but: %v", err)
			}
			t.Skipf("SKIPPED for want of Java: %v", err)
		}
	}
}

// unfetched is what Maven says when it has not got an artifact and cannot get it.
var unfetched = regexp.MustCompile(`(?m)^.*(Could not (transfer|find) artifact|[Cc]ould not (be resolved|resolve dependencies)|Cannot access \S+ \(http|Unknown host|status code: 5\d\d).*$`)

// fetchJars compiles the studies once, and gives the folder with their classes and jars. A machine that has not got their
// jars and cannot get them from Maven Central says nothing about the studies: the test is skipped then, and fails for
// whatever else goes wrong.
func fetchJars(t *testing.T) string {
	t.Helper()
	const limit = 4 * time.Minute
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	out := t.TempDir()
	text, err := build(ctx, out, t.TempDir())
	if why := unfetched.FindString(text); err != nil && why != "" {
		t.Skipf("SKIPPED for want of the Solr jars: %s", why)
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		t.Skipf("SKIPPED for want of the Solr jars: they were not there within %v: %s", limit, text)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return out
}

// build ends with its context, and Maven with it, which is a child of the shell.
func build(ctx context.Context, out, temp string) (string, error) {
	cmd := exec.CommandContext(ctx, "sh", "internal/solr/build.sh", out)
	cmd.Env = append(os.Environ(), "TMPDIR="+temp)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 10 * time.Second
	text, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("build.sh: %w", err)
	}
	return string(text), err
}
